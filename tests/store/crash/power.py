"""Simulated power loss for SQLite: what a disk may hold if the power fails after any system call.

A process works under strace, which records each write, sync, cut and removal with its bytes. The
record is played on a model of a disk: what was synced is there, what was not may be there, gone,
or torn at a sector, and a new or removed name counts only once its folder was synced. A copy of
each such disk is opened and checked against what had been acknowledged by then.

    python -m store.crash.power SYNCHRONOUS FOLDER STRIDE

It prints one line of JSON: points, losses (disks tried), faults.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import event
from sqlalchemy.pool import Pool

from store.crash.checker import faults_after_crash
from store.crash.kills import Run, record

SECTOR = 512
_LINE = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)(?:<((?:\\x[0-9a-f]{2})*)>)?")
_HEX = re.compile(r'(?:\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)>|"((?:\\x[0-9a-f]{2})*)"')


@dataclass(frozen=True)
class Act:
    """One system call: its name, its file, its bytes and its place or size."""

    name: str
    path: str
    content: bytes = b""
    number: int = 0


@dataclass
class File:
    """A file as the process sees it, as the disk surely holds it, and what lies between."""

    named: bool = False
    removed: bool = False
    synced: bytes = b""
    pending: list[Act] = field(default_factory=list)

    def after(self, kept: list[Act]) -> bytes:
        """The bytes if these of the pending acts reached the disk."""
        content = bytearray(self.synced)
        for act in kept:
            if act.name == "ftruncate":
                del content[act.number :]
                content.extend(bytes(act.number - len(content)))
                continue
            content.extend(bytes(max(0, act.number - len(content))))
            content[act.number : act.number + len(act.content)] = act.content
        return bytes(content)


def acts(trace: str) -> Iterator[Act]:
    """The calls of a trace that changed something."""
    for line in trace.splitlines():
        found = _LINE.match(line)
        if not found or int(found[3]) < 0:
            continue
        name, arguments, returned = found[1], found[2], found[4]
        texts = [bytes.fromhex((a or b).replace("\\x", "")) for a, b in _HEX.findall(arguments)]
        if name == "openat":
            if "O_CREAT" in arguments and returned:
                yield Act(name, bytes.fromhex(returned.replace("\\x", "")).decode())
        elif name.startswith("unlink"):
            yield Act("unlink", texts[-1].decode())
        elif name in ("pwrite64", "write"):
            place = int(arguments.rsplit(",", 1)[1]) if name == "pwrite64" else 0
            yield Act(name, texts[0].decode(), texts[1], place)
        elif name == "ftruncate":
            yield Act(name, texts[0].decode(), b"", int(arguments.rsplit(",", 1)[1]))
        elif name in ("fsync", "fdatasync"):
            yield Act("sync", texts[0].decode())


class Disk:
    """The files of one folder, as far as the disk is concerned."""

    def __init__(self, database: Path) -> None:
        self.folder = str(database.parent)
        self.names = (str(database), f"{database}-wal", f"{database}-journal")
        self.files: dict[str, File] = {}

    def play(self, act: Act) -> bool:
        """Do what the process did, and say whether it concerned this disk."""
        if act.name == "sync" and act.path == self.folder:
            self.files = {n: f for n, f in self.files.items() if not f.removed}
            for file in self.files.values():
                file.named = True
            return True
        if act.path not in self.names:
            return False
        file = self.files.setdefault(act.path, File())
        if act.name == "openat":
            if not file.removed:
                return False
            self.files[act.path] = File()
        elif act.name == "unlink":
            file.removed = True
        elif act.name == "sync":
            file.synced, file.pending = file.after(file.pending), []
        else:
            file.pending.append(act)
        return True

    def lose_power(self, into: Path, luck: random.Random, keep: float) -> None:
        """Write down a disk on which each unsynced sector survived with the chance `keep`."""
        into.mkdir()
        for name, file in self.files.items():
            gone = file.removed and luck.random() < keep
            if gone or not (file.named or luck.random() < keep):
                continue
            kept = [part for act in file.pending for part in _torn(act, luck, keep)]
            (into / Path(name).name).write_bytes(file.after(kept))


def _torn(act: Act, luck: random.Random, keep: float) -> Iterator[Act]:
    if act.name == "ftruncate":
        if luck.random() < keep:
            yield act
        return
    for start in range(0, len(act.content), SECTOR):
        if luck.random() < keep:
            part = act.content[start : start + SECTOR]
            yield Act(act.name, act.path, part, act.number + start)


def losses(trace: str, run: Run, database: Path, stride: int) -> Iterator[list[str]]:
    """What is wrong on each disk that a power loss may leave behind."""
    disk, luck, said, copy = Disk(database), random.Random(1), b"", run.folder / "disk"
    for n, act in enumerate(acts(trace)):
        if act.path == str(run.acknowledged.path):
            said += act.content if act.name == "write" else b""
        elif disk.play(act) and n % stride == 0:
            for keep in (0.0, 0.5, 1.0):
                disk.lose_power(copy, luck, keep)
                lines = [json.loads(line) for line in said.splitlines()]
                url = f"sqlite:///{copy / database.name}"
                yield [f"after call {n}, keep {keep}: {f}" for f in _faults(url, run.name, lines)]
                shutil.rmtree(copy)


def _faults(url: str, thread: str, lines: list[dict[str, object]]) -> list[str]:
    try:
        return faults_after_crash(url, thread, lines)
    except Exception as error:  # noqa: BLE001  a store that does not open is a loss
        return [f"LOST: the store does not open: {type(error).__name__}: {error}"]


def _tune(synchronous: str) -> None:
    def checkout(connection: object, *_given: object) -> None:
        cursor = connection.cursor()  # type: ignore[attr-defined]
        cursor.execute("PRAGMA wal_autocheckpoint = 8")
        cursor.execute(f"PRAGMA synchronous = {synchronous}")
        cursor.close()

    event.listen(Pool, "checkout", checkout)


def main() -> None:
    """Run as the program that the first lines describe."""
    synchronous, folder, stride = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    (folder / "data").mkdir()
    database = folder / "data" / "store.db"
    run = Run(f"sqlite:///{database}", "life", folder, "power")
    _tune(synchronous)
    trace = record(run)
    tried = list(losses(trace, run, database, stride))
    calls = sum(1 for _ in acts(trace))
    faults = [fault for found in tried for fault in found]
    sys.stdout.write(json.dumps({"points": calls, "losses": len(tried), "faults": faults}) + "\n")


if __name__ == "__main__":
    main()
