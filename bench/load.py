"""What the app carries: capacity, waiting times of many windows, weight of pages, long threads.

The app as a program of its own on a store that is filled first: 1,000 workflows, one of 1,000 nodes, one
with a conversation of 20,000 entries. Clients speak HTTP as a window does: the page, then the parts
that it asks for when something changed. `--other PYTHON` measures another installation of Director on the
same store in the same run, so that two versions can be compared: the older one writes the store, the other brings
its copy up to date. Prints markdown for `docs/measured.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx

WORKFLOWS, NODES, ENTRIES = 1_000, 1_000, 20_000
TALKED = 50  # workflows with a conversation of their own, one for each window
SHORT = 40  # entries of such a conversation
PATIENCE = 120.0
SEED = 7
# What a window asks for: its page once, then the parts that events name.
PARTS = ("chat", "composer", "meter", "nodes", "plan", "variables")
PROGRAM = "from director.cli import app; app()"
# The loads: the seconds that a window thinks between two requests, and those between two changes.
LOADS = {
    "no pause": (0.0, 0.0),
    "no pause, four of their workflows changed a second": (0.0, 0.25),
    "a request each 3.3 s": (3.3, 0.0),
}


@dataclass(frozen=True, slots=True)
class Filled:
    """The ids of what a store was filled with."""

    small: list[str]
    wide: str
    long: str


@dataclass(frozen=True, slots=True)
class Served:
    """A running app: its process, its address, and the header of a client that was let in."""

    pid: int
    url: str
    headers: dict[str, str]

    def cpu_seconds(self) -> float:
        """Processor time of the program so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fill_store(folder: Path) -> Filled:
    """Write workflows, nodes and conversations into the store of a home folder."""
    from director.agent import create_workflow, ensure_current_thread  # noqa: PLC0415
    from director.store import EntryDraft, open_store  # noqa: PLC0415

    words = "Every line of this conversation is about the price of lamps. " * 4
    with open_store(folder / "director.db") as store:
        names = [create_workflow(store, f"Prices of shop {nth}") for nth in range(WORKFLOWS)]

        def talk(workflow: str, entries: int) -> None:
            drafts = [
                EntryDraft("user", {"text": f"{words} {nth}"})
                if nth % 2 == 0
                else EntryDraft("agent", {"wire": "", "items": [], "text": f"{words} {nth}"})
                for nth in range(entries)
            ]
            store.append(ensure_current_thread(store, workflow), drafts)

        for name in names[:TALKED]:
            talk(name, SHORT)
            _add_nodes(store, name, 10)
        wide, long = names[TALKED], names[TALKED + 1]
        talk(wide, SHORT)
        _add_nodes(store, wide, NODES)
        talk(long, ENTRIES)
        _add_nodes(store, long, 10)
    return Filled(names[:TALKED], wide, long)


def fill_with(python: str, folder: Path) -> Filled:
    """Let an installation fill the store of a home folder: another may know newer schemas."""
    command = [python, "-m", "bench.load", "--fill", str(folder)]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    return Filled(**json.loads(done.stdout))


def _add_nodes(store: object, workflow: str, count: int) -> None:
    from director.store import Store  # noqa: PLC0415

    assert isinstance(store, Store)  # noqa: S101
    found = store.get("workflow", workflow)
    assert found is not None  # noqa: S101
    nodes = [
        {"id": f"n{nth}", "alias": f"node_{nth}", "type": "transform", "config": {"code": "1 + 1"}}
        for nth in range(count)
    ]
    store.put("workflow", workflow, {**found.body, "nodes": nodes}, "filled")


@contextmanager
def serve_app(python: str, home: Path) -> Iterator[Served]:
    """The app of a home folder, started with an interpreter, and somebody who was let in."""
    command = [python, "-c", PROGRAM, "app", "--no-open", "--port", "0"]
    environ = {**os.environ, "DIRECTOR_HOME": str(home)}
    program = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)
    try:
        lines = iter(program.stdout or ())
        found = next(filter(None, (re.search(r":(\d+)/launch#(\S+)", line) for line in lines)))
        url = f"http://127.0.0.1:{found[1]}"
        made = httpx.post(f"{url}/launch", json={"link": found[2]}, timeout=PATIENCE)
        headers = {"authorization": f"Bearer {made.json()['key']}", "accept": "text/html"}
        yield Served(program.pid, url, headers)
    finally:
        program.kill()
        program.communicate()


def time_page(app: Served, path: str, rounds: int) -> tuple[float, float, int]:
    """Median wall and processor milliseconds of a page that is asked for again, and its bytes."""
    with httpx.Client(base_url=app.url, headers=app.headers, timeout=PATIENCE) as client:
        size = len(client.get(path).raise_for_status().content)
        client.get(path)
        took, before = [], app.cpu_seconds()
        for _ in range(rounds):
            began = time.perf_counter()
            client.get(path).raise_for_status()
            took.append(1e3 * (time.perf_counter() - began))
        spent = 1e3 * (app.cpu_seconds() - before) / rounds
    return statistics.median(took), spent, size


async def ask_again(client: httpx.AsyncClient, path: str) -> httpx.Response:
    """Ask for a path, once more on a connection that the server has just closed for its idleness."""
    try:
        return await client.get(path)
    except (httpx.ReadError, httpx.RemoteProtocolError):
        return await client.get(path)


async def use_windows(
    app: Served, workflows: Sequence[str], seconds: float, thinking: float, writing: float = 0.0
) -> list[float]:
    """Milliseconds of each request of as many windows as there are workflows.

    `writing` is how many seconds lie between two changes, each to the workflow of another window.
    """
    took: list[float] = []
    until = time.monotonic() + seconds
    limits = httpx.Limits(max_connections=None)

    async def use(client: httpx.AsyncClient, workflow: str, chance: random.Random) -> None:
        paths = [f"/w/{workflow}", *(f"/w/{workflow}/part/{part}" for part in PARTS)]
        nth = chance.randrange(len(paths))
        await asyncio.sleep(chance.uniform(0, thinking))
        while time.monotonic() < until:
            began = time.perf_counter()
            (await ask_again(client, paths[nth % len(paths)])).raise_for_status()
            took.append(1e3 * (time.perf_counter() - began))
            nth += 1
            await asyncio.sleep(thinking and chance.expovariate(1 / thinking))

    async def write(client: httpx.AsyncClient) -> None:
        nth = 0
        while writing and time.monotonic() < until:
            body = {"name": f"Prices, changed {nth} times"}
            path = f"/api/workflows/{workflows[nth % len(workflows)]}"
            (await client.patch(path, json=body)).raise_for_status()
            nth += 1
            await asyncio.sleep(writing)

    async with httpx.AsyncClient(
        base_url=app.url, headers=app.headers, timeout=PATIENCE, limits=limits
    ) as client:
        uses = (use(client, name, random.Random(f"{SEED} {name}")) for name in workflows)
        await asyncio.gather(*uses, write(client))
    return took


def quantile(values: Sequence[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def measure_app(
    python: str, home: Path, filled: Filled, *, seconds: float, rounds: int
) -> dict[str, str]:
    """The rows of the table for one installation."""
    rows: dict[str, str] = {}
    with serve_app(python, home) as app:
        pages = {
            f"home with {WORKFLOWS:,} workflows": "/",
            "a small workflow": f"/w/{filled.small[0]}",
            f"a workflow of {NODES:,} nodes": f"/w/{filled.wide}",
            f"a conversation of {ENTRIES:,} entries": f"/w/{filled.long}",
        }
        for name, path in pages.items():
            wall, spent, size = time_page(app, path, rounds)
            rows[name] = f"{wall:.0f} ms, {spent:.0f} ms of processor, {size / 1e3:.0f} kB"
        for name, (thinking, writing) in LOADS.items():
            before = app.cpu_seconds()
            took = asyncio.run(use_windows(app, filled.small, seconds, thinking, writing))
            spent = 1e3 * (app.cpu_seconds() - before) / len(took)
            rows[f"{TALKED} windows, {name}"] = (
                f"{len(took) / seconds:.1f} requests/s, p50 {quantile(took, 0.5):.0f} ms, "
                f"p99 {quantile(took, 0.99):.0f} ms, {spent:.1f} ms of processor each"
            )
    return rows


def main() -> None:
    """Fill a store, measure each installation on a copy of it, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--other", metavar="PYTHON", help="an interpreter with another Director")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each load")
    parser.add_argument("--rounds", type=int, default=10, help="of each page")
    parser.add_argument("--fill", type=Path, help="only fill the store of this home folder")
    given = parser.parse_args()
    if given.fill:
        print(json.dumps(asdict(fill_store(given.fill))))
        return
    pythons = (
        {"before": given.other, "now": sys.executable} if given.other else {"now": sys.executable}
    )
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder, "full")
        full.mkdir()
        filled = fill_with(next(iter(pythons.values())), full)
        found = {}
        for name, python in pythons.items():
            home = Path(folder, name)
            shutil.copytree(full, home)
            found[name] = measure_app(
                python, home, filled, seconds=given.seconds, rounds=given.rounds
            )
    print(f"| the app | {' | '.join(found)} |\n|---|{'--:|' * len(found)}")
    for row in next(iter(found.values())):
        print(f"| {row} | {' | '.join(each[row] for each in found.values())} |")


if __name__ == "__main__":
    main()
