"""Following a run, done here or elsewhere: a line for each step, as the store has it."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status
from rich.text import Text

from director.runs import Step
from director.runs.run_text import get_step_depth, write_key_text, write_seconds_text
from director.services.run_watch import RunWatch
from director.services.runs import get_run_workflow
from director.services.workspace import Workspace
from director.workflow.types import describe_node

_COLOURS = {"success": "green", "partial": "yellow", "failed": "red", "skipped": "dim"}
_LONGEST = 160


class RunPrinter:
    """Prints the steps of one run as they are finished; at a terminal also what is being done.

    `aside` prints where errors go, so that the output is free for something else.
    """

    def __init__(self, workspace: Workspace, run: str, *, aside: bool = False) -> None:
        flow = get_run_workflow(workspace, run)
        self._nodes = {node.id: node for node in flow.nodes}
        self._console = Console(highlight=False, markup=False, stderr=aside)
        self._status: Status | None = None
        self._watch = RunWatch(workspace, run)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._status = self._console.status("", spinner="dots")
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._watch.close()
        self.pause()

    def pause(self) -> None:
        """Leave the terminal to somebody else, for a question."""
        if self._status is not None:
            self._status.stop()

    async def wait_end(self) -> None:
        """Print until nobody works on the run any more."""
        await self._watch.follow(self._tell)

    def _tell(self, step: Step) -> None:
        if step.state == "finished":
            self._print_step(step)
        elif step.state == "begun" and self._status is not None:
            self._status.update(self._doing(step))
            self._status.start()

    def _doing(self, step: Step) -> Text:
        about = describe_node(self._nodes[step.node]) if step.node in self._nodes else ""
        return Text(f"{write_key_text(step.key, self._nodes.values())}  {about}")

    def _print_step(self, step: Step) -> None:
        indent = "  " * get_step_depth(step.key)
        if step.type == "item":
            name = step.key.rpartition("[")[2].rstrip("]")
            told = Text.assemble(indent, (f"{_word(step):<8}", _COLOURS[step.status]), f"[{name}]")
        else:
            told = Text.assemble(
                indent,
                (f"{_word(step):<8}", _COLOURS[step.status]),
                f"{step.alias:<20} ",
                (write_seconds_text(step.took) if step.status != "skipped" else "", "dim"),
            )
        if step.error and step.type != "item":
            told.append(f"  {_short(step.error)}", "red")
        self._console.print(told, soft_wrap=True)
        for warning in step.warnings:
            self._console.print(Text(f"{indent}        {warning}", "yellow"), soft_wrap=True)


def _short(error: str) -> str:
    """The first sentence; the whole is said at the end and in `director runs show`."""
    first = error.partition("\n")[0].partition(". ")[0].rstrip(".")
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 1]}…"


def _word(step: Step) -> str:
    return "ok" if step.status == "success" else step.status
