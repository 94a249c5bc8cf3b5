"""The vote on which element a bundle means. Pure: it sees portraits of elements, never a page.

Each key of a bundle is a candidate and votes for every element that it describes, with the weight
below divided by how many it describes. Keys that describe nothing count against everybody.
The winner needs a share of all that could be had and a lead over the next.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from director.browser.bundle import Bundle, Holder

NEEDED = 0.4
LEAD = 0.07
ALONE = 0.55
"""The share that is needed when no telling candidate is met, so that only likeness speaks."""
AT_HOME = 0.7
"""How alike what it stands in must be to what it stood in."""
UNCHANGED = 0.95
LOST = 0.4
MOVED = 0.25
CUT = 75
"""A text of this length may have been cut: it is alike to what it begins."""

# What a page may turn into one another; a label is not its field, though it has the same name.
_FAMILIES = (
    {"button", "link", "menuitem", "tab", "option", ""},
    {"textbox", "searchbox", "combobox", "spinbutton", "listbox"},
    {"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"},
)
_GENERATED = re.compile(
    r"\d{3,}|:|^[\d_-]|[a-z]\d[a-z]|\d[a-z]+\d|[bcdfghjklmnpqrstvwxz]{5,}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Portrait:
    """An element of a page as the vote sees it, its number in the model, and where it stands."""

    like: Bundle
    node: int
    pin: str = ""
    by_css: bool = False
    visible: bool = True
    in_view: bool = True


Grade: TypeAlias = Callable[[Bundle, Portrait], float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way in which a bundle tells its element: how it grades an element, and what it weighs.

    One that is `telling` can carry an election by itself when it describes one element exactly.
    `shared` is how many elements it described when the bundle was made, if that is known.
    """

    key: str
    weight: float
    grade: Grade
    telling: bool = True
    shared: int = 1


@dataclass(frozen=True, slots=True)
class Standing:
    """What an element got: its share of the votes and how each candidate graded it.

    It is `told` if a telling candidate describes it and no other, and `at_home` if the nearest of
    its neighbourhood is still there.
    """

    at: int
    share: float
    grades: Mapping[str, float]
    told: bool
    at_home: bool
    nth: tuple[int, int] | None


def candidates_of(bundle: Bundle) -> tuple[Candidate, ...]:
    """The candidates of a bundle: one for each thing that it says."""
    # A name that several elements had when the bundle was made tells none of them.
    shared = bundle.nth[1] if bundle.nth else 1
    every = (
        Candidate("test_id", 6.0, _test_id),
        Candidate("name", 4.0, _named, telling=shared == 1, shared=shared),
        Candidate("role", 1.0, _role, telling=not (bundle.name or bundle.nth)),
        Candidate("label", 2.0, _labelled),
        Candidate("text", 2.0, _worded),
        Candidate("css", 2.0, lambda _, one: float(one.by_css)),
        *(_attribute(key, value, bundle.role) for key, value in bundle.attributes.items()),
        Candidate("classes", 1.0, _classes, telling=False),
        Candidate("within", 1.5, _within, telling=False),
        Candidate("near", 2.5, _near, telling=False),
        Candidate("path", 1.0, _path, telling=False),
    )
    return tuple(
        each for each in every if "." in each.key or getattr(bundle, each.key) not in ("", (), None)
    )


def tally(bundle: Bundle, portraits: Sequence[Portrait]) -> list[Standing]:
    """How each element stands, the best first; those with nothing are left out."""
    candidates = candidates_of(bundle)
    grades = [[each.grade(bundle, one) for each in candidates] for one in portraits]
    weights, alone = [], []
    for at, each in enumerate(candidates):
        column = [row[at] for row in grades]
        # What describes nothing counts less: a redesign takes an id and all that hangs on it.
        weight = each.weight if any(column) else LOST * each.weight
        weights.append(weight / (1 + math.log2(max(1.0, sum(column), each.shared))))
        alone.append(sum(grade >= 1 for grade in column) == 1 or not bundle.nth)
    most = sum(weights)
    standings = [
        Standing(
            at,
            sum(weight * grade for weight, grade in zip(weights, row, strict=True)) / most,
            {each.key: grade for each, grade in zip(candidates, row, strict=True)},
            told=any(
                each.telling and grade >= 1 and single
                for each, grade, single in zip(candidates, row, alone, strict=True)
            ),
            at_home=_at_home(bundle, portraits[at]),
            nth=portraits[at].like.nth,
        )
        for at, row in enumerate(grades)
    ]
    return sorted((one for one in standings if one.share), key=lambda one: -one.share)


def leaders(bundle: Bundle, standings: Sequence[Standing]) -> list[Standing]:
    """Those at the top that cannot be told apart, in the order of the page; none if too weak."""
    if not standings:
        return []
    best = standings[0]
    # If one of several alike has gone, it may be the one that was meant.
    fewer = bool(bundle.nth and best.nth and best.nth[1] < bundle.nth[1])
    needed = NEEDED if best.told and not fewer else ALONE
    if best.share < needed or not (best.at_home or (best.told and not fewer)):
        return []
    tied = [one for one in standings if best.share - one.share < LEAD]
    # Its place tells an element from its twins only while nothing around it has changed.
    placed = [one for one in tied if bundle.nth and one.nth == bundle.nth and one.share > UNCHANGED]
    return placed if len(placed) == 1 else sorted(tied, key=lambda one: one.at)


def _at_home(bundle: Bundle, one: Portrait) -> bool:
    """Whether the nearest of its neighbourhood is still there."""
    close = [text.casefold() for text in one.like.near[:3]]
    holder = bundle.within[0] if bundle.within and bundle.within[0].name else None
    if holder and max((_held(holder, has) for has in one.like.within), default=0) < AT_HOME:
        return False
    return bool(holder) or any(text.casefold() in close for text in bundle.near[:2])


@lru_cache(maxsize=4096)
def likeness(one: str, other: str) -> float:
    """How alike two texts are, from 0 to 1; case and spacing do not count."""
    a, b = one.casefold().split(), other.casefold().split()
    if a == b:
        return 1.0 if a else 0.0
    if min(len(one), len(other)) >= CUT and (one.startswith(other) or other.startswith(one)):
        return 1.0
    if not a or not b:
        return 0.0
    shared = 2 * len(set(a) & set(b)) / (len(set(a)) + len(set(b)))
    drawn = difflib.SequenceMatcher(None, " ".join(a), " ".join(b), autojunk=False)
    if not shared and min(drawn.real_quick_ratio(), drawn.quick_ratio()) < 0.6:
        return 0.0
    return min(0.9, max(shared, drawn.ratio()))


def _fuzzy(one: str, other: str) -> float:
    alike = likeness(one, other)
    return alike if alike == 1 else alike * 0.7 if alike >= 0.5 else 0.0


def _test_id(bundle: Bundle, one: Portrait) -> float:
    return float(bundle.test_id == one.like.test_id)


def _labelled(bundle: Bundle, one: Portrait) -> float:
    return _fuzzy(bundle.label, one.like.label or one.like.name)


def _worded(bundle: Bundle, one: Portrait) -> float:
    return _fuzzy(bundle.text, one.like.text or one.like.name)


def _named(bundle: Bundle, one: Portrait) -> float:
    alike = max(_fuzzy(bundle.name, one.like.name), 0.9 * _fuzzy(bundle.name, one.like.text))
    if not bundle.role or one.like.role == bundle.role:
        return alike
    kin = any({bundle.role, one.like.role} <= family for family in _FAMILIES)
    return alike * (0.7 if kin else 0.3)


def _role(bundle: Bundle, one: Portrait) -> float:
    return float(bundle.role == one.like.role)


def _attribute(key: str, value: str, role: str) -> Candidate:
    weight = {"id": 2.5, "name": 2.5, "href": 2.5, "placeholder": 1.5, "type": 0.5}.get(key, 1.0)
    if key == "id" and _GENERATED.search(value):
        weight = 0.5

    def grade(_: Bundle, one: Portrait) -> float:
        return float(one.like.attributes.get(key) == value)

    telling = key not in ("type", "value") and not (key == "name" and role in ("radio", "checkbox"))
    return Candidate(f"attributes.{key}", weight, grade, telling=telling)


def _classes(bundle: Bundle, one: Portrait) -> float:
    wanted, has = set(bundle.classes), set(one.like.classes)
    return len(wanted & has) / len(wanted | has)


def _within(bundle: Bundle, one: Portrait) -> float:
    got = [max((_held(want, has) for has in one.like.within), default=0) for want in bundle.within]
    return sum(got) / len(got)


def _held(want: Holder, has: Holder) -> float:
    if not want.name:
        return 0.5 * (want.role == has.role)
    return likeness(want.name, has.name) * (1 if want.role in (has.role, "") else 0.5)


def _near(bundle: Bundle, one: Portrait) -> float:
    has = {text.casefold(): far for far, text in reversed(list(enumerate(one.like.near)))}
    got = most = 0.0
    for far, text in enumerate(bundle.near):
        # The nearest say most, and the less the further they have moved.
        worth = 1 / (1 + 0.2 * far)
        most += worth
        if (now := has.get(text.casefold())) is not None:
            got += worth * max(0.0, 1 - MOVED * abs(now - far))
    return got / most


def _path(bundle: Bundle, one: Portrait) -> float:
    return _alike_paths(bundle.path, one.like.path)


@lru_cache(maxsize=2048)
def _alike_paths(one: str, other: str) -> float:
    steps = difflib.SequenceMatcher(None, one.split(">"), other.split(">"), autojunk=False)
    return steps.ratio()
