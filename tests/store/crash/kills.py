"""Kills a process at work at every chosen point, and checks the store after each.

A program of its own: it imports everything once and forks a process for each point, so that a
point takes hundredths of a second. Each point works on a thread of its own in the same store.

    python -m store.crash.kills HOW WORKLOAD URL FOLDER STRIDE

HOW is `sql` (before and after each statement, and at each commit) or `calls` (each write and sync
system call, by strace). It prints one line of JSON: points, killed, faults.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import event
from sqlalchemy.engine import Engine

from store.crash.checker import faults_after_crash
from store.crash.workload import Acknowledgements, work

CALLS = ("pwrite64", "write", "fdatasync", "fsync", "ftruncate", "unlink", "sendto")
_POINTS = ("before_cursor_execute", "after_cursor_execute", "commit")


@dataclass
class Found:
    """How many points there were, how many processes died at theirs, and what was wrong then."""

    points: int = 0
    killed: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass
class Run:
    """One forked process: its thread, its acknowledgements, and how it ended."""

    url: str
    workload: str
    folder: Path
    name: str

    @property
    def acknowledged(self) -> Acknowledgements:
        """The file that this process acknowledges to."""
        return Acknowledgements(self.folder / f"{self.name}.acknowledged")

    def fork(self, armed: Callable[[], None], before: Callable[[], None]) -> int:
        """Start the process; `before` runs first in it, `armed` when it is ready to be killed."""
        self.acknowledged.path.touch()
        pid = os.fork()
        if pid:
            return pid
        code = 1
        try:
            before()
            self.act(armed)
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)

    def act(self, armed: Callable[[], None]) -> None:
        """What the process does."""
        work(self.url, self.name, self.workload, self.acknowledged, armed)

    def faults(self) -> list[str]:
        """What is wrong in the store now."""
        lines = self.acknowledged.lines()
        return [f"{self.name}: {f}" for f in faults_after_crash(self.url, self.name, lines)]


def _no_action() -> None:
    return


class Statements:
    """Counts the statements and commits of a process, and kills it at one of them."""

    def __init__(self, deadly: int, count: Path) -> None:
        self.deadly, self.count, self.seen = deadly, count, 0

    def arm(self) -> None:
        """Count from here on."""
        for point in _POINTS:
            event.listen(Engine, point, self._tick)

    def _tick(self, *_given: object) -> None:
        self.seen += 1
        if self.seen == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        if not self.deadly:
            self.count.write_text(str(self.seen))


def by_statement(url: str, workload: str, folder: Path, stride: int) -> Found:
    """Kill at each statement in turn."""
    count = folder / "statements"

    def run(deadly: int) -> tuple[Run, int]:
        one = Run(url, workload, folder, f"sql-{workload}-{deadly}")
        statements = Statements(deadly, count)
        return one, os.waitpid(one.fork(statements.arm, _no_action), 0)[1]

    whole, status = run(0)
    found = Found(int(count.read_text()), 0, whole.faults())
    if status:
        found.faults.append(f"the run that nobody killed ended with {status}")
    for deadly in range(1, found.points + 1, stride):
        one, status = run(deadly)
        found.killed += status == signal.SIGKILL
        found.faults += one.faults()
    return found


def traced(run: Run, arguments: list[str], *, whole: bool) -> int:
    """Run under strace from its armed point on (or from its first breath); how it ended."""
    ready, go = os.pipe(), os.pipe()

    def pause() -> None:
        os.write(ready[1], b"r")
        os.read(go[0], 1)

    pid = run.fork(_no_action if whole else pause, pause if whole else _no_action)
    os.read(ready[0], 1)
    command = ["strace", "-p", str(pid), "-o", str(run.folder / f"{run.name}.trace"), *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
        assert tracer.stderr
        attached = tracer.stderr.readline()
        os.write(go[1], b"g")
        status = os.waitpid(pid, 0)[1]
    for end in (*ready, *go):
        os.close(end)
    if "attached" not in attached:
        raise PermissionError(f"strace cannot attach here: {attached.strip()}")
    return status


def record(run: Run) -> str:
    """The writes, syncs, cuts and removals of a whole run, as strace writes them."""
    calls = "trace=pwrite64,write,fdatasync,fsync,ftruncate,openat,unlink,unlinkat,rename,close"
    status = traced(run, ["-y", "-xx", "-s", "1000000", "-e", calls], whole=True)
    if status:
        raise RuntimeError(f"the recorded run ended with {status}")
    return (run.folder / f"{run.name}.trace").read_text()


def points_in(trace: str) -> Iterator[tuple[str, int]]:
    """Each call that strace saw, with how many of its name there were by then."""
    seen: dict[str, int] = {}
    for line in trace.splitlines():
        name = line.split("(")[0]
        if name in CALLS:
            seen[name] = seen.get(name, 0) + 1
            yield name, seen[name]


def by_call(url: str, workload: str, folder: Path, stride: int) -> Found:
    """Kill at each write and sync system call in turn."""
    whole = workload == "life"

    def target(name: str) -> str:
        return f"{url.removesuffix('.db')}-{name}.db" if whole else url

    listed = Run(target("whole"), workload, folder, f"calls-{workload}-whole")
    status = traced(listed, ["-e", f"trace={','.join(CALLS)}"], whole=whole)
    points = list(points_in((folder / f"{listed.name}.trace").read_text()))
    found = Found(len(points), 0, listed.faults())
    if status:
        found.faults.append(f"the run that nobody killed ended with {status}")
    for call, n in points[::stride]:
        one = Run(target(f"{call}-{n}"), workload, folder, f"calls-{workload}-{call}-{n}")
        deadly = ["-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={n}"]
        found.killed += traced(one, deadly, whole=whole) == signal.SIGKILL
        found.faults += one.faults()
    return found


HOW = {"sql": by_statement, "calls": by_call}


def main() -> None:
    """Run as the program that the first lines describe."""
    how, workload, url, folder, stride = sys.argv[1:]
    gc.freeze()
    found = HOW[how](url, workload, Path(folder), int(stride))
    sys.stdout.write(json.dumps(vars(found)) + "\n")


if __name__ == "__main__":
    main()
