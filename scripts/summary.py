"""The table at the end of `./test --all`, which is also kept in docs/loop/test-all.md."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.durations import describe_machine
from scripts.records import Records

PAGE = Path("docs/loop/test-all.md")
_ABSOLUTE = re.compile(r"(?<![\w.~:/-])/(?:[\w.+-]+/)+")  # the page names no folder of a machine


@dataclass(frozen=True, slots=True)
class Tier:
    """One row: how many cases, which failed, what they took, and why some were skipped."""

    name: str
    cases: int
    failed: list[str]
    seconds: float
    skipped: dict[str, int]  # by reason


def summarise_tier(name: str, records: Records, *, slow: bool) -> Tier:
    """The row of the fast or the slow tests."""
    cases = [case for case in records.cases.values() if case.slow == slow]
    return Tier(
        name=name,
        cases=len(cases),
        failed=sorted(case.test for case in cases if case.outcome == "failed"),
        seconds=records.wall[slow],
        skipped=Counter(case.reason for case in cases if case.outcome == "skipped"),
    )


def render_summary(tiers: Sequence[Tier]) -> str:
    """The table, then what failed, then what was skipped and why."""
    lines = ["| tier | cases | failed | skipped | time |", "|---|---|---|---|---|"]
    lines += [
        f"| {tier.name} | {tier.cases:,} | {len(tier.failed)} | {sum(tier.skipped.values())} "
        f"| {render_time(tier.seconds)} |"
        for tier in tiers
    ]
    failed = [f"- `{name}` ({tier.name})" for tier in tiers for name in tier.failed]
    if failed:
        lines += ["", "Failed:", "", *failed]
    skipped = [
        f"- {count} {tier.name}: {_ABSOLUTE.sub('…/', ' '.join(reason.split()))}"
        for tier in tiers
        for reason, count in sorted(tier.skipped.items())
    ]
    if skipped:
        lines += ["", "Skipped:", "", *skipped]
    return "\n".join(lines) + "\n"


def render_time(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60} min {int(seconds) % 60:02} s"


def is_complete(codes: Iterable[int]) -> bool:
    """Whether pytest came to its end: it passed, failed, or had nothing left to run."""
    return all(code in (0, 1, 5) for code in codes)


def write_summary(root: Path, tiers: Sequence[Tier]) -> None:
    """Keep the table with the date, the machine and the commit."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    commit = f", commit {done.stdout.strip()}" if done.returncode == 0 else ""
    (root / PAGE).parent.mkdir(parents=True, exist_ok=True)
    text = f"# `./test --all`\n\nWritten by that command. {describe_machine()}{commit}.\n\n"
    (root / PAGE).write_text(text + render_summary(tiers))
