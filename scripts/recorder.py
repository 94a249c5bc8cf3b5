"""A pytest plugin of `./test`: records what each test and fixture took, and leaves out named tests.

    python -m pytest -p scripts.recorder --record FOLDER --leave-out FILE

Each process appends JSON lines to a file of its own in FOLDER as it goes, so that a run that was
killed can be resumed. It never changes the result of a test.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add both options."""
    group = parser.getgroup("recorder")
    group.addoption("--record", metavar="FOLDER", help="record times and results into this folder")
    group.addoption(
        "--leave-out", metavar="FILE", help="do not run the tests that this file lists, one a line"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start recording if asked to."""
    if folder := config.getoption("--record"):
        worker = getattr(config, "workerinput", {}).get("workerid")
        recorder = Recorder(Path(folder), worker)
        config.pluginmanager.register(recorder, "director-recorder")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the tests that are to be left out."""
    if name := config.getoption("--leave-out"):
        left_out = set(Path(name).read_text().splitlines())
        dropped = [item for item in items if item.nodeid in left_out]
        items[:] = [item for item in items if item.nodeid not in left_out]
        config.hook.pytest_deselected(items=dropped)


class Recorder:
    """The file of one process: the main one records tests, those that run them record fixtures."""

    def __init__(self, folder: Path, worker: str | None) -> None:
        """Open a new file in the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self._worker = worker
        name = f"{time.time_ns()}-{os.getpid()}-{worker or 'main'}.jsonl"
        self._file = (folder / name).open("w", encoding="utf-8")

    def _write(self, **record: object) -> None:
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
            self._write(
                fixture=fixturedef.argname,
                base=fixturedef.baseid,
                scope=fixturedef.scope,
                seconds=round(time.perf_counter() - begin, 4),
            )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record one phase of a test; the main process hears of those in the workers."""
        if self._worker is None:
            self._write(
                test=report.nodeid,
                when=report.when,
                outcome="passed" if hasattr(report, "wasxfail") else report.outcome,
                slow="slow" in report.keywords,
                seconds=round(report.duration, 4),
                **({"reason": _give_reason(report)} if report.skipped else {}),
            )

    def pytest_unconfigure(self) -> None:
        """Close the file."""
        self._file.close()


def _give_reason(report: pytest.TestReport) -> str:
    """Why a test was skipped."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")
