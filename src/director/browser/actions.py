"""Actions: one thing done in the browser, on the active tab.

One small function for each action, in a table. An action that cannot be done raises with what to
do; none of them reports success for something that did not happen. Files and places for pictures
are outside the browser: they are reached through functions that are handed in.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, TypeAlias, cast

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator, Page, Route

from director.browser.bundle import NoElement
from director.browser.dialogs import check_dialogs, get_dialog_answer
from director.browser.elements import (
    TIMEOUT,
    Result,
    find_matching_elements,
    find_one_element,
    read_config_number,
)
from director.browser.errors import BrowserError
from director.browser.field_values import set_value
from director.browser.focus import press_keys
from director.browser.masks import MaskedPage
from director.browser.moving_text import choose_options
from director.browser.outside import Outside
from director.browser.page_status import describe_error_page, refuse_error_page
from director.browser.pdf import fetch_file, read_pdf
from director.browser.pointer import click_element, drag_element, hover_over_element
from director.browser.queries import clean_query
from director.browser.session import Session
from director.browser.text_entry import type_text
from director.browser.uploads import upload_files
from director.workflow.values import Config, Json

_WAIT = 30_000
_MAYBE = 2_000  # ms for an element that need not be there
_TRIES = 30
_DOWNLOAD = 5.0  # seconds until a download that was asked for has begun
_LOOK_AGAIN = 0.05
_CHOSEN = """all => all.map(node => [...((node.control ?? node).selectedOptions ?? [])]
    .map(option => [option.value, (option.label || option.text).trim()]))"""


async def run_action(session: Session, config: Config, outside: Outside | None = None) -> Result:
    """Do what a browser_action says; its templates are resolved, but for secrets."""
    action = ACTIONS.get(str(config["action"]))
    if action is None:
        raise BrowserError(f"There is no action {config['action']!r}.")
    async with session.doing(str(config["action"])):
        # What the page asked after the node before is told before anything else is done.
        check_dialogs(session)
        since = session.mark()
        session.answer_dialogs(get_dialog_answer(config.get("on_dialog")))
        try:
            result = await action(session, _patient(config), outside or Outside())
        except NoElement as problem:
            if config.get("optional") is not True:
                raise
            result = {"skipped": str(problem)}
        if dialogs := check_dialogs(session):
            result["dialogs"] = dialogs
        told = "" if "url" in config else describe_error_page(session, since)
        return cast("Result", clean_query(_add_doubts(result, config, told), session.net.clean))


def _patient(config: Config) -> Config:
    """What need not be there is waited for only as long as the config says itself."""
    waits = config.get("timeout") not in (None, TIMEOUT)
    return config if config.get("optional") is not True or waits else {**config, "timeout": _MAYBE}


def _add_doubts(result: Result, config: Config, told: str) -> Result:
    """The result with what speaks against it."""
    several, known = result.get("actionableElements"), result.get("doubts")
    doubts = [*(known if isinstance(known, list) else []), *([told] if told else [])]
    if config.get("first") is True and isinstance(several, int) and several > 1:
        doubts.append(f"The selector fits {several} elements; the first was taken.")
    if doubts:
        result["doubts"] = doubts
    return result


async def _navigate(session: Session, config: Config, _: Outside) -> Result:
    since = session.mark()
    await session.navigate(
        _text(config, "url"), within=read_config_number(config, "timeout", _WAIT)
    )
    if config.get("any_status") is not True:
        refuse_error_page(session, since)
    return {"navigated": session.page().url}


async def _select(session: Session, config: Config, _: Outside) -> Result:
    found = await find_one_element(session, config)
    by: Literal["value", "label"] = "value" if config.get("value") is not None else "label"
    timeout = read_config_number(config, "timeout", TIMEOUT)
    chosen = await choose_options(session, found.locator, _texts(config, by), by=by, within=timeout)
    told: Result = {"selected": list(chosen), "selector": _selector(config), **found.counts()}
    shown = await _list_chosen(found.locator)
    if shown is not None and not set(chosen) <= {value for value, _ in shown}:
        names = ", ".join(repr(label) for _, label in shown) or "nothing"
        wanted = ", ".join(map(repr, _texts(config, by)))
        said = f"After {wanted} was chosen the list shows {names}."
        told["doubts"] = [{"kind": "value", "sentence": said, "evidence": {"shown": names}}]
    return told


async def _list_chosen(locator: Locator) -> list[list[str]] | None:
    """The values and labels that a list has chosen now; nothing if it is gone."""
    try:
        found = await locator.evaluate_all(_CHOSEN)
    except PlaywrightError:
        return None
    return found[0] if found else None


async def _check(session: Session, config: Config, _: Outside) -> Result:
    found = await find_one_element(session, config)
    wanted = config["action"] == "check"
    async with session.acting(session.page()):
        await found.locator.set_checked(
            wanted, timeout=read_config_number(config, "timeout", TIMEOUT)
        )
    return {"checked": wanted, "selector": _selector(config), **found.counts()}


async def _wait(session: Session, config: Config, _: Outside) -> Result:
    timeout = read_config_number(config, "timeout", _WAIT)
    if config.get("time") is not None:
        await asyncio.sleep(read_config_number(config, "time", 0) / 1000)
        return {"waited": config["time"]}
    if config.get("selector") is not None:
        await _wait_for(session, config, timeout)
        return {"waited": _selector(config)}
    await session.page().wait_for_load_state("load", timeout=timeout)
    return {"waited": "navigation"}


async def _wait_for(session: Session, config: Config, within: float) -> None:
    """Wait until an element can be seen that fits, however many do."""
    until = time.monotonic() + within / 1000

    async def count(seen: MaskedPage) -> int:
        return len((await find_matching_elements(seen, config["selector"])).visible())

    while not await _count_or_none(session, count):
        if time.monotonic() >= until:
            raise NoElement(
                f"{_selector(config)!r} did not appear on {_where(session)} within {within:g} ms."
            )
        await asyncio.sleep(_LOOK_AGAIN)


async def _count_or_none(session: Session, count: Callable[[MaskedPage], Awaitable[int]]) -> int:
    """How many there are; none on a page that is being replaced."""
    try:
        return await session.look(session.page(), count)
    except PlaywrightError as problem:
        if "context was destroyed" not in problem.message:
            raise
        return 0


async def _open_tab(session: Session, config: Config, _: Outside) -> Result:
    url, since = config.get("url"), session.mark()
    within = read_config_number(config, "timeout", _WAIT)
    name = await session.open_tab(str(url or "about:blank"), _text(config, "name"), within=within)
    if config.get("any_status") is not True:
        refuse_error_page(session, since)
    return {"openedTab": name, "url": session.page().url, "active": True}


async def _switch_tab(session: Session, config: Config, _: Outside) -> Result:
    await session.switch_tab(_text(config, "tabName"))
    return {"switchedTo": await _active(session)}


async def _close_tab(session: Session, config: Config, _: Outside) -> Result:
    closed = str(config.get("tabName") or await _active(session))
    await session.close_tab(closed)
    return {"closedTab": closed, "active": await _active(session)}


async def _back_or_forward(session: Session, config: Config, _: Outside) -> Result:
    page = session.page()
    before = page.url
    answer = await (page.go_back() if config["action"] == "back" else page.go_forward())
    # A step within one document has no answer, but another address.
    if answer is None and page.url == before:
        raise BrowserError(f"There is no page to go {config['action']} to in this tab.")
    return {"navigated": page.url}


@asynccontextmanager
async def _hold_back_form(page: Page) -> AsyncIterator[None]:
    """Load a page once more, unless it is the answer to a form, which would be sent once more."""
    repeated: list[str] = []

    async def look(route: Route) -> None:
        request = route.request
        if not request.is_navigation_request() or request.frame != page.main_frame:
            await route.fallback()
            return
        if request.method == "GET":
            # What the page sends when it is there is its own affair.
            await page.unroute("**/*", look)
            await route.fallback()
            return
        repeated.append(request.method)
        await route.abort("aborted")

    await page.route("**/*", look)
    try:
        yield
    except PlaywrightError:
        if not repeated:
            raise
    finally:
        await page.unroute("**/*", look)
    if repeated:
        raise BrowserError(
            "The page is the answer to a form: to load it again would send the form once more. "
            "Nothing was sent. Navigate to an address instead."
        )


async def _refresh(session: Session, _: Config, __: Outside) -> Result:
    page = session.page()
    async with _hold_back_form(page):
        await page.reload()
    return {"navigated": session.page().url}


async def _screenshot(session: Session, config: Config, outside: Outside) -> Result:
    if config.get("selector") is not None:
        await (await find_one_element(session, config)).locator.scroll_into_view_if_needed()
    picture = await session.screenshot(full=config.get("fullPage") is True)
    kept: Json = {"$kept": outside.keep(picture)} if outside.keep else None
    return {"screenshot": kept, "path": config.get("path"), "bytes": len(picture)}


async def _list_tabs(session: Session, _: Config, __: Outside) -> Result:
    tabs: list[Json] = [
        {"name": tab.name, "url": tab.url, "title": tab.title, "active": tab.active}
        for tab in await session.tabs()
    ]
    return {"tabs": tabs}


async def _current_tab(session: Session, _: Config, __: Outside) -> Result:
    return {"url": session.page().url, "title": await session.page().title()}


async def _scroll_into_view(session: Session, config: Config, _: Outside) -> Result:
    tries = read_config_number(config, "maxTries", _TRIES)

    async def scroll(seen: MaskedPage) -> bool:
        wanted = await find_matching_elements(seen, config["selector"])
        if len(wanted):
            await wanted.locator().scroll_into_view_if_needed()
            return True
        scroller = await _scroller(seen, config)
        await scroller.evaluate(
            "(e, down) => e.scrollBy(0, (down ? 1 : -1) * e.clientHeight)",
            config.get("direction") != "up",
        )
        return False

    for attempt in range(tries + 1):
        if await session.look(session.page(), scroll):
            return {"scrolledTo": _selector(config), "tries": attempt}
        # Lists that load while they are scrolled need a moment to do so.
        await session.page().wait_for_timeout(100)
    raise BrowserError(
        f"{_selector(config)!r} did not appear on {_where(session)} in {tries} scrolls. "
        "Name what scrolls in 'container', or look in the other direction."
    )


async def _scroll_to_row(session: Session, config: Config, _: Outside) -> Result:
    row, height = read_config_number(config, "rowIndex", 0), config.get("rowHeight")

    async def scroll(seen: MaskedPage) -> int:
        scroller = await _scroller(seen, config)
        top: int = await scroller.evaluate(
            """(e, [row, height]) => {
                const one = height ?? e.querySelector('[role=row], tr, li')?.offsetHeight ?? 0;
                e.scrollTop = row * one;
                return e.scrollTop;
            }""",
            [row, height],
        )
        return top

    return {"scrolledToRow": row, "scrollTop": await session.look(session.page(), scroll)}


async def _scroller(seen: MaskedPage, config: Config) -> Locator:
    container = config.get("container")
    if not container:
        return seen.page.locator("css=html")
    found = await find_matching_elements(seen, container)
    if not len(found):
        raise BrowserError(f"Nothing matches the container {container!r}, so nothing scrolled.")
    return found.locator()


async def _load_profile(session: Session, config: Config, _: Outside) -> Result:
    name = _text(config, "profileName")
    await session.load_login(name)
    return {"loadedProfile": name}


async def _extract_pdf(session: Session, config: Config, _: Outside) -> Result:
    source = _text(config, "source")
    if source.startswith(("http://", "https://")):
        content = await fetch_file(session.page(), session.origins, source)
    else:
        content = (await _wait_for_download(session, source)).read_bytes()
    return await read_pdf(content, str(config.get("pages") or ""))


async def _wait_for_download(session: Session, name: str) -> Path:
    """A file that was downloaded; a click ends before the download that it begins is heard of."""
    until = time.monotonic() + _DOWNLOAD
    while True:
        files = {one.path.name: one.path for one in await session.downloads()}
        if name in files:
            return files[name]
        if time.monotonic() >= until or name != Path(name).name:
            listed = ", ".join(files) or "none"
            raise BrowserError(
                f"No file {name!r} was downloaded in this run; there are: {listed}. Name one of "
                "them, or the address of a PDF."
            )
        await asyncio.sleep(_LOOK_AGAIN)


_Action: TypeAlias = Callable[[Session, Config, Outside], Awaitable[Result]]
ACTIONS: Mapping[str, _Action] = {
    "navigate": _navigate,
    "click": click_element,
    "hover": hover_over_element,
    "type": type_text,
    "select": _select,
    "set": set_value,
    "check": _check,
    "uncheck": _check,
    "upload": upload_files,
    "drag": drag_element,
    "wait": _wait,
    "openNewTab": _open_tab,
    "switchTab": _switch_tab,
    "closeTab": _close_tab,
    "back": _back_or_forward,
    "forward": _back_or_forward,
    "refresh": _refresh,
    "screenshot": _screenshot,
    "listTabs": _list_tabs,
    "getCurrentTab": _current_tab,
    "keypress": press_keys,
    "scrollIntoView": _scroll_into_view,
    "scrollToRow": _scroll_to_row,
    "loadProfile": _load_profile,
    "extractPdf": _extract_pdf,
}


async def _active(session: Session) -> str:
    return next((tab.name for tab in await session.tabs() if tab.active), "")


def _text(config: Config, name: str) -> str:
    value = config[name]
    if not isinstance(value, str):
        raise BrowserError(f"{config['action']}: {name!r} must be a text, not {value!r}.")
    return value


def _texts(config: Config, name: str) -> list[str]:
    value = config[name]
    return [str(each) for each in value] if isinstance(value, list | tuple) else [str(value)]


def _selector(config: Config) -> Json:
    return config["selector"]


def _where(session: Session) -> str:
    return repr(session.net.clean(session.page().url))
