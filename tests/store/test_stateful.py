"""Any order of saying, calling, compressing, restoring, deleting and crashing, against a dictionary.

The model below is the whole truth about a thread in thirty lines; the store must agree with it
after every step, on both engines.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from director.context.values import AgentTurn, Summary
from director.store.compression import (
    compress_turns,
    delete_turns,
    preview_turn_compression,
    restore_compressed_turns,
)
from director.store.context_view import build_thread_view, project_context_view
from director.store.store import Store
from director.store.store_opening import open_store
from director.store.values import StoreError, VersionConflict
from director.testing.store_drafts import draft_agent_message, draft_call_result, draft_user_message
from director.testing.store_faults import find_store_faults
from store.engines import cut_connections, file_of, prepared

_PADDING = " and some words more, so that a summary is shorter than this" * 3
_TEXTS = st.text(st.characters(codec="utf-8"), max_size=30).map(lambda text: text + _PADDING)


class Model:
    """What a thread must be, as plain dictionaries."""

    def __init__(self) -> None:
        self.head = 0
        self.said: dict[int, str] = {}
        self.results: dict[str, str | None] = {}
        self.folds: dict[int, tuple[int | None, set[int], str]] = {}
        self.undone: set[int] = set()
        self.deleted: set[int] = set()

    def next(self) -> int:
        """The number of the next entry."""
        self.head += 1
        return self.head

    def active(self, fold: int) -> bool:
        """Whether a compression, and all it builds on, still stands."""
        previous = self.folds[fold][0]
        return fold not in self.undone and (previous is None or self.active(previous))

    def current(self) -> int | None:
        """The compression whose summary is shown."""
        return max(filter(self.active, self.folds), default=None)

    def covered(self) -> set[int]:
        """The turns that the summary stands for."""
        current = self.current()
        return set() if current is None else self.folds[current][1]

    def visible(self) -> dict[int, str]:
        """The turns that are shown, with their texts."""
        hidden = self.deleted | self.covered()
        return {seq: text for seq, text in self.said.items() if seq not in hidden}


class Threads(RuleBasedStateMachine):
    """Does things to one thread of a store, and to the model, and compares."""

    engine = "sqlite"

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="director-state-"))
        self.model = Model()
        self.crashes = 0

    @initialize()
    def opened(self) -> None:
        """Begin with an empty store."""
        self.store: Store = open_store(prepared(self.engine, self.folder))

    @rule(text=_TEXTS)
    def say(self, text: str) -> None:
        """A user says something."""
        self.store.append("t", [draft_user_message(text)])
        self.model.said[self.model.next()] = text

    @rule(text=_TEXTS, calls=st.integers(0, 2))
    def call(self, text: str, calls: int) -> None:
        """An agent says something and calls tools."""
        seq = self.model.head + 1
        ids = [f"call_{seq}_{n}" for n in range(calls)]
        self.store.append("t", [draft_agent_message(text, ids)], expect=self.model.head)
        self.model.said[self.model.next()] = text
        self.model.results.update(dict.fromkeys(ids))

    @precondition(lambda self: None in self.model.results.values())
    @rule(choice=st.randoms(use_true_random=False), text=_TEXTS, large=st.booleans())
    def answer(self, choice: object, text: str, large: bool) -> None:  # noqa: FBT001
        """A tool answers a call that is open."""
        waiting = [call for call, given in self.model.results.items() if given is None]
        call = choice.choice(waiting)  # type: ignore[attr-defined]
        given = text * 100 if large else text
        self.store.append("t", [draft_call_result(call, given)])
        self.model.results[call] = given
        self.model.next()

    @rule(choice=st.randoms(use_true_random=False), everything=st.booleans())
    def fold(self, choice: object, everything: bool) -> None:  # noqa: FBT001
        """Some units, or all, are compressed."""
        parts = build_thread_view(self.store.entries("t")).units
        chosen = [p for p in parts if everything or choice.random() < 0.5]  # type: ignore[attr-defined]
        if not chosen:
            return
        seqs = {seq for unit in chosen for seq in unit}
        look = preview_turn_compression(self.store, "t", seqs)
        text = f"summary {self.model.head}"
        compress_turns(self.store, "t", look, Summary(text, look.covers))
        previous, covers = self.model.current(), seqs | self.model.covered()
        self.model.folds[self.model.next()] = (previous, covers, text)

    @rule(text=st.sampled_from(["", " \n", "far too long " * 9_999]))
    def fold_badly(self, text: str) -> None:
        """A bad summary is refused, whatever there is to compress."""
        look = preview_turn_compression(self.store, "t")
        with pytest.raises(StoreError):
            compress_turns(self.store, "t", look, Summary(text, look.covers))

    @rule(text=_TEXTS)
    def fold_too_late(self, text: str) -> None:
        """Something is said between looking and compressing."""
        look = preview_turn_compression(self.store, "t")
        self.say(text)
        with pytest.raises(VersionConflict):
            compress_turns(self.store, "t", look, Summary("late", look.covers))

    @precondition(lambda self: self.model.current() is not None)
    @rule(choice=st.randoms(use_true_random=False))
    def unfold(self, choice: object) -> None:
        """A compression is undone, with those that build on it."""
        active = [fold for fold in self.model.folds if self.model.active(fold)]
        fold = choice.choice(active)  # type: ignore[attr-defined]
        restore_compressed_turns(self.store, "t", fold)
        self.model.undone.add(fold)
        self.model.next()

    @rule(choice=st.randoms(use_true_random=False))
    def forget(self, choice: object) -> None:
        """A unit is taken out of view."""
        parts = build_thread_view(self.store.entries("t")).units
        if not parts:
            return
        unit = choice.choice(parts)  # type: ignore[attr-defined]
        delete_turns(self.store, "t", unit)
        self.model.deleted.update(unit)
        self.model.next()

    @rule()
    def crash(self) -> None:
        """The process dies without closing anything, and another opens the store."""
        url, old = self.store.url, self.store
        if self.engine == "sqlite":
            self.crashes += 1
            there = file_of(url)
            copy = there.with_name(f"crash-{self.crashes}.db")
            for tail in ("", "-wal"):
                if Path(f"{there}{tail}").exists():
                    shutil.copy(f"{there}{tail}", f"{copy}{tail}")
            url = f"sqlite:///{copy}"
        else:
            cut_connections(url.replace("+psycopg", ""))
        old.close()
        self.store = open_store(url)
        assert find_store_faults(self.store) == []

    @invariant()
    def the_store_agrees(self) -> None:
        """What the model sees is what the dictionaries say."""
        if not hasattr(self, "store"):
            return
        entries = self.store.entries("t")
        context = project_context_view(entries)
        assert self.store.head("t") == len(entries) == self.model.head
        assert {turn.at: turn.text for turn in context.turns} == self.model.visible()
        current = self.model.current()
        shown = None if context.summary is None else context.summary.text
        assert shown == (None if current is None else self.model.folds[current][2])
        assert set(context.summary.covers if context.summary else ()) == self.model.covered()
        agents = [turn for turn in context.turns if isinstance(turn, AgentTurn)]
        for one in (call for turn in agents for call in turn.calls):
            given = self.model.results[one.id]
            assert one.failed == (given is None)
            assert one.result == given or (given is None and "interrupted" in one.result)

    def teardown(self) -> None:
        """The whole store holds, to the end."""
        if hasattr(self, "store"):
            assert find_store_faults(self.store) == []
            self.store.close()
        shutil.rmtree(self.folder)


class ServerThreads(Threads):
    """The same on PostgreSQL."""

    engine = "postgresql"


_MACHINES = [Threads, ServerThreads]


def _run(machine: type[Threads], examples: int, steps: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.promise("A1")
@pytest.mark.promise("A2")
@pytest.mark.parametrize(("machine", "lives"), [(Threads, 8), (ServerThreads, 2)])
def test_a_thread_is_what_the_dictionaries_say(machine: type[Threads], lives: int) -> None:
    """A few short lives of a thread."""
    _run(machine, lives, 20)


@pytest.mark.slow
@pytest.mark.promise("A1")
@pytest.mark.promise("A2")
@pytest.mark.parametrize("machine", _MACHINES)
def test_a_thread_is_what_the_dictionaries_say_for_long(machine: type[Threads]) -> None:
    """Many long lives of a thread."""
    _run(machine, 60, 40)
