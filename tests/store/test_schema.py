"""The schema: made in one transaction, refused when newer, readable by familiar names."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, event, inspect

import director.store
from director.store import Entry, EntryDraft, Store, StoreError, open_store
from director.store.database import connect_database
from director.store.schema import SCHEMA, metadata
from store.engines import ENGINES, fresh


@pytest.fixture(params=ENGINES)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database in which no store was made yet."""
    url = fresh(str(request.param), tmp_path)
    assert tables(url) == []
    return url


def tables(url: str) -> list[str]:
    """The tables of a database, whoever made them."""
    database = connect_database(url, lambda: 0.0, 1)
    try:
        return sorted(inspect(database.engine).get_table_names())
    finally:
        database.engine.dispose()


def rows(store: Store, query: str) -> list[dict[str, object]]:
    """What a query finds, by the names of its columns."""
    with store._database.reading() as connection:
        return [dict(row) for row in connection.exec_driver_sql(query).mappings()]


@contextmanager
def failing_at(number: int) -> Iterator[list[int]]:
    """Every engine fails at its n-th statement; how many were seen is counted."""
    seen = [0]

    def count(*_arguments: object) -> None:
        seen[0] += 1
        if seen[0] == number:
            raise KeyboardInterrupt

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", count)


def test_the_migrations_make_what_the_code_expects(store: Store) -> None:
    """Tables, columns, indexes and keys are the same."""
    with store._database.reading() as connection:
        # Only PostgreSQL has the index by prefix: in its own order a prefix is no range.
        opts = {
            "compare_type": True,
            "include_object": lambda _made, name, *_: name != "records_by_prefix",
        }
        context = MigrationContext.configure(connection, opts=opts)
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == SCHEMA
    scripts = ScriptDirectory(str(Path(director.store.__file__).parent / "migrations"))
    assert scripts.get_current_head() == SCHEMA


def test_opening_again_keeps_everything(empty_url: str) -> None:
    """And does not migrate again."""
    with open_store(empty_url) as store:
        written = store.append("t", [EntryDraft("user", {"text": "one"})])
    with open_store(empty_url) as store:
        assert store.entries("t") == list(written)
        assert store.append("t", [EntryDraft("user", {"text": "two"})])[0].before == written[0].hash


def test_a_newer_schema_is_refused_and_left_alone(store_url: str) -> None:
    """The message says what to do."""
    with open_store(store_url) as store, store._database.writing() as writing:
        writing.connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"newer Director \(schema 9999.*Nothing was changed"):
        open_store(store_url)


@pytest.mark.promise("A8")
def test_an_interrupted_migration_is_harmless(empty_url: str) -> None:
    """Stopped at each of its statements, it leaves nothing or all of it; the next completes it."""
    whole = sorted([*metadata.tables, "alembic_version"])
    for number in itertools.count(1):
        with failing_at(number) as seen:
            try:
                open_store(empty_url).close()
            except KeyboardInterrupt:
                pass
            else:
                assert seen[0] < number
                break
        assert tables(empty_url) in ([], whole)
    assert number > 20
    with open_store(empty_url) as store:
        store.append("t", [EntryDraft("user", {"text": "one"})])
        assert store.verify().ok


def test_many_programs_may_open_a_new_database_at_once(empty_url: str) -> None:
    """One makes the schema, the others wait for it."""
    failures: list[BaseException] = []

    def use(name: str) -> None:
        try:
            with open_store(empty_url) as store:
                store.append(name, [EntryDraft("user", {"text": "hello"})])
        except BaseException as error:  # noqa: BLE001  whatever it is, the test shows it
            failures.append(error)

    users = [threading.Thread(target=use, args=(str(number),)) for number in range(5)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert failures == []
    with open_store(empty_url) as store:
        said = [change.what for change in store.changes()]
        assert sorted(each.thread for each in said if isinstance(each, Entry)) == list("01234")


def test_plans_can_be_queried_by_a_familiar_name(store: Store) -> None:
    """One row for each plan: its newest version, when it began and when it changed."""
    store.put("plan", "p", {"workflow_id": "shop", "goal": "one"})
    store.put("plan", "p", {"workflow_id": "shop", "goal": "two"})
    store.put("plan", "q", {"goal": "alone"})
    found = rows(store, "SELECT * FROM director_plans ORDER BY id")
    assert [list(row) for row in found] == [
        ["id", "workflow_id", "plan_version", "plan_data", "created_at", "updated_at"]
    ] * 2
    assert [(row["workflow_id"], row["plan_version"]) for row in found] == [("shop", 2), ("q", 1)]
    assert found[0]["plan_data"] == '{"workflow_id":"shop","goal":"two"}'
    assert str(found[0]["created_at"]) < str(found[0]["updated_at"])


def checkpoint(covers: list[int], previous: int | None, summary: str) -> EntryDraft:
    """A compression, as one entry."""
    body = {"covers": covers, "summary": summary, "previous": previous, "by": "manual"}
    return EntryDraft("checkpoint", body | {"before": 200, "after": 50, "head": max(covers)})


def test_conversations_and_compressions_can_be_queried(store: Store) -> None:
    """What is archived follows from the checkpoints that count; a result follows its turn."""
    store.open_thread("shop", thread="t")
    agent = EntryDraft("agent", {"wire": "chat", "items": [], "text": "Looking \0 \ud83d."})
    result = EntryDraft("result", {"call": "c", "text": "r" * 9000, "failed": False})
    turn = [EntryDraft("user", {"text": "Hello"}), agent, result]
    store.append("t", turn + turn + turn)

    def archived() -> list[int]:
        found = rows(store, "SELECT * FROM conversations WHERE thread = 't' ORDER BY id")
        return [seq for seq, row in enumerate(found, 1) if row["is_archived"]]

    assert archived() == []
    store.append("t", [checkpoint([1, 2], None, "first"), checkpoint([1, 2, 4, 5], 10, "second")])
    assert archived() == [1, 2, 3, 4, 5, 6]
    store.append("t", [EntryDraft("restore", {"checkpoint": 11})])
    assert archived() == [1, 2, 3]
    store.append(
        "t", [checkpoint([1, 2, 4, 5], 10, "third"), EntryDraft("restore", {"checkpoint": 10})]
    )
    assert archived() == []
    store.append("t", [EntryDraft("delete", {"seqs": [7, 8]})])
    found = rows(store, "SELECT * FROM conversations ORDER BY id")
    assert [row["role"] for row in found] == ["user", "assistant", "tool"] * 2
    assert list(found[0]) == [
        *("id", "workflow_id", "thread", "role", "content", "timestamp", "is_archived")
    ]
    assert (found[0]["workflow_id"], found[0]["content"]) == ("shop", "Hello")
    assert str(found[1]["content"]).startswith("Looking ")
    assert str(found[2]["content"]).startswith("r" * 200 + "… [blob ")
    compressed = rows(store, "SELECT * FROM compressed_contexts ORDER BY id")
    assert [row["summary"] for row in compressed] == ["first", "second", "third"]
    assert [row["original_message_count"] for row in compressed] == [2, 4, 4]
    assert {(row["compression_ratio"], row["created_by"]) for row in compressed} == {
        (0.25, "manual")
    }


def test_a_commit_on_a_file_is_durable_and_keys_are_checked(tmp_path: Path) -> None:
    """The settings that the promise of durability rests on, on every connection."""
    settings = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000}
    with (
        open_store(tmp_path / "a.db") as store,
        store._database.reading() as first,
        store._database.reading() as second,
    ):
        for connection, (name, value) in itertools.product((first, second), settings.items()):
            assert connection.exec_driver_sql(f"PRAGMA {name}").scalar() == value


@pytest.mark.promise("A10")
def test_a_full_disk_fails_that_request_only(tmp_path: Path) -> None:
    """What was there stays, and when there is room again it goes on."""
    with open_store(tmp_path / "a.db") as store:
        store.append("t", [EntryDraft("user", {"text": "kept"})])
        with store._database.bare() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"disk is full.*is kept.*Free some space"):
            store.append("t", [EntryDraft("user", {"text": str(n)}) for n in range(2000)])
        assert store.head("t") == 1
        with store._database.bare() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        assert store.append("t", [EntryDraft("user", {"text": "more"})])[0].position == 2
        assert store.verify().ok


def test_a_database_that_is_locked_is_said_kindly(store_url: str) -> None:
    """What happened, what was kept, what to do; and it works again when it is free."""
    with open_store(store_url) as other, open_store(store_url, patience=0.2) as store:
        with (
            other._database.writing(),
            pytest.raises(StoreError, match=r"Another program is writing.*is kept.*Try again"),
        ):
            store.append("t", [EntryDraft("user", {"text": "one"})])
        store.append("t", [EntryDraft("user", {"text": "two"})])
        assert store.head("t") == 1


def test_a_file_that_cannot_be_written_can_still_be_read(tmp_path: Path) -> None:
    """Only writing is refused."""
    with open_store(tmp_path / "a.db") as store:
        store.append("t", [EntryDraft("user", {"text": "kept"})])
    with open_store(f"sqlite:///file:{tmp_path / 'a.db'}?mode=ro&uri=true") as store:
        assert store.head("t") == 1
        with pytest.raises(StoreError, match=r"cannot be written to.*permissions"):
            store.append("t", [EntryDraft("user", {"text": "more"})])


def test_what_is_no_store_is_refused_kindly(tmp_path: Path) -> None:
    """Another file, no folder, another kind of database, no address; and no password is shown."""
    (tmp_path / "letter.txt").write_text("Dear Ada, " * 1000)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE entries (id INTEGER)")
    other.close()
    shutil.copy(tmp_path / "other.db", tmp_path / "before.db")
    for where, words in {
        str(tmp_path / "letter.txt"): "not a database of Director",
        str(tmp_path / "no" / "folder.db"): "cannot be opened",
        str(tmp_path / "other.db"): "refused",
        "mysql://me:hush@host/db": "kind mysql",
        "://nowhere": "not the address",
        "sqlite://": "needs a file",
        "postgresql://me:hush@127.0.0.1:1/db": "cannot be opened",
    }.items():
        with pytest.raises(StoreError, match=words) as refused:
            open_store(where)
        assert "hush" not in str(refused.value)
    assert (tmp_path / "other.db").read_bytes()[100:] == (tmp_path / "before.db").read_bytes()[100:]
