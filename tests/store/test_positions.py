"""Writers on PostgreSQL do not wait for one another, and whoever follows them misses nothing."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from director.store import Change, Entry, EntryDraft, Store, StoreError, open_store
from director.store.cached_store import CachedStore
from director.store.export import export_thread, import_lines
from director.store.positions import take_more_positions
from director.testing.store_faults import find_store_faults
from store.crash.programs import run
from store.engines import prepared


@pytest.fixture
def server(tmp_path: Path) -> str:
    """The address of an empty store on PostgreSQL."""
    return prepared("postgresql", tmp_path)


@pytest.fixture
def store(server: str) -> Iterator[Store]:
    """The store there, whose writers lose their patience soon."""
    with open_store(server, patience=0.5) as opened:
        yield opened


def say(store: Store, thread: str, text: str = "hello") -> Entry:
    """Append what a user said."""
    return store.append(thread, [EntryDraft("user", {"text": text})])[0]


def threads_of(changes: list[Change]) -> list[str]:
    """The threads that some changes are of, in order."""
    return [each.what.thread for each in changes if isinstance(each.what, Entry)]


def test_who_writes_to_another_thread_or_record_does_not_wait(store: Store) -> None:
    """Who writes to the same does, and says so when it takes too long."""
    with store._database.writing(1, [("thread", "a"), ("record", "run", "r")]):
        say(store, "b")
        store.put("run", "s", {})
        with pytest.raises(StoreError, match="Another program is writing"):
            say(store, "a")
        with pytest.raises(StoreError, match="Another program is writing"):
            store.put("run", "r", {})
        with pytest.raises(StoreError, match="Another program is writing"):
            store.put_all([], unchanged=[store.put("run", "s", {}), _record(store, "r")])


def _record(store: Store, id_: str) -> object:
    found = store.get("run", "s")
    assert found is not None
    return type(found)(found.kind, id_, 0, {}, "", 0.0, 0)


def test_what_becomes_visible_late_is_told_before_what_was_visible_early(store: Store) -> None:
    """A reader waits at an open writer; nothing appears behind a position that it was told."""
    with store.subscribe() as live, open_store(store.url) as other:
        with other._database.writing(1, [("thread", "late")]) as writing:
            early = say(store, "early")
            assert writing.taken < early.position
            assert live.next(timeout=0.7) is None
            assert store.changes() == []
            assert store.entries("early") == [early]
            writing.connection.exec_driver_sql("INSERT INTO threads VALUES ('late', '', '', 0, '')")
            writing.connection.exec_driver_sql(
                "INSERT INTO entries VALUES (%s, 'late', 1, 'user', '{}', 0, '', '')",
                (writing.taken + 1,),
            )
        heard = [live.next(timeout=60), live.next(timeout=60)]
    assert threads_of([each for each in heard if each]) == ["late", "early"]
    assert heard == store.changes()


def test_records_that_are_read_on_from_a_position_are_not_skipped(store: Store) -> None:
    """What the reconciler reads: an open writer holds it, and then all of it is there."""
    store.put("run", "first", {})
    with open_store(store.url) as other:
        with other._database.writing(1, [("record", "run", "late")]):
            store.put("run", "early", {})
            assert [each.id for each in store.newest_after("run", 0)] == ["first"]
        (after,) = {each.position for each in store.newest_after("run", 0) if each.id == "first"}
        assert [each.id for each in store.newest_after("run", after)] == ["early"]


def test_pages_in_memory_show_at_once_what_the_feed_holds_back(store: Store) -> None:
    """And what becomes visible later than something newer is shown too."""
    cached = CachedStore(store)
    cached.refresh()
    assert cached.head("early") == cached.head("late") == 0
    with open_store(store.url) as other:
        with other._database.writing(1, [("thread", "late")]) as writing:
            say(store, "early")
            cached.refresh()
            assert (cached.head("early"), cached.head("late")) == (1, 0)
            writing.connection.exec_driver_sql("INSERT INTO threads VALUES ('late', '', '', 0, '')")
            writing.connection.exec_driver_sql(
                "INSERT INTO entries VALUES (%s, 'late', 1, 'user', '{}', 0, '', '')",
                (writing.taken + 1,),
            )
        cached.refresh()
        assert (cached.head("early"), cached.head("late")) == (1, 1)


def test_a_transaction_of_somebody_else_holds_nothing_back(store: Store, server: str) -> None:
    """Whatever else uses the server may write for hours: also in this very database."""
    elsewhere = server.replace(server.split("?", maxsplit=1)[0].rsplit("/", 1)[1], "postgres", 1)
    for url in (server, elsewhere):
        with psycopg.connect(url) as foreign:
            foreign.execute("SELECT pg_current_xact_id()")
            said = say(store, "t")
            assert store.changes()[-1].what == said


def test_a_database_that_was_dumped_on_a_busier_server_goes_on(store: Store) -> None:
    """There the numbers of transactions were higher; what is written here comes behind all."""
    say(store, "t", "here")
    with store._database.bare() as connection:
        connection.exec_driver_sql("UPDATE meta SET base = base + (1::bigint << 50)")
    there = say(store, "t", "there")
    with store._database.bare() as connection:
        connection.exec_driver_sql("UPDATE meta SET base = 0")
    with open_store(store.url) as restored, restored.subscribe(after=there.position) as live:
        assert len(restored.changes()) == 2
        again = say(restored, "t", "again")
        assert again.position > there.position
        told = live.next(timeout=60)
        assert told is not None
        assert told.what == again
        assert restored.verify().ok


def test_a_program_of_the_schema_before_can_write_nothing(store: Store) -> None:
    """It would give what it writes a place before what is there."""
    with (
        pytest.raises(StoreError, match="cannot be altered"),
        store._database.writing() as writing,
    ):
        writing.connection.exec_driver_sql("UPDATE meta SET counter = counter + 1")


def test_what_is_missing_is_noticed_without_a_counter(store: Store) -> None:
    """Every writer counts what it wrote; the end of a thread that is gone is missed."""
    say(store, "t", "one")
    say(store, "t", "two")
    assert store.verify().ok
    with store._database.bare() as connection:
        connection.exec_driver_sql("ALTER TABLE entries DISABLE TRIGGER entries_append_only")
        connection.exec_driver_sql("DELETE FROM entries WHERE seq = 2")
    assert store.verify().first_bad == "the whole: entries or records that were counted are missing"


def test_an_import_of_more_than_a_transaction_holds_pushes_the_rest_back(store: Store) -> None:
    """All that is written later still comes later."""
    with store._database.writing() as writing:
        take_more_positions(writing, (1 << 24) + 5)
        last = writing.taken + (1 << 24) + 5
    assert say(store, "t").position > last


def test_two_imports_and_writers_at_once(store: Store, tmp_path: Path) -> None:
    """An import writes alone; the others wait for it and go on."""
    for number in range(20):
        say(store, "t", str(number))
    lines = list(export_thread(store, "t"))
    with open_store(prepared("postgresql", tmp_path)) as target:
        acts = [
            lambda: import_lines(target, iter(lines)),
            lambda: import_lines(target, iter(lines)),
            lambda: [say(target, "beside", str(number)) for number in range(20)],
        ]
        actors = [threading.Thread(target=act) for act in acts]
        for actor in actors:
            actor.start()
        for actor in actors:
            actor.join(60)
        assert (target.head("t"), target.head("beside")) == (20, 20)
        assert len(target.changes()) == 40
        assert target.verify().ok


@pytest.mark.promise("A5")
def test_a_reader_of_killed_writers_sees_each_commit_once(server: str, tmp_path: Path) -> None:
    """Two follow while writers are killed, one of them beginning anew again and again."""
    crowd = threading.Thread(target=run, args=("writers", server, tmp_path, 4, 3, 7))
    with open_store(server) as store:
        crowd.start()
        steady: list[Change] = []
        anew: list[Change] = []
        with store.subscribe(after=0) as feed:
            while crowd.is_alive():
                steady += filter(None, [feed.next(timeout=0.2)])
                last = anew[-1].position if anew else 0
                anew += store.changes(after=last, limit=7)
            while (change := feed.next(timeout=0)) is not None:
                steady.append(change)
        while found := store.changes(after=anew[-1].position if anew else 0, limit=7):
            anew += found
        crowd.join()
        assert steady == anew == store.changes(limit=1_000_000)
        seqs = defaultdict(list)
        for change in steady:
            if isinstance(change.what, Entry):
                seqs[change.what.thread].append(change.what.seq)
        assert seqs == {name: list(range(1, store.head(name) + 1)) for name in seqs}
        assert {*store.threads()} == {*seqs}
        assert find_store_faults(store) == []
