"""An hour of runs, chats and windows with a kill every minute: `python -m bench.soak --minutes 60 --log FILE`.

Two workers on a PostgreSQL of their own, a site that counts what it receives, the app, windows that ask for
pages and a conversation. Every minute a worker, the browsers or the app is killed and started again, and
memory, file handles, connections and browsers that nobody owns are written down, a line of JSON each. One worker and
a second app are never killed: they show what a program gathers in that time. In the end nothing may be lost
or doubled. Few programs and long pauses: it is the time that counts.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import httpx
import psycopg
from bench.load import Served, serve_app

from director.agent import create_workflow
from director.store import Entry, open_store
from scripts.chaos.checker import Verdict, await_end, judge, read_logs
from scripts.chaos.waiting import write_timeline
from scripts.chaos.world import World, below, name_of, signal_all

_PAGES = 3.0  # seconds between two requests of windows
_CHAT = 20.0
_ANEW = 25  # messages of a conversation: one that is open is held in memory, and so becomes larger
_RUN = 30.0
_KILL = 60.0  # unless told otherwise
_SETTLE = 300.0  # seconds for the last runs; the machine may be busy
_WINDOWS = ("", "/part/chat", "/part/nodes", "/part/meter")
_MEASURES = (
    *("app_mb", "app_files", "workers_mb", "workers_files", "connections", "orphans"),
    *("old_app_mb", "old_app_files", "old_worker_mb", "old_worker_files"),
)


@dataclass(slots=True)
class Soak:
    """What goes on, and what was counted."""

    world: World
    model: str
    workflow: str
    runs: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)
    app: Served | None = None
    opened: AbstractContextManager[Served] | None = None
    old_app: Served | None = None  # lives as long as the soak
    client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=60))

    @property
    def old_worker(self) -> int:
        """The process of the worker that is never killed."""
        return self.world.workers[max(self.world.workers)].pid

    def start_app(self) -> None:
        """Start the app and let somebody in."""
        self.opened = serve_app(sys.executable, self.world.folder / "home")
        self.app = self.opened.__enter__()

    def kill_app(self) -> None:
        """End the app as the machine would."""
        if self.opened is not None:
            self.opened.__exit__(None, None, None)
        self.app = self.opened = None

    def ask_pages(self, stop: Event) -> None:
        """A window of each app asks for its parts, whatever else is going on, until it is stopped."""
        due = time.monotonic()
        while not stop.wait(max(0.0, due - time.monotonic())):
            self._ask_page()
            due = max(due + _PAGES, time.monotonic())

    def _ask_page(self) -> None:
        part = _WINDOWS[self.count["pages"] % len(_WINDOWS)]
        self._request("pages", "GET", f"/w/{self.workflow}{part}")
        self._request("pages of the old app", "GET", f"/w/{self.workflow}{part}", app=self.old_app)

    def say(self) -> None:
        """Say something in the chat; what was taken must be there in the end."""
        if self.count["chats"] % _ANEW == _ANEW - 1:
            self._request("conversations", "POST", f"/api/workflows/{self.workflow}/conversations")
        text = f"message {len(self.said) + self.count['chats refused']}"
        body = {"text": text, "model": self.model}
        if self._request("chats", "POST", f"/api/workflows/{self.workflow}/say", body):
            self.said.append(text)

    def queue_run(self) -> None:
        """Put one more run into the queue."""
        self.runs += self.world.queue_runs(1, first=len(self.runs))

    def kill(self) -> str:
        """Kill what is next in turn, and start it again."""
        turn = self.count["kills"]
        self.count["kills"] += 1
        what = ("worker", "app", "browsers")[turn % 3]
        if what == "worker":
            self.world.kill_worker(min(self.world.workers))
            self.world.ensure_workers()
        elif what == "app":
            self.kill_app()
            self.start_app()
        else:
            for name in self.world.workers:
                signal_all(self.world.browsers(name), signal.SIGKILL)
        return what

    def sample(self) -> dict[str, float]:
        """What the programs use now."""
        own = [program.pid for program in self.world.workers.values()]
        apps = [self.app.pid] if self.app else []
        old = [self.old_app.pid] if self.old_app else []
        return {
            "old_app_mb": round(sum(map(_megabytes, old)), 1),
            "old_app_files": sum(map(_files, old)),
            "old_worker_mb": round(_megabytes(self.old_worker), 1),
            "old_worker_files": _files(self.old_worker),
            "app_mb": round(sum(map(_megabytes, apps)), 1),
            "app_files": sum(map(_files, apps)),
            "workers_mb": round(sum(map(_megabytes, own)), 1),
            "workers_files": sum(map(_files, own)),
            "connections": _connections(self.world.url),
            "orphans": len(_orphans(self.world.folder, own + apps + old)),
        }

    def _request(
        self, kind: str, method: str, path: str, body: object = None, *, app: Served | None = None
    ) -> bool:
        self.count[kind] += 1
        asked = app or self.app
        if asked is None:
            self.count[f"{kind} while the app was down"] += 1
            return False
        try:
            answer = self.client.request(
                method, f"{asked.url}{path}", headers=asked.headers, json=body
            )
        except httpx.HTTPError:
            self.count[f"{kind} refused"] += 1
            return False
        if answer.is_error:
            self.count[f"{kind} refused"] += 1
            self.count[f"{kind} {answer.status_code}"] += 1
        return not answer.is_error


def _megabytes(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _files(pid: int) -> int:
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return 0


def _connections(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            " AND pid <> pg_backend_pid()"
        ).fetchone()
    return int(row[0]) if row else 0


def _orphans(folder: Path, owners: list[int]) -> list[int]:
    """Browsers of this soak that no living program of it owns.

    What waits for the crash of a browser is nobody's child, and ends with it: it is not counted.
    """
    owned = {pid for owner in owners for pid in below(owner)}
    mark = f"DIRECTOR_HOME={folder / 'home'}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        pid = int(entry.name)
        try:
            is_ours = mark in (entry / "environ").read_bytes()
        except OSError:
            continue
        name = name_of(pid)
        if is_ours and pid not in owned and "chrom" in name and "crashpad" not in name:
            found.append(pid)
    return found


def soak(
    one: Soak, minutes: float, every: float, tell: Callable[[dict[str, object]], None]
) -> None:
    """Do everything in its time, until the time is over."""
    began = time.monotonic()
    acts: list[tuple[float, Callable[[], object]]] = [
        (_CHAT, one.say),
        (_RUN, one.queue_run),
    ]
    due = [began + pause for pause, _ in acts]
    stop = Event()
    windows = Thread(target=one.ask_pages, args=(stop,), daemon=True)
    windows.start()
    kill_at = began + every / 2
    while (now := time.monotonic()) < began + 60 * minutes:
        for nth, (pause, act) in enumerate(acts):
            if now >= due[nth]:
                act()
                due[nth] = max(due[nth] + pause, time.monotonic())
        if now >= kill_at:
            line = {"minute": round((now - began) / 60, 1), **one.sample()}
            killed = one.kill()
            tell({**line, "killed": killed, "load": round(os.getloadavg()[0], 1)})
            kill_at += every
        time.sleep(0.2)
    stop.set()
    windows.join()


def conclude(one: Soak) -> dict[str, object]:
    """Wait for the last runs; what was lost, doubled or is not over."""
    verdict = Verdict("postgresql", [], {})
    until = time.monotonic() + _SETTLE
    verdict.settled = await_end(one.world, verdict, one.runs, until)
    judge(verdict, one.runs, Counter(one.world.effects()), limit=_SETTLE)
    verdict.failed = one.world.read_failures()
    if verdict.settled is None:
        # Whether it is stuck or slow: what was written about it, and another wait.
        beyond, began = Verdict("postgresql", [], {}), time.monotonic()
        found = await_end(one.world, beyond, one.runs, began + _SETTLE)
        verdict.late = None if found is None else round(_SETTLE + found, 1)
    if verdict.wrong or verdict.failed:
        last = [name for name, state in verdict.states.items() if state != "done"]
        last += one.runs[-6:]
        print(write_timeline(one.world.url, last, time.time()), file=sys.stderr)
        print(read_logs(one.world.folder), file=sys.stderr)
    with open_store(one.world.url) as store:
        every = [
            str(entry.body.get("text"))
            for change in store.changes(limit=1_000_000)
            if isinstance(entry := change.what, Entry) and entry.kind == "user"
        ]
        sound = store.verify()
    there = Counter(every)
    wrong = [
        *verdict.wrong,
        *(f"{text!r} is there {there[text]} times" for text in one.said if there[text] != 1),
    ]
    if not sound.ok:
        wrong.append(str(sound.first_bad))
    return {
        **verdict.summary(),
        "chats": len(one.said),
        "counted": dict(one.count),
        "checked": sound.checked,
        "wrong": wrong,
        "left": one.sample(),
    }


def compare_ends(lines: list[dict[str, object]]) -> dict[str, list[float]]:
    """Medians of the first and of the last quarter of the hour."""
    part = max(1, len(lines) // 4)

    def median(chosen: list[dict[str, object]], name: str) -> float:
        return statistics.median(float(str(line[name])) for line in chosen)

    return {name: [median(lines[:part], name), median(lines[-part:], name)] for name in _MEASURES}


def main() -> None:
    """Soak, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--every", type=float, default=_KILL, help="seconds between two kills")
    parser.add_argument("--log", type=Path, required=True, help="a file to add to")
    given = parser.parse_args()
    lines: list[dict[str, object]] = []

    def tell(line: dict[str, object]) -> None:
        lines.append(line)
        with given.log.open("a", encoding="utf-8") as log:
            log.write(f"{json.dumps(line)}\n")

    with (
        tempfile.TemporaryDirectory(prefix="director-soak-") as name,
        World(Path(name), "postgresql") as world,
    ):
        script = Path(name, "script.json")
        script.write_text(json.dumps([[{"say": "Good."}]] * 5_000), encoding="utf-8")
        os.environ["DIRECTOR_STORE"] = world.url
        with open_store(world.url) as store:
            workflow = create_workflow(store, "Soak")
        one = Soak(world, f"scripted:{script}", workflow)
        one.start_app()
        try:
            with serve_app(sys.executable, world.folder / "home") as one.old_app:
                soak(one, given.minutes, given.every, tell)
                end = conclude(one)
        finally:
            one.kill_app()
    tell({"end": end, "quarters": compare_ends(lines)})
    print(json.dumps(lines[-1], indent=1))


if __name__ == "__main__":
    main()
