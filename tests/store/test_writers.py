"""Several writers at once, some of them killed: nobody loses, and nobody wins twice."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from director.context.values import Summary
from director.store.compression import compress_turns, preview_turn_compression
from director.store.context_view import project_context_view
from director.store.store_opening import open_store
from director.store.values import VersionConflict
from director.testing.store_drafts import draft_talk, draft_user_message
from director.testing.store_faults import find_store_faults
from store.crash.programs import run
from store.engines import prepared

_CROWDS = [("sqlite", 4), ("postgresql", 7)]


def _crowd(engine: str, writers: int, seconds: int, folder: Path) -> None:
    found = run("writers", prepared(engine, folder), folder, writers, seconds, 1)
    assert found["faults"] == []
    assert found["kills"] >= seconds - 1
    # Enough to have met one another, on however busy a machine.
    assert found["entries"] > writers
    assert found["checkpoints"] > 0


@pytest.mark.promise("A5")
@pytest.mark.parametrize(("engine", "writers"), _CROWDS)
def test_killed_writers_harm_nobody(engine: str, writers: int, tmp_path: Path) -> None:
    """Random kills for a few seconds; the checker finds everything acknowledged, once."""
    _crowd(engine, writers, 2, tmp_path)


@pytest.mark.slow
@pytest.mark.promise("A5")
@pytest.mark.parametrize(("engine", "writers"), _CROWDS)
def test_killed_writers_harm_nobody_for_long(engine: str, writers: int, tmp_path: Path) -> None:
    """The same for a minute."""
    _crowd(engine, writers, 60, tmp_path)


@pytest.mark.promise("A5")
def test_of_compressions_that_meet_one_wins(store_url: str) -> None:
    """Four look at the same head, meet at a barrier, and write: one checkpoint, three refused."""
    barrier, won, moved = threading.Barrier(4), [], []

    def race(n: int) -> None:
        with open_store(store_url) as store:
            look = preview_turn_compression(store, "t")
            barrier.wait(timeout=60)
            try:
                won.append(compress_turns(store, "t", look, Summary(f"by {n}", tuple(look.covers))))
            except VersionConflict:
                moved.append(n)

    with open_store(store_url) as store:
        store.append("t", draft_talk(6))
        racers = [threading.Thread(target=race, args=(n,)) for n in range(4)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        assert (len(won), len(moved)) == (1, 3)
        assert [entry for entry in store.entries("t") if entry.kind == "checkpoint"] == won
        assert find_store_faults(store) == []


@pytest.mark.promise("A5")
def test_a_turn_said_during_a_compression_is_kept_and_uncovered(store_url: str) -> None:
    """The turn arrives between looking and writing: the compression is refused, then made again."""
    with open_store(store_url) as store, open_store(store_url) as beside:
        store.append("t", draft_talk(6))
        look = preview_turn_compression(store, "t")
        (said,) = beside.append("t", [draft_user_message("wait: the red one")])
        with pytest.raises(VersionConflict):
            compress_turns(store, "t", look, Summary("in short", tuple(look.covers)))
        assert project_context_view(store.entries("t")).turns[-1].at == said.seq
        again = preview_turn_compression(store, "t", look.covers)
        done = compress_turns(store, "t", again, Summary("in short", tuple(again.covers)))
        assert said.seq not in done.body["covers"]  # type: ignore[operator]
        assert project_context_view(store.entries("t")).turns[-1].at == said.seq
        assert find_store_faults(store) == []
