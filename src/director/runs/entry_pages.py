"""What was entered, looked for on the page of the entry itself where its list does not show it.

A field that an application drops is mostly one that its list has no column for. Looks only, at the
first entries of each node: an application that drops a field drops it from all.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping

from playwright.async_api import Error as PlaywrightError

from director.browser import BrowserError, Session
from director.browser.shown_fields import find_shown_fields
from director.runs.filled_fields import list_shown_again
from director.runs.values import Step
from director.workflow.paths import is_list
from director.workflow.values import Config

_OPENED = 2  # entries of each node


async def look_at_entries(
    session: Session, steps: Mapping[str, Step], found: MutableMapping[str, Config]
) -> None:
    """Add to what was read back of effects what the pages of their entries show.

    Only of fields that neither the page afterwards nor the list showed, and only where `entry`
    says where that page is.
    """
    opened: dict[str, int] = {}
    for key, seen in [*found.items()]:
        step, url = steps[key], str(seen.get("entry") or "")
        missing = _list_missing(step, seen)
        if not url or not missing or opened.get(step.node, 0) >= _OPENED:
            continue
        opened[step.node] = opened.get(step.node, 0) + 1
        try:
            await session.navigate(url)
            more = await find_shown_fields(session, missing)
        except (BrowserError, PlaywrightError):
            continue
        known = seen.get("fields")
        found[key] = {**seen, "fields": [*(known if is_list(known) else ()), *more]}


def _list_missing(step: Step, seen: Config) -> list[Config]:
    """The fields that were filled and are shown nowhere so far."""
    observed = step.observed or {}
    shown = {
        str(each["field"])
        for pairs in (observed.get("fields"), seen.get("fields"))
        for each in (pairs if is_list(pairs) else ())
        if isinstance(each, Mapping)
    }
    return [each for each in list_shown_again(step) if str(each["field"]) not in shown]
