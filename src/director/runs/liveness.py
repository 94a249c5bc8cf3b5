"""Which workers live, judged by whoever watches them.

A worker lives while its count of heartbeats rises. How long it has not risen is measured by the
clock of the watcher, which never steps, so a clock that is set elsewhere kills no one. A program
of this very machine that has ended is dead at once. The age that a single look can tell is by the
database's clock: enough to be shown, never enough to take a run from a worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from director.store import Beat, Store

_LOOK = 0.2  # seconds between two looks at a worker that may be dead


class Liveness:
    """Watches heartbeats; a worker is dead after `patience` seconds of watched silence."""

    def __init__(self, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._clock = clock
        self._seen: dict[str, tuple[int, float]] = {}

    def observe(self, beats: Iterable[Beat]) -> frozenset[str]:
        """The workers that live, as far as these and all earlier heartbeats tell."""
        now, alive = self._clock(), set()
        seen: dict[str, tuple[int, float]] = {}
        for each in beats:
            count, since = self._seen.get(each.worker, (each.count, now))
            since = since if count == each.count else now
            seen[each.worker] = each.count, since
            if now - since <= self._patience and not each.has_ended:
                alive.add(each.worker)
        self._seen = seen
        return frozenset(alive)

    def silence(self, worker: str) -> float:
        """For how many seconds a worker was watched without a sign of life."""
        seen = self._seen.get(worker)
        return self._clock() - seen[1] if seen else 0.0


def seems_worker_dead(beat: Beat, patience: float) -> bool:
    """Whether a single look says that a worker is dead; for people, not for taking a run."""
    return beat.has_ended or beat.age > patience


def has_fallen_silent(store: Store, worker: str, *, seconds: float) -> bool:
    """Whether a worker gives no sign of life while it is watched for so many seconds."""
    began = time.monotonic()
    first: int | None = None
    while True:
        found = next((each for each in store.beats() if each.worker == worker), None)
        if found is None or found.has_ended:
            return True
        first = found.count if first is None else first
        if found.count != first:
            return False
        if time.monotonic() - began > seconds:
            return True
        time.sleep(_LOOK)
