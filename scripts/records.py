"""Reads what scripts/recorder.py recorded: cases with their outcome and time, and fixtures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Case:
    """One test: its result, and what setting it up, calling it and tearing it down took."""

    test: str
    slow: bool
    outcome: str = "passed"
    setup: float = 0.0
    call: float = 0.0
    teardown: float = 0.0
    reason: str = ""
    is_whole: bool = False
    processor: float = 0.0

    @property
    def seconds(self) -> float:
        """All three phases."""
        return self.setup + self.call + self.teardown

    @property
    def file(self) -> str:
        """The file that the test is in."""
        return self.test.partition("::")[0]


@dataclass(frozen=True, slots=True)
class FixtureTime:
    """All times that one fixture was set up."""

    name: str
    base: str
    scope: str
    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Records:
    """What one or more runs recorded: of a test that ran twice, the later run."""

    cases: dict[str, Case]
    fixtures: list[FixtureTime]
    wall: dict[bool, float]  # by tier, False the fast one: seconds from the first to the last test
    uncollected: frozenset[str] = frozenset()  # files whose tests could not be collected


def read_records(folder: Path) -> Records:
    """Read every file of a folder, in the order of the runs."""
    cases: dict[str, Case] = {}
    fixtures: dict[tuple[str, str, str], FixtureTime] = {}
    wall = {False: 0.0, True: 0.0}
    processor: dict[str, float] = {}
    uncollected: set[str] = set()
    for path in sorted(folder.glob("*.jsonl")):
        lines = list(_read_lines(path))
        tests = [line for line in lines if "test" in line]
        cases.update(_join_phases(tests))
        for line in lines:
            if "fixture" in line:
                _add_fixture(fixtures, line)
            if "uncollected" in line:
                uncollected.add(line["uncollected"])
            if "processor" in line:
                processor[line["used_by"]] = line["processor"]
        if tests:
            spans = [line["at"] for line in tests]
            wall[bool(tests[0]["slow"])] += max(spans) - min(spans) + tests[0]["seconds"]
    for test, seconds in processor.items():
        if test in cases:
            cases[test] = replace(cases[test], processor=seconds)
    longest = sorted(fixtures.values(), key=lambda each: -each.seconds)
    return Records(cases, longest, wall, frozenset(uncollected))


def _read_lines(path: Path) -> Iterator[dict]:
    """The lines of a file; the last may be cut off in the middle."""
    for line in path.read_text().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return


def _join_phases(lines: Iterable[dict]) -> dict[str, Case]:
    """The cases of one run."""
    cases: dict[str, Case] = {}
    for line in lines:
        name, when = line["test"], line["when"]
        case = cases.get(name) or Case(name, line["slow"])
        if line["outcome"] != "passed" and case.outcome != "failed":
            case = replace(case, outcome=line["outcome"], reason=line.get("reason", ""))
        if when in ("setup", "call", "teardown"):
            case = replace(case, **{when: line["seconds"]})
        cases[name] = replace(case, is_whole=case.is_whole or when == "teardown")
    return cases


def _add_fixture(fixtures: dict[tuple[str, str, str], FixtureTime], line: dict) -> None:
    key = line["fixture"], line["base"], line["scope"]
    known = fixtures.get(key) or FixtureTime(*key, 0, 0.0)
    fixtures[key] = replace(known, count=known.count + 1, seconds=known.seconds + line["seconds"])
