"""How an element stands in the vote on a bundle, and if it only looks like the one meant. Pure.

Elements without a role nest and say the same; those of rows made of plain elements are alike but
for what stands around them. Where such a one leads, nobody is elected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from director.browser.bundle import Bundle
from director.browser.element_likeness import has_named_row, list_kept_near, reverses_near

_OWN_WORDS = ("name", "text", "label")


@dataclass(frozen=True, slots=True)
class Standing:
    """What an element got: its share of the votes and how each candidate graded it.

    It is `told` if a telling candidate describes it and no other, and `marked` if it has a
    mark that is its own. It is `addressed` if CSS that only it matched matches it and no other.
    `like` is what is known of it.
    """

    at: int
    share: float
    grades: Mapping[str, float]
    told: bool
    marked: bool
    addressed: bool
    like: Bundle

    @property
    def nth(self) -> tuple[int, int] | None:
        """Its place among those with its role and name."""
        return self.like.nth

    def says(self) -> float | None:
        """How alike its own words are to those that are known; None if none are."""
        return max((self.grades[key] for key in _OWN_WORDS if key in self.grades), default=None)


def is_another_layer(bundle: Bundle, best: Standing, standings: Sequence[Standing]) -> bool:
    """Whether one without a role is what holds the one that is meant, or what stands in it."""
    if bundle.role or bundle.nth is None or best.marked:
        return False
    moved, styled = best.like.path != bundle.path, best.grades.get("classes", 1)
    if (moved and styled == 0) or (styled < 1 and best.says() != 1 and not best.told):
        return True
    return moved and any(one.says() == 1 and one.like.path == bundle.path for one in standings)


def stands_for_another(bundle: Bundle, best: Standing, standings: Sequence[Standing]) -> bool:
    """Whether the texts that stood around the one that is meant stand around another one."""
    is_sure = best.marked or (best.addressed and best.says() == 1) or has_named_row(bundle)
    if is_sure or bundle.nth is None or (bundle.name and bundle.nth[1] == 1):
        return False
    others = [one.like for one in standings if one.at != best.at and one.like.path == bundle.path]
    if any(reverses_near(bundle, best.like, other) for other in others):
        return True
    here, *elsewhere = (list_kept_near(bundle, like) for like in (best.like, *others))
    only_here = here[:1] == [True] and not any(kept[0] for kept in elsewhere)
    return not only_here and any(
        not kept and sum(others_kept) == 1
        for kept, *others_kept in zip(here, *elsewhere, strict=True)
    )
