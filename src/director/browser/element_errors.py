"""What is said when an element is not found, not the only one, or disputed."""

from __future__ import annotations

from collections.abc import Sequence

from director.browser.bundle import Bundle, Holder, LocatorError, NoElement, SeveralElements
from director.browser.bundle_standing import Standing
from director.browser.bundle_vote import Portrait, candidates_of
from director.browser.element_likeness import is_place

_NAMED = 8


def describe_winner_objections(
    bundle: Bundle, portraits: Sequence[Portrait], winner: Standing
) -> tuple[str, ...]:
    """What the candidates that speak for themselves hold against the winner."""
    told = []
    for each in candidates_of(bundle):
        if not (each.telling or each.key == "name") or winner.grades[each.key] >= 1:
            continue
        value = _value(bundle, each.key)
        others = [one for one in portraits if each.grade(bundle, one) >= 1]
        if others:
            told.append(f"{each.key} {value!r} describes {_element(others[0])} instead")
        else:
            told.append(f"{each.key} {value!r} describes nothing on the page")
    return tuple(told)


def make_unsure_element_error(
    bundle: Bundle,
    portraits: Sequence[Portrait],
    standings: Sequence[Standing],
    *,
    tied: Sequence[Standing],
) -> LocatorError:
    """The error for a vote without a winner."""
    if is_place(bundle):
        return make_element_place_error(bundle)
    counts = ", ".join(
        f"{each.key} {_value(bundle, each.key)!r}: "
        f"{sum(each.grade(bundle, one) >= 1 for one in portraits)}"
        for each in candidates_of(bundle)
        if each.telling or each.key == "name"
    )
    nearest = ", ".join(
        dict.fromkeys(_element(portraits[each.at]) for each in (tied or standings)[:5])
    )
    if tied:
        return SeveralElements(
            f"{len(tied)} elements fit {str(bundle)!r} alike: {nearest}. Nothing was done. "
            f"Give nth, or say more of it (within, near). Elements by candidate: {counts}."
        )
    hint = f" Nearest on the page: {nearest}." if nearest else ""
    return NoElement(
        f"No element fits {str(bundle)!r} well enough. Nothing was done. "
        f"Elements by candidate: {counts}.{hint}"
    )


def make_element_place_error(bundle: Bundle) -> LocatorError:
    """The error for one that only its place tells, and that place is not as it was."""
    why = (
        "what stands there or around it has changed"
        if bundle.nth
        else "it does not say what stood there"
    )
    return NoElement(
        f"{str(bundle)!r} is told by its place alone, and {why}: another element may stand there "
        "now. Nothing was done. Take a new snapshot and a new selector of the element "
        "(describe_element), or of something with a name that holds it; if whatever stands at that "
        f"place is meant, give the CSS itself as the selector: {bundle.css!r}."
    )


def make_several_elements_error(css: str, portraits: Sequence[Portrait]) -> LocatorError:
    """The error for CSS that matches more than one element where one is needed."""
    named = ", ".join(f"{at}: {_element(one)}" for at, one in enumerate(portraits[:_NAMED]))
    more = f" and {len(portraits) - _NAMED} more" if len(portraits) > _NAMED else ""
    return SeveralElements(
        f"{css!r} matches {len(portraits)} elements that can be seen: {named}{more}. Nothing was "
        "done. Name one of them by a narrower selector; an action also takes nth, or first: true."
    )


def make_filter_error(what: str, total: int, filters: Sequence[str]) -> LocatorError:
    """The error for elements that are there but cannot be used as they are."""
    return NoElement(
        f"{what} matches {total} {_elements(total)}, but {' and '.join(filters)} leaves none. "
        "Wait until it is shown, scroll to it, or set that to false."
    )


def make_no_such_element_error(nth: object, count: int, what: object) -> LocatorError:
    """The error for a place beyond the end."""
    return LocatorError(f"There is no nth {nth!r}: {what} matches {count} {_elements(count)}.")


def _elements(count: int) -> str:
    return "element" if count == 1 else "elements"


def _element(one: Portrait) -> str:
    like = one.like
    return str(Holder(like.role or like.path.rpartition(">")[2], like.name or like.text[:40]))


def _value(bundle: Bundle, key: str) -> str:
    if key.startswith("attributes."):
        return bundle.attributes[key.removeprefix("attributes.")]
    return str(getattr(bundle, key))
