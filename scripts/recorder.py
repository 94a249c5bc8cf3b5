"""A pytest plugin of `./test`: records what each test and fixture took, and leaves out named tests.

    python -m pytest -p scripts.recorder --record FOLDER --leave-out FILE

Each process appends JSON lines to a file of its own in FOLDER as it goes, so that a run that was
killed can be resumed. It never changes the result of a test.

With `--record-cpu` the seconds of processor of each test are recorded too, as far as its process
and all processes below it used them: on a busy machine they say more than the time that passed.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest

COSTS = Path(__file__).with_name("durations.json")
LONG = 4.0  # seconds


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add both options."""
    group = parser.getgroup("recorder")
    group.addoption("--record", metavar="FOLDER", help="record times and results into this folder")
    group.addoption(
        "--leave-out", metavar="FILE", help="do not run the tests that this file lists, one a line"
    )
    group.addoption("--record-cpu", action="store_true", help="record seconds of processor too")


def pytest_configure(config: pytest.Config) -> None:
    """Start recording if asked to."""
    if folder := config.getoption("--record"):
        worker = getattr(config, "workerinput", {}).get("workerid")
        recorder = Recorder(Path(folder), worker)
        config.pluginmanager.register(recorder, "director-recorder")
        if config.getoption("--record-cpu"):
            config.pluginmanager.register(ProcessorRecorder(recorder), "director-processor")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the tests that are to be left out; each worker begins with files that take long."""
    if name := config.getoption("--leave-out"):
        left_out = set(Path(name).read_text().splitlines())
        dropped = [item for item in items if item.nodeid in left_out]
        items[:] = [item for item in items if item.nodeid not in left_out]
        config.hook.pytest_deselected(items=dropped)
    if hasattr(config, "workerinput"):
        by_id = {item.nodeid: item for item in items}
        workers = config.workerinput["workercount"]
        items[:] = [by_id[id_] for id_ in deal_out(list(by_id), workers, _list_longest())]


def deal_out(tests: list[str], workers: int, longest: Mapping[str, float]) -> list[str]:
    """The tests in equal parts, as many as there are workers; files that take long begin a part.

    A long test that begins last would be waited for by workers that have nothing left to do. The
    files stay whole, so that what is set up for one is set up once.
    """
    files: dict[str, list[str]] = {}
    for test in tests:
        files.setdefault(test.partition("::")[0], []).append(test)
    parts: list[list[str]] = [[] for _ in range(workers)]
    seconds = [0.0] * workers
    for file in sorted(longest.keys() & files.keys(), key=lambda file: (-longest[file], file)):
        part = seconds.index(min(seconds))
        parts[part] += files.pop(file)
        seconds[part] += longest[file]
    rest = [test for file in files.values() for test in file]
    for part, own in enumerate(parts):
        end = len(tests) * (part + 1) // workers
        room = max(0, end - len(tests) * part // workers - len(own))
        own.extend(rest[:room])
        del rest[:room]
    return [test for own in parts for test in own] + rest


def _list_longest() -> dict[str, float]:
    """The files with tests that took long when they were measured last, and how long in all."""
    known = json.loads(COSTS.read_text()) if COSTS.exists() else {}
    return {
        file: sum(cost["long"].values())
        for file, cost in known.items()
        if any(seconds >= LONG for seconds in cost["long"].values())
    }


class Recorder:
    """The file of one process: the main one records tests, those that run them record fixtures."""

    def __init__(self, folder: Path, worker: str | None) -> None:
        """Open a new file in the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self._worker = worker
        name = f"{time.time_ns()}-{os.getpid()}-{worker or 'main'}.jsonl"
        self._file = (folder / name).open("w", encoding="utf-8")

    def write(self, **record: object) -> None:
        """Append one line."""
        self._file.write(json.dumps({**record, "at": round(time.time(), 3)}) + "\n")
        self._file.flush()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object]
    ) -> Generator[None, object, object]:
        """Record how long a fixture took to set up, without those that it uses."""
        begin = time.perf_counter()
        try:
            return (yield)
        finally:
            self.write(
                fixture=fixturedef.argname,
                base=fixturedef.baseid,
                scope=fixturedef.scope,
                seconds=round(time.perf_counter() - begin, 4),
            )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record one phase of a test; the main process hears of those in the workers."""
        if self._worker is None:
            self.write(
                test=report.nodeid,
                when=report.when,
                outcome="passed" if hasattr(report, "wasxfail") else report.outcome,
                slow="slow" in report.keywords,
                seconds=round(report.duration, 4),
                **({"reason": _give_reason(report)} if report.skipped else {}),
            )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a file whose tests could not be collected: none of them has run."""
        if self._worker is None and report.failed:
            self.write(uncollected=report.nodeid)

    def pytest_unconfigure(self) -> None:
        """Close the file."""
        self._file.close()


class ProcessorRecorder:
    """Adds the seconds of processor to the records of the process that runs the tests."""

    def __init__(self, recorder: Recorder) -> None:
        """Begin to count now."""
        self._recorder = recorder
        self._before = measure_processor()

    def pytest_collection_finish(self) -> None:
        """What was used until now was for no test."""
        self._tell("")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record what one test used, with its fixtures and all that it left running."""
        try:
            return (yield)
        finally:
            self._tell(item.nodeid)

    def _tell(self, used_by: str) -> None:
        now = measure_processor()
        self._recorder.write(used_by=used_by, processor=round(now - self._before, 2))
        self._before = now


def measure_processor() -> float:
    """Seconds of processor of this process, of those below it, and of those that have ended."""
    own = os.times()
    total = own.user + own.system + own.children_user + own.children_system
    ticks = os.sysconf("SC_CLK_TCK")
    queue = _list_children(os.getpid())
    while queue:
        child = queue.pop()
        try:
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        total += sum(map(int, fields[11:15])) / ticks
        queue += _list_children(child)
    return total


def _list_children(process: int) -> list[int]:
    """The processes that a process has started; none where the system does not tell."""
    found: list[int] = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, path.read_text().split())
    return found


def _give_reason(report: pytest.TestReport) -> str:
    """Why a test was skipped."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")
