"""`python -m scripts.chaos`: plays schedules by hand and prints one line of JSON for each.

The last line sums up. It ends with 1 if the invariant was broken in any of them.
"""

from __future__ import annotations

import argparse
import json
import sys

from scripts.chaos.checker import LIMIT, play
from scripts.chaos.faults import explain_skips, make_schedule


def main() -> int:
    """Play, print, sum up."""
    read = argparse.ArgumentParser(prog="python -m scripts.chaos", description=__doc__)
    read.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    read.add_argument("--seed", type=int, default=1, help="of the first schedule")
    read.add_argument("--schedules", type=int, default=1)
    read.add_argument("--faults", type=int, default=4, help="in each schedule")
    read.add_argument("--runs", type=int, default=4, help="in each schedule")
    read.add_argument("--limit", type=float, default=LIMIT, help="seconds until all must be over")
    read.add_argument("--quiet", action="store_true")
    asked = read.parse_args()
    for kind, why in explain_skips(asked.database).items():
        _tell(f"skipped: {kind}: {why}")
    say = (lambda _: None) if asked.quiet else _tell
    effects = broken = 0
    for seed in range(asked.seed, asked.seed + asked.schedules):
        schedule = make_schedule(seed, asked.database, count=asked.faults)
        verdict = play(schedule, asked.database, runs=asked.runs, limit=asked.limit, say=say)
        print(json.dumps({"seed": seed, **verdict.summary()}), flush=True)
        effects += sum(verdict.effects.values())
        broken += bool(verdict.wrong)
    total = {"schedules": asked.schedules, "effects": effects, "broken": broken}
    print(json.dumps(total))
    return 1 if broken else 0


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
