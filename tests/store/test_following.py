"""A thread that grows is followed: what is fed step by step is seen as if it was read whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.store import Store, open_store
from director.store.checkpoints import list_checkpoints
from director.store.compression import list_compression_history
from director.store.context_view import (
    Following,
    ThreadLog,
    build_thread_view,
    project_context_view,
)
from director.store.values import Entry, EntryDraft
from store.engines import ENGINES, prepared
from store.threads import entries_of, result, speaking, threads, user


def _hides(drafts: list[EntryDraft], data: st.DataObject) -> Iterator[EntryDraft]:
    """Perhaps a compression of whole units, one undone, or a deletion."""
    now = build_thread_view(entries_of(drafts))
    chosen = sorted(seq for unit in now.units if data.draw(st.booleans()) for seq in unit)
    how = data.draw(st.sampled_from(["nothing", "checkpoint", "delete", "restore"]))
    if how == "checkpoint" and chosen:
        previous = now.current.seq if now.current else None
        covers = sorted(now.summary_turns.union(chosen))
        yield EntryDraft("checkpoint", {"covers": covers, "summary": "S", "previous": previous})
    elif how == "delete" and chosen:
        yield EntryDraft("delete", {"seqs": chosen})
    elif how == "restore" and (made := list_checkpoints(entries_of(drafts))):
        undone = data.draw(st.sampled_from(made))
        yield EntryDraft("restore", {"checkpoint": undone.seq})


def _late(drafts: list[EntryDraft], data: st.DataObject) -> Iterator[EntryDraft]:
    """Perhaps a result that comes when others have spoken: of any call there ever was, or none."""
    if data.draw(st.booleans()):
        calls = [f"call_{number}_0" for number in range(1, len(drafts) + 2)]
        yield result(data.draw(st.sampled_from([*calls, "call_again", "nobody"])), "late")


def grown(data: st.DataObject) -> Iterator[list[EntryDraft]]:
    """A thread after each of some steps."""
    drafts: list[EntryDraft] = []
    for nth in range(data.draw(st.integers(1, 5))):
        drafts += data.draw(threads(start=100 * nth + 1, most=3))
        drafts += _late(drafts, data)
        drafts += _hides(drafts, data)
        yield list(drafts)


@pytest.mark.promise("A2")
@given(st.data())
def test_a_thread_that_is_fed_is_seen_as_one_that_is_read_whole(data: st.DataObject) -> None:
    """After turns of every wire, compressions, restores, deletions and late results."""
    following = Following(())
    for drafts in grown(data):
        entries = entries_of(drafts)
        new: list[Entry] = entries[following.head :]
        while new:
            step = data.draw(st.integers(1, len(new)))
            upto = new[step - 1].seq
            if not following.feed(new[:step]):
                following = Following(entries[:upto])
            assert following.head == upto
            assert following.view == build_thread_view(entries[:upto])
            new = new[step:]


def test_only_what_changes_the_past_makes_it_begin_anew() -> None:
    """Requests, answers and their results are read on; each is read once."""
    talk = [user("go"), speaking("chat", 1, "", ["a"]), result("a", "one")]
    more = [user("on"), speaking("chat", 2, "", ["b"]), result("b", "two")]
    entries = entries_of([*talk, *more, result("a", "again"), result("nobody", "asked")])
    following = Following(entries[:3])
    first = following.view.told
    assert following.feed(entries[3:6])
    assert following.feed(entries[6:])
    assert all(one is other for one, other in zip(first, following.view.told, strict=False))
    late = entries_of([*talk[:2], *more, result("a", "late")])
    following = Following(late[:5])
    assert not following.feed(late[5:])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_log_reads_on_where_it_stopped(tmp_path: Path, engine: str) -> None:
    """From a store, through a compression and its undoing, and from one thread to another."""
    with open_store(prepared(engine, tmp_path)) as store:
        log = ThreadLog(store)
        for thread in ("one", "other", "one"):
            for step in (
                [user("a"), speaking("chat", 1, "b", [])],
                [user("c"), speaking("chat", 2, "d", [])],
                [EntryDraft("checkpoint", {"covers": [1, 2], "summary": "S"})],
                [user("e"), speaking("chat", 3, "", ["x"])],
                [result("x", "f")],
                [EntryDraft("restore", {"checkpoint": 5})],
                [EntryDraft("delete", {"seqs": [3]})],
            ):
                store.append(thread, step)
                assert log.read(thread).context == project_context_view(store.entries(thread))
                assert log.head == store.head(thread)


def _compressed(store: Store, thread: str, times: int) -> None:
    """Talk, and compress all but the last exchange; so many times."""
    previous = None
    for nth in range(times):
        store.append(thread, [user(f"go {nth}"), speaking("chat", nth, f"gone {nth}", [])])
        covers = sorted(one.seq for one in store.entries(thread) if one.kind in ("user", "agent"))
        body = {"covers": covers[:-2], "summary": f"All up to {nth}.", "previous": previous}
        if nth:
            previous = store.append(thread, [EntryDraft("checkpoint", body)])[0].seq


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_seen_does_not_grow_with_what_is_archived(tmp_path: Path, engine: str) -> None:
    """Of twenty compressions one is read, and what a view holds is as much as after two."""
    with open_store(prepared(engine, tmp_path)) as store:
        for thread, times in (("short", 3), ("long", 20)):
            _compressed(store, thread, times)
            seen = store.read_visible(thread)
            assert [entry.kind for entry in seen] == ["user", "agent", "checkpoint"]
            now = build_thread_view(seen)
            assert now == build_thread_view(store.entries(thread))
            assert (len(now.told), now.hidden, now.deleted) == (2, frozenset(), frozenset())
            made = list_compression_history(store, thread)
            assert [one.state for one in made] == ["merged"] * (times - 2) + ["current"]
            assert {len(one.added) for one in made} == {2}


@pytest.mark.parametrize("engine", ENGINES)
def test_what_was_undone_is_undone_however_little_is_read(tmp_path: Path, engine: str) -> None:
    """What builds on a compression that builds on an undone one is not shown; what does not is."""
    with open_store(prepared(engine, tmp_path)) as store:
        talk = [user("a"), speaking("chat", 1, "b", []), user("c"), speaking("chat", 2, "d", [])]
        store.append("t", talk)

        def hide(covers: list[int], previous: int | None, summary: str = "S") -> int:
            body = {"covers": covers, "summary": summary, "previous": previous}
            return store.append("t", [EntryDraft("checkpoint", body)])[0].seq

        first = hide([1], None)
        second = hide([1, 2], first)
        kept = hide([3], None, "K" * 5_000)
        store.append("t", [EntryDraft("restore", {"checkpoint": first})])
        for late in ([1, 2, 3], [2]):
            hide(late, second)
            assert build_thread_view(store.read_visible("t")) == build_thread_view(
                store.entries("t")
            )
        hide([1], None, " ")
        assert build_thread_view(store.read_visible("t")) == build_thread_view(store.entries("t"))
        now = build_thread_view(store.read_visible("t"))
        assert now.current is not None
        assert (now.current.seq, now.summary_turns) == (kept, {3})
