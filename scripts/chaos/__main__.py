"""`python -m scripts.chaos`: plays schedules by hand and prints one line of JSON for each.

The last line sums up. It ends with 1 if the invariant was broken in any of them. With `--log` each
line is also added to a file, and what is in it already is not played again: so a hundred schedules
can be played in parts. `--until` begins none after a time.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.chaos.checker import LIMIT, play
from scripts.chaos.faults import explain_skips, make_schedule


def main() -> int:
    """Play, print, sum up."""
    read = argparse.ArgumentParser(prog="python -m scripts.chaos", description=__doc__)
    read.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    read.add_argument("--seed", type=int, default=1, help="of the first schedule")
    read.add_argument("--schedules", type=int, default=1)
    read.add_argument("--faults", type=int, default=4, help="in each schedule")
    read.add_argument("--runs", type=int, default=2, help="at first; one more before each fault")
    read.add_argument("--limit", type=float, default=LIMIT, help="seconds until all must be over")
    read.add_argument("--quiet", action="store_true")
    read.add_argument("--log", type=Path, help="a file to add to, and to go on from")
    read.add_argument("--until", help="begin no schedule after this time of the day, as 01:05")
    asked = read.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # what was started is ended
    for kind, why in explain_skips(asked.database).items():
        _tell(f"skipped: {kind}: {why}")
    say = (lambda _: None) if asked.quiet else _tell
    known = read_log(asked.log)
    for seed in range(asked.seed, asked.seed + asked.schedules):
        if (seed, asked.database) in known:
            continue
        if asked.until and is_past(asked.until):
            _tell(f"{asked.until} is past: stopped before seed {seed}")
            break
        schedule = make_schedule(seed, asked.database, count=asked.faults)
        verdict = play(schedule, asked.database, runs=asked.runs, limit=asked.limit, say=say)
        line = {"seed": seed, **verdict.summary()}
        known[seed, asked.database] = line
        print(json.dumps(line), flush=True)
        if asked.log:
            with asked.log.open("a", encoding="utf-8") as log:
                log.write(f"{json.dumps(line)}\n")
    total = sum_up(list(known.values()))
    print(json.dumps(total))
    return 1 if total["broken"] else 0


def read_log(file: Path | None) -> dict[tuple[int, str], dict[str, Any]]:
    """What was played already, by its seed and its database."""
    if file is None or not file.exists():
        return {}
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {(line["seed"], line["database"]): line for line in lines}


def is_past(clock: str) -> bool:
    """Whether a time of the day is past; one more than twelve hours ago is tomorrow's."""
    hour, minute = map(int, clock.split(":"))
    now = time.localtime()
    since = (now.tm_hour * 60 + now.tm_min - hour * 60 - minute) % (24 * 60)
    return since < 12 * 60


def sum_up(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many schedules, runs by their end, effects, and what was wrong."""
    runs: Counter[str] = Counter()
    for line in lines:
        runs.update(line["runs"])
    after = sorted(line["settled_after"] for line in lines if line["settled_after"] is not None)
    return {
        "schedules": len(lines),
        "runs": dict(runs),
        "effects": sum(line["effects"] for line in lines),
        "settled": {"median": after[len(after) // 2], "longest": after[-1]} if after else {},
        "broken": sum(bool(line["wrong"]) for line in lines),
    }


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
