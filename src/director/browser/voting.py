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
SAME_ROW = 0.6
"""The share of the words of a row, or of an item, that it must still have."""
UNCHANGED = 0.95
LOST = 0.4
MOVED = 0.25
STILL_NEAR = 0.3
"""How much of what stood near must still stand there once some of those alike have gone."""
SAME_PLACE = 0.75
"""The same, where no row tells one of those alike from the others."""
NEARER = 0.15
"""How much more of what stood near another one must have, to be the one that is meant."""
ALIKE = 0.05
"""How near the words of two elements may come to those that are known, to be as alike."""
SAYS_ALIKE = 0.45
"""How alike what an element says itself must be to what it said, if nothing else tells it."""
CUT = 75
"""A text of this length may have been cut: it is alike to what it begins."""

_ROWS = ("row", "listitem")
_OWN_WORDS = ("name", "text", "label")
# Of these a number is the place of the element, or of its row: another has it tomorrow.
_COUNTING = ("id", "name", "for", "aria-controls")
_COUNTED = 0.5
"""What a value weighs that counts places."""
_COUNTED_CSS = re.compile(r"#[\w\\-]*\d|\[(?:id|name|for)=[^\]]*\d|:nth-", re.ASCII)
# What a page may turn into one another; a label is not its field, though it has the same name.
_FAMILIES = (
    {"button", "link", "menuitem", "tab", "option", ""},
    {"textbox", "searchbox", "combobox", "spinbutton", "listbox"},
    {"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"},
)
_FIELDS = _FAMILIES[1] | _FAMILIES[2] | {"slider"}
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
    `shared` is how many elements it described when the bundle was made, if that is known. One that
    `marks` is given to one element alone, by those who make a page.
    """

    key: str
    weight: float
    grade: Grade
    telling: bool = True
    shared: int = 1
    marks: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """What an element got: its share of the votes and how each candidate graded it.

    It is `told` if a telling candidate describes it and no other, `marked` if it has a mark that is
    its own, `at_home` if the nearest of its
    neighbourhood is still there, and `is_kind` if it has the role, or else the tag. It
    `was_beside` if its words stood near the one that is meant, and is `in_same_row` if the row or
    item around it says the same as then; None if it was in none.
    """

    at: int
    share: float
    grades: Mapping[str, float]
    told: bool
    marked: bool
    at_home: bool
    is_kind: bool
    was_beside: bool
    in_same_row: bool | None
    is_field: bool
    nth: tuple[int, int] | None

    def says(self) -> float | None:
        """How alike its own words are to those that are known; None if none are."""
        return max((self.grades[key] for key in _OWN_WORDS if key in self.grades), default=None)


def candidates_of(bundle: Bundle, portraits: Sequence[Portrait] = ()) -> tuple[Candidate, ...]:
    """The candidates of a bundle, one for each thing that it says, on a page with these."""
    # A name that several elements had when the bundle was made tells none of them.
    shared = bundle.nth[1] if bundle.nth else 1
    tells = _tells(bundle) and not _is_numbered(bundle, portraits)
    every = (
        _test_id_of(bundle),
        Candidate("name", 4.0, _named, telling=shared == 1 and tells, shared=shared),
        Candidate("role", 1.0, _role, telling=not (bundle.name or bundle.nth)),
        Candidate("label", 2.0, _labelled, telling=tells),
        Candidate("text", 2.0, _worded, telling=tells),
        _css_of(bundle),
        *(_attribute(key, value, bundle) for key, value in bundle.attributes.items()),
        Candidate("classes", 1.0, _classes, telling=False),
        Candidate("within", 1.5, _within, telling=False),
        Candidate("near", 2.5, _near, telling=False),
        Candidate("path", 1.0, _path, telling=False),
    )
    return tuple(
        each for each in every if "." in each.key or getattr(bundle, each.key) not in ("", (), None)
    )


def _tells(bundle: Bundle) -> bool:
    """Whether its words are more than a number, which is content: another may have it tomorrow.

    Whoever writes a bundle by hand may mean the number itself.
    """
    words = f"{bundle.name}{bundle.text}"
    return bundle.nth is None or not words or any(letter.isalpha() for letter in words)


def _is_numbered(bundle: Bundle, portraits: Sequence[Portrait]) -> bool:
    """Whether others of its kind say the same with other numbers, which may be its own tomorrow."""
    wanted = [text for text in (bundle.name, bundle.text, bundle.label) if text]
    forms = {_form(text) for text in wanted} - {text.casefold() for text in wanted}
    if bundle.nth is None or not forms:
        return False
    said = {text.casefold() for text in wanted}
    return any(
        text.casefold() not in said and _form(text) in forms
        for one in portraits
        if one.like.role == bundle.role
        for text in (one.like.name, one.like.text, one.like.label)
    )


@lru_cache(maxsize=4096)
def _form(text: str) -> str:
    return re.sub(r"\d+", "#", text.casefold())


def tally(bundle: Bundle, portraits: Sequence[Portrait]) -> list[Standing]:
    """How each element stands, the best first; those with nothing are left out."""
    candidates = candidates_of(bundle, portraits)
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
            marked=any(
                each.marks and grade >= 1 for each, grade in zip(candidates, row, strict=True)
            ),
            at_home=_at_home(bundle, portraits[at]),
            is_kind=_is_kind(bundle, portraits[at].like),
            was_beside=_was_beside(bundle, portraits[at].like),
            in_same_row=_is_in_same_row(bundle, portraits[at].like),
            is_field=portraits[at].like.role in _FIELDS,
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
    if _is_elsewhere(bundle, best, standings) or _is_another(best, standings, fewer=fewer):
        return []
    if _is_only_counted(bundle, best) or (fewer and best.grades.get("near", 1) < STILL_NEAR):
        return []
    if _shares_words(bundle) and (fewer or not bundle.name) and not best.marked:
        # Another of those alike may stand in the same row, or under the same heading.
        needed = STILL_NEAR if bundle.near and best.in_same_row else SAME_PLACE
        if best.in_same_row is False or best.grades.get("near", 1) < needed:
            return []
    tied = [one for one in standings if best.share - one.share < LEAD]
    if bundle.label and any(one.is_field for one in tied):
        # A label is said of a field, also where a column has the same name.
        tied = [one for one in tied if one.is_field]
    # Its place tells an element from its twins only while nothing around it has changed.
    placed = [one for one in tied if bundle.nth and one.nth == bundle.nth and one.share > UNCHANGED]
    return placed if len(placed) == 1 else sorted(tied, key=lambda one: one.at)


def _is_only_counted(bundle: Bundle, best: Standing) -> bool:
    """Whether only what counts places tells it from those alike, of which there are others now."""
    before, now = bundle.nth or (0, 1), best.nth or (0, 1)
    told = best.told or best.marked or best.says() is not None or best.in_same_row
    return before[1] > 1 and before[1] != now[1] and not told


def _is_another(best: Standing, standings: Sequence[Standing], *, fewer: bool) -> bool:
    """Whether the best one says something else: it stands where the one that is meant has gone."""
    says = best.says()
    if not best.is_kind and not best.told:
        return True
    if says is None or says >= 1:
        return False
    return _is_neighbour(best, says, fewer=fewer) or _has_rival(best, says, standings)


def _is_neighbour(best: Standing, says: float, *, fewer: bool) -> bool:
    """Whether too little speaks for one that has other words."""
    if (says < SAYS_ALIKE or best.was_beside or fewer) and not best.told:
        return True
    if best.marked:
        return False
    # Two links may lead to the same page: where one leads does not tell it from the other.
    moved = says < SAYS_ALIKE and best.grades.get("near", 0) < SAME_PLACE
    return best.was_beside or moved or not best.at_home


def _has_rival(best: Standing, says: float, standings: Sequence[Standing]) -> bool:
    """Whether the words of another one are those that are known, or come as near to them."""
    role, others = best.grades.get("role"), [one for one in standings if one.at != best.at]
    if any(one.says() == 1 and one.grades.get("role") == role for one in others):
        return True
    return not best.told and any(
        one.is_kind and (one.says() or 0) >= says - ALIKE for one in others
    )


def _is_elsewhere(bundle: Bundle, best: Standing, standings: Sequence[Standing]) -> bool:
    """Whether another one stands where the one stood that is meant, and says what is new there.

    The best one has only words that several had: the one that is meant has other words now.
    """
    if bundle.nth is None or bundle.nth[1] == 1 or best.marked:
        return False
    near = best.grades.get("near", 1.0) + NEARER
    return any(
        one.is_kind and not one.was_beside and one.says() != 1 and one.grades.get("near", 0) > near
        for one in standings
    )


def _at_home(bundle: Bundle, one: Portrait) -> bool:
    """Whether the nearest of its neighbourhood is still there."""
    close = [text.casefold() for text in one.like.near[:3]]
    holder = bundle.within[0] if bundle.within and bundle.within[0].name else None
    if holder and not any(_is_same_holder(holder, has) for has in one.like.within):
        return False
    return bool(holder) or any(text.casefold() in close for text in bundle.near[:2])


def _is_in_same_row(bundle: Bundle, like: Bundle) -> bool | None:
    row = next((each for each in bundle.within if each.role in _ROWS and each.name), None)
    if row is None:
        return None
    return any(has.role in _ROWS and likeness(row.name, has.name) == 1 for has in like.within)


def _shares_words(bundle: Bundle) -> bool:
    """Whether others said the same when the bundle was made."""
    if bundle.nth is None or bundle.nth[1] == 1:
        return False
    said = bundle.text.casefold()[:40].strip()
    return bool(bundle.name) or said in {text.casefold() for text in bundle.near}


def _is_same_holder(want: Holder, has: Holder) -> bool:
    if want.role not in _ROWS:
        return _held(want, has) >= AT_HOME
    # Rows are alike to each other: only the words that they share tell that it is the same one.
    a, b = set(want.name.casefold().split()), set(has.name.casefold().split())
    return 2 * len(a & b) >= SAME_ROW * (len(a) + len(b))


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
    alike = _fuzzy(bundle.text, one.like.text or one.like.name)
    if bundle.role:
        return alike * _kinship(bundle.role, one.like.role)
    # What stands around a text says the same: only the tag tells it from what it holds.
    return alike if _is_kind(bundle, one.like) else alike * 0.7


def _was_beside(bundle: Bundle, like: Bundle) -> bool:
    """Whether it says what stood near the element that is meant: it was there before."""
    said = [text.casefold() for text in (like.name, like.text) if text]
    near = {text.casefold() for text in bundle.near}
    return any(text[:40].strip() in near for text in said)


def _is_kind(bundle: Bundle, like: Bundle) -> bool:
    if bundle.role or not bundle.path:
        return not bundle.role or bundle.role == like.role
    # One that was written by hand may leave the role open.
    open_role = bundle.nth is None or not like.role
    return open_role and bundle.path.rpartition(">")[2] == like.path.rpartition(">")[2]


def _named(bundle: Bundle, one: Portrait) -> float:
    alike = max(_fuzzy(bundle.name, one.like.name), 0.9 * _fuzzy(bundle.name, one.like.text))
    return alike * (_kinship(bundle.role, one.like.role) if bundle.role else 1)


def _kinship(role: str, other: str) -> float:
    """How near two roles are to each other."""
    if role == other:
        return 1
    return 0.7 if any({role, other} <= family for family in _FAMILIES) else 0.3


def _role(bundle: Bundle, one: Portrait) -> float:
    return float(bundle.role == one.like.role)


def _counts(bundle: Bundle, value: str) -> bool:
    """Whether a value that a page gave may count places; by hand it is what is meant."""
    return bundle.nth is not None and any(letter.isdigit() for letter in value)


def _test_id_of(bundle: Bundle) -> Candidate:
    if _counts(bundle, bundle.test_id):
        return Candidate("test_id", _COUNTED, _test_id, telling=False)
    return Candidate("test_id", 6.0, _test_id, marks=True)


def _css_of(bundle: Bundle) -> Candidate:
    counts = bundle.nth is not None and _COUNTED_CSS.search(bundle.css) is not None
    weight = _COUNTED if counts else 2.0
    return Candidate("css", weight, lambda _, one: float(one.by_css), telling=not counts)


def _attribute(key: str, value: str, bundle: Bundle) -> Candidate:
    weight = {"id": 2.5, "name": 2.5, "href": 2.5, "placeholder": 1.5, "type": 0.5}.get(key, 1.0)
    counts = key in _COUNTING and _counts(bundle, value)
    if counts or (key == "id" and _GENERATED.search(value)):
        weight = _COUNTED

    def grade(_: Bundle, one: Portrait) -> float:
        return float(one.like.attributes.get(key) == value)

    is_shared = key == "name" and bundle.role in ("radio", "checkbox")
    telling = key not in ("type", "value") and not is_shared and not counts
    marks = key in ("id", "name") and telling
    return Candidate(f"attributes.{key}", weight, grade, telling=telling, marks=marks)


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
