"""Plays a schedule on a world and judges what is left of it.

The invariant: every effect happened exactly once or is asked for, and every run has ended or asks,
within a time after the last fault is over. A run that failed has ended: that it says so is all that
is demanded of it, but none of its effects may have happened twice.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from director.store import StoreError
from scripts.chaos.apart import DOWN, UP, in_network_of
from scripts.chaos.disks import fill_disk, free_disk
from scripts.chaos.faults import Fault, explain_skips
from scripts.chaos.waiting import measure_slowness, read_times, write_timeline
from scripts.chaos.world import DIRECTOR, EFFECTS, World, signal_all

_ENDED = ("done", "failed", "cancelled")
LIMIT = 60.0  # seconds after the last fault within which every run must have ended, or ask
SLOW = 20.0  # seconds after which it is told what went on meanwhile
LATE = 240.0  # seconds more for those that have not: a slow machine is told from what is stuck


@dataclass(slots=True)
class Verdict:
    """What became of a schedule; good if nothing is wrong."""

    database: str
    faults: list[str]
    skipped: dict[str, str]
    states: dict[str, str] = field(default_factory=dict)
    effects: dict[str, int] = field(default_factory=dict)
    settled: float | None = None
    late: float | None = None
    failed: dict[str, str] = field(default_factory=dict)
    load: float = 0.0
    slowness: float = 1.0  # how many times longer the workers took than with processors to spare
    wrong: list[str] = field(default_factory=list)

    def summary(self) -> dict[str, object]:
        """One line of the log."""
        return {
            "database": self.database,
            "faults": self.faults,
            "runs": dict(Counter(self.states.values())),
            "failed": self.failed,
            "effects": sum(self.effects.values()),
            "settled_after": self.settled,
            "ended_late": self.late,
            "load": self.load,
            "slowness": self.slowness,
            "wrong": self.wrong,
        }


def play(  # noqa: PLR0913  each has a name
    schedule: Sequence[Fault],
    database: str,
    *,
    runs: int = 4,
    limit: float = LIMIT,
    launcher: Sequence[str] = DIRECTOR,
    say: Callable[[str], None] = lambda _: None,
) -> Verdict:
    """Play a schedule and judge it: some runs at first, and one more before each fault."""
    verdict = Verdict(database, [each.kind for each in schedule], explain_skips(database))
    with (
        tempfile.TemporaryDirectory(prefix="director-chaos-") as folder,
        World(Path(folder), database, launcher=launcher) as world,
    ):
        names = world.queue_runs(runs)
        await_first_effect(world)
        for fault in schedule:
            names += world.queue_runs(1, first=len(names))
            time.sleep(fault.after)
            say(f"{fault.kind}, for {fault.lasts} s")
            ACTS[fault.kind](world, fault)
        world.ensure_workers()
        over, clock, times = time.monotonic(), time.time(), read_times(world.programs())
        verdict.settled = await_end(world, verdict, names, over + limit, say)
        verdict.load = round(os.getloadavg()[0], 1)
        verdict.slowness = measure_slowness(times, read_times(world.programs()))
        judge(verdict, names, Counter(world.effects()), limit=limit)
        compare_words(world, verdict)
        verdict.failed = world.read_failures()
        if verdict.settled is None:
            beyond = Verdict(database, [], {})
            found = await_end(world, beyond, names, time.monotonic() + LATE, say)
            # Counted from the last fault: asking the command line took its time as well.
            verdict.late = None if found is None else round(time.monotonic() - over, 1)
            name_doubled(verdict, Counter(world.effects()))
        if verdict.wrong or verdict.failed or (verdict.settled or 0) > SLOW:
            say(write_timeline(world.url, names, clock))
            say(read_logs(Path(folder)))
    return verdict


def await_first_effect(world: World) -> None:
    """Wait until the runs are under way: faults before that would find nothing to break."""
    until = time.monotonic() + 120
    while not world.effects() and time.monotonic() < until:
        time.sleep(0.1)


def await_end(
    world: World,
    verdict: Verdict,
    names: Sequence[str],
    until: float,
    say: Callable[[str], None] = lambda _: None,
) -> float | None:
    """Wait until every run has ended or asks; after how many seconds, if in time."""
    began = time.monotonic()
    while True:
        before = verdict.states
        with contextlib.suppress(StoreError):
            found = world.read_states()
            verdict.states = {name: found.get(name, "unknown") for name in names}
        now = time.monotonic()
        if verdict.states != before:
            say(f"{now - began:.1f} s: {verdict.states}")
        if set(verdict.states.values()) <= {*_ENDED, "asks"} and now <= until:
            return round(now - began, 1)
        if now > until:
            return None
        time.sleep(0.5)


def compare_words(world: World, verdict: Verdict) -> None:
    """The command line must say the same of each run, and why one has not ended."""
    rows = list_runs(world)
    for name, state in verdict.states.items():
        said = _state(rows.get(name, {}))
        if said != state and state in (*_ENDED, "asks"):
            verdict.wrong.append(f"{name} is {state}, but the command line says {said}")
        # The command line is asked later: a run that has ended by then has nothing to explain.
        is_open = state not in (*_ENDED, "asks") and said not in (*_ENDED, "asks")
        if is_open and not rows.get(name, {}).get("why"):
            verdict.wrong.append(f"{name} is {state} and nothing says why")


def list_runs(world: World) -> dict[str, dict[str, object]]:
    """What the command line says of each run; nothing while it cannot say."""
    try:
        rows = json.loads(world.run_command("runs", "list", "--limit", "1000", "--json"))
    except json.JSONDecodeError:
        return {}
    return {str(row["id"]): row for row in rows}


def _state(row: dict[str, object]) -> str:
    asks = row.get("state") == "waiting" and str(row.get("why", "")).startswith("asks:")
    return "asks" if asks else str(row.get("state", "unknown"))


def judge(verdict: Verdict, names: Sequence[str], effects: Counter[str], *, limit: float) -> None:
    """Write down what is wrong."""
    verdict.effects = dict(effects)
    for name in names:
        state = verdict.states[name]
        if state not in (*_ENDED, "asks"):
            verdict.wrong.append(f"{name} is still {state} {limit:.0f} s after the last fault")
        for number in range(1, EFFECTS + 1):
            key = f"{name}-{number}"
            happened = effects.pop(key, 0)
            if happened > 1:
                verdict.wrong.append(f"{key} happened {happened} times")
            if state == "done" and not happened:
                verdict.wrong.append(f"{name} is done, but {key} never happened")
    verdict.wrong += [f"{key} was never asked for" for key in effects]


def name_doubled(verdict: Verdict, effects: Counter[str]) -> None:
    """Write down what happened twice after the verdict."""
    for key, happened in effects.items():
        if happened > max(1, verdict.effects.get(key, 0)):
            verdict.wrong.append(f"{key} happened {happened} times")
    verdict.effects = dict(effects)


def read_logs(folder: Path) -> str:
    """The last lines of the workers."""
    found = sorted(folder.glob("*.log"))
    return "\n".join(
        f"--- {file.name}\n{file.read_text(encoding='utf-8', errors='replace')[-12000:]}"
        for file in found
    )


def _pick(world: World, fault: Fault) -> str:
    names = sorted(world.workers)
    return names[fault.target % len(names)]


def _kill_worker(world: World, fault: Fault) -> None:
    world.kill_worker(_pick(world, fault))
    time.sleep(fault.lasts)
    world.ensure_workers()


def _kill_all(world: World, fault: Fault) -> None:
    for name in list(world.workers):
        world.kill_worker(name)
    time.sleep(fault.lasts)
    world.ensure_workers()


def _kill_browsers(world: World, _fault: Fault) -> None:
    for name in world.workers:
        signal_all(world.browsers(name), signal.SIGKILL)


def _stop_worker(world: World, fault: Fault) -> None:
    program = world.workers[_pick(world, fault)]
    program.send_signal(signal.SIGSTOP)
    time.sleep(fault.lasts)
    program.send_signal(signal.SIGCONT)


def _end_site(world: World, fault: Fault) -> None:
    world.end_site()
    time.sleep(fault.lasts)
    world.start_site()


def _end_database(world: World, fault: Fault) -> None:
    if world.server is not None:
        world.server.stop()
        time.sleep(fault.lasts)
        world.server.start()


def _cut_network(world: World, fault: Fault) -> None:
    if world.relay is not None:
        world.relay.send_signal(signal.SIGSTOP)
        time.sleep(fault.lasts)
        world.relay.send_signal(signal.SIGCONT)


def _refuse_writes(world: World, fault: Fault) -> None:
    world.limit_writes(refuse=True)
    time.sleep(fault.lasts)
    world.limit_writes(refuse=False)


def _two_of_one_name(world: World, fault: Fault) -> None:
    name = _pick(world, fault)
    first = world.workers.pop(name)
    world.start_worker(name)
    time.sleep(3.0)
    first.kill()
    first.wait()


def _kill_in_namespace(world: World, fault: Fault) -> None:
    name = _pick(world, fault)
    world.kill_worker(name)
    world.start_worker(name, before=("unshare", "-rpf", "--mount-proc"), key="apart")
    time.sleep(8.0)
    world.kill_worker("apart")
    time.sleep(fault.lasts)
    world.ensure_workers()


def _run_ahead(world: World, fault: Fault) -> None:
    name = _pick(world, fault)
    world.kill_worker(name)
    world.start_worker_of_clock(name, "ahead").write_text("+1h\n")
    time.sleep(fault.lasts)
    world.kill_worker("ahead")
    world.ensure_workers()


def _step_clock(world: World, fault: Fault) -> None:
    name = _pick(world, fault)
    world.kill_worker(name)
    clock = world.start_worker_of_clock(name, "stepping")
    for step in ("+0", "+1h", "-1h", "+7d"):
        clock.write_text(f"{step}\n")
        time.sleep(fault.lasts / 3)
    world.kill_worker("stepping")
    world.ensure_workers()


def _fill_disk(world: World, fault: Fault) -> None:
    if world.disk is not None:
        fill_disk(world.disk)
        time.sleep(fault.lasts)
        free_disk(world.disk)


def _cut_worker(world: World, fault: Fault) -> None:
    name = _pick(world, fault)
    world.kill_worker(name)
    world.start_worker_apart(name, "apart")
    time.sleep(8.0)
    pid = world.workers["apart"].pid
    in_network_of(pid, DOWN)
    time.sleep(fault.lasts)
    in_network_of(pid, UP)
    time.sleep(4.0)
    world.kill_worker("apart")
    world.ensure_workers()


ACTS: dict[str, Callable[[World, Fault], None]] = {
    "kill a worker": _kill_worker,
    "kill all workers": _kill_all,
    "kill the browsers": _kill_browsers,
    "stop a worker": _stop_worker,
    "end the site": _end_site,
    "end the database": _end_database,
    "cut the network to the database": _cut_network,
    "refuse writes to the disk": _refuse_writes,
    "start a second worker of one name and kill the first": _two_of_one_name,
    "kill a worker in a namespace of its own": _kill_in_namespace,
    "start a worker whose clock is an hour ahead": _run_ahead,
    "step the clock of a worker": _step_clock,
    "fill the disk": _fill_disk,
    "cut the network of a worker": _cut_worker,
}
