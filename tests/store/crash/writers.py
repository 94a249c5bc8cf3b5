"""Several processes write to one store while others of them are killed at random.

    python -m store.crash.writers URL FOLDER WRITERS SECONDS SEED

A killed writer is replaced at once. It lasts so many seconds, and longer where the machine is so
busy that the writers have not met yet. In the end everything that anyone acknowledged is looked for.
It prints one line of JSON: kills, entries, checkpoints, moved, faults.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from director.store.compression import preview_turn_compression
from director.store.store import Store
from director.store.store_opening import open_store
from director.store.values import StoreError, VersionConflict
from director.testing.store_drafts import draft_agent_message, draft_call_result, draft_user_message
from director.testing.store_faults import find_store_faults
from store.crash.checker import doubled, lost
from store.crash.workload import Acknowledgements, Worker

THREADS = ("one", "two", "three")
OVER = "over"  # the file that tells all writers to end


def _say(worker: Worker, store: Store, luck: random.Random) -> None:
    call = f"call_{os.getpid()}_{worker.step}"
    whole = [
        draft_user_message("question"),
        draft_agent_message("answer", [call]),
        draft_call_result(call, "found " * 9),
    ]
    worker.thread = luck.choice(THREADS)
    worker.say(whole[: luck.randint(1, 3)])
    del store


def _say_if_nobody_else_did(worker: Worker, store: Store, luck: random.Random) -> None:
    worker.thread = luck.choice(THREADS)
    worker.say([draft_user_message("as I saw it")], expect=store.head(worker.thread))


def _fold(worker: Worker, store: Store, luck: random.Random) -> None:
    worker.thread = luck.choice(THREADS)
    seen = preview_turn_compression(store, worker.thread)
    time.sleep(luck.random() / 50)
    turns = [turn.at for turn in seen.fold.turns]
    worker.fold(turns[: luck.randint(1, len(turns))] if turns else None)


def _unfold(worker: Worker, store: Store, luck: random.Random) -> None:
    worker.thread = luck.choice(THREADS)
    folded = [e for e in store.entries(worker.thread) if e.kind == "checkpoint"]
    if folded:
        worker.unfold(folded[-1])


def _note(worker: Worker, store: Store, luck: random.Random) -> None:
    worker.note()
    del store, luck


_ACTS = (*[_say] * 5, _say_if_nobody_else_did, *[_fold] * 3, _unfold, _note)


def write(url: str, name: str, folder: Path, seed: int) -> None:
    """Work on all threads until it is over or someone kills us."""
    luck = random.Random(seed)
    acknowledged = Acknowledgements(folder / f"{name}.acknowledged")
    with open_store(url) as store:
        worker = Named(store, THREADS[0], acknowledged, name=name)
        while not (folder / OVER).exists():
            try:
                luck.choice(_ACTS)(worker, store, luck)
            except VersionConflict:
                acknowledged.add({"thread": worker.thread, "step": worker.step, "moved": True})
            except StoreError as refused:
                if "locked" in str(refused) or "busy" in str(refused):
                    raise


@dataclass
class Named(Worker):
    """A worker whose tokens carry its own name, for threads that several write."""

    name: str = ""

    def token(self, index: int, count: int) -> str:
        """What marks a text of this step of this writer."""
        return f"<{self.name}:{self.step}:{index}:{count}>"


@dataclass
class Crowd:
    """The writers that are alive, and how many have been killed."""

    url: str
    folder: Path
    luck: random.Random
    alive: list[int] = field(default_factory=list)
    born: int = 0
    failed: int = 0

    def fork(self) -> None:
        """Start one more writer."""
        self.born += 1
        pid = os.fork()
        if pid:
            self.alive.append(pid)
            return
        code = 1
        try:
            write(self.url, f"w{self.born}", self.folder, self.born)
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)

    def kill_one(self) -> None:
        """Kill one of them with no warning."""
        pid = self.alive.pop(self.luck.randrange(len(self.alive)))
        os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        self.failed += status != signal.SIGKILL

    def wait(self) -> None:
        """Wait for the last ones to end by themselves."""
        for pid in self.alive:
            self.failed += os.waitpid(pid, 0)[1] != 0


def main() -> None:
    """Run as the program that the first lines describe."""
    url, folder, writers, seconds, seed = sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:])
    open_store(url).close()
    luck = random.Random(seed)
    crowd = Crowd(url, folder, luck)
    until = time.time() + seconds - 0.5
    for _ in range(writers):
        crowd.fork()
    kills = 0
    while time.time() < until or kills < seconds - 1 or not _met(url, writers):
        time.sleep(0.05 + luck.random() / 4)
        crowd.kill_one()
        crowd.fork()
        kills += 1
    (folder / OVER).touch()
    crowd.wait()
    sys.stdout.write(json.dumps({"kills": kills, **_check(crowd)}) + "\n")


def _met(url: str, writers: int) -> bool:
    """Whether the writers have had the time to get into each other's way."""
    with open_store(url) as store:
        kinds = Counter(entry.kind for thread in THREADS for entry in store.entries(thread))
    return kinds.total() > writers and kinds["checkpoint"] > 0


def _check(crowd: Crowd) -> dict[str, object]:
    lines = [
        line
        for path in sorted(crowd.folder.glob("*.acknowledged"))
        for line in Acknowledgements(path).lines()
    ]
    with open_store(crowd.url) as store:
        entries = [entry for thread in THREADS for entry in store.entries(thread)]
        found = [*find_store_faults(store), *lost(store, lines), *doubled(entries)]
    if crowd.failed:
        found.append(f"{crowd.failed} writers ended with an error")
    kinds = Counter(entry.kind for entry in entries)
    return {
        "entries": len(entries),
        "checkpoints": kinds["checkpoint"],
        "moved": sum("moved" in line for line in lines),
        "faults": found + _twice(lines),
    }


def _twice(lines: list[dict[str, object]]) -> list[str]:
    places = Counter(
        (line["thread"], seq)
        for line in lines
        for seq, _ in line.get("entries", ())  # type: ignore[attr-defined]
    )
    return [f"two writers were both given {place}" for place, n in places.items() if n > 1]


if __name__ == "__main__":
    main()
