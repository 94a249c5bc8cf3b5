"""Fields of widget libraries, on pages that are built as theirs: lists, calendars, sliders, uploads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from browser.widget_pages import CALENDAR, CLEARABLE, CLOSED, QUASAR, RANGE, SELECTIZE, SLOW, UPLOAD
from director.browser import Browser, BrowserError, Origins, Session
from director.browser.actions import run_action
from director.browser.outside import Outside

T = TypeVar("T")


def on(
    run: Callable[[Awaitable[T]], T],
    browser: Browser,
    html: str,
    work: Callable[[Session], Awaitable[T]],
) -> T:
    """Some work on a page that is made of a text."""

    async def go() -> T:
        async with browser.session(Origins([])) as session:
            await session.page().set_content(html)
            return await work(session)

    return run(go())


async def put(session: Session, label: str, value: Any) -> Any:
    """Set a field that has a label."""
    return await run_action(
        session, {"action": "set", "selector": {"label": label}, "value": value}
    )


def test_a_list_without_roles_is_set_by_its_options(browser: Browser, run: Any) -> None:
    """What was chosen is proven, not what stands in the search field; a value may be set anew."""

    async def work(session: Session) -> None:
        for name in ("Groß AG", 'Bäckerei "Zum Korn"'):
            assert (await put(session, "Customer", name))["set"] == name
            assert await session.page().evaluate("c.value") == name
        with pytest.raises(BrowserError, match="There is no one option 'Nobody'"):
            await put(session, "Customer", "Nobody")
        assert await session.page().evaluate("c.value") == 'Bäckerei "Zum Korn"'

    on(run, browser, SELECTIZE, work)


def test_a_slow_choice_is_told_by_what_the_field_shows(browser: Browser, run: Any) -> None:
    """A page that is busy for a second with the click on an option has taken it all the same."""

    async def work(session: Session) -> None:
        assert (await put(session, "City", "Bern"))["set"] == "Bern"

    on(run, browser, SLOW, work)


@pytest.mark.parametrize("action", ["set", "type"])
def test_a_date_that_a_calendar_takes_back_is_typed_by_keys(
    browser: Browser, run: Any, action: str
) -> None:
    """It is read once the field is left; a calendar that takes no other date is an error."""
    said = "value" if action == "set" else "text"

    async def work(session: Session) -> None:
        config = {"action": action, said: "2026-04-15"}
        await run_action(session, {**config, "selector": "#due"})
        assert await session.page().inner_text("#known") == "2026-04-15"
        assert await session.page().input_value("#due") == "2026-04-15"
        with pytest.raises(BrowserError, match="2026-01-01"):
            await run_action(session, {**config, "selector": "#other"})

    on(run, browser, CALENDAR, work)


def test_a_slider_beside_its_hidden_field_is_moved_by_keys(browser: Browser, run: Any) -> None:
    """Also if one key moves it too far; a value beyond its end is an error with what it shows."""

    async def work(session: Session) -> None:
        for hours in (13, "4"):
            await put(session, "Hours", hours)
            assert await session.page().inner_text("#single") == str(hours)
        with pytest.raises(BrowserError, match="set to 50 and shows '40'"):
            await put(session, "Hours", 50)
        with pytest.raises(BrowserError, match="set to a number, not to 'many'"):
            await put(session, "Hours", "many")

    on(run, browser, RANGE, work)


def test_a_read_only_field_is_refused_with_what_to_do(browser: Browser, run: Any) -> None:
    """Unless it only waits for the focus; nothing waits for the time of the node to end."""

    async def work(session: Session) -> None:
        with pytest.raises(BrowserError, match=r"'Arrived on' is read-only.*icon beside it"):
            await put(session, "Arrived on", "2026-03-04")
        with pytest.raises(BrowserError, match="is read-only, so '2026-03-04' was not typed"):
            await run_action(session, {"action": "type", "selector": "#day", "text": "2026-03-04"})
        await run_action(session, {"action": "set", "selector": "#late", "value": "now"})
        assert await session.page().input_value("#late") == "now"

    on(run, browser, CLOSED, work)


def test_a_date_is_picked_in_the_calendar_that_a_field_opens(browser: Browser, run: Any) -> None:
    """Month by month and by its day, proven as the field writes it; no other button is clicked."""

    async def work(session: Session) -> None:
        for text, shown in (("2026-08-30", "30.08.2026"), ("2027-01-05", "05.01.2027")):
            assert (await put(session, "Arrived on", text))["set"] == shown
            assert not await session.page().is_visible("#menu")
        with pytest.raises(BrowserError, match="is read-only"):
            await put(session, "Arrived on", "tomorrow")
        assert await session.page().title() == "Arrival"

    on(run, browser, QUASAR, work)


def test_one_of_several_labels_reaches_the_file_field(
    browser: Browser, run: Any, tmp_path: Any
) -> None:
    """The label over it, though the button that opens the chooser is a label as well."""
    file = tmp_path / "note.txt"
    file.write_text("hello", encoding="utf-8")

    async def work(session: Session) -> str:
        config: Any = {"action": "upload", "selector": {"label": "Attachment"}, "file": "note.txt"}
        await run_action(session, config, Outside(file=lambda _: file))
        return str(await session.page().evaluate("att.files[0].name"))

    assert on(run, browser, UPLOAD, work) == "note.txt"


def test_an_item_of_a_list_is_found_by_the_text_that_the_outline_shows(
    browser: Browser, run: Any
) -> None:
    """It has no accessible name, and errors call it by its text too."""

    async def work(session: Session) -> str:
        item = {"role": "listitem", "name": "Receive stock…"}
        await run_action(session, {"action": "click", "selector": item})
        return await session.page().title()

    assert on(run, browser, UPLOAD, work) == "received"


def test_a_field_that_gets_another_name_by_typing_is_read_back(browser: Browser, run: Any) -> None:
    """The element that was typed into is the one that is read, and nothing is doubted."""

    async def work(session: Session) -> Any:
        search = {"role": "textbox", "name": "Search"}
        return await run_action(session, {"action": "type", "selector": search, "text": "A-1007"})

    assert "doubts" not in on(run, browser, CLEARABLE, work)
