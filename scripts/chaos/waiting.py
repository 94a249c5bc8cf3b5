"""Where the time between the last fault and the last end went: the processor, or the product.

The kernel counts for each thread how long it ran and how long it was ready and had to wait for a
processor. What a late schedule waited for beyond that is the product's own.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TypeAlias

from director.runs.run_journal import parse_run, parse_step
from director.store import open_store
from director.store.values import Versioned

Times: TypeAlias = dict[str, tuple[int, int]]  # of each thread: nanoseconds it ran and waited


def read_times(pids: list[int]) -> Times:
    """The times of all threads of some processes; one that has ended is left out."""
    found: Times = {}
    for pid in pids:
        for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError, ValueError):
                ran, waited, _ = map(int, file.read_text(encoding="utf-8").split())
                found[str(file)] = ran, waited
    return found


def measure_slowness(before: Times, after: Times) -> float:
    """How many times longer work took than on a machine with nothing else to do, since `before`.

    Threads that began later count from their beginning, those that ended meanwhile not at all.
    """
    ran = sum(each[0] - before.get(name, (0, 0))[0] for name, each in after.items())
    waited = sum(each[1] - before.get(name, (0, 0))[1] for name, each in after.items())
    return round((ran + waited) / ran, 1) if ran > 0 else 1.0


def write_timeline(url: str, names: list[str], since: float) -> str:
    """What was written about some runs, by its time relative to `since`, a line each."""
    with open_store(url) as store:
        lines = [
            (each.at, f"{name} {kind}: {_describe(kind, each)}")
            for name in names
            for kind, ids in (
                ("run", [name]),
                ("lease", [name]),
                ("step", [step.id for step in store.newest("step", f"{name}/")]),
            )
            for id_ in ids
            for each in store.versions(kind, id_)
        ]
    return "\n".join(f"{at - since:8.1f} {text}" for at, text in sorted(lines))


def _describe(kind: str, stored: Versioned) -> str:
    if kind == "lease":
        return str(stored.body["worker"])
    if kind == "run":
        run = parse_run(stored)
        return f"{run.state} {(run.error or {}).get('message', '')}"
    step = parse_step(stored)
    return f"{step.key} {step.state} {step.status} by {step.worker}"
