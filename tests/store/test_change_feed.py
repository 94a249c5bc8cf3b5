"""Changes come in the order of the commits, live or later, from any position on."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from director.store import Change, Entry, EntryDraft, Store, StoreError, Versioned, open_store
from store.engines import cut_connections, prepared

_SAY = """
import sys
from director.store import EntryDraft, open_store
with open_store(sys.argv[1]) as store:
    store.append("t", [EntryDraft("user", {"text": "from another program"})])
"""


def say(store: Store, *texts: str) -> None:
    """Append what a user said."""
    store.append("t", [EntryDraft("user", {"text": text}) for text in texts])


def text_of(change: Change | None) -> object:
    """What was said in a change."""
    assert change is not None
    return change.what.body.get("text")


def test_changes_are_entries_and_records_in_one_order(store: Store) -> None:
    """Rising; one can go on from any position, in parts."""
    say(store, "one", "x" * 9000)
    store.put("plan", "p", {"goal": "g"})
    say(store, "three")
    found = store.changes()
    positions = [change.position for change in found]
    assert positions == sorted({*positions})
    assert [type(change.what) for change in found] == [Entry, Entry, Versioned, Entry]
    assert store.changes(after=positions[0], limit=2) == found[1:3]
    assert text_of(found[1]) == "x" * 9000
    assert store.changes(after=positions[3]) == []


def test_a_subscriber_sees_what_comes(store: Store) -> None:
    """From now on by default, or from a position that was remembered."""
    say(store, "before")
    with store.subscribe() as live, store.subscribe(after=0) as resumed:
        assert live.next(timeout=0) is None
        say(store, "after")
        assert text_of(live.next(timeout=60)) == "after"
        assert [text_of(resumed.next(timeout=60)) for _ in range(2)] == ["before", "after"]
        assert resumed.position == live.position


def test_a_waiting_subscriber_is_woken_at_once(store: Store) -> None:
    """By a commit of the same process, long before any poll would tell."""
    with store.subscribe() as subscription:
        later = threading.Timer(0.2, say, [store, "now"])
        later.start()
        assert text_of(subscription.next(timeout=60)) == "now"
        later.join()


def test_a_subscriber_sees_what_another_program_writes(store: Store) -> None:
    """On a file by looking, on a server by listening."""
    with store.subscribe() as subscription:
        subprocess.run([sys.executable, "-c", _SAY, store.url], check=True, timeout=60)
        assert text_of(subscription.next(timeout=60)) == "from another program"


def test_what_was_rolled_back_is_never_seen(store: Store) -> None:
    """On a file its position is given to the next."""
    with store.subscribe() as subscription:
        with pytest.raises(StoreError):
            store.append("t", [EntryDraft("user", {"text": float("nan")})])
        say(store, "kept")
        change = subscription.next(timeout=60)
        assert change is not None
        assert text_of(change) == "kept"
        assert change.position == 1 or not store.url.startswith("sqlite")


def test_closing_ends_the_wait(store: Store) -> None:
    """Whoever iterates comes to the end; closing twice is harmless."""
    subscription = store.subscribe()
    seen: list[Change] = []
    reader = threading.Thread(target=lambda: seen.extend(subscription))
    reader.start()
    say(store, "one")
    deadline = time.monotonic() + 60
    while not seen and time.monotonic() < deadline:
        time.sleep(0.01)
    subscription.close()
    subscription.close()
    reader.join(timeout=60)
    assert not reader.is_alive()
    assert [text_of(change) for change in seen] == ["one"]
    assert subscription.next(timeout=1) is None


def test_many_writers_are_seen_in_one_order(store: Store) -> None:
    """Every subscriber sees the same changes, without gaps, whoever writes."""
    with store.subscribe(after=0) as first, open_store(store.url) as second_store:
        writers = [
            threading.Thread(target=lambda own=own: [say(own, str(n)) for n in range(10)])
            for own in (store, second_store, second_store)
        ]
        for writer in writers:
            writer.start()
        found = [first.next(timeout=60) for _ in range(30)]
        for writer in writers:
            writer.join()
        positions = [change.position for change in found if change]
        assert positions == sorted({*positions})
        assert [change.what.seq for change in found if change] == list(range(1, 31))  # type: ignore[union-attr]
        assert found == store.changes()


def test_a_listener_that_is_cut_off_is_told(tmp_path: Path) -> None:
    """It can subscribe again from where it was; the store itself reconnects."""
    with open_store(prepared("postgresql", tmp_path)) as store:
        subscription = store.subscribe()
        cut_connections(store.url.replace("+psycopg", ""))
        with pytest.raises(StoreError, match="connection broke off"):
            subscription.next(timeout=60)
        subscription.close()
        say(store, "again")
        with store.subscribe(after=subscription.position) as resumed:
            assert text_of(resumed.next(timeout=60)) == "again"
