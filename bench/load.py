"""What the app carries: capacity, waiting times of many windows, weight of pages, long threads.

The app as a program of its own on a store that is filled first: 1,000 workflows, one of 1,000 nodes, one
with a conversation of 20,000 entries. Clients speak HTTP as a window does: the page, then the parts
that it asks for when something changed. `--beside FOLDER` measures another version of Director in the same run, a
checkout with a `.venv` of its own: the older one writes the store, this one brings its copy up to date, and the two
take turns. Prints markdown for `docs/measured.md`. What a machine with other work says about times is little; the
processor time of a request says more.
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
from typing import Any, TypeAlias

import httpx

WORKFLOWS, NODES, ENTRIES = 1_000, 1_000, 20_000
TALKED = 50  # workflows with a conversation of their own, one for each window
SHORT = 40  # entries of such a conversation
PATIENCE = 120.0
SETTLES = 0.05  # seconds after a change in which others are told of it
SEED = 7
Figures: TypeAlias = dict[str, dict[str, float]]  # of each row, what was measured
# What a window asks for: its page once, then the parts that events name.
PARTS = ("chat", "composer", "meter", "nodes", "plan", "variables")
PROGRAM = "from director.cli import app; app()"
# The loads: the seconds that a window thinks between two requests, and those between two changes.
BUSY, CALM = "no pause", "a request each 3.3 s"
LOADS = {
    BUSY: (0.0, 0.0),
    "no pause, four of their workflows changed a second": (0.0, 0.25),
    CALM: (3.3, 0.0),
}
HOME = f"home with {WORKFLOWS:,} workflows"
SMALL, WIDE = "a small workflow", f"a workflow of {NODES:,} nodes"
LONG = f"a conversation of {ENTRIES:,} entries"


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
        """Processor time of the program so far, of threads that ended as well."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fill_store(folder: Path) -> Filled:
    """Write workflows, nodes and conversations into the store of a home folder."""
    from director import agent  # noqa: PLC0415
    from director import store as stores  # noqa: PLC0415

    create_workflow = _find(agent, "create_workflow", "new_workflow")
    ensure_current_thread = _find(agent, "ensure_current_thread", "current_thread")
    draft = _find(stores, "EntryDraft", "Draft")
    words = "Every line of this conversation is about the price of lamps. " * 4
    with stores.open_store(folder / "director.db") as store:
        names = [create_workflow(store, f"Prices of shop {nth}") for nth in range(WORKFLOWS)]

        def talk(workflow: str, entries: int) -> None:
            drafts = [
                draft("user", {"text": f"{words} {nth}"})
                if nth % 2 == 0
                else draft("agent", {"wire": "", "items": [], "text": f"{words} {nth}"})
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


def _find(module: object, *names: str) -> Any:
    """What a version of Director calls by one of these names."""
    return next(getattr(module, name) for name in names if hasattr(module, name))


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
        found = next(filter(None, (re.search(r":(\d+)/launch([#/])(\S+)", line) for line in lines)))
        url = f"http://127.0.0.1:{found[1]}"
        if found[2] == "#":
            made = httpx.post(f"{url}/launch", json={"link": found[3]}, timeout=PATIENCE)
            key = {"authorization": f"Bearer {made.json()['key']}"}
        else:  # versions until 2026-11-17
            made = httpx.get(f"{url}/launch/{found[3]}", timeout=PATIENCE)
            key = {"cookie": made.headers["set-cookie"].partition(";")[0], "origin": url}
        yield Served(program.pid, url, {**key, "accept": "text/html"})
    finally:
        program.kill()
        program.communicate()


def time_page(app: Served, path: str, rounds: int, *, changed: str = "") -> dict[str, float]:
    """Median wall and mean processor milliseconds of a page that is asked for again, and its kB.

    With `changed`, the name of that workflow is another before each request: nothing that was made
    before can be given.
    """
    took, spent = [], 0.0
    with httpx.Client(base_url=app.url, headers=app.headers, timeout=PATIENCE) as client:
        size = len(client.get(path).raise_for_status().content)
        client.get(path)
        for nth in range(rounds):
            if changed:
                body = {"name": f"Prices, changed {nth} times"}
                client.patch(f"/api/workflows/{changed}", json=body).raise_for_status()
                time.sleep(SETTLES)
            began, before = time.perf_counter(), app.cpu_seconds()
            client.get(path).raise_for_status()
            took.append(1e3 * (time.perf_counter() - began))
            spent += 1e3 * (app.cpu_seconds() - before)
    return {"ms": statistics.median(took), "cpu": spent / rounds, "kB": size / 1e3}


async def ask_again(client: httpx.AsyncClient, path: str) -> httpx.Response:
    """Ask for a path, once more on a connection that the server has just closed for its idleness."""
    try:
        return await client.get(path)
    except (httpx.ReadError, httpx.RemoteProtocolError):
        return await client.get(path)


async def ask_all(app: Served, workflows: Sequence[str]) -> None:
    """Ask once for everything that windows ask for."""
    async with httpx.AsyncClient(base_url=app.url, headers=app.headers, timeout=PATIENCE) as client:
        for workflow in workflows:
            for path in list_paths(workflow):
                (await ask_again(client, path)).raise_for_status()


def list_paths(workflow: str) -> list[str]:
    """What a window of a workflow asks for."""
    return [f"/w/{workflow}", *(f"/w/{workflow}/part/{part}" for part in PARTS)]


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
        paths = list_paths(workflow)
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


def measure_app(python: str, home: Path, filled: Filled, *, seconds: float, rounds: int) -> Figures:
    """The figures of one installation, once."""
    rows: Figures = {}
    with serve_app(python, home) as app:
        rows[HOME] = time_page(app, "/", rounds)
        pages = {SMALL: filled.small[0], WIDE: filled.wide, LONG: filled.long}
        for name, workflow in pages.items():
            rows[f"{name}, again"] = time_page(app, f"/w/{workflow}", rounds)
            rows[f"{name}, changed"] = time_page(app, f"/w/{workflow}", rounds, changed=workflow)
        for name, (thinking, writing) in LOADS.items():
            # What was never asked for before is asked for first: it is made only once.
            asyncio.run(ask_all(app, filled.small))
            before = app.cpu_seconds()
            took = asyncio.run(use_windows(app, filled.small, seconds, thinking, writing))
            spent = app.cpu_seconds() - before
            rows[f"{TALKED} windows, {name}"] = {
                "rate": len(took) / seconds,
                "per_cpu": len(took) / spent,
                "p50": quantile(took, 0.5),
                "p99": quantile(took, 0.99),
            }
    return rows


def take_median(rounds: Sequence[Figures]) -> Figures:
    """Of each figure the median of all rounds."""
    return {
        row: {name: statistics.median(one[row][name] for one in rounds) for name in figures}
        for row, figures in rounds[0].items()
    }


def write_cell(figures: dict[str, float]) -> str:
    """The figures of one row as text."""
    if "rate" in figures:
        return (
            f"{figures['rate']:.1f} requests/s, {figures['per_cpu']:.0f} a second of processor, "
            f"p50 {figures['p50']:.0f} ms, p99 {figures['p99']:.0f} ms"
        )
    return f"{figures['ms']:.0f} ms, {figures['cpu']:.1f} ms of processor, {figures['kB']:.0f} kB"


def write_aims(found: dict[str, Figures]) -> Iterator[str]:
    """What was aimed at, and what it came to."""
    now = found["now"]
    yield f"| {HOME} | at most 150 kB | {now[HOME]['kB']:.0f} kB |"
    for name in (WIDE, LONG):
        for when in ("again", "changed"):
            times = now[f"{name}, {when}"]["cpu"] / now[f"{SMALL}, {when}"]["cpu"]
            yield f"| {name} beside a small one, {when} | at most 2 times | {times:.1f} times |"
    if "before" not in found:
        return
    before, busy, calm = found["before"], f"{TALKED} windows, {BUSY}", f"{TALKED} windows, {CALM}"
    for name, text in (
        ("per_cpu", "requests a second of processor"),
        ("rate", "requests a second"),
    ):
        times = now[busy][name] / before[busy][name]
        yield f"| {text}, {BUSY} | at least 5 times | {times:.1f} times |"
    yield f"| p99, {CALM} | a tenth | 1/{before[calm]['p99'] / now[calm]['p99']:.1f} |"


def main() -> None:
    """Fill a store, measure each installation on a copy of it, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", metavar="FOLDER", type=Path, help="another version, installed")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each load")
    parser.add_argument("--rounds", type=int, default=10, help="of each page")
    parser.add_argument("--turns", type=int, default=1, help="how often each version is measured")
    parser.add_argument("--fill", type=Path, help="only fill the store of this home folder")
    given = parser.parse_args()
    if given.fill:
        print(json.dumps(asdict(fill_store(given.fill))))
        return
    pythons = {"now": sys.executable}
    if given.beside:
        pythons = {"before": str(given.beside.absolute() / ".venv/bin/python"), **pythons}
    taken: dict[str, list[Figures]] = {name: [] for name in pythons}
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder, "full")
        full.mkdir()
        filled = fill_with(next(iter(pythons.values())), full)
        for name in pythons:
            shutil.copytree(full, Path(folder, name))
        for _ in range(given.turns):
            for name, python in pythons.items():
                home, much = Path(folder, name), {"seconds": given.seconds, "rounds": given.rounds}
                taken[name].append(measure_app(python, home, filled, **much))
                said = f"{name}, load {os.getloadavg()[0]:.0f}: {json.dumps(taken[name][-1])}"
                print(said, file=sys.stderr, flush=True)
    found = {name: take_median(each) for name, each in taken.items()}
    print(f"| the app | {' | '.join(found)} |\n|---|{'--:|' * len(found)}")
    for row in found["now"]:
        print(f"| {row} | {' | '.join(write_cell(each[row]) for each in found.values())} |")
    print("\n| | aim | found |\n|---|--:|--:|")
    print("\n".join(write_aims(found)))


if __name__ == "__main__":
    main()
