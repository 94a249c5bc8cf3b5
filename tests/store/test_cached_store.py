"""Reads that are kept in memory: after a refresh they are those of the store, whoever wrote."""

from __future__ import annotations

import random
from collections.abc import Callable
from threading import Thread

import pytest

from director.store import EntryDraft, RecordDraft, Store, open_store
from director.store.cached_store import CachedStore

THREADS = ("t1", "t2")
IDS = ("a", "a/1", "a/2", "b", "b/1")
KINDS = ("run", "step")


def reads(store: Store) -> list[object]:
    """Everything that can be asked of these threads and records."""
    found: list[object] = []
    for thread in THREADS:
        found += [store.head(thread), store.entries(thread), store.entries(thread, 1, 3)]
        found += [store.hiding(thread), store.last(thread, "user")]
    for kind in KINDS:
        found += [store.ids(kind), store.newest(kind), store.newest(kind, "a/")]
        found += [store.get(kind, id_) for id_ in IDS]
        found += [store.get(kind, id_, 1) for id_ in IDS]
    return found


def write(store: Store, chance: random.Random) -> None:
    """Write something by chance."""
    if chance.random() < 0.4:
        drafts = [EntryDraft("user", {"text": f"word {chance.random()}"})] * chance.randint(1, 3)
        store.append(chance.choice(THREADS), drafts)
    else:
        chosen = chance.sample(IDS, chance.randint(1, 2))
        kind = chance.choice(KINDS)
        store.put_all([RecordDraft(kind, one, {"n": chance.random()}) for one in chosen])


@pytest.mark.parametrize("seed", range(4))
def test_after_a_refresh_every_read_is_that_of_the_store(store_url: str, seed: int) -> None:
    """Writers are this program, another one, and the cached store itself."""
    chance = random.Random(seed)
    with open_store(store_url) as store, open_store(store_url) as other:
        cached = CachedStore(store)
        for _ in range(6):
            for _ in range(chance.randint(0, 3)):
                write(chance.choice([store, other, cached]), chance)
            cached.refresh()
            assert reads(cached) == reads(store)
            assert reads(cached) == reads(store)


def test_what_did_not_change_is_not_read_again(store: Store) -> None:
    """The very object is given again, until its record is written."""
    store.put("run", "a", {"n": 1})
    store.put("run", "b", {"n": 1})
    cached = CachedStore(store)
    cached.refresh()
    a, b = cached.get("run", "a"), cached.get("run", "b")
    store.put("run", "b", {"n": 2})
    cached.refresh()
    assert cached.get("run", "a") is a
    assert cached.get("run", "b") is not b


@pytest.mark.parametrize(
    "purge",
    [
        lambda store: store.purge("t1"),
        lambda store: store.purge_text(lambda body: {**body, "text": "gone"}),
    ],
    ids=["thread", "words"],
)
def test_what_was_purged_is_not_shown_from_memory(
    store: Store, purge: Callable[[Store], object]
) -> None:
    """Also a purge that writes nothing new."""
    store.append("t1", [EntryDraft("user", {"text": "the secret"})])
    cached = CachedStore(store)
    cached.refresh()
    assert "the secret" in str(cached.entries("t1"))
    purge(store)
    cached.refresh()
    assert "the secret" not in str(cached.entries("t1"))
    assert store.verify().ok


def test_a_reader_never_keeps_what_is_older_than_a_refresh(store: Store) -> None:
    """Readers and writers in threads: when all is quiet, a last refresh shows all of it."""
    cached = CachedStore(store)

    def read() -> None:
        for _ in range(20):
            cached.refresh()
            reads(cached)

    def change(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(30):
            write(store, chance)

    workers = [Thread(target=read) for _ in range(2)] + [Thread(target=change, args=(3,))]
    for one in workers:
        one.start()
    for one in workers:
        one.join(60)
    cached.refresh()
    assert reads(cached) == reads(store)


def test_a_list_that_is_changed_by_who_asked_is_whole_for_the_next(store: Store) -> None:
    """Each gets a list of its own."""
    store.put("run", "a", {"n": 1})
    cached = CachedStore(store)
    cached.refresh()
    cached.newest("run").clear()
    cached.newest("run").clear()
    assert len(cached.newest("run")) == 1
