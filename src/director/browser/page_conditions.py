"""Conditions: whether something holds in the browser, and the evidence that it does.

A condition is polled until it holds or its time is over. What cannot be looked up does not hold:
an error is part of the evidence and never counts as success. Pages, addresses and responses are
judged without the secrets in them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from playwright.async_api import Error as PlaywrightError

from director.browser.bundle import LocatorError
from director.browser.elements import find_matching_elements, read_element_text, read_element_value
from director.browser.errors import BrowserError, BrowserGone
from director.browser.masks import REFUSED, MaskedPage
from director.browser.session import Session
from director.secrets.clear import MARK
from director.workflow.patterns import (
    PatternError,
    matches_address_pattern,
    matches_glob_pattern,
    search_pattern_in_text,
)
from director.workflow.values import Config, Json

WITHIN = 5000
_LOOK_AGAIN = 0.05


@dataclass(frozen=True, slots=True)
class Evidence:
    """Whether a condition holds, what was found, where, and after how many seconds."""

    holds: bool
    condition: Config
    found: Json
    at_url: str
    took: float

    def json(self) -> dict[str, Json]:
        """The evidence as it is stored and shown."""
        return {
            "holds": self.holds,
            "condition": self.condition,
            "found": self.found,
            "at_url": self.at_url,
            "took": round(self.took, 3),
        }


@dataclass(frozen=True, slots=True)
class _Look:
    """One look: whether it holds, what is there, and whether another look could tell otherwise."""

    holds: bool
    found: Json
    final: bool = False


_Looking: TypeAlias = Callable[[Session, MaskedPage, Config, int], Awaitable[_Look]]


async def check_page_condition(session: Session, condition: Config, since: int = 0) -> Evidence:
    """Wait until a condition holds, or its time is over; `since` is a mark of the session."""
    began = time.monotonic()
    until = began + _number(condition, "within", WITHIN) / 1000
    kind = next(kind for kind in _KINDS if kind in condition)
    while True:
        page = session.page(_tab(condition))
        try:
            look = await session.look(
                page, lambda seen: _KINDS[kind](session, seen, condition, since)
            )
        except BrowserGone:
            raise
        except (PlaywrightError, LocatorError, BrowserError) as problem:
            told = _first_line(problem)
            look = _Look(holds=False, found=f"could not look: {told}", final=REFUSED in told)
        if look.holds or look.final or time.monotonic() >= until:
            took = time.monotonic() - began
            found = session.net.clean(look.found) if isinstance(look.found, str) else look.found
            return Evidence(look.holds, condition, found, session.net.clean(page.url), took)
        await asyncio.sleep(_LOOK_AGAIN)


def _is_as_shown(pattern: str) -> bool:
    """Whether a pattern was written from an address in which a value was hidden."""
    return MARK.strip("[]") in pattern


async def _url(session: Session, seen: MaskedPage, condition: Config, _: int) -> _Look:
    glob, url = str(condition["url"]), session.net.clean(seen.page.url)
    if _is_as_shown(glob):
        return _Look(matches_address_pattern(glob, url), url)
    # A value that the pattern names as a whole is no reason to fail: a vault may hold "admin".
    address = session.net.replace_values(seen.page.url)
    return _Look(matches_address_pattern(session.net.replace_values(glob), address), url)


async def _url_matches(session: Session, seen: MaskedPage, condition: Config, _: int) -> _Look:
    pattern, url = str(condition["url_matches"]), session.net.clean(seen.page.url)
    address = url
    if not _is_as_shown(pattern):
        pattern = session.net.replace_values(pattern)
        address = session.net.replace_values(seen.page.url)
    try:
        return _Look(await search_pattern_in_text(pattern, address), url)
    except PatternError as problem:
        return _Look(holds=False, found=f"could not look: {problem}", final=True)


async def _element(_: Session, seen: MaskedPage, condition: Config, __: int) -> _Look:
    visible = (await find_matching_elements(seen, condition["element"])).visible()
    count = len(visible)
    if condition.get("absent"):
        return _Look(count == 0, f"{count} visible")
    if not count:
        return _Look(holds=False, found="none visible")
    wanted = condition.get("text")
    if wanted is not None:
        text = " ".join(seen.clean(await read_element_text(visible.locator())).split())
        said = " ".join(str(wanted).split())
        folds = str.casefold if condition.get("ignore_case") is True else str
        return _Look(folds(said) in folds(text), text[:500])
    wanted = condition.get("value")
    if wanted is not None:
        value = await read_element_value(visible.locator())
        if value is None:
            return _Look(holds=False, found=MARK, final=True)
        value = seen.clean(value)
        return _Look(value == wanted, value[:500])
    return _Look(holds=True, found=f"{count} visible")


async def _count(_: Session, seen: MaskedPage, condition: Config, __: int) -> _Look:
    count = len(await find_matching_elements(seen, condition["count"]))
    holds = (
        count == _number(condition, "equals", count)
        and count >= _number(condition, "at_least", count)
        and count <= _number(condition, "at_most", count)
    )
    return _Look(holds, count)


async def _status(session: Session, _: MaskedPage, condition: Config, since: int) -> _Look:
    glob = str(condition["status"])
    is_shown, compared = _is_as_shown(glob), session.net.replace_values(glob)
    answers = [
        each
        for each in session.responses(since)
        if (
            matches_glob_pattern(glob, each.url)
            if is_shown
            else matches_glob_pattern(compared, each.address)
        )
    ]
    found: Json = [f"{each.status} {each.method} {each.url}" for each in answers[-20:]]
    exactly, below = condition.get("is"), _number(condition, "below", 1000)
    good = [
        each.status == exactly if exactly is not None else 0 < each.status < below
        for each in answers
    ]
    # One bad answer stays bad, however long one waits.
    return _Look(bool(good) and all(good), found, final=not all(good))


async def _download(session: Session, _: MaskedPage, condition: Config, since: int) -> _Look:
    glob, least = str(condition["download"]), _number(condition, "at_least", 1)
    there = session.list_arrived_downloads(since)
    found: Json = [f"{each.path.name} ({each.size} bytes)" for each in there[-20:]]
    fits = [
        each for each in there if matches_glob_pattern(glob, each.path.name) and each.size >= least
    ]
    return _Look(bool(fits), found)


_KINDS: Mapping[str, _Looking] = {
    "download": _download,
    "url": _url,
    "url_matches": _url_matches,
    "element": _element,
    "count": _count,
    "status": _status,
}


def _number(condition: Config, name: str, otherwise: int) -> int:
    value = condition.get(name)
    return value if isinstance(value, int) else otherwise


def _tab(condition: Config) -> str | None:
    tab = condition.get("tab")
    return None if tab is None else str(tab)


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0]
