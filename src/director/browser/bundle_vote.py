"""The vote on which element a bundle means. Pure: it sees portraits of elements, never a page.

Each key of a bundle is a candidate and votes for every element that it describes, with the weight
below divided by how many it describes. Keys that describe nothing count against everybody.
The winner needs a share of all that could be had and a lead over the next.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from director.browser.bundle import Bundle
from director.browser.bundle_standing import Standing, is_another_layer, stands_for_another
from director.browser.element_likeness import (
    FAMILIES,
    grade_classes,
    grade_label,
    grade_name,
    grade_near,
    grade_path,
    grade_role,
    grade_test_id,
    grade_text,
    grade_within,
    has_named_row,
    is_at_home,
    is_held_alike,
    is_in_another_region,
    is_kind,
    is_other_row,
    is_place,
    is_sign,
    is_styled,
    is_unmoved,
    says_more_than_numbers,
    shares_words,
    was_beside,
)

NEEDED = 0.4
LEAD = 0.07
ALONE = 0.55
"""The share that is needed when no telling candidate is met, so that only likeness speaks."""
UNCHANGED = 0.95
LOST = 0.4
STILL_NEAR = 0.3
"""How much of what stood near must still stand there once some of those alike have gone."""
SAME_PLACE = 0.75
"""The same, where no row tells one of those alike from the others."""
UNTOUCHED = 0.85
"""The same, where one of those alike has gone and the rest may stand among the same."""
NEARER = 0.15
"""How much more of what stood near another one must have, to be the one that is meant."""
ALIKE = 0.05
"""How near the words of two elements may come to those that are known, to be as alike."""
SAYS_ALIKE = 0.45
"""How alike what an element says itself must be to what it said, if nothing else tells it."""

# Of these a number is the place of the element, or of its row: another has it tomorrow.
_COUNTING = ("id", "name", "for", "aria-controls")
_COUNTED = 0.5
"""What a value weighs that counts places."""
_COUNTED_CSS = re.compile(r"#[\w\\-]*\d|\[(?:id|name|for)=[^\]]*\d|:nth-", re.ASCII)
_HOLD_ONE = FAMILIES[1] | {"slider"}
_FIELDS = FAMILIES[1] | FAMILIES[2] | {"slider"}
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


def _grade_likeness(grade: Callable[[Bundle, Bundle], float]) -> Grade:
    return lambda bundle, one: grade(bundle, one.like)


def candidates_of(bundle: Bundle, portraits: Sequence[Portrait] = ()) -> tuple[Candidate, ...]:
    """The candidates of a bundle, one for each thing that it says, on a page with these."""
    # A name that several elements had when the bundle was made tells none of them.
    shared = bundle.nth[1] if bundle.nth else 1
    tells = says_more_than_numbers(bundle, [one.like for one in portraits])
    is_own = shared == 1 and tells and not is_styled(bundle)
    every = (
        _test_id_of(bundle),
        Candidate("name", 4.0, _grade_likeness(grade_name), telling=is_own, shared=shared),
        Candidate(
            "role", 1.0, _grade_likeness(grade_role), telling=not (bundle.name or bundle.nth)
        ),
        Candidate("label", 2.0, _grade_likeness(grade_label), telling=tells),
        Candidate("text", 2.0, _grade_likeness(grade_text), telling=tells),
        _css_of(bundle),
        *(_attribute(key, value, bundle) for key, value in bundle.attributes.items()),
        Candidate("classes", 1.0, _grade_likeness(grade_classes), telling=False),
        Candidate("within", 1.5, _grade_likeness(grade_within), telling=False),
        Candidate("near", 2.5, _grade_likeness(grade_near), telling=False),
        Candidate("path", 1.0, _grade_likeness(grade_path), telling=False),
    )
    return tuple(
        each for each in every if "." in each.key or getattr(bundle, each.key) not in ("", (), None)
    )


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
            addressed=any(
                each.telling and each.key == "css" and grade >= 1 and single
                for each, grade, single in zip(candidates, row, alone, strict=True)
            ),
            like=portraits[at].like,
        )
        for at, row in enumerate(grades)
    ]
    return sorted((one for one in standings if one.share), key=lambda one: -one.share)


def leaders(bundle: Bundle, standings: Sequence[Standing]) -> list[Standing]:
    """Those at the top that cannot be told apart, in the order of the page; none if too weak."""
    if is_place(bundle):
        return [one for one in standings if one.grades["css"] and is_unmoved(bundle, one.like)]
    if (unmoved := _find_unmoved(bundle, standings)) or not standings:
        return unmoved
    best = standings[0]
    # If one of several alike has gone, it may be the one that was meant.
    fewer = bool(bundle.nth and best.nth and best.nth[1] < bundle.nth[1])
    needed = NEEDED if best.told and not fewer else ALONE
    is_certain = best.told and (not fewer or (best.addressed and best.says() == 1))
    if best.share < needed or not (is_certain or is_at_home(bundle, best.like)):
        return []
    if _is_elsewhere(bundle, best, standings) or _is_another(bundle, best, standings, fewer=fewer):
        return []
    misplaced = _is_misplaced(bundle, best, standings) or _is_only_counted(bundle, best)
    misplaced = misplaced or _is_but_a_number(bundle, best, standings)
    misplaced = misplaced or is_another_layer(bundle, best, standings)
    misplaced = misplaced or stands_for_another(bundle, best, standings)
    if misplaced or _is_one_of_several(bundle, best, standings, fewer=fewer):
        return []
    tied = [one for one in standings if best.share - one.share < LEAD]
    if bundle.label and any(one.like.role in _FIELDS for one in tied):
        # A label is said of a field, also where a column has the same name.
        tied = [one for one in tied if one.like.role in _FIELDS]
    # Its place tells an element from its twins only while nothing around it has changed.
    placed = [one for one in tied if bundle.nth and one.nth == bundle.nth and one.share > UNCHANGED]
    return placed if len(placed) == 1 else sorted(tied, key=lambda one: one.at)


def _find_unmoved(bundle: Bundle, standings: Sequence[Standing]) -> list[Standing]:
    """The one whose words, place and surroundings are all as they were, if it stands at the top.

    It is told so from what holds it and says the same, though ids and classes be others now; from
    one that stands in the same tags and says the same only by its row.
    """
    same = [one for one in standings if is_unmoved(bundle, one.like)]
    speaks = any((bundle.name, bundle.label, bundle.text)) and not is_sign(bundle)
    if not speaks or len(same) != 1 or standings[0].share - same[0].share >= LEAD:
        return []
    twins = [one for one in standings if one.says() == 1 and one.like.path == bundle.path]
    return same if len(twins) < 2 or has_named_row(bundle) else []


def _is_misplaced(bundle: Bundle, best: Standing, standings: Sequence[Standing]) -> bool:
    """Whether it stands in another row or region, and its own words may be those of another."""
    if bundle.nth is None or best.marked or (best.addressed and best.says() == 1):
        return False
    if best.told and bundle.nth[1] == 1 and best.grades.get("name") == 1:
        return False
    # A text may be that of all rows: only a name is known to be of one element alone.
    return is_in_another_region(bundle, best.like) or (
        not (best.told and bundle.name)
        and is_other_row(bundle, best.like, (one.like for one in standings))
    )


def _is_only_counted(bundle: Bundle, best: Standing) -> bool:
    """Whether only what counts places tells it from those alike, of which there are others now."""
    before, now = bundle.nth or (0, 1), best.nth or (0, 1)
    told = best.told or best.marked or best.says() is not None
    told = told or (has_named_row(bundle) and is_held_alike(bundle, best.like))
    return before[1] > 1 and before[1] != now[1] and not told


def _is_one_of_several(
    bundle: Bundle, best: Standing, standings: Sequence[Standing], *, fewer: bool
) -> bool:
    """Whether it may be what is left of several alike, of which the one that is meant has gone."""
    near = best.grades.get("near", 1)
    if best.addressed and best.says() == 1:
        return False
    if fewer and (near < STILL_NEAR or _has_left_its_css(best)):
        return True
    if best.marked:
        return False
    if best.says() is None or is_sign(bundle):
        # Without words of its own it is what any of those is; by hand all of those may be meant.
        moved = bundle.nth is not None and best.like.near[:1] != bundle.near[:1]
        return fewer or (not best.addressed and moved)
    if not (fewer or not bundle.name) or not (
        shares_words(bundle) or _has_twin(bundle, best, standings)
    ):
        return False
    # Another of those alike may stand in the same row, or under another heading.
    needed = STILL_NEAR if bundle.near and has_named_row(bundle) else SAME_PLACE
    if fewer and needed == SAME_PLACE:
        needed = UNTOUCHED
    return near < needed or not is_held_alike(bundle, best.like)


def _has_left_its_css(best: Standing) -> bool:
    """Whether CSS no longer matches it though its classes are as they were: it stands elsewhere."""
    grades = best.grades
    return not best.marked and grades.get("css") == 0 and grades.get("classes") == 1


def _has_twin(bundle: Bundle, best: Standing, standings: Sequence[Standing]) -> bool:
    """Whether another one of its kind says the same now."""
    return any(
        one.at != best.at and one.says() == 1 and is_kind(bundle, one.like) for one in standings
    )


def _is_but_a_number(bundle: Bundle, best: Standing, standings: Sequence[Standing]) -> bool:
    """Whether only a number says that it is the one, away from where that one stood."""
    near = best.grades.get("near", 1)
    # What stands near others of its kind as well does not tell it from them.
    others = (one for one in standings if one.at != best.at and is_kind(bundle, one.like))
    is_shared = any(one.grades.get("near", 0) >= near for one in others)
    if best.marked or (near >= SAME_PLACE and (best.nth == bundle.nth or not is_shared)):
        return False
    return not says_more_than_numbers(bundle, [one.like for one in standings])


def _is_another(
    bundle: Bundle, best: Standing, standings: Sequence[Standing], *, fewer: bool
) -> bool:
    """Whether the best one says something else: it stands where the one that is meant has gone."""
    says = best.says()
    if not best.told and not is_kind(bundle, best.like):
        return True
    if says is None:
        # It said nothing, as far as a page told: what has a name of its own now is another.
        return bundle.nth is not None and bool(best.like.name) and not best.marked
    if says >= 1:
        return False
    if says == 0 and not is_kind(bundle, best.like) and not best.marked:
        return True
    return _is_neighbour(bundle, best, says, fewer=fewer) or _has_rival(
        bundle, best, says, standings
    )


def _is_neighbour(bundle: Bundle, best: Standing, says: float, *, fewer: bool) -> bool:
    """Whether too little speaks for one that has other words."""
    beside = was_beside(bundle, best.like)
    if (says < SAYS_ALIKE or beside or fewer) and not best.told:
        return True
    if best.marked:
        return False
    # Two links may lead to the same page: where one leads does not tell it from the other.
    moved = says < SAYS_ALIKE and best.grades.get("near", 0) < SAME_PLACE
    return beside or moved or not is_at_home(bundle, best.like)


def _has_rival(bundle: Bundle, best: Standing, says: float, standings: Sequence[Standing]) -> bool:
    """Whether the words of another one are those that are known, or come as near to them."""
    role, others = best.grades.get("role"), [one for one in standings if one.at != best.at]
    if any(one.says() == 1 and one.grades.get("role") == role for one in others):
        return True
    return not best.told and any(
        (one.says() or 0) >= says - ALIKE and is_kind(bundle, one.like) for one in others
    )


def _is_elsewhere(bundle: Bundle, best: Standing, standings: Sequence[Standing]) -> bool:
    """Whether another one stands where the one stood that is meant, and says what is new there.

    The best one has only words that several had: the one that is meant has other words now.
    """
    if bundle.nth is None or bundle.nth[1] == 1 or best.marked:
        return False
    near = best.grades.get("near", 1.0) + NEARER
    return any(
        one.grades.get("near", 0) > near
        and one.says() != 1
        and is_kind(bundle, one.like)
        and not was_beside(bundle, one.like)
        for one in standings
    )


def _counts(bundle: Bundle, value: str) -> bool:
    """Whether a value that a page gave may count places; by hand it is what is meant."""
    return bundle.nth is not None and any(letter.isdigit() for letter in value)


def _test_id_of(bundle: Bundle) -> Candidate:
    if _counts(bundle, bundle.test_id):
        return Candidate("test_id", _COUNTED, _grade_likeness(grade_test_id), telling=False)
    return Candidate("test_id", 6.0, _grade_likeness(grade_test_id), marks=True)


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

    # Of other kinds than fields that hold one value, several have one name.
    holds_one = bundle.role in _HOLD_ONE and not value.endswith("[]")
    by_hand = bundle.nth is None and bundle.role not in ("radio", "checkbox")
    is_shared = key == "name" and not (holds_one or by_hand)
    # What several say, these say once more.
    again = key in ("alt", "title") and bundle.nth is not None and bundle.nth[1] > 1
    telling = key not in ("type", "value") and not (is_shared or counts or again)
    marks = key in ("id", "name") and telling
    return Candidate(f"attributes.{key}", weight, grade, telling=telling, marks=marks)
