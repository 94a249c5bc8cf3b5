"""Whatever is altered behind the store's back, verify finds it and names the first bad entry."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from director.store.store_opening import open_store
from director.store.values import StoreError
from director.testing.store_drafts import LARGE, draft_talk, draft_user_message, encode_draft_body
from store.engines import file_of, prepared

_TABLES = ("entries", "blobs", "records", "refs", "threads")


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """A closed store with two threads, large texts, a record of two versions and a reference."""
    url = prepared("sqlite", tmp_path)
    with open_store(url) as store:
        store.open_thread("fruit", "Apples", "a")
        store.append(
            "a", [*draft_talk(2, "apple"), draft_user_message(LARGE)], reference={"response": "r1"}
        )
        store.append("b", [*draft_talk(1, "berry"), draft_user_message(LARGE[::-1])])
        store.put("plan", "p", {"steps": ["one"]}, "begun")
        store.put("plan", "p", {"steps": ["one", "two"], "page": LARGE * 2}, "grown")
        store.put("step", "r/1", {"shot": {"$kept": store.keep(b"picture")}})
    return file_of(url)


def _copy(original: Path) -> Path:
    return Path(shutil.copy(original, original.with_name("copy.db")))


def _alter(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        guards = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in guards:
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute(statement, values)
        for _, sql in guards:
            connection.execute(sql)
        connection.commit()


def _cells(path: Path) -> Iterator[tuple[str, int, str, object]]:
    with closing(sqlite3.connect(path)) as connection:
        for table in _TABLES:
            found = connection.execute(f"SELECT rowid, * FROM {table}")  # noqa: S608
            names = [column[0] for column in found.description][1:]
            for row in found.fetchall():
                for column, value in zip(names, row[1:], strict=True):
                    yield table, row[0], column, value


def _changed(value: object) -> object:
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1])
    if isinstance(value, str):
        return value[:-1] + chr(ord(value[-1]) ^ 1) if value else "x"
    assert isinstance(value, int | float)
    return value + 1_000


def _verdict(path: Path) -> str:
    """What verify names, or what opening says; nothing if all seems well."""
    try:
        with open_store(path) as store:
            verdict = store.verify()
    except StoreError as refused:
        return str(refused)
    assert verdict.ok == (verdict.first_bad is None)
    return verdict.first_bad or ""


def _undetected(original: Path, cells: list[tuple[str, int, str, object]]) -> list[str]:
    missed = []
    for table, row, column, value in cells:
        path = _copy(original)
        sql = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"  # noqa: S608
        _alter(path, sql, _changed(value), row)
        if not _verdict(path):
            missed.append(f"{table}.{column} of row {row}")
    return missed


@pytest.mark.promise("A7")
def test_a_change_of_any_row_is_found(original: Path) -> None:
    """One cell of every row, another column each time."""
    assert _verdict(original) == ""
    cells = list(_cells(original))
    rows: dict[tuple[str, int], list[tuple[str, int, str, object]]] = {}
    for cell in cells:
        rows.setdefault(cell[:2], []).append(cell)
    chosen = [own[n % len(own)] for n, own in enumerate(rows.values())]
    assert len(chosen) > 15
    assert _undetected(original, chosen) == []


@pytest.mark.slow
@pytest.mark.promise("A7")
def test_a_change_of_any_cell_is_found(original: Path) -> None:
    """Every column of every row."""
    assert _undetected(original, list(_cells(original))) == []


@pytest.mark.promise("A7")
def test_the_first_bad_entry_is_named(original: Path) -> None:
    """Of two altered entries of a thread, the earlier is named, by its thread and number."""
    path = _copy(original)
    for seq in (5, 3):
        _alter(path, "UPDATE entries SET body = body || ' ' WHERE thread = 'a' AND seq = ?", seq)
        assert f"thread a, entry {seq}" in _verdict(path)


@pytest.mark.promise("A7")
@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("DELETE FROM entries WHERE thread = 'a' AND seq = 2", "thread a, entry 2"),
        ("DELETE FROM entries WHERE thread = 'a' AND seq = 7", ""),
        ("DELETE FROM entries WHERE thread = 'b'", ""),
        ("DELETE FROM records WHERE version = 2", ""),
        ("DELETE FROM blobs WHERE rowid = 1", "thread"),
        ("DELETE FROM blobs WHERE length(body) < 100", "step r/1, version 1: what is kept under"),
        ("UPDATE threads SET title = 'Pears' WHERE id = 'a'", "thread a: its workflow, title"),
        ("UPDATE entries SET seq = 9 - seq WHERE thread = 'a' AND seq = 4", "thread a"),
    ],
)
def test_what_is_taken_away_or_moved_is_found(original: Path, sql: str, named: str) -> None:
    """From the middle of a thread, from its end, as a whole, or out of its order."""
    path = _copy(original)
    if "9 - seq" in sql:
        _alter(path, "UPDATE entries SET seq = 90 WHERE thread = 'a' AND seq = 5")
    _alter(path, sql)
    found = _verdict(path)
    assert found
    assert named in found


def _survey(path: Path) -> str:
    with open_store(path) as store:
        threads = store.threads()
        said = [(e.kind, e.at, e.body) for thread in threads for e in store.entries(thread)]
        kept = [(v.version, v.reason, v.body) for v in store.versions("plan", "p")]
        return encode_draft_body([threads, said, kept, store.reference("a")])


def _silent_changes(original: Path, offsets: list[int]) -> list[str]:
    before, content, missed = _survey(original), original.read_bytes(), []
    for offset in offsets:
        path = original.with_name("flipped.db")
        flipped = bytearray(content)
        flipped[offset] ^= 1 << offset % 8
        path.write_bytes(flipped)
        for tail in ("-wal", "-shm"):
            Path(f"{path}{tail}").unlink(missing_ok=True)
        if not _verdict(path) and _survey(path) != before:
            missed.append(f"byte {offset}")
    return missed


@pytest.mark.promise("A7")
def test_a_flipped_byte_is_found_or_changes_nothing_that_is_read(original: Path) -> None:
    """A sample of the bytes of the file."""
    size = original.stat().st_size
    assert _silent_changes(original, random.Random(1).sample(range(size), 40)) == []


@pytest.mark.slow
@pytest.mark.promise("A7")
def test_many_flipped_bytes_are_found_or_change_nothing_that_is_read(original: Path) -> None:
    """A large sample of the bytes of the file."""
    size = original.stat().st_size
    assert _silent_changes(original, random.Random(2).sample(range(size), 3_000)) == []
