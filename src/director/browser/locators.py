"""Finding elements: from an element to a durable bundle, and from a selector to one element.

A CSS string is CSS. A bundle is put to the vote: all its candidates speak in one look at the page.
What they disagree about is reported with a proposed new bundle; no bundle is changed here, and an
element that the vote is not sure of is never handed out.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator, Page

from director.browser.bundle import Bundle, LocatorError, Selector, changes, selector_of
from director.browser.looking import Sight, frames_of, locator_of, look, script
from director.browser.masks import REFUSED, Looks, MaskedPage, look_bare
from director.browser.telling import against, filtered_away, no_such_nth, unsure
from director.browser.voting import leaders, tally
from director.secrets.clear import MARK
from director.workflow.values import Json

Nth: TypeAlias = int | str | None
Filter: TypeAlias = Literal["visibleOnly", "inViewportOnly"]
_REF = re.compile(r"(f\d+)?e\d+")
_IN_VIEW = """elements => elements.map(element => {
  const box = element.getBoundingClientRect();
  return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
})"""
_NO_CSS = "is not CSS that a browser can read"
_PLACES = {"first": 0, "last": -1}
_LOOK_AGAIN = 0.1
_PIN = "data-director-pin"
_PINS = itertools.count(1)
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
        return changes(self.bundle, self.proposal) if self.bundle and self.proposal else ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the elements that match is meant."""

    nth: Nth
    visible_only: bool
    in_viewport_only: bool

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
            raise no_such_nth(self.nth, count, what)
        return number % count


async def bundle_of(
    page: Page, element: str | Locator, *, clean: Callable[[str], str] = str
) -> Bundle:
    """The bundle of an element: given by its ref in a snapshot, by CSS, or as a locator.

    What `clean` would alter is left out: a text with a secret in it must not be kept.
    """
    if isinstance(element, Locator):
        locator, said = element, "The locator"
    elif _REF.fullmatch(element):
        locator, said = page.get_by_ref(element), f"The ref {element!r}"
    else:
        locator, said = page.locator(f"css={selector_of(element)}"), repr(element)
    many = await locator.count()
    if many != 1:
        raise LocatorError(
            f"{said} matches {many} elements now, so there is no bundle of it. "
            "A ref lives as long as its page: take a new snapshot, or name one element."
        )
    # Refs are known to Playwright's own world only: an element crosses over, a selector does not.
    handle = await locator.element_handle()
    drawn = await handle.evaluate(
        f"(element, ask) => ({script()})([element], ask)", {"target": True}
    )
    await handle.dispose()
    made = selector_of(_cleaned(json.loads(drawn), clean))
    assert isinstance(made, Bundle)  # noqa: S101  an object is read as one
    return made


async def resolve(  # noqa: PLR0913  what a node may say of its element
    page: Page,
    selector: Json | Bundle,
    *,
    nth: Nth = None,
    visible_only: bool = True,
    in_viewport_only: bool = False,
    timeout: float = 0,  # noqa: ASYNC109  a page is looked at again, not interrupted
    looks: Looks = look_bare,
) -> Found:
    """The element that a selector means; looks again for up to `timeout` milliseconds.

    Of several that CSS matches it is the first, or the nth; a bundle that cannot tell several apart
    needs an nth. `looks` masks the page while it is looked at. Raises LocatorError that says what
    was found instead.
    """
    wanted = selector_of(selector)
    choice = Choice(nth, visible_only, in_viewport_only)
    until = time.monotonic() + timeout / 1000
    stood: dict[str, float] = {}

    async def look(seen: MaskedPage) -> Found | None:
        now = time.monotonic()
        found = await _once(seen, wanted, choice)
        if found.disagreements:
            believed = stood.setdefault(str(found.locator), now) + _SETTLED
            if now < min(until, believed):
                return None
        return await _conclude(page, seen, found)

    while True:
        now = time.monotonic()
        try:
            found = await looks(page, look)
            if found is not None:
                return found
        except (LocatorError, PlaywrightError) as error:
            if now >= until or not _may_pass(error):
                raise
        await asyncio.sleep(_LOOK_AGAIN)


async def _conclude(page: Page, seen: MaskedPage, found: Found) -> Found:
    """The same with a proposal if it is disputed, and pinned if the page is masked."""
    if found.disagreements:
        proposal = await bundle_of(page, found.locator, clean=seen.clean)
        found = replace(found, proposal=proposal)
    return await _pin(found) if seen.holds else found


async def _pin(found: Found) -> Found:
    """The same with a locator that finds this element, and needs no look at the page to do so.

    On the page as it is, without masks, the selector could mean another element.
    """
    handle = await found.locator.element_handle()
    frame = await handle.owner_frame()
    pin = str(next(_PINS))
    await handle.evaluate(f"(node, pin) => node.setAttribute({_PIN!r}, pin)", pin)
    await handle.dispose()
    where = frame or found.locator.page.main_frame
    return replace(found, locator=where.locator(f'css=[{_PIN}="{pin}"]'))


async def _once(seen: MaskedPage, wanted: Selector, choice: Choice) -> Found:
    try:
        if isinstance(wanted, Bundle):
            return await _by_vote(seen, wanted, choice)
        return await _by_css(seen, wanted, choice)
    except PlaywrightError as error:
        if "parsing css selector" not in error.message and "valid selector" not in error.message:
            raise
        css = wanted.css if isinstance(wanted, Bundle) else wanted
        raise LocatorError(f"{css!r} {_NO_CSS}.") from None


def _may_pass(error: Exception) -> bool:
    """Whether another look may go better: a page that is being replaced cannot be read."""
    if isinstance(error, LocatorError):
        return _NO_CSS not in str(error) and REFUSED not in str(error)
    return "context was destroyed" in str(error)


async def _by_css(seen: MaskedPage, css: str, choice: Choice) -> Found:
    seen.check_selector(css)
    every = seen.page.locator(f"css={css}")
    usable = every.filter(visible=True) if choice.visible_only else every
    total, views = await asyncio.gather(every.count(), usable.evaluate_all(_IN_VIEW))
    places = [at for at, seen in enumerate(views) if seen or not choice.in_viewport_only]
    if not total:
        raise LocatorError(f"No element matches {css!r}. See a new snapshot of the page.")
    if not places:
        raise filtered_away(repr(css), total, choice.filters())
    index = choice.index(len(places), repr(css))
    return Found(usable.nth(places[index]), index, total, len(places), choice.filters())


async def _by_vote(masked: MaskedPage, bundle: Bundle, choice: Choice) -> Found:
    masked.check_selector(bundle.css)
    frames = frames_of(masked.page, bundle, masked.clean)
    looks = await asyncio.gather(
        *(look(frame, bundle, names=not masked.fields) for frame in frames)
    )
    seen = [sight for sights in looks for sight in sights]
    usable = [sight for sight in seen if choice.leaves(sight)]
    portraits = [sight.portrait for sight in usable]
    standings = tally(bundle, portraits)
    tied = leaders(bundle, standings)
    everywhere = leaders(bundle, tally(bundle, [sight.portrait for sight in seen]))
    if not tied and everywhere:
        raise filtered_away(str(bundle), len(everywhere), choice.filters())
    if not tied or (len(tied) > 1 and choice.nth is None):
        raise unsure(bundle, portraits, standings, tied=tied)
    index = choice.index(len(tied), bundle)
    winner = tied[index]
    return Found(
        locator_of(usable[winner.at], bundle, seen),
        index,
        max(len(everywhere), len(tied)),
        len(tied),
        choice.filters(),
        votes=round(winner.share, 3),
        disagreements=against(bundle, portraits, winner),
        bundle=bundle,
    )


def _cleaned(drawn: Json, clean: Callable[[str], str]) -> Json:
    if isinstance(drawn, str):
        return drawn if clean(drawn) == drawn and MARK not in drawn else ""
    if isinstance(drawn, dict):
        parts = {key: _cleaned(value, clean) for key, value in drawn.items()}
        return {key: part for key, part in parts.items() if part != ""}
    if isinstance(drawn, list):
        return [each for each in (_cleaned(one, clean) for one in drawn) if each != ""]
    return drawn
