"""Shows whether two versions send the same: `python bench/same.py FOLDER FILE`, then once more.

Every request of every recorded set is made in several ways (strategies, budgets, `thrift`, levels,
exact counter) and its digest stored in FILE; if FILE exists, the digests are compared with it
instead and what differs is counted. FOLDER holds the sets of others, as for `external.py`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from material import recorded

from director import Budget, ContextConfig, ContextManager, chars4, counter_for

OWN = ("docs", "shop", "tracker", "travel", "terminal", "coding", "pages_html", "pages_notte")
OTHERS = ("tau_airline", "trail_gaia", "docs_walk", "swe_mini", "qmsum")
_Message: TypeAlias = dict[str, object]
Ways: TypeAlias = Mapping[str, tuple[float, Callable[[int], ContextManager]]]


def _manager(**fields: object) -> Callable[[int], ContextManager]:
    counter = fields.pop("counter", replace(chars4, per_call=0))
    named = {"strategy": "hybrid", "max_snapshot_depth": 12} | fields

    def make(limit: int) -> ContextManager:
        return ContextManager(ContextConfig(budget=Budget(limit, counter=counter), **named))  # type: ignore[arg-type]

    return make


WAYS: Ways = {
    "half": (0.5, _manager()),
    "three tenths": (0.3, _manager()),
    "a fifth, no references": (0.2, _manager(recall=False)),
    "thrift": (0.5, _manager(thrift=True)),
    "exact": (0.5, _manager(counter=counter_for(None))),
    "adaptive": (0.4, _manager(strategy="adaptive")),
    "checkpoint": (0.4, _manager(strategy="checkpoint")),
    "sliding_window": (0.4, _manager(strategy="sliding_window")),
    "level none": (0.5, _manager(compression_level="none")),
    "level high": (0.3, _manager(compression_level="high")),
}


def histories(folder: Path) -> Iterator[tuple[str, list[_Message]]]:
    """Every recorded run, with the name of its set."""
    for name in OWN:
        for run in recorded(name):
            yield name, run.messages
    for name in OTHERS:
        path = folder / "data" / f"{name}.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield name, json.loads(line)["messages"]


def size_of(messages: Sequence[_Message]) -> int:
    """Tokens, roughly."""
    return sum(len(json.dumps(message)) for message in messages) // 4


def digests(messages: list[_Message], share: float, make: Callable[[int], ContextManager]) -> str:
    """A digest of each request of a run, eight digits each."""
    head = size_of(messages[:2])
    manager = make(int(head + share * max(0, size_of(messages) - head)))
    calls = [at for at, message in enumerate(messages) if message["role"] == "assistant" and at]
    if not any(message["role"] == "tool" for message in messages):
        calls = calls[-1:]
    found = []
    for at in calls:
        sent = json.dumps(manager.fit(messages[:at]).messages, ensure_ascii=False)
        found.append(hashlib.sha256(sent.encode("utf-8", "surrogatepass")).hexdigest()[:8])
    return "".join(found)


def main() -> None:
    """Store the digests, or compare them with those that are stored."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--every", type=int, default=1, help="of each set, every so many-th run")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    options = parser.parse_args()
    made: dict[str, dict[str, str]] = {way: {} for way in options.ways}
    for nth, (name, messages) in enumerate(histories(options.folder)):
        if nth % options.every:
            continue
        for way in options.ways:
            made[way][f"{name} {nth}"] = digests(messages, *WAYS[way])
    if not options.file.exists():
        options.file.write_text(json.dumps(made))
        print(f"{sum(len(d) // 8 for runs in made.values() for d in runs.values()):,} requests")
        return
    sys.exit(compare(json.loads(options.file.read_text()), made))


def compare(before: dict[str, dict[str, str]], now: dict[str, dict[str, str]]) -> int:
    """Print how many requests differ, by way and set; 1 if any does."""
    count = differing = 0
    for way, runs in now.items():
        changed: dict[str, int] = {}
        for run, found in runs.items():
            was = before.get(way, {}).get(run)
            if was is None:
                continue
            count += len(found) // 8
            other = sum(found[at : at + 8] != was[at : at + 8] for at in range(0, len(found), 8))
            if other:
                changed[run.rpartition(" ")[0]] = changed.get(run.rpartition(" ")[0], 0) + other
        differing += sum(changed.values())
        print(f"{way}: {changed or 'the same'}")
    print(f"{differing:,} of {count:,} requests differ")
    return 1 if differing else 0


if __name__ == "__main__":
    main()
