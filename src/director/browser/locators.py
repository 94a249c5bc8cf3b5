"""Finding elements: from an element to a durable bundle, and from a selector to its elements.

A CSS string is CSS, in every frame and open shadow root. A bundle is put to the vote: all its
candidates speak in one look at the page. Whoever looks gets all that fit; whoever acts gets one, or
an error with the candidates. What the candidates of a bundle disagree about is reported with a
proposed new bundle; no bundle is changed here.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator, Page

from director.browser.bundle import (
    Bundle,
    LocatorError,
    NoElement,
    Selector,
    SeveralElements,
    diff_bundles,
    parse_bundle_or_css,
)
from director.browser.bundle_standing import Standing
from director.browser.bundle_vote import leaders, tally
from director.browser.element_errors import (
    describe_winner_objections,
    make_element_place_error,
    make_filter_error,
    make_no_such_element_error,
    make_several_elements_error,
    make_unsure_element_error,
)
from director.browser.element_likeness import is_place, read_as_page_says
from director.browser.element_portraits import (
    Sight,
    ask_about_portraits,
    read_portraits_in_all_frames,
    report_portrait_listeners,
)
from director.browser.masks import REFUSED, Looks, MaskedPage, read_unmasked_page
from director.secrets.clear import MARK
from director.workflow.values import Json

Nth: TypeAlias = int | str | None
Filter: TypeAlias = Literal["visibleOnly", "inViewportOnly"]
_REF = re.compile(r"(f\d+)?e\d+")
_NO_CSS = "is not CSS that a browser can read"
_PLACES = {"first": 0, "last": -1}
_LOOK_AGAIN = 0.1
_SEVERAL = 2.0
"""Seconds after which several that fit are not going to become one."""
_SETTLED = 0.5
"""How long a disputed winner must stand, while there is time, before it is believed."""


@dataclass(frozen=True, slots=True)
class Found:
    """The one element that a selector means now, and how sure that is.

    `votes` is its share of the votes (1 for CSS) and `disagreements` says what spoke against it.
    `proposal` is the bundle that would describe it without dispute: somebody has to accept it.
    """

    locator: Locator
    nth: int
    total: int
    actionable: int
    filtered_by: tuple[Filter, ...]
    votes: float = 1.0
    disagreements: tuple[str, ...] = ()
    bundle: Bundle | None = None
    proposal: Bundle | None = None
    sight: Sight | None = None

    def counts(self) -> dict[str, Json]:
        """What an action reports of how its element was chosen."""
        return {
            "nth": self.nth,
            "totalElements": self.total,
            "actionableElements": self.actionable,
            "filteredBy": list(self.filtered_by),
        }

    def diff(self) -> str:
        """The proposed bundle against the one that was used; empty if there is none."""
        return diff_bundles(self.bundle, self.proposal) if self.bundle and self.proposal else ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the elements that match is meant."""

    nth: Nth
    visible_only: bool
    in_viewport_only: bool
    first: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nothing says which of several is meant."""
        return self.nth is None and not self.first

    def filters(self) -> tuple[Filter, ...]:
        """The names of the filters that apply."""
        asked: tuple[tuple[Filter, bool], ...] = (
            ("visibleOnly", self.visible_only),
            ("inViewportOnly", self.in_viewport_only),
        )
        return tuple(name for name, wanted in asked if wanted)

    def leaves(self, sight: Sight) -> bool:
        """Whether an element passes the filters."""
        one = sight.portrait
        return (one.visible or not self.visible_only) and (one.in_view or not self.in_viewport_only)

    def index(self, count: int, what: object) -> int:
        """Which one of so many, counted from 0."""
        try:
            number = int(_PLACES.get(str(self.nth), self.nth) or 0)
        except ValueError:
            raise LocatorError(
                f"nth is a whole number, 'first' or 'last', not {self.nth!r}."
            ) from None
        if not -count <= number < count:
            raise make_no_such_element_error(self.nth, count, what)
        return number % count


def is_ref(text: str) -> bool:
    """Whether a text is a ref of an outline, such as "e12" or "f1e3"."""
    return _REF.fullmatch(text) is not None


async def count_located(locator: Locator) -> int:
    """How many elements a locator has; none of a ref whose frame or page was left."""
    try:
        return await locator.count()
    except PlaywrightError as problem:
        if "Invalid frame in aria-ref" not in problem.message:
            raise
        return 0


async def make_locator_bundle(
    page: Page, element: str | Locator, *, clean: Callable[[str], str] = str
) -> Bundle:
    """The bundle of an element: given by its ref in a snapshot, by CSS, or as a locator.

    What `clean` would alter is left out: a text with a secret in it must not be kept.
    """
    if isinstance(element, Locator):
        locator, said = element, "The locator"
    elif is_ref(element):
        locator, said = page.get_by_ref(element), f"The ref {element!r}"
    else:
        locator, said = page.locator(f"css={parse_bundle_or_css(element)}"), repr(element)
    many = await count_located(locator)
    if many != 1:
        raise LocatorError(
            f"{said} matches {many} elements now, so there is no bundle of it. "
            "A ref lives as long as its page: take a new snapshot, or name one element."
        )
    for frame in page.frames:
        await report_portrait_listeners(frame)
    made = parse_bundle_or_css(_clean_drawn(await ask_about_portraits(locator, "describe"), clean))
    assert isinstance(made, Bundle)  # noqa: S101  an object is read as one
    return made


async def resolve_locator(  # noqa: PLR0913  what a node may say of its element
    page: Page,
    selector: Json | Bundle,
    *,
    nth: Nth = None,
    first: bool = False,
    visible_only: bool = True,
    in_viewport_only: bool = False,
    timeout: float = 0,
    looks: Looks = read_unmasked_page,
) -> Found:
    """The element that a selector means; looks again for up to `timeout` milliseconds.

    If several fit, `nth` says which, or `first` takes the first; else a LocatorError names them.
    `looks` masks the page while it is looked at.
    """
    wanted = parse_bundle_or_css(selector)
    choice = Choice(nth, visible_only, in_viewport_only, first)
    began = time.monotonic()
    until = began + timeout / 1000
    stood: dict[str, float] = {}
    while True:
        now = time.monotonic()
        try:
            found = await looks(page, lambda seen: _once(seen, wanted, choice))
            if not found.disagreements or now >= min(until, _time_to_believe(found, stood, now)):
                return found
        except (LocatorError, PlaywrightError) as error:
            if now >= until or not _may_pass(error, now - began):
                raise
        await asyncio.sleep(_LOOK_AGAIN)


def _time_to_believe(found: Found, stood: dict[str, float], now: float) -> float:
    """When a disputed winner has stood long enough; another one begins anew."""
    return stood.setdefault(str(found.locator), now) + _SETTLED


async def find_all_located(seen: MaskedPage, selector: Json | Bundle) -> list[Sight]:
    """Every element that fits a selector now, hidden ones too, in the order of the page.

    Of a bundle it is all that its vote cannot tell apart. To be used within the same look only. One
    that only its place tells is never known to be absent: if it is not there, that is an error.
    """
    wanted = parse_bundle_or_css(selector)
    sights = await _look(seen, wanted)
    if isinstance(wanted, str):
        return sights
    wanted = read_as_page_says(wanted, [sight.portrait.like for sight in sights])
    shown = [sight for sight in sights if sight.portrait.visible]
    fits = {id(sight) for pool in (sights, shown) for sight in _vote(wanted, pool).fits()}
    if not fits and is_place(wanted):
        raise make_element_place_error(wanted)
    return [sight for sight in sights if id(sight) in fits]


@dataclass(frozen=True, slots=True)
class _Vote:
    """The vote of a bundle on some elements."""

    sights: Sequence[Sight]
    standings: Sequence[Standing]
    tied: Sequence[Standing]

    def fits(self) -> list[Sight]:
        return [self.sights[one.at] for one in self.tied]


def _vote(bundle: Bundle, sights: Sequence[Sight]) -> _Vote:
    standings = tally(bundle, [sight.portrait for sight in sights])
    return _Vote(sights, standings, leaders(bundle, standings))


async def _conclude(seen: MaskedPage, found: Found) -> Found:
    """The same with a proposal if it is disputed.

    On the page as it is, without masks, its words may be others: then only the element counts.
    """
    if found.disagreements:
        proposal = await make_locator_bundle(seen.page, found.locator, clean=seen.clean)
        found = replace(found, proposal=proposal)
    if seen.holds and found.sight:
        return replace(found, locator=found.sight.locator(exact=False))
    return found


async def _once(seen: MaskedPage, wanted: Selector, choice: Choice) -> Found:
    sights = await _look(seen, wanted)
    if isinstance(wanted, Bundle):
        return await _conclude(seen, _by_vote(sights, wanted, choice))
    return await _conclude(seen, _by_css(sights, wanted, choice))


async def _look(seen: MaskedPage, wanted: Selector) -> list[Sight]:
    css = wanted.css if isinstance(wanted, Bundle) else wanted
    seen.check_selector(css)
    try:
        return await read_portraits_in_all_frames(seen.page, wanted, seen.clean)
    except PlaywrightError as error:
        if "parsing css selector" not in error.message and "valid selector" not in error.message:
            raise
        raise LocatorError(f"{css!r} {_NO_CSS}.") from None


def _may_pass(error: Exception, waited: float) -> bool:
    """Whether another look may go better: a page that is being replaced cannot be read."""
    if isinstance(error, SeveralElements) and waited > _SEVERAL:
        return False
    if isinstance(error, LocatorError):
        return _NO_CSS not in str(error) and REFUSED not in str(error)
    return "context was destroyed" in str(error)


def _by_css(sights: Sequence[Sight], css: str, choice: Choice) -> Found:
    usable = [sight for sight in sights if choice.leaves(sight)]
    if not sights:
        raise NoElement(f"No element matches {css!r}. See a new snapshot of the page.")
    if not usable:
        raise make_filter_error(repr(css), len(sights), choice.filters())
    if len(usable) > 1 and choice.is_open:
        raise make_several_elements_error(css, [sight.portrait for sight in usable])
    index = choice.index(len(usable), repr(css))
    return Found(
        usable[index].locator(),
        index,
        len(sights),
        len(usable),
        choice.filters(),
        sight=usable[index],
    )


def _by_vote(sights: Sequence[Sight], given: Bundle, choice: Choice) -> Found:
    bundle = read_as_page_says(given, [sight.portrait.like for sight in sights])
    vote = _vote(bundle, [sight for sight in sights if choice.leaves(sight)])
    everywhere = _vote(bundle, sights).tied
    portraits = [sight.portrait for sight in vote.sights]
    if not vote.tied and everywhere:
        raise make_filter_error(str(bundle), len(everywhere), choice.filters())
    if not vote.tied or (len(vote.tied) > 1 and choice.is_open):
        raise make_unsure_element_error(bundle, portraits, vote.standings, tied=vote.tied)
    index = choice.index(len(vote.tied), bundle)
    winner = vote.tied[index]
    sight = vote.sights[winner.at]
    return Found(
        sight.locator(),
        index,
        max(len(everywhere), len(vote.tied)),
        len(vote.tied),
        choice.filters(),
        votes=round(winner.share, 3),
        disagreements=describe_winner_objections(bundle, portraits, winner),
        bundle=given,
        sight=sight,
    )


def _clean_drawn(drawn: Json, clean: Callable[[str], str]) -> Json:
    if isinstance(drawn, str):
        # A text with a secret is not kept, and none of a page may become a template.
        return drawn if clean(drawn) == drawn and MARK not in drawn and "{{" not in drawn else ""
    if isinstance(drawn, dict):
        parts = {key: _clean_drawn(value, clean) for key, value in drawn.items()}
        return {key: part for key, part in parts.items() if part != ""}
    if isinstance(drawn, list):
        return [each for each in (_clean_drawn(one, clean) for one in drawn) if each != ""]
    return drawn
