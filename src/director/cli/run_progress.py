"""Following a run, done here or elsewhere: a line for each step, as the store has it."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.status import Status
from rich.text import Text

from director.runs import Run, Step, run_of, workflow_of
from director.runs.run_execution import is_parked
from director.runs.run_journal import step_from
from director.runs.run_text import depth_of, key_text, seconds_text
from director.store import Store, Versioned
from director.workflow.types import describe

if TYPE_CHECKING:
    from director.store.change_feed import Subscription

ENDED = ("done", "failed", "cancelled")
_COLOURS = {"success": "green", "partial": "yellow", "failed": "red", "skipped": "dim"}
_LONGEST = 160
_LOOK = 0.2  # seconds between two looks whether anything was committed


class RunPrinter:
    """Prints the steps of one run as they are finished; at a terminal also what is being done.

    `aside` prints where errors go, so that the output is free for something else.
    """

    def __init__(self, store: Store, run: str, *, aside: bool = False) -> None:
        self._store = store
        self._run = run_of(store, run)
        self._nodes = {node.id: node for node in workflow_of(store, self._run).nodes}
        self._console = Console(highlight=False, markup=False, stderr=aside)
        self._status: Status | None = None
        self._feed: Subscription = store.subscribe()

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
        self._feed.close()
        self.pause()

    def pause(self) -> None:
        """Leave the terminal to somebody else, for a question."""
        if self._status is not None:
            self._status.stop()

    async def wait_end(self) -> Run:
        """The run, once nobody works on it any more."""
        while True:
            # Looked at first: what was committed by then is told before this returns.
            found = run_of(self._store, self._run.id)
            over = found.state in ENDED or is_parked(found)
            change = await asyncio.to_thread(self._feed.next, 0 if over else _LOOK)
            if change is not None and isinstance(change.what, Versioned):
                self._tell(change.what)
            elif change is None and over:
                return found

    def _tell(self, record: Versioned) -> None:
        if record.kind == "step" and record.id.startswith(f"{self._run.id}/"):
            step = step_from(record)
            if step.state == "finished":
                self._print_step(step)
            elif step.state == "begun" and self._status is not None:
                self._status.update(self._doing(step))
                self._status.start()

    def _doing(self, step: Step) -> Text:
        about = describe(self._nodes[step.node]) if step.node in self._nodes else ""
        return Text(f"{key_text(step.key, self._nodes.values())}  {about}")

    def _print_step(self, step: Step) -> None:
        indent = "  " * depth_of(step.key)
        if step.type == "item":
            name = step.key.rpartition("[")[2].rstrip("]")
            told = Text.assemble(indent, (f"{_word(step):<8}", _COLOURS[step.status]), f"[{name}]")
        else:
            told = Text.assemble(
                indent,
                (f"{_word(step):<8}", _COLOURS[step.status]),
                f"{step.alias:<20} ",
                (seconds_text(step.took) if step.status != "skipped" else "", "dim"),
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
