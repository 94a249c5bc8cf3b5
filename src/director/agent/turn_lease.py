"""One turn at a time: whoever takes a turn holds its thread, and a second one is refused.

The hold is a record of the thread that also says how the last turn ended. A program that dies
leaves it behind; it counts for nothing as soon as that program gives no sign of life.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

from director.errors import DirectorError
from director.models.restart_journal import make_restart_record
from director.store import Store, StoreError, VersionConflict, Versioned
from director.store.heartbeats import read_machine_id

_LOG = logging.getLogger("director.agent")
KIND = "turn"
_BEAT = 5.0  # seconds between two signs of life
_DEAD = 30.0  # seconds without one
_HERE: set[str] = set()  # the turns that this program takes now


class TurnRunning(DirectorError):
    """Another turn of the same thread is running; nothing was stored."""

    kept = "Nothing was stored."
    next_step = "Wait until the turn has ended, or stop it."


class Hold:
    """A thread that is held: how its last turn ended, and what its record says when let go."""

    def __init__(self, worker: str, before: Versioned | None) -> None:
        self.worker = worker
        self.before: Mapping[str, object] = before.body if before else {}
        self.ends: Mapping[str, object] = {"state": "cancelled"}


def is_turn_running(store: Store, thread: str) -> bool:
    """Whether a turn of this thread is being taken now, by whatever program."""
    return _alive(store, store.get(KIND, thread))


def find_last_turn(store: Store, thread: str) -> Mapping[str, object]:
    """How the last turn of a thread ended; empty if there was none."""
    found = store.get(KIND, thread)
    return found.body if found else {}


@asynccontextmanager
async def hold_thread(store: Store, thread: str, **about: object) -> AsyncIterator[Hold]:
    """Hold a thread for one turn; what it is `about` is there for whoever goes on with it."""
    before = store.get(KIND, thread)
    hold = Hold(f"turn-{uuid.uuid4().hex[:12]}", before)
    if _alive(store, before):
        raise TurnRunning(_describe_running(thread))
    _HERE.add(hold.worker)
    try:
        _beat(store, hold.worker)
        body = {"thread": thread, "state": "running", "worker": hold.worker, **about}
        try:
            mine = store.put(KIND, thread, body, expect=before.version if before else 0)
        except VersionConflict:
            raise TurnRunning(_describe_running(thread)) from None
        beating = asyncio.create_task(_beating(store, hold.worker))
        try:
            yield hold
        finally:
            beating.cancel()
            with suppress(VersionConflict):
                ended = {"thread": thread, **hold.ends}
                store.put(KIND, thread, ended, expect=mine.version)
    finally:
        _HERE.discard(hold.worker)
        store.leave(hold.worker)


async def _beating(store: Store, worker: str) -> None:
    while True:
        await asyncio.sleep(_BEAT)
        try:
            _beat(store, worker)
        except StoreError as problem:
            # The turn itself says what it could not store; its signs of life go on.
            _LOG.warning("A turn gives no sign of life and tries on: %s", problem)


def _beat(store: Store, worker: str) -> None:
    store.beat(worker, host=socket.gethostname(), pid=os.getpid())


def _alive(store: Store, found: Versioned | None) -> bool:
    if found is None or found.body.get("state") != "running":
        return False
    worker = found.body.get("worker")
    beat = next((each for each in store.beats() if each.worker == worker), None)
    if beat is None or beat.age > _DEAD or beat.has_ended:
        return False
    is_here = beat.machine == read_machine_id() and beat.pid == os.getpid()
    return worker in _HERE if is_here else True


def _describe_running(thread: str) -> str:
    return (
        f"A turn of the thread {thread!r} is running. Nothing was stored. Wait until it has ended, "
        "or cancel it."
    )


# Names of one release ago; they go with the next.
held = hold_thread


def has_waiting_job(store: Store, thread: str) -> bool:
    """Whether a turn's program ended while its model worked in the background."""
    if find_last_turn(store, thread).get("state") != "running" or is_turn_running(store, thread):
        return False
    kept = store.reference(thread)
    handle = make_restart_record(kept).handle if kept is not None else None
    return handle is not None and bool(handle.id)
