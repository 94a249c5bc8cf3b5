"""Queries: looking at the page. Nothing here changes it, and no secret leaves with an answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, TypeAlias, cast

from director.browser.collection import collect_list_items
from director.browser.element_portraits import PageChanged, ask_portraits_script
from director.browser.elements import Result, find_matching_elements, read_config_number
from director.browser.errors import BrowserError
from director.browser.fields import evaluate_field_script
from director.browser.masks import MaskedPage
from director.browser.readiness import wait_until_ready
from director.browser.session import Session
from director.workflow.bounds import check_bounds
from director.workflow.selectors import get_field_selector
from director.workflow.values import Config, Json

_RULES_WITHIN = 2000
_LOOK_AGAIN = 0.1
_TRIES = 5
_ROWS = 3
_FEW = 0.1
"""The share of what fits that is told if it is hidden."""
_FLAT = (
    "all => all.filter(e => !e.getBoundingClientRect().height && "
    "getComputedStyle(e).display !== 'contents').map(() => 0)"
)


async def run_query(session: Session, config: Config) -> Result:
    """Look at the active tab as a browser_query says."""
    async with session.doing(str(config["method"])):
        found = await _METHODS[str(config["method"])](session, config)
    check_bounds(found, what="What the page gave")
    return cast("Result", clean_query(found, session.net.clean))


async def _validate(session: Session, config: Config) -> Result:
    page = session.page()
    until = time.monotonic() + read_config_number(config, "timeout", _RULES_WITHIN) / 1000
    while True:
        results = await session.look(page, lambda seen: _rules(seen, config))
        errors = [result["message"] for result in results if not result["passed"]]
        if not errors or time.monotonic() >= until:
            break
        await asyncio.sleep(_LOOK_AGAIN)
    return {
        "passed": not errors,
        "errors": errors,
        "details": {
            "rule_results": results,
            "validated_url": page.url,
            "timestamp": datetime.now(UTC).isoformat(),
        },
    }


async def _rules(seen: MaskedPage, config: Config) -> list[Result]:
    return [await _rule(seen, rule) for rule in _objects(config["rules"])]


async def _rule(seen: MaskedPage, rule: Config) -> Result:
    count = len((await find_matching_elements(seen, rule["selector"])).visible())
    exists = rule["type"] == "element_exists"
    passed = (count > 0) is exists
    said = rule.get("description") or f"{rule['type']} {rule['selector']}"
    message = (
        "" if passed else f"{said}: {count} visible, {'one was' if exists else 'none was'} expected"
    )
    return {**rule, "passed": passed, "count": count, "message": message}


async def _extract(seen: MaskedPage, config: Config) -> Result:
    for rule in _selectors(config.get("fields")):
        seen.check_selector(rule)
    every = await find_matching_elements(seen, config["selector"])
    visible_only = config.get("visibleOnly") is not False
    chosen = every.visible() if visible_only else every
    asked = {
        "fields": config.get("fields"),
        "limit": config.get("limit"),
        "unread": sorted(seen.left),
    }
    items = await chosen.evaluate_all(_script("extract.js"), asked)
    del items[read_config_number(config, "limit", len(items)) :]
    result: Result = {
        "items": items,
        "count": len(items),
        "filteredBy": ["visibleOnly"] if visible_only else [],
        "totalElements": len(every),
    }
    doubts = await _doubt(seen, items, len(every), selector=config["selector"])
    hidden = len(every) - len(chosen)
    # Templates and second copies are hidden by the half; a few of many are an exception.
    if 0 < hidden <= _FEW * len(every):
        doubts.append(f"{hidden} of {len(every)} elements that fit are hidden and were left out.")
    if doubts:
        result["doubts"] = doubts
    return result


def _blank(said: str) -> Json:
    return {"kind": "blank", "sentence": said, "evidence": {}}


async def _extract_drawn(seen: MaskedPage, config: Config) -> Result:
    """What is drawn, with a doubt if the list draws the rest of it only while it is scrolled."""
    result = await _extract(seen, config)
    if config.get("limit") is not None or not result["count"]:
        return result
    first = (await find_matching_elements(seen, config["selector"])).sights[0]
    share = float(await ask_portraits_script(first.frame, "drawn", id=first.portrait.node))
    if share < 1:
        told = result.get("doubts")
        said = (
            f"The list draws a part of what it holds, about {share:.0%} of its height: "
            f"{result['count']} were read. The method extract_all scrolls and reads all of it."
        )
        result["doubts"] = [*(told if isinstance(told, list) else []), said]
    return result


async def _doubt(seen: MaskedPage, items: list[Json], total: int, *, selector: Json) -> list[Json]:
    """What speaks against an extraction: nothing was read though there is something to read."""
    if not items:
        if total:
            return [f"{total} elements match, and none of them can be seen: nothing was read."]
        if isinstance(selector, Mapping) and selector.get("nth"):
            return ["The one element that the selector describes is not found: nothing was read."]
        if await evaluate_field_script(seen.page.main_frame, _script("empty_list.js")):
            return []
        rows = 0
        for frame in seen.page.frames:
            rows += await ask_portraits_script(frame, "rows")
        said = f"Nothing matches, while the page shows {rows} rows or items of lists."
        return [said] if rows >= _ROWS else []
    read = [
        value
        for item in items
        for value in (item.values() if isinstance(item, Mapping) else [item])
    ]
    if any(value not in ("", False, None) for value in read):
        return []
    return [_blank(f"{len(items)} elements match, and every field of them is empty.")]


async def _count(seen: MaskedPage, config: Config) -> Result:
    every = await find_matching_elements(seen, config["selector"])
    count, visible = len(every), len(every.visible())
    flat = await every.evaluate_all(_FLAT)
    result: Result = {
        "count": count,
        "visibleCount": visible,
        "hiddenCount": count - visible,
        "zeroHeightCount": len(flat),
    }
    if count and not visible:
        result["warning"] = "Elements match, but none of them can be seen."
    return result


async def _debug(seen: MaskedPage, config: Config) -> Result:
    every = await find_matching_elements(seen, config["selector"])
    count = len(every)
    place = {"first": 0, "last": -1, None: 0}.get(cast("Any", config.get("nth")), config.get("nth"))
    index = int(cast("int", place))
    if not -count <= index < count:
        return {
            "found": False,
            "totalElements": count,
            "actionability": {
                "clickable": False,
                "reasons": [f"{count} elements match, so there is no number {index}"],
                "suggestions": ["look at a snapshot of the page", "wait until it is there"],
            },
        }
    told: Result = await every.locator(index % count).evaluate(_script("debug.js"))
    return {"found": True, "totalElements": count, **told}


_Method: TypeAlias = Callable[[Session, Config], Awaitable[Result]]
_Look: TypeAlias = Callable[[MaskedPage, Config], Awaitable[Result]]


def _once(look: _Look) -> _Method:
    """A method that is one look at the page, once what it asked for is there."""

    async def method(session: Session, config: Config) -> Result:
        if session.pending():
            await wait_until_ready(session.page(), session.pending)
        for _ in range(_TRIES):
            try:
                return await session.look(session.page(), lambda seen: look(seen, config))
            except PageChanged:
                await asyncio.sleep(_LOOK_AGAIN)
        return await session.look(session.page(), lambda seen: look(seen, config))

    return method


_METHODS: Mapping[str, _Method] = {
    "validate": _validate,
    "deterministic_extract": _once(_extract_drawn),
    "extract_all": lambda session, config: collect_list_items(session, config, _extract),
    "count": _once(_count),
    "debug_element": _once(_debug),
}
METHODS = tuple(_METHODS)


def clean_query(value: Json, clean: Callable[[str], str]) -> Json:
    """A value with every text in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(name): clean_query(inner, clean) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean_query(inner, clean) for inner in value]
    return value


def _objects(value: Json) -> list[Config]:
    if isinstance(value, list | tuple) and all(isinstance(each, Mapping) for each in value):
        return cast("list[Config]", list(value))
    raise BrowserError("The rules of validate are a list of objects.")


def _selectors(fields: Json) -> list[str]:
    """The rules of an extraction that are CSS."""
    rules = fields.values() if isinstance(fields, Mapping) else ()
    texts = [rule for rule in rules if isinstance(rule, str) and rule != "."]
    return [css for css in map(get_field_selector, texts) if css]


def _script(name: str) -> str:
    return files("director.browser").joinpath(name).read_text("utf-8")
