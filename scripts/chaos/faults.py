"""Schedules of faults, made from a seed: the same seed gives the same schedule on every machine."""

from __future__ import annotations

import functools
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scripts.chaos.apart import has_networks
from scripts.chaos.disks import has_disks

# How long each fault lasts, in seconds: from, to.
KINDS: dict[str, tuple[float, float]] = {
    "kill a worker": (0.0, 8.0),
    "kill all workers": (0.0, 8.0),
    "kill the browsers": (0.0, 0.0),
    "stop a worker": (1.0, 25.0),
    "end the site": (1.0, 10.0),
    "end the database": (1.0, 60.0),
    "cut the network to the database": (1.0, 40.0),
    "refuse writes to the disk": (1.0, 20.0),
    "start a second worker of one name and kill the first": (0.0, 0.0),
    "kill a worker in a namespace of its own": (0.0, 5.0),
    "start a worker whose clock is an hour ahead": (1.0, 10.0),
    "step the clock of a worker": (4.0, 12.0),
    "fill the disk": (1.0, 20.0),
    "cut the network of a worker": (1.0, 30.0),
}
_ONLY = {
    "end the database": "postgresql",
    "cut the network to the database": "postgresql",
    "refuse writes to the disk": "sqlite",
    "fill the disk": "sqlite",
}
_CLOCKS = ("start a worker whose clock is an hour ahead", "step the clock of a worker")


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: what happens, how many seconds after the one before, for how long."""

    kind: str
    after: float
    lasts: float
    target: int


@functools.cache
def explain_skips(database: str) -> dict[str, str]:
    """The faults that cannot be made here, each with the reason."""
    skipped = {
        kind: f"this is a fault of {only} only" for kind, only in _ONLY.items() if only != database
    }
    if not _has_namespaces():
        skipped["kill a worker in a namespace of its own"] = (
            "this machine lets no program make a namespace of process numbers"
        )
    if not find_faketime():
        skipped |= dict.fromkeys(_CLOCKS, "libfaketime is not installed")
    if not has_networks():
        skipped["cut the network of a worker"] = "this machine lets no program make a network"
    if "fill the disk" not in skipped and not has_disks():
        skipped["fill the disk"] = "this machine lets no program mount a small disk"
    return skipped


def find_faketime() -> list[Path]:
    """The library that changes what a program takes for the time, if it is installed."""
    return sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))


def make_schedule(seed: int, database: str, *, count: int, longest: float = 60.0) -> list[Fault]:
    """The faults of a seed, none longer than `longest` seconds.

    They are drawn from all that its database knows; those that cannot be made here are left out, so
    that what is left is the same as elsewhere.
    """
    choose = random.Random(f"{seed} {database}")  # noqa: S311  it must be the same again
    kinds = [kind for kind in KINDS if _ONLY.get(kind, database) == database]
    drawn = [
        Fault(
            kind,
            round(choose.uniform(0.5, 4.0), 2),
            round(min(longest, choose.uniform(*KINDS[kind])), 2),
            choose.randrange(1000),
        )
        for kind in choose.choices(kinds, k=count)
    ]
    return [fault for fault in drawn if fault.kind not in explain_skips(database)]


def _has_namespaces() -> bool:
    if shutil.which("unshare") is None:
        return False
    made = subprocess.run(["unshare", "-rpf", "true"], capture_output=True, check=False)
    return made.returncode == 0
