"""A conversation in the terminal: its desk, its screen, and the loop that both live in.

Ctrl-C stops a turn and nothing else: what was said and done until then is kept.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from director.agent import (
    TurnResult,
    ensure_current_thread,
    open_session,
    retry_turn,
    take_turn,
)
from director.agent.compression.thresholds import get_thresholds
from director.agent.conversation.message_size import MessageTooLarge
from director.agent.model_choice import get_session_model_choice
from director.agent.model_windows import (
    describe_model_window,
    get_capabilities,
    remember_model_window,
)
from director.agent.request_log.kept_requests import KIND as REQUEST
from director.agent.subagents.node_models import lend_node_models
from director.agent.tools import UserQuestion
from director.agent.turn import resume_turn
from director.agent.turn_lease import has_waiting_job
from director.cli.chat_screen import ChatScreen
from director.cli.local_runs import list_context_values
from director.errors import DirectorError
from director.models import Model
from director.runs import Run, RunProgress, drive_run, queue_run
from director.runs.branch_choices import read_branch_choices
from director.runs.resources import RunOptions, open_resources
from director.runs.run_text import (
    write_branch_run_lines,
    write_comparison_run_lines,
    write_seconds_text,
    write_state_text,
)
from director.services.runs import read_run_history
from director.services.workspace import Workspace, share_session
from director.settings import Settings, load_settings
from director.store import Store, Versioned
from director.workflow.display import render_value
from director.workflow.values import Json

T = TypeVar("T")


class Room:
    """One workflow that is talked about here; `failed` counts what could not be answered.

    `elsewhere` is what other commands need to find its store, if it is not the usual one.
    """

    def __init__(
        self,
        store: Store,
        workflow: str,
        settings: Settings,
        *,
        screen: ChatScreen,
        files: Path | None = None,
    ) -> None:
        self.store = store
        self._files = files
        self.workflow = workflow
        self.settings = settings
        self.screen = screen
        self.question: UserQuestion | None = None
        self.failed = 0
        self.elsewhere = ""
        self._open = AsyncExitStack()
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        self.run(self._enter())
        return self

    async def _enter(self) -> None:
        wishes = RunOptions(pictures="failures", files=self._files)
        self.supplies = await self._open.enter_async_context(open_resources(self.store, wishes))
        lend_node_models(self.supplies, self.store)
        self.desk = await self._open.enter_async_context(
            open_session(
                self.store,
                self.workflow,
                self.supplies,
                settings=self.settings,
                progress=self.screen.progress,
            )
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.run(self._open.aclose())
        finally:
            self._runner.__exit__(kind, error, trace)

    @property
    def workspace(self) -> Workspace:
        """What use cases work with here."""
        return replace(share_session(self.desk), supplies=self.supplies)

    @property
    def thread(self) -> str:
        """The conversation that is current now."""
        return ensure_current_thread(self.store, self.workflow)

    @property
    def compress_at(self) -> int:
        """The size at which the conversation is compressed, with the model of now."""
        return get_thresholds(self.desk.settings, get_session_model_choice(self.desk)[0]).at

    def window_of(self, model: Model) -> str:
        """The window of a model and who says so, in brackets; of a script there is none."""
        if model.place.provider == "scripted":
            return ""
        # A server that speaks Chat Completions only lists its models: no model is asked.
        if model.capabilities.form == "chat":
            remember_model_window(self.store, self.run(model.ready()))
        return (
            f" ({describe_model_window(get_capabilities(self.store, load_settings(), model.name))})"
        )

    @property
    def last_request(self) -> Versioned | None:
        """The newest request that was made for a turn of this conversation."""
        found = reversed(self.store.versions(REQUEST, self.thread))
        return next((one for one in found if one.body.get("purpose") == "turn"), None)

    def run(self, doing: Coroutine[Any, Any, T]) -> T:
        """Do something in the loop of this conversation; Ctrl-C cancels it."""
        try:
            return self._runner.run(_heeding(doing))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None

    def say(self, text: str) -> TurnResult | None:
        """Take a turn; the number of a choice stands for the choice."""
        if self.question is not None:
            text = parse_choice(text, self.question.choices)
        return self._run_turn(take_turn(self.desk, text))

    def resume(self) -> TurnResult | None:
        """Go on with what a model worked out in the background, if there is something."""
        if not has_waiting_job(self.store, self.thread):
            return None
        self.screen.say("An answer was being worked out in the background. It is fetched.", "dim")
        return self._run_turn(resume_turn(self.desk))

    def again(self, text: str = "") -> TurnResult | None:
        """Take the last turn again."""
        return self._run_turn(retry_turn(self.desk, text))

    def _run_turn(self, taking: Coroutine[Any, Any, TurnResult]) -> TurnResult | None:
        try:
            turn = self.run(taking)
        except KeyboardInterrupt:
            self.screen.say("Stopped. What was said and done until here is kept.", "yellow")
            return None
        except DirectorError as problem:
            self.trouble(problem)
            if not isinstance(problem, MessageTooLarge):
                self.screen.say(
                    "What was said and done is kept; /retry says it again or goes on from there.",
                    "dim",
                )
            return None
        self.question = turn.question
        self.screen.show_turn_end(turn, self.last_request, compress_at=self.compress_at)
        if turn.question is not None:
            self.screen.say(turn.question.text, "bold yellow")
            listed = enumerate(turn.question.choices, 1)
            self.screen.lines(f"  {number}  {choice}" for number, choice in listed)
        return turn

    def trouble(self, problem: Exception) -> None:
        """Say what could not be done."""
        self.failed += 1
        self.screen.say(f"{problem}", "red")

    def run_workflow(self, inputs: dict[str, Json] | None = None) -> Run | None:
        """Run the workflow as it is, without any model, and show its nodes as they end."""
        try:
            return self.run(self._run_workflow(inputs or {}))
        except KeyboardInterrupt:
            self.screen.say("The run was stopped; `director runs list` shows it.", "yellow")
        except DirectorError as problem:
            self.trouble(problem)
        return None

    async def _run_workflow(self, inputs: dict[str, Json]) -> Run:
        workflow = self.desk.now()
        run = queue_run(self.store, workflow, self.supplies.offline(workflow)[0], inputs=inputs)
        means = replace(await self.supplies.means(run), progress=self._step, patience=0.0)
        await drive_run(self.store, run.id, means)
        found = read_run_history(self.workspace, run.id)
        ended = found.run
        error = (ended.error or {}).get("message", "")
        self.screen.say(f"run {run.id}: {write_state_text(ended)}{f': {error}' if error else ''}")
        for one in ended.doubts:
            self.screen.say(f"  doubt: {one['sentence']}", "yellow")
        self.screen.lines(f"  compared: {one}" for one in write_comparison_run_lines(ended))
        taken = write_branch_run_lines(read_branch_choices(ended.summary))
        self.screen.lines(f"  branches: {one}" for one in taken)
        names = {node.alias for node in workflow.nodes if node.type == "transform"}
        for name, value in sorted(found.variables.items()):
            if name.partition(".")[0] in names:
                self.screen.say(f"  {name} = {_whole(name, value)}")
        self.screen.lines(f"  {one}" for one in list_context_values(found))
        return ended

    def _step(self, told: RunProgress) -> None:
        """A line for each node that is nobody's part."""
        if told.what != "finished" or "[" in told.key or "." in told.key:
            return
        word = "ok" if told.status == "success" else told.status
        told_of = f"  {word:<8}{told.alias}  {write_seconds_text(told.took)}  {told.error}"
        colours = {"failed": "red", "partial": "yellow"}
        self.screen.line(told_of.rstrip(), colours.get(told.status, ""))


def _whole(name: str, value: object) -> str:
    return value if isinstance(value, str) else render_value(name, value)  # type: ignore[arg-type]


async def _heeding(doing: Coroutine[Any, Any, T]) -> T:
    """Do it; the first Ctrl-C cancels it, the second stops this program at once.

    Not left to the runner: a signal that it gets as its loop falls asleep wakes nobody.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        if task is not None:
            task.cancel()

    # Not every system, and no thread but the main one, can listen to signals.
    with suppress(NotImplementedError, RuntimeError, ValueError):
        loop.add_signal_handler(signal.SIGINT, stop)
    try:
        return await doing
    finally:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGINT)


def parse_choice(text: str, choices: tuple[str, ...]) -> str:
    """The choice that a number stands for, else the text."""
    said = text.strip()
    if said.isdecimal() and 1 <= int(said) <= len(choices):
        return choices[int(said) - 1]
    return text
