"""What was measured of refs: counted page by page, kept in the cache, summed up as markdown."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

from installed import cache
from ref_pages import Stop
from shared_looks import Looked

from director.browser.element_portraits import load_portraits_script

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "refs.json"
WAYS = ("bundle", "Playwright's recorder", "one CSS selector")
Kinds: TypeAlias = Sequence[str]
CHOSEN = "as it was described"
STATES = ("same document", "after a reload")
TUNED: Mapping[str, Kinds] = {
    "ids and classes": ["ids", "classes"],
    "words": ["text"],
    "wrappers and order": ["wrappers", "order"],
    "attributes and more items": ["attributes", "inserted"],
    "counted on": ["counted_on"],
}
HELD: Mapping[str, Kinds] = {
    "another language": ["translated"],
    "labels and numbers": ["labels", "numbers"],
    "prefixes and icons": ["prefixes", "icons"],
    "sections, capitals, hidden twins": ["sections", "capitals", "hidden_twins"],
    "another order and other numbers": ["order", "numbers"],
}
GONE: Mapping[str, Kinds] = {
    "when it is gone": ["removed"],
    "gone, the rest counted anew": ["closed_up"],
    "gone, other ids and classes": ["removed", "ids", "classes"],
}
CHANGES = {**TUNED, **HELD, **GONE}


def fingerprint(refs: int) -> str:
    """What a page's looks depend on: all but the vote."""
    names = ("locators.py", "descriptions.py", "bundle.py", "page_outline.py")
    parts = [
        load_portraits_script(),
        *(_source(name) for name in names),
        json.dumps(CHANGES),
        str(refs),
    ]
    return _digest(*parts, (HERE / "mutations.js").read_text(encoding="utf-8"))


def _source(name: str) -> str:
    return files("director.browser").joinpath(name).read_text(encoding="utf-8")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


VOTE = _digest(_source("bundle_vote.py"), _source("element_likeness.py"))
"""The vote that this program has loaded."""


@dataclass
class Tally:
    """What each way found on a page, by state and number of the element; `said` describes those."""

    stop: Stop
    said: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    rests: Counter[str] = field(default_factory=Counter)
    agrees: Counter[str] = field(default_factory=Counter)

    def add(self, state: str, at: int, outcomes: dict[str, str]) -> None:
        """Add what each way found of an element."""
        self.outcomes.setdefault(state, {})[str(at)] = outcomes

    def judged(self) -> Iterator[tuple[str, str, str, str]]:
        """State, way, outcome and element; of what is gone, nothing is right."""
        for state, elements in self.outcomes.items():
            turned = {"none": "right", "right": "wrong"} if state in GONE else {}
            for at, ways in elements.items():
                for way, outcome in ways.items():
                    yield state, way, turned.get(outcome, outcome), self.said[at]

    def counts(self) -> dict[str, dict[str, Counter[str]]]:
        """Outcomes by state and way."""
        counts: dict[str, dict[str, Counter[str]]] = {}
        for state, way, outcome, _ in self.judged():
            counts.setdefault(state, {}).setdefault(way, Counter())[outcome] += 1
        return counts

    def misses(self) -> list[str]:
        """What was not right, in words."""
        return [
            f"{self.stop.name} {state} {outcome}: {said}"
            for state, way, outcome, said in self.judged()
            if way == WAYS[0] and outcome != "right"
        ]


def looks_of(stop: Stop, state: str) -> Path:
    """Where the look at a page in a state is kept."""
    return cache() / "refs" / stop.key / f"{state}.json.gz"


def keep(tally: Tally, code: str) -> None:
    """Keep what was found on a page."""
    kept = {key: getattr(tally, key) for key in ("said", "outcomes", "rests", "agrees")}
    kept |= {"code": code, "vote": VOTE}
    looks_of(tally.stop, "x").parent.mkdir(parents=True, exist_ok=True)
    _file(tally.stop).write_text(json.dumps(kept), encoding="utf-8")


def _file(stop: Stop) -> Path:
    return cache() / "refs" / f"{stop.key}.json"


def recall(stop: Stop, code: str) -> Tally | None:
    """What was found on a page, if nothing has changed since; after the vote did, voted again.

    None if it must be measured anew: also where the vote would propose other bundles now.
    """
    path = _file(stop)
    if not path.exists():
        return None
    read = json.loads(path.read_text(encoding="utf-8"))
    if read["code"] != code:
        return None
    agrees, rests = Counter(read["agrees"]), Counter(read["rests"])
    tally = Tally(stop, read["said"], read["outcomes"], rests, agrees)
    if read["vote"] == VOTE:
        return tally
    if not _vote_again(tally):
        return None
    keep(tally, code)
    return tally


def _vote_again(tally: Tally) -> bool:
    chosen = Looked.read(looks_of(tally.stop, CHOSEN), hidden=True)
    if any((fits == [at]) is not chosen.told["found"][str(at)] for at, fits in chosen.fits.items()):
        return False
    for state, elements in tally.outcomes.items():
        looked = Looked.read(looks_of(tally.stop, state))
        for at, meant in looked.meant.items():
            elements[str(at)][WAYS[0]] = judge(meant, at)
    return True


def judge(meant: int | None, at: int) -> str:
    """Whether the element that is meant is the one that is asked for."""
    return "none" if meant is None else "right" if meant == at else "wrong"


def summary(tallies: Sequence[Tally]) -> dict[str, Any]:
    """The outcomes by state and way, of the pages that were seen and of those held out."""
    told: dict[str, Any] = {}
    for name, held in (("seen pages", False), ("held-out pages", True)):
        some = [tally for tally in tallies if tally.stop.held_out is held]
        counts: dict[str, dict[str, Counter[str]]] = {}
        kinds: dict[str, Counter[str]] = {}
        for tally in some:
            for state, ways in tally.counts().items():
                kinds.setdefault(f"{tally.stop.kind} · {state}", Counter()).update(ways[WAYS[0]])
                for way, counted in ways.items():
                    counts.setdefault(state, {}).setdefault(way, Counter()).update(counted)
        told[name] = {
            "pages": [f"{tally.stop.kind} {tally.stop.name}" for tally in some],
            "outcomes": counts,
            "bundle by kind of page": kinds,
            "rests on": sum((tally.rests for tally in some), Counter()),
            "resolve gives": sum((tally.agrees for tally in some), Counter()),
            "not right": [line for tally in some for line in tally.misses()],
        }
    return told


def write(refs: int, told: Mapping[str, Any]) -> None:
    """Write the figures that are published."""
    RESULTS.write_text(json.dumps({"refs a page": refs, **told}, indent=1) + "\n", encoding="utf-8")


def table(outcomes: Mapping[str, Mapping[str, Counter[str]]]) -> str:
    """The outcomes as markdown, and the sums of the changes."""
    lines = ["| state | way | elements | right | none | wrong |", "|---|---|---:|---:|---:|---:|"]
    groups = {"all changes": TUNED, "all held-out changes": HELD, "all that is gone": GONE}
    sums: dict[tuple[str, str], Counter[str]] = {}
    for state, ways in outcomes.items():
        for way, counted in ways.items():
            lines.append(_row(state, way, counted))
            for title, states in groups.items():
                if state in states:
                    sums.setdefault((title, way), Counter()).update(counted)
    lines += [_row(f"**{title}**", way, counted) for (title, way), counted in sums.items()]
    return "\n".join(lines)


def _row(state: str, way: str, counted: Counter[str]) -> str:
    every = sum(counted.values()) or 1
    shares = [f"{100 * counted.get(key, 0) / every:.2f}%" for key in ("right", "none", "wrong")]
    return f"| {state} | {way} | {sum(counted.values())} | {' | '.join(shares)} |"
