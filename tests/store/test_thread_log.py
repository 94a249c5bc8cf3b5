"""A thread only grows, comes back as it was given, and shows any alteration."""

from __future__ import annotations

import re
import shutil
import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import director.store
from director.store import Entry, EntryDraft, Store, StoreError, VersionConflict, open_store
from director.store.canonical import encode_canonical
from director.store.large_values import LARGE, fold_texts, unfold_texts
from director.store.thread_log import hash_thread_entry

LONG = "Ünï 🙂 " * LARGE
_texts = st.text(st.characters(codec="utf-8"), max_size=40)
_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | _texts
    | st.just(LONG),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(_texts | st.just("$blob") | st.just("plain"), inner, max_size=4)
    ),
    max_leaves=12,
)


def said(text: str) -> EntryDraft:
    """Something a user said."""
    return EntryDraft("user", {"text": text})


def test_entries_come_back_as_they_were_given(store: Store) -> None:
    """In order, numbered from one, with every character, and chained by their hashes."""
    bodies = [
        {"text": "plain"},
        {"text": "zero \0, half \ud83d, mark \u2028, 🙂, \\u0000", "native": {"b": [1, 2.5, None]}},
        {"text": LONG, "native": {"wire": "chat", "message": {"content": LONG}}},
        {"$blob": "no reference", "inner": {"$blob": {"plain": LONG}}, "z": 1, "a": 1e300},
    ]
    written = store.append("t", [EntryDraft("user", body) for body in bodies[:2]])
    written += store.append("t", [EntryDraft("agent", body) for body in bodies[2:]])
    assert store.entries("t") == list(written)
    assert [entry.body for entry in written] == bodies
    assert [entry.seq for entry in written] == [1, 2, 3, 4]
    assert [entry.before for entry in written] == ["", *(entry.hash for entry in written[:-1])]
    assert all(entry.hash == hash_thread_entry(entry) for entry in written)
    assert store.verify().ok


@settings(max_examples=60)
@given(_json)
def test_putting_large_texts_aside_loses_nothing(value: object) -> None:
    """Whatever the body looks like, even if it looks like a reference."""
    aside: dict[str, str] = {}
    stored = fold_texts(value, aside)
    assert unfold_texts(stored, aside) == value
    assert LONG not in encode_canonical(stored)


def test_a_part_of_a_thread_can_be_read(store: Store) -> None:
    """After one entry and up to another."""
    store.append("t", [said(str(number)) for number in range(1, 8)])
    assert [entry.seq for entry in store.entries("t", after=2, upto=5)] == [3, 4, 5]
    assert [entry.seq for entry in store.entries("t", after=5)] == [6, 7]
    assert store.head("t") == 7
    assert (store.head("nobody"), store.entries("nobody")) == (0, [])


def test_an_append_to_a_thread_that_grew_writes_nothing(store: Store) -> None:
    """Whoever decided on what they saw must look again; their reference is not written either."""
    store.append("t", [said("one")], expect=0, reference={"response": "a"})
    with pytest.raises(VersionConflict):
        store.append("t", [said("two")], expect=0, reference={"response": "b"})
    assert store.head("t") == 1
    assert store.reference("t") == {"response": "a"}
    assert [change.what for change in store.changes()] == store.entries("t")
    store.append("t", [said("two")], expect=1, clear_reference=True)
    assert store.reference("t") is None
    assert [change.what for change in store.changes()] == store.entries("t")
    assert store.head("t") == 2


def test_a_reference_can_be_replaced_by_itself(store: Store) -> None:
    """It is one value for each thread."""
    store.set_reference("t", {"response": "a"})
    store.set_reference("t", {"response": "b"})
    assert store.reference("t") == {"response": "b"}
    store.set_reference("t", None)
    assert store.reference("t") is None


def test_threads_belong_to_workflows(store: Store) -> None:
    """A thread opened twice stays as it was; one that is appended to unopened belongs to none."""
    first = store.open_thread("shop", "Prices")
    assert store.open_thread("shop", "Stock", thread="stock") == "stock"
    assert store.open_thread("another", "", thread="stock") == "stock"
    store.append("loose", [said("hello")])
    assert sorted(store.threads("shop")) == sorted([first, "stock"])
    assert sorted(store.threads()) == sorted([first, "stock", "loose"])


def test_a_large_text_is_kept_once(store: Store) -> None:
    """However often it is said."""
    for thread in ("a", "b"):
        store.append(thread, [said(LONG), said(LONG)])
    with store._database.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM blobs").scalar() == 1


@pytest.mark.promise("A3")
@pytest.mark.parametrize("table", ["entries", "records", "blobs", "threads"])
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET hash = hash"])
def test_nothing_written_can_be_altered_or_deleted(
    store: Store, table: str, statement: str
) -> None:
    """The database itself refuses."""
    store.append("t", [said(LONG)])
    store.put("plan", "p", {"goal": "kept"})
    with (
        pytest.raises(StoreError, match="cannot be altered or deleted"),
        store._database.writing() as writing,
    ):
        writing.connection.exec_driver_sql(statement.format(table))
    assert store.entries("t")[0].body == {"text": LONG}


@pytest.mark.promise("A3")
def test_only_a_purge_deletes_and_only_notes_are_updated() -> None:
    """In the source: no history are the counter, the provider's references and the heartbeats."""
    acts = re.compile(r"\b(update|delete)\((\w+)\)")
    for file in Path(director.store.__file__).parent.glob("*.py"):
        tables = {table for _, table in acts.findall(file.read_text(encoding="utf-8"))}
        assert file.name in ("purge.py", "purge_text.py") or tables <= {
            "meta",
            "refs",
            "workers",
        }, file.name


@pytest.mark.parametrize("body", [{"n": float("nan")}, {"b": b"bytes"}, {"s": {1, 2}}])
def test_what_is_not_json_is_refused(store: Store, body: dict[str, object]) -> None:
    """All of the append, and the message does not quote it."""
    with pytest.raises(StoreError, match="Nothing was written") as refused:
        store.append("t", [said("fine"), EntryDraft("user", body)])
    assert "bytes" not in str(refused.value)
    assert (store.head("t"), store.changes()) == (0, [])


def test_an_entry_of_an_unknown_kind_is_refused(store: Store) -> None:
    """The kinds are named."""
    with pytest.raises(StoreError, match="user, agent, result"):
        store.append("t", [EntryDraft("system", {"text": "x"})])  # type: ignore[arg-type]


def test_many_writers_of_one_store_lose_nothing(store: Store) -> None:
    """Threads of a process may share a store."""

    def write(name: str) -> None:
        for number in range(10):
            store.append("shared", [said(f"{name} {number}")])
            store.put("note", name, {"number": number})

    writers = [threading.Thread(target=write, args=(f"w{number}",)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert store.head("shared") == 40
    positions = [change.position for change in store.changes()]
    assert len(positions) == 80
    assert positions == sorted({*positions})
    assert store.verify().ok


def test_a_purge_removes_a_thread_and_what_only_it_needs(store: Store) -> None:
    """The texts that another thread needs stay, and so does everything else."""
    only = "canary-of-one " * 500
    store.append("gone", [said(only), said(LONG)], reference={"response": "a"})
    store.append("kept", [said(LONG), said("canary-that-stays")])
    store.put("plan", "p", {"goal": "kept"})
    assert store.purge("gone") == 2
    assert (store.threads(), store.reference("gone"), store.entries("gone")) == (["kept"], None, [])
    assert store.entries("kept")[0].body == {"text": LONG}
    assert store.verify().ok
    assert store.purge("gone") == 0
    with pytest.raises(StoreError), store._database.writing() as writing:
        writing.connection.exec_driver_sql("DELETE FROM entries")
    store.append("gone", [said("again")])
    told = [change.what for change in store.changes()]
    assert [each for each in told if isinstance(each, Entry)] == [
        *store.entries("kept"),
        *store.entries("gone"),
    ]
    assert len(told) == 4
    assert store.verify().ok


def test_a_purged_word_is_in_no_file(tmp_path: Path) -> None:
    """Neither in the database nor in its write-ahead log."""
    with open_store(tmp_path / "a.db") as store:
        store.append("gone", [said("canary-of-one")])
        store.append("kept", [said("canary-that-stays")])
        store.purge("gone")
        found = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"canary-that-stays" in found
    assert b"canary-of-one" not in found


ALTERATIONS = {
    "UPDATE entries SET body = replace(body, 'two', 'too') WHERE seq = 2": "thread t, entry 2",
    "UPDATE entries SET body = body || ' ' WHERE seq = 2": "thread t, entry 2",
    "UPDATE entries SET at = at + 1 WHERE seq = 3": "thread t, entry 3",
    "UPDATE entries SET kind = 'agent' WHERE seq = 1": "thread t, entry 1",
    "UPDATE entries SET position = position + 100 WHERE seq = 3": "thread t, entry 4",
    "DELETE FROM entries WHERE seq = 2": "thread t, entry 2",
    "DELETE FROM entries WHERE seq = 4": "the whole",
    "DELETE FROM blobs": "thread t, entry 4",
    "UPDATE blobs SET body = x'789c0300000000 01'": "the large text",
    "UPDATE records SET reason = 'other' WHERE version = 1": "plan p, version 1",
    "DELETE FROM records WHERE version = 1": "plan p, version 1",
    "DELETE FROM records WHERE version = 2": "the whole",
    "UPDATE refs SET body = '{}'": "the reference of thread t",
    "UPDATE threads SET id = 'u'": "the table",
}


@pytest.mark.promise("A7")
@pytest.mark.parametrize("statement", ALTERATIONS)
def test_verify_names_the_first_thing_that_was_altered(tmp_path: Path, statement: str) -> None:
    """By whoever has the file and puts down its guards."""
    with open_store(tmp_path / "a.db") as store:
        store.append("t", [said("one"), said("two"), said("three"), said(LONG)], reference={"a": 1})
        store.put("plan", "p", {"goal": "one"})
        store.put("plan", "p", {"goal": "two"})
        assert store.verify().ok
        with sqlite3.connect(tmp_path / "a.db") as other:
            for (name,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
                other.execute(f"DROP TRIGGER {name}")
            other.execute(statement.replace(" 01'", "01'"))
        other.close()
        verdict = store.verify()
    assert not verdict.ok
    assert str(verdict.first_bad).startswith(ALTERATIONS[statement])


@pytest.mark.promise("A7")
def test_a_damaged_file_is_noticed(tmp_path: Path) -> None:
    """A flipped byte of a page that holds something is found, wherever it is."""
    with open_store(tmp_path / "a.db") as store:
        store.append("t", [said(f"canary-{number}") for number in range(50)])
    whole = (tmp_path / "a.db").read_bytes()
    places = [found for number in range(0, 50, 7) if (found := whole.find(b"canary-%d" % number))]
    for place in places:
        broken = tmp_path / f"{place}.db"
        broken.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with open_store(broken) as store:
            assert not store.verify().ok


def test_a_copy_of_the_file_is_the_same_store(tmp_path: Path) -> None:
    """Once the store is closed, one file is all there is."""
    with open_store(tmp_path / "a.db") as store:
        written = store.append("t", [said("one")])
    shutil.copy(tmp_path / "a.db", tmp_path / "b.db")
    with open_store(f"sqlite:///{tmp_path / 'b.db'}") as store:
        assert store.entries("t") == list(written)


def test_the_clock_can_be_given(store_url: str) -> None:
    """So that a test says when something happened, exactly."""
    with open_store(store_url, now=lambda: 1234.000000001) as store:
        assert store.append("t", [said("one")])[0].at == 1234.000000001
        assert store.entries("t")[0].at == 1234.000000001


def test_fields_keep_their_order(store: Store) -> None:
    """What a provider sent goes back to the letter, so that its cache knows it again."""
    body = {"z": 1, "a": {"y": LONG, "b": 2}, "m": [{"q": 1, "c": 2}]}
    store.append("t", [EntryDraft("agent", body)])
    assert str(store.entries("t")[0].body) == str(body)
    assert store.verify().ok


def test_a_thread_names_the_workflow_that_it_was_made_for(store: Store) -> None:
    """One that was made for none, and one that is not there, name none."""
    made = store.open_thread(workflow="shop")
    store.append("alone", [said("hello")])
    assert store.find_workflow(made) == "shop"
    assert store.find_workflow("alone") == store.find_workflow("nowhere") == ""
