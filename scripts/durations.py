"""Writes where the time of the tests goes: docs/loop/durations.md and scripts/durations.json.

    ./test --durations-report     measure the tests, then write both
    python -m scripts.durations   write both from the records of the last whole run

The page is for people; `./test --changed` reads the other to choose what fits into its time.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from scripts.records import Case, FixtureTime, Records, read_records

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "loop" / "durations.md"
COSTS = ROOT / "scripts" / "durations.json"
RECORDS = ROOT / ".venv" / "loop" / "whole"
NOTABLE = 0.5  # seconds from which on a test is listed by itself, so that it can be left out alone


def summarise_costs(cases: Iterable[Case]) -> dict[str, dict]:
    """By file, of the fast tier: its cases, their seconds, and each test that is notably long."""
    files: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if not case.slow and case.outcome != "skipped":
            files[case.file].append(case)
    return {
        file: {
            "cases": len(inside),
            "seconds": round(sum(case.seconds for case in inside if case.seconds < NOTABLE), 2),
            "long": {
                case.test.partition("::")[2]: round(case.seconds, 1)
                for case in sorted(inside, key=lambda case: case.test)
                if case.seconds >= NOTABLE
            },
        }
        for file, inside in sorted(files.items())
    }


def render_page(records: Records, heading: str) -> str:
    """The page: totals by folder, then the slowest files, tests and fixtures."""
    cases = sorted(records.cases.values(), key=lambda case: -case.seconds)
    total = sum(case.seconds for case in cases) or 1.0
    slowest = cases[: max(1, len(cases) // 20)]
    share = sum(case.seconds for case in slowest) / total
    parts = [
        "# Where the time of the tests goes\n\nWritten by `./test --durations-report`. " + heading,
        (
            f"{len(cases):,} cases, {total:,.0f} s of all workers together: setup "
            f"{sum(case.setup for case in cases):,.0f} s, "
            f"call {sum(case.call for case in cases):,.0f} s, "
            f"teardown {sum(case.teardown for case in cases):,.0f} s. They used "
            f"{sum(case.processor for case in cases):,.0f} s of processor, with the browsers and "
            "programs that they started, as far as that can be told. "
            f"The slowest 5% ({len(slowest)} cases) take {share:.0%}."
        ),
        "## By folder\n\n" + _render_groups(cases, _find_folder, 100),
        "## Slowest files\n\n" + _render_groups(cases, lambda case: case.file, 40),
        "## Slowest fixtures\n\n" + _render_fixtures(records.fixtures[:40]),
        "## Slowest 5% of the tests\n\n" + _render_cases(slowest),
    ]
    return "\n\n".join(parts) + "\n"


def describe_machine() -> str:
    """The date, and the size of this machine."""
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, {size:.0f} GiB"


def _find_folder(case: Case) -> str:
    return case.file.rpartition("/")[0]


def _render_groups(cases: list[Case], group: Callable[[Case], str], most: int) -> str:
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        groups[group(case)].append(case)
    rows = sorted(groups.items(), key=lambda item: -sum(case.seconds for case in item[1]))
    lines = [
        f"| `{name}` | {len(inside)} | {sum(case.seconds for case in inside):.1f} "
        f"| {sum(case.setup for case in inside):.1f} | {sum(case.call for case in inside):.1f} "
        f"| {sum(case.teardown for case in inside):.1f} "
        f"| {sum(case.processor for case in inside):.1f} |"
        for name, inside in rows[:most]
    ]
    head = [
        "| | cases | seconds | setup | call | teardown | processor |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join(head + lines)


def _render_cases(cases: list[Case]) -> str:
    lines = [
        f"| `{case.test.replace('|', '¦').replace('`', '´')}` | {case.seconds:.2f} "
        f"| {case.setup:.2f} | {case.call:.2f} | {case.teardown:.2f} | {case.processor:.2f} |"
        for case in cases
    ]
    return "\n".join(
        [
            "| test | seconds | setup | call | teardown | processor |",
            "|---|---|---|---|---|---|",
            *lines,
        ]
    )


def _render_fixtures(fixtures: list[FixtureTime]) -> str:
    lines = [
        f"| `{each.name}` | {each.base or 'pytest'} | {each.scope} | {each.count} "
        f"| {each.seconds:.1f} | {each.seconds / each.count:.2f} |"
        for each in fixtures
    ]
    head = ["| fixture | of | scope | times | seconds | each |", "|---|---|---|---|---|---|"]
    return "\n".join(head + lines)


def write_durations(folder: Path = RECORDS, *, is_whole: bool = True) -> None:
    """Write the page and the costs from the records in a folder; of a part, its costs only."""
    records = read_records(folder)
    if not records.cases:
        sys.exit(f"durations: {folder} holds no records; run ./test --durations-report")
    costs = summarise_costs(records.cases.values())
    if is_whole:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(render_page(records, f"{describe_machine()}."))
        print(f"durations: wrote {PAGE.relative_to(ROOT)}")
    elif COSTS.exists():
        known = json.loads(COSTS.read_text())
        kept = {file: each for file, each in known.items() if (ROOT / file).exists()}
        costs = dict(sorted({**kept, **costs}.items()))
    COSTS.write_text(json.dumps(costs, indent=0, ensure_ascii=False) + "\n")
    print(f"durations: wrote {COSTS.relative_to(ROOT)}")


def main() -> None:
    """Write both files from the records of a run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=RECORDS, help="of the records")
    write_durations(parser.parse_args().folder)


if __name__ == "__main__":
    main()
