"""The world of one schedule: a database, a site, workers with their browsers, and runs to be done.

Everything is a program of its own that can be killed and started again. What is started here is
ended here.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from director.runs import RunDependencies, queue_run, read_run
from director.runs.run_execution import is_parked, list_open_run_questions, submit_run_execution
from director.runs.run_queue import Queue, make_queue_url
from director.store import open_store
from director.workflow.document import read_workflow_document
from director.workflow.values import Json, Workflow
from scripts.chaos.disks import own_disk
from scripts.chaos.faults import find_faketime
from scripts.chaos.postgres import PostgresServer, free_port, own_server
from scripts.chaos.site import list_effects

_HERE = Path(__file__).parent
_RELAY = _HERE / "relay.py"
DIRECTOR = (sys.executable, "-c", "from director.cli import app; app()")
_PATIENCE = 60.0
EFFECTS = 2  # of each run


class World:
    """All programs of one schedule, in a folder of their own."""

    def __init__(
        self, folder: Path, database: str, *, launcher: Sequence[str] = DIRECTOR, workers: int = 2
    ) -> None:
        self.folder = folder
        self.database = database
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.server: PostgresServer | None = None
        self.relay: subprocess.Popen[bytes] | None = None
        self.disk: Path | None = None
        self._relays: list[subprocess.Popen[bytes]] = []
        self._names = [f"w{number}" for number in range(workers)]
        self._launcher = tuple(launcher)
        self._open = ExitStack()
        self._site: subprocess.Popen[bytes] | None = None
        self._port = free_port()
        self._ports = [self._port]  # what a worker has to reach
        self._effects = folder / "effects.txt"
        self.origin = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        try:
            if self.database == "postgresql":
                self.server = self._open.enter_context(own_server())
                self.url = self.server.url
                port = free_port()
                self.relay = self._start(str(_RELAY), str(port), str(self.server.port))
                self._ports.append(port)
                self._reached = self.url.replace(f":{self.server.port}/", f":{port}/")
            else:
                self.disk = self._open.enter_context(own_disk(self.folder / "disk"))
                self.url = self._reached = f"sqlite:///{self.disk / 'director.db'}"
            open_store(self.url).close()
            self.start_site()
            for name in self._names:
                self.start_worker(name)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for name in list(self.workers):
            self.kill_worker(name)
        for program in (self._site, self.relay, *self._relays):
            if program is not None:
                program.kill()
                program.wait()
        self._open.close()

    # Runs

    def queue_runs(self, count: int, *, first: int = 0) -> list[str]:
        """Write runs and put them into the queue; their ids."""
        names = [f"run{number}" for number in range(first, first + count)]
        with open_store(self.url) as store, Queue(make_queue_url(store.url)) as queue:
            for name in names:
                queue_run(
                    store,
                    workflow_of(self.origin),
                    RunDependencies(),
                    inputs={"key": name},
                    id_=name,
                )
                submit_run_execution(store, queue, name)
        return names

    def read_states(self) -> dict[str, str]:
        """The state of each run as it is stored, `asks` for one that waits for a person."""
        with open_store(self.url) as store:
            runs = [read_run(store, id_) for id_ in store.ids("run")]
            asking = {
                run.id for run in runs if is_parked(run) and list_open_run_questions(store, run.id)
            }
        return {run.id: "asks" if run.id in asking else run.state for run in runs}

    def read_failures(self) -> dict[str, str]:
        """Why each run that failed did, as it says itself."""
        with open_store(self.url) as store:
            runs = [read_run(store, id_) for id_ in store.ids("run")]
        return {run.id: str(run.error) for run in runs if run.state == "failed"}

    def effects(self) -> list[str]:
        """What the site has received, in order."""
        return list_effects(self._effects)

    # Programs

    def start_worker(self, name: str, *, before: Sequence[str] = (), key: str = "") -> None:
        """Start a worker by the command line, perhaps below another program."""
        log = (self.folder / f"{key or name}.log").open("ab")
        with log:
            self.workers[key or name] = subprocess.Popen(
                [
                    *before,
                    *self._launcher,
                    *("worker", "--name", name, "--store", self._reached),
                    *("--no-pictures", "--per-site", "2"),
                ],
                stdout=log,
                stderr=log,
                env={**os.environ, "DIRECTOR_HOME": str(self.folder / "home")},
                start_new_session=True,
            )

    def start_worker_apart(self, name: str, key: str) -> None:
        """Start a worker in a network of its own, from which it reaches what it needs."""
        pairs = [f"{port}={self.folder / f'{port}.socket'}" for port in self._ports]
        if not self._relays:
            self._relays = [
                self._start(str(_RELAY), pair.partition("=")[2], pair.partition("=")[0])
                for pair in pairs
            ]
        program = (sys.executable, str(_HERE / "apart.py"), *pairs, "--")
        self.start_worker(name, before=("unshare", "-n", *program), key=key)

    def start_worker_of_clock(self, name: str, key: str) -> Path:
        """Start a worker whose clock is told by a file: what to add to the machine's."""
        clock = self.folder / f"{key}.clock"
        clock.write_text("+0\n")
        preload = next(iter(find_faketime()), "")
        told = (f"LD_PRELOAD={preload}", f"FAKETIME_TIMESTAMP_FILE={clock}")
        kept = ("FAKETIME_CACHE_DURATION=1", "FAKETIME_DONT_FAKE_MONOTONIC=1")
        self.start_worker(name, before=("env", *told, *kept), key=key)
        return clock

    def kill_worker(self, name: str) -> None:
        """End a worker as the machine would, and leave its browsers to end by themselves."""
        program = self.workers.pop(name, None)
        if program is None:
            return
        for pid in below(program.pid):
            if name_of(pid).startswith("python"):
                _signal(pid, signal.SIGKILL)
        program.kill()
        program.wait()

    def ensure_workers(self) -> None:
        """Start every worker that is not there."""
        for name in self._names:
            if name not in self.workers or self.workers[name].poll() is not None:
                self.start_worker(name)

    def browsers(self, name: str) -> list[int]:
        """The processes of a worker's browser."""
        program = self.workers.get(name)
        found = below(program.pid) if program else []
        return [pid for pid in found if "chrom" in name_of(pid)]

    def programs(self) -> list[int]:
        """The processes of all workers, with their browsers."""
        return [pid for one in self.workers.values() for pid in (one.pid, *below(one.pid))]

    def start_site(self) -> None:
        """Start the site and wait until it answers."""
        self._site = self._start(str(_HERE / "site.py"), str(self._port), str(self._effects))
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                with urllib.request.urlopen(f"{self.origin}/sent/none", timeout=5):  # noqa: S310
                    return
            except (urllib.error.URLError, OSError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def end_site(self) -> None:
        """End the site in the middle of what it does."""
        if self._site is not None:
            self._site.kill()
            self._site.wait()

    def limit_writes(self, *, refuse: bool) -> None:
        """Let no worker write to files beyond a page, or let them again."""
        for program in self.workers.values():
            # What a worker starts meanwhile has its limit too, and keeps it.
            for pid in [program.pid] if refuse else [program.pid, *below(program.pid)]:
                with contextlib.suppress(ProcessLookupError):
                    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                    limit = 4096 if refuse else hard
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, hard))

    def run_command(self, *arguments: str) -> str:
        """What a command of the product prints."""
        done = subprocess.run(
            [*DIRECTOR, *arguments, "--store", self.url],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            env={**os.environ, "DIRECTOR_HOME": str(self.folder / "home")},
        )
        return done.stdout

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, *arguments], start_new_session=True)


def workflow_of(origin: str) -> Workflow:
    """Open a form, send it, once, and again for another effect."""
    nodes: list[Json] = []
    for number in range(1, EFFECTS + 1):
        key = f"{{{{key}}}}-{number}"
        nodes += [
            {
                "id": f"open{number}",
                "alias": f"open_{number}",
                "type": "browser_action",
                "config": {"action": "navigate", "url": f"{origin}/form/{key}"},
            },
            {
                "id": f"send{number}",
                "alias": f"send_{number}",
                "type": "browser_action",
                "config": {"action": "click", "selector": "#send"},
                "effect": "once",
                "ensures": [{"element": "#yes"}],
                "proof": {
                    "url": f"{origin}/sent/{key}",
                    "happened": [{"element": "#yes"}],
                    "not_happened": [{"element": "#no"}],
                },
            },
        ]
    return read_workflow_document(
        {
            "version": 2,
            "id": "effects",
            "name": "Effects",
            "origins": [origin],
            "inputs": [{"name": "key", "required": True}],
            "nodes": nodes,
        }
    )


def below(pid: int) -> list[int]:
    """The processes that a process started, directly or not."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        parents.setdefault(parent, []).append(int(folder.name))
    found, left = [], [pid]
    while left:
        children = parents.get(left.pop(), [])
        found += children
        left += children
    return found


def name_of(pid: int) -> str:
    """The name of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def signal_all(pids: Sequence[int], number: int) -> None:
    """Send a signal to each of some processes that still run."""
    for pid in pids:
        _signal(pid, number)
