"""Stopped anywhere: the thread stays valid, and no call is ever executed twice."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine, Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.office import SAY, asks, desk, results
from director.agent.conversation.current_thread import ensure_current_thread
from director.agent.turn import take_turn
from director.agent.turn_lease import find_last_turn, is_turn_running
from director.context.wire import emit, problems
from director.models.script_values import Emit, Seen, Wait
from director.runs import save_run_workflow
from director.store import Entry, EntryDraft, Json, RecordDraft, Store, Versioned, open_store
from director.store.context_view import project_context_view
from director.workflow.values import Workflow
from runs.crashes import Crash

CALLS = ("a", "b", "c")


def brain(shown: Seen) -> Sequence[Emit]:
    """Two calls, then one, then a word; a user who says anything more is told that all is done."""
    said = [item.text for item in shown.items if item.kind == "user"]
    made = [item for item in shown.items if item.kind == "call"]
    if len(said) > 1 or len(made) == 3:
        return [Wait(0.0001), *SAY]
    names = CALLS[:2] if not made else CALLS[2:]
    sets = [asks("set_variable", variableName=n, value=1, reason="r") for n in names]
    return [Wait(0.0001), *sets]


class Dying(Store):
    """A store whose n-th write is the last thing that its program did, or did not quite do."""

    def __init__(self, store: Store, at: int, *, written: bool) -> None:
        super().__init__(store._database)
        self.writes = 0
        self.at = at
        self.written = written

    def append(
        self,
        thread: str,
        drafts: Sequence[EntryDraft],
        *,
        expect: int | None = None,
        reference: Json | None = None,
        clear_reference: bool = False,
    ) -> tuple[Entry, ...]:
        """Append, unless dead."""
        self._before()
        done = super().append(
            thread,
            drafts,
            expect=expect,
            reference=reference,
            clear_reference=clear_reference,
        )
        self._after()
        return done

    def put_all(
        self, drafts: Sequence[RecordDraft], *, unchanged: Sequence[Versioned] = ()
    ) -> tuple[Versioned, ...]:
        """Write, unless dead."""
        self._before()
        done = super().put_all(drafts, unchanged=unchanged)
        self._after()
        return done

    def leave(self, worker: str) -> None:
        """A dead program takes no leave."""
        if self.writes < self.at:
            super().leave(worker)

    def _before(self) -> None:
        self.writes += 1
        if self.writes > self.at or (self.writes == self.at and not self.written):
            raise Crash

    def _after(self) -> None:
        if self.writes == self.at:
            raise Crash


def check(store: Store) -> None:
    """The thread is valid, goes on, and each call was executed at most once."""
    thread = ensure_current_thread(store, "w")
    assert not is_turn_running(store, thread)
    shown: list[Seen] = []
    turn = asyncio.run(take_turn(desk(store, brain, seen=shown), "Go on."))
    assert turn.text == "Done."
    for name in CALLS:
        assert len(store.versions("variable", f"workbench:w/{name}")) <= 1
    for wire in ("responses", "chat", "anthropic"):
        assert problems(emit(project_context_view(store.entries(thread)), wire), wire) == []
    told = len(results(shown[-1]))
    assert told == len([item for item in shown[-1].items if item.kind == "call"])
    assert store.verify().ok


class Cancelling:
    """Awaits something, and cancels it at the n-th place where it waits."""

    def __init__(self, work: Coroutine[Any, Any, object], at: int) -> None:
        self._work = work
        self._at = at

    def __await__(self) -> Generator[Any, Any, object]:
        inner = self._work.__await__()
        told: BaseException | None = None
        for waits in itertools.count():
            try:
                waited = inner.send(None) if told is None else inner.throw(told)
            except StopIteration as ended:
                return ended.value
            told = None
            if waits + 1 == self._at:
                told = asyncio.CancelledError()
                continue
            try:
                yield waited
            except BaseException as error:  # noqa: BLE001  handed on to who waits
                told = error
        return None


@pytest.mark.promise("A6")
@pytest.mark.parametrize("written", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_program_that_dies_at_any_write_repeats_nothing(tmp_path: Path, written: bool) -> None:  # noqa: FBT001
    """The n-th write is the last, for every n until a turn comes through."""
    for nth in itertools.count(1):
        with open_store(tmp_path / f"{nth}.db") as store:
            save_run_workflow(store, Workflow("w", "W"))
            dying = Dying(store, nth, written=written)
            try:
                asyncio.run(take_turn(desk(dying, brain), "Go."))
            except Crash:
                check(store)
                continue
            break
    assert nth > 8


@pytest.mark.promise("A6")
def test_a_turn_that_is_cancelled_at_any_wait_repeats_nothing(tmp_path: Path) -> None:
    """Cancelled where it waits for the n-th time, for every n until it comes through."""

    async def cancelled(store: Store, nth: int) -> bool:
        working = Cancelling(take_turn(desk(store, brain), "Go."), nth)
        try:
            await working
        except asyncio.CancelledError:
            return True
        return False

    for nth in itertools.count(1):
        with open_store(tmp_path / f"{nth}.db") as store:
            if not asyncio.run(cancelled(store, nth)):
                break
            assert find_last_turn(store, ensure_current_thread(store, "w"))["state"] == "cancelled"
            check(store)
    assert nth > 3
