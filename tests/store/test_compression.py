"""A compression is one entry or nothing; what was previewed is what is covered; there is a way back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.context.summary_checks import repair_summary
from director.context.values import AgentTurn, Counter, Summary
from director.context.wire import emit
from director.store import Entry, EntryDraft, Store, StoreError, VersionConflict, open_store
from director.store.compression import (
    Preview,
    compress_turns,
    delete_turns,
    list_compression_history,
    preview_turn_compression,
    restore_compressed_turns,
)
from director.store.context_view import (
    build_thread_view,
    find_archived,
    list_visible_turns,
    project_context_view,
)
from store.threads import WIRES, flaws, result, speaking, threads, turns_in, user

_names = itertools.count(1)
LONG = "a long story about doors, " * 12
words = Counter(lambda text: len(text.split()), "words", 0.1)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for many threads."""
    with open_store(tmp_path_factory.mktemp("compress") / "store.db") as store:
        yield store


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """A store of each engine."""
    with open_store(store_url) as opened:
        yield opened


def begun(store: Store, drafts: list[EntryDraft]) -> str:
    """A new thread with these entries."""
    thread = f"thread {next(_names)}"
    if drafts:
        store.append(thread, drafts)
    return thread


def talk(rounds: int) -> list[EntryDraft]:
    """A finished conversation: each round is a request, a call with its result, an answer."""
    drafts: list[EntryDraft] = []
    for nth in range(rounds):
        drafts += [
            user(f"Request {nth}: {LONG}"),
            speaking("anthropic", 2 * nth, "", [f"c{nth}"], "hm"),
            result(f"c{nth}", f"Result {nth}: {LONG}"),
            speaking("anthropic", 2 * nth + 1, f"Answer {nth}.", [], "hm"),
        ]
    return drafts


def seen(store: Store, thread: str) -> tuple[object, list[list[object]]]:
    """What the model sees: the context, and the messages of each wire."""
    context = project_context_view(store.entries(thread))
    return context, [emit(context, wire) for wire in WIRES]


def chosen_by(data: st.DataObject, store: Store, thread: str) -> set[int]:
    """Some whole units."""
    units = build_thread_view(store.entries(thread)).units
    return {seq for unit in units if data.draw(st.booleans()) for seq in unit}


@pytest.mark.promise("A2")
@settings(max_examples=30, deadline=None)
@given(drafts=threads(), data=st.data())
def test_nothing_is_lost_and_nothing_comes_twice(
    shared: Store, drafts: list[EntryDraft], data: st.DataObject
) -> None:
    """Compress what is chosen, go on, restore: each turn is visible or covered, all wires valid."""
    thread = begun(shared, drafts)
    for nth in range(data.draw(st.integers(1, 3))):
        chosen = chosen_by(data, shared, thread)
        if chosen:
            before = build_thread_view(shared.entries(thread))
            look = preview_turn_compression(shared, thread, chosen)
            made = compress_turns(shared, thread, look, Summary("s", look.covers))
            after = build_thread_view(shared.entries(thread))
            assert after.summary_turns == before.summary_turns | chosen
            assert made.body["previous"] == (before.current.seq if before.current else None)
        active = [
            one.seq for one in list_compression_history(shared, thread) if one.state != "restored"
        ]
        if active and data.draw(st.integers(0, 3)) == 0:
            restore_compressed_turns(shared, thread, data.draw(st.sampled_from(active)))
        more = data.draw(threads(start=100 * (nth + 1), most=3))
        if more:
            shared.append(thread, more)
        entries = shared.entries(thread)
        assert find_archived(entries) | set(list_visible_turns(entries)) == turns_in(entries)
        assert find_archived(entries).isdisjoint(list_visible_turns(entries))
        assert flaws(entries) == []


@pytest.mark.promise("C4")
@settings(max_examples=30, deadline=None)
@given(drafts=threads(), data=st.data())
def test_a_restore_gives_back_exactly_the_earlier_view(
    shared: Store, drafts: list[EntryDraft], data: st.DataObject
) -> None:
    """The same context and the same messages on every wire, after one compression or two."""
    thread = begun(shared, drafts)
    views = [seen(shared, thread)]
    made: list[int] = []
    for _ in range(2):
        chosen = chosen_by(data, shared, thread)
        if chosen:
            look = preview_turn_compression(shared, thread, chosen)
            made.append(compress_turns(shared, thread, look, Summary("s", look.covers)).seq)
            views.append(seen(shared, thread))
    if made and data.draw(st.booleans()):
        restore_compressed_turns(shared, thread, made[0])
        assert seen(shared, thread) == views[0]
        return
    for seq in reversed(made):
        views.pop()
        restore_compressed_turns(shared, thread, seq)
        assert seen(shared, thread) == views[-1]


@settings(max_examples=30, deadline=None)
@given(drafts=threads(), data=st.data())
def test_only_whole_units_are_covered(
    shared: Store, drafts: list[EntryDraft], data: st.DataObject
) -> None:
    """Any choice of turns is taken if it is made of units, and refused with nothing written if not."""
    thread = begun(shared, drafts)
    entries = shared.entries(thread)
    choice = {entry.seq for entry in entries if data.draw(st.booleans())}
    units = [set(unit) for unit in build_thread_view(entries).units]
    if choice == set().union(*(unit for unit in units if unit <= choice)):
        look = preview_turn_compression(shared, thread, choice)
        assert {turn.at for turn in look.fold.turns} == choice == set(look.covers)
        assert look.count == len(choice)
    else:
        with pytest.raises(StoreError, match="Nothing was written"):
            preview_turn_compression(shared, thread, choice)


@pytest.mark.promise("C5")
def test_what_is_previewed_is_what_is_compressed(store: Store) -> None:
    """The counts of the dialog, the turns of the fold and the entry are the same turns."""
    thread = begun(store, talk(3))
    look = preview_turn_compression(store, thread)
    assert (look.head, look.builds_on, look.user_count, look.agent_count) == (12, None, 3, 6)
    assert [turn.at for turn in look.fold.turns] == [1, 2, 4, 5, 6, 8, 9, 10, 12]
    made = compress_turns(store, thread, look, Summary("Doors.", look.covers), by="auto")
    assert made.seq == 13
    assert made.body["covers"] == [1, 2, 4, 5, 6, 8, 9, 10, 12]
    assert (made.body["by"], made.body["head"]) == ("auto", 12)
    assert made.body["before"] == look.tokens
    assert project_context_view(store.entries(thread)).summary == Summary(
        "Doors.", look.covers, "web"
    )
    assert preview_turn_compression(store, thread).count == 0


@pytest.mark.promise("A5")
def test_a_turn_said_since_the_preview_makes_it_stale(store: Store) -> None:
    """Nothing is written, the new turn is kept in view, and a new preview does it."""
    thread = begun(store, talk(2))
    look = preview_turn_compression(store, thread)
    store.append(thread, [user("Wait.")])
    before = store.entries(thread)
    with pytest.raises(VersionConflict, match="Nothing was written"):
        compress_turns(store, thread, look, Summary("Doors.", look.covers))
    assert store.entries(thread) == before
    again = preview_turn_compression(store, thread)
    compress_turns(store, thread, again, Summary("Doors.", again.covers))
    assert list_visible_turns(store.entries(thread)) == (9,)


@pytest.mark.promise("A5")
def test_of_two_compressions_one_wins(store: Store) -> None:
    """The other saw a thread that is no more."""
    thread = begun(store, talk(2))
    one, other = (
        preview_turn_compression(store, thread),
        preview_turn_compression(store, thread, [1]),
    )
    compress_turns(store, thread, one, Summary("One.", one.covers))
    with pytest.raises(VersionConflict):
        compress_turns(store, thread, other, Summary("Other.", other.covers))
    assert [made.summary.text for made in list_compression_history(store, thread)] == ["One."]


class Hasty:
    """A store into which somebody else speaks, once, between the last look and the write."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._spoken = False

    def read_visible(self, thread: str, /) -> list[Entry]:
        """What decides what a model sees."""
        return self._store.read_visible(thread)

    def hiding(self, thread: str, /) -> list[Entry]:
        """What hides turns."""
        return self._store.hiding(thread)

    def head(self, thread: str, /) -> int:
        """Where it ends."""
        return self._store.head(thread)

    def append(
        self,
        thread: str,
        drafts: Sequence[EntryDraft],
        /,
        *,
        expect: int | None = None,
        clear_reference: bool = False,
    ) -> tuple[Entry, ...]:
        """Write, but too late the first time."""
        if not self._spoken:
            self._spoken = True
            self._store.append(thread, [user("Wait.")])
        return self._store.append(thread, drafts, expect=expect, clear_reference=clear_reference)


@pytest.mark.promise("A5")
def test_a_turn_said_at_the_last_moment_is_kept_in_view(store: Store) -> None:
    """The write itself compares; a compression is refused, a restore is tried again."""
    thread = begun(store, talk(2))
    look = preview_turn_compression(store, thread)
    with pytest.raises(VersionConflict):
        compress_turns(Hasty(store), thread, look, Summary("Doors.", look.covers))
    assert [entry.kind for entry in store.entries(thread)][8:] == ["user"]
    look = preview_turn_compression(store, thread)
    made = compress_turns(store, thread, look, Summary("Doors.", look.covers))
    restore_compressed_turns(Hasty(store), thread, made.seq)
    assert [entry.kind for entry in store.entries(thread)][10:] == ["user", "restore"]
    assert find_archived(store.entries(thread)) == frozenset()


@pytest.mark.promise("A4")
@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        (LONG * 40, "longer than what it replaces"),
    ],
)
def test_a_summary_that_is_none_changes_nothing(store: Store, text: str, what: str) -> None:
    """Empty, blank, or longer than its input: refused, with the log as it was."""
    thread = begun(store, talk(2))
    look = preview_turn_compression(store, thread)
    before = store.entries(thread)
    with pytest.raises(StoreError, match=what):
        compress_turns(store, thread, look, Summary(text, look.covers))
    assert store.entries(thread) == before


def test_a_preview_that_was_tampered_with_is_refused(shared: Store) -> None:
    """Neither half a unit, nor other covers, nor a summary of other turns, nor nothing at all."""
    thread = begun(shared, talk(2))
    look = preview_turn_compression(shared, thread)
    half = tuple(turn for turn in look.fold.turns if turn.at == 2)
    wrong: list[Preview] = [
        Preview(8, (2,), 0, 1, None, type(look.fold)(half), look.tokens),
        Preview(8, (1, 2), look.user_count, look.agent_count, None, look.fold, look.tokens),
        preview_turn_compression(shared, thread, []),
    ]
    for one in wrong:
        with pytest.raises(StoreError, match="Nothing was written"):
            compress_turns(shared, thread, one, Summary("s", one.covers))
    with pytest.raises(StoreError, match="other turns"):
        compress_turns(shared, thread, look, Summary("s", (1,)))
    assert len(shared.entries(thread)) == 8


def test_a_partial_unit_is_refused_and_the_rest_of_it_named(shared: Store) -> None:
    """The message says what would have to be chosen with it."""
    thread = begun(shared, talk(1))
    with pytest.raises(StoreError, match="2 cannot leave without 4"):
        preview_turn_compression(shared, thread, [1, 2])
    with pytest.raises(StoreError, match="3, 99 cannot be compressed"):
        preview_turn_compression(shared, thread, [1, 3, 99])


def test_the_new_summary_builds_on_the_old_and_covers_it(store: Store) -> None:
    """The old text is in the fold, its turns in the covers, and the model sees only the new one."""
    thread = begun(store, talk(1))
    first = preview_turn_compression(store, thread)
    one = compress_turns(store, thread, first, Summary("First.", first.covers))
    store.append(thread, talk(3)[4:])
    second = preview_turn_compression(store, thread)
    assert second.builds_on == one.seq
    assert second.fold.previous == Summary("First.", (1, 2, 4), "web")
    assert second.count == 6
    written = repair_summary("Request 1 Request 2", second.fold, second.tokens // 4, second.counter)
    two = compress_turns(store, thread, second, written)
    assert two.body["previous"] == one.seq
    context = project_context_view(store.entries(thread))
    assert context.turns == ()
    assert context.summary == written
    assert set(first.covers) < set(second.covers)
    states = [
        (made.seq, made.state, made.added) for made in list_compression_history(store, thread)
    ]
    assert states == [(5, "merged", (1, 2, 4)), (14, "current", (6, 7, 9, 10, 11, 13))]
    restore_compressed_turns(store, thread, one.seq)
    assert [made.state for made in list_compression_history(store, thread)] == [
        "restored",
        "restored",
    ]
    assert project_context_view(store.entries(thread)).summary is None


def test_chosen_turns_leave_and_the_others_stay(store: Store) -> None:
    """The summary stands where the first chosen turn stood, also when it grows to the front."""
    thread = begun(store, [user(f"{nth} {LONG}") for nth in "abcd"])
    store.append(thread, [speaking("chat", 1, "done", [])])

    def shown() -> list[str]:
        messages: list[Any] = emit(project_context_view(store.entries(thread)), "chat")
        return [message["content"].split()[0] for message in messages]

    look = preview_turn_compression(store, thread, [2, 4])
    compress_turns(store, thread, look, Summary("S", look.covers))
    assert shown() == ["a", "S", "c", "done"]
    look = preview_turn_compression(store, thread, [1])
    compress_turns(store, thread, look, Summary("T", look.covers))
    assert shown() == ["T", "c", "done"]


@pytest.mark.promise("C3")
def test_a_summary_is_no_more_trusted_than_what_it_covers(shared: Store) -> None:
    """Whatever the caller says of it."""
    thread = begun(shared, [user(LONG), speaking("chat", 1, LONG, []), *talk(1)])
    look = preview_turn_compression(shared, thread, [1])
    compress_turns(shared, thread, look, Summary("s", look.covers, "system"))
    assert build_thread_view(shared.entries(thread)).context.summary == Summary("s", (1,), "user")
    look = preview_turn_compression(shared, thread)
    compress_turns(shared, thread, look, Summary("s", look.covers, "system"))
    assert build_thread_view(shared.entries(thread)).context.summary == Summary(
        "s", look.covers, "web"
    )
    assert any(isinstance(turn, AgentTurn) and turn.calls for turn in look.fold.turns)


def test_a_loop_that_goes_on_after_a_compression_stays_valid(shared: Store) -> None:
    """What came before is in the summary, the request stays, and the next step follows it."""
    thread = begun(shared, talk(1)[:3])
    look = preview_turn_compression(shared, thread)
    assert look.covers == (2,)
    compress_turns(shared, thread, look, Summary("Looked.", look.covers))
    shared.append(thread, [speaking("anthropic", 9, "", ["d"], "hm"), result("d", "2")])
    messages: list[Any] = emit(project_context_view(shared.entries(thread)), "anthropic")
    assert [message["role"] for message in messages] == ["user", "user", "assistant", "user"]
    assert flaws(shared.entries(thread)) == []


def test_a_compression_is_undone_once(shared: Store) -> None:
    """And what is none cannot be undone."""
    thread = begun(shared, talk(1))
    look = preview_turn_compression(shared, thread)
    made = compress_turns(shared, thread, look, Summary("s", look.covers))
    restore_compressed_turns(shared, thread, made.seq)
    for seq, what in ((made.seq, "already undone"), (1, "no compression")):
        with pytest.raises(StoreError, match=what):
            restore_compressed_turns(shared, thread, seq)


def test_deleting_takes_whole_units_out_of_view(shared: Store) -> None:
    """The entries stay; half a unit is refused."""
    thread = begun(shared, talk(2))
    delete_turns(shared, thread, [2, 4])
    assert list_visible_turns(shared.entries(thread)) == (1, 5, 6, 8)
    for wrong in ([6], [], [2]):
        with pytest.raises(StoreError, match="Nothing was written"):
            delete_turns(shared, thread, wrong)
    assert flaws(shared.entries(thread)) == []


def test_tokens_are_counted_as_the_caller_counts(shared: Store) -> None:
    """The same counter measures what goes in and what comes out."""
    thread = begun(shared, [user("one two three"), speaking("chat", 1, "four five", [])])
    look = preview_turn_compression(shared, thread, counter=words)
    assert look.tokens == 5 + 2 * words.per_message
    made = compress_turns(shared, thread, look, Summary("five words", look.covers))
    assert (made.body["before"], made.body["after"]) == (13, 6)


def test_an_empty_thread_has_nothing_to_compress(shared: Store) -> None:
    """Its preview says so, and a compression of it is refused."""
    look = preview_turn_compression(shared, "nobody")
    assert (look.head, look.count, look.covers) == (0, 0, ())
    with pytest.raises(StoreError, match="nothing to compress"):
        compress_turns(shared, "nobody", look, Summary("s", ()))
    assert list_compression_history(shared, "nobody") == []
