"""Calendars that a read-only field opens: turned to a month and clicked on a day, as by a person.

Known are those of Quasar, bootstrap, flatpickr and jQuery UI. Nothing is guessed: where no calendar
of these opens, or one does not turn, the field is left to whoever asked.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from contextlib import suppress
from datetime import date
from typing import Any, Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Locator

from director.browser.locators import Found
from director.browser.session import Session

_LOOK_AGAIN: Final = 0.05
_OPENS: Final = 1.0
"""Seconds in which a field that was clicked opens its calendar; else its icon is clicked."""
_MONTHS: Final = 360
_LIBRARIES: Final = [
    {
        "box": ".q-date",
        "head": ".q-date__navigation",
        "arrows": ".q-date__navigation .q-date__arrow button",
        "day": ".q-date__calendar-item--in button:not([disabled])",
    },
    {
        "box": ".datepicker",
        "head": ".datepicker-days .datepicker-switch",
        "arrows": ".datepicker-days .prev, .datepicker-days .next",
        "day": ".datepicker-days td.day:not(.old, .new, .disabled)",
    },
    {
        "box": ".flatpickr-calendar.open",
        "head": ".flatpickr-current-month",
        "arrows": ".flatpickr-prev-month, .flatpickr-next-month",
        "day": ".flatpickr-day:not(.prevMonthDay, .nextMonthDay, .flatpickr-disabled)",
    },
    {
        "box": ".ui-datepicker",
        "head": ".ui-datepicker-title",
        "arrows": ".ui-datepicker-prev, .ui-datepicker-next",
        "day": "td:not(.ui-datepicker-other-month) > a",
    },
]
STEP: Final = "[data-director-step]"
TURN: Final = """([year, month, day]) => {
    const clear = () => document.querySelectorAll("[data-director-step]").forEach(
        each => delete each.dataset.directorStep);
    clear();
    const isSeen = e => e.checkVisibility({visibilityProperty: true}) && e.clientHeight > 0;
    const find = (box, css) => [...box.querySelectorAll(css)].filter(isSeen);
    const open = LIBRARIES.map(its => [its, find(document, its.box)]).find(each => each[1].length);
    if (!open) return {state: "closed"};
    if (!day) return {state: "open", isMenu: Boolean(open[1][0].closest(".q-menu"))};
    const [its, [box]] = open;
    const written = e => [e.innerText, ...[...e.querySelectorAll("select")].flatMap(
        each => [...each.selectedOptions].map(option => option.text)),
        ...[...e.querySelectorAll("input")].map(each => each.value)].join(" ");
    const head = find(box, its.head)[0];
    const words = (head ? written(head) : "").toLowerCase().split(/[^\\p{L}\\d]+/u);
    const years = [...new Set(words.filter(each => /^[12]\\d{3}$/.test(each)))];
    const languages = [document.documentElement.lang, navigator.language, "en"].filter(Boolean);
    const isNamed = at => languages.some(language => ["long", "short"].some(how => {
        const name = new Intl.DateTimeFormat(language, {month: how}).format(new Date(2026, at, 1));
        return words.includes(name.toLowerCase().replace(/[.]/g, ""));
    }));
    const months = [...Array(12).keys()].filter(isNamed);
    // While it turns, two months are drawn.
    if (years.length !== 1 || months.length !== 1) return {state: "turning"};
    const far = (year - years[0]) * 12 + (month - 1 - months[0]);
    const days = find(box, its.day).filter(each => Number(each.innerText.trim()) === day);
    const arrows = far ? find(box, its.arrows) : [];
    const next = far ? arrows[far < 0 ? 0 : 1] : days.length === 1 ? days[0] : null;
    if (!next) return {state: "missing", far};
    next.dataset.directorStep = "1";
    return {state: far ? "turn" : "day", far};
}""".replace("LIBRARIES", json.dumps(_LIBRARIES))
"""Where the open calendar stands, in months from the date; what is to be clicked next is marked.

Without a date only whether one is open."""
OPENER: Final = """element => {
    const field = element.control ?? element;
    const isSeen = e => e.checkVisibility({visibilityProperty: true});
    // Whoever sets a field wants nothing deleted or saved by a button beside it.
    const opens = said => /calend|(^|[^a-z])(date|event|today)([^a-z]|$)/i.test(said) &&
        !/delete|remove|clear|save|submit|update|cancel/i.test(said);
    for (let at = field.parentElement, far = 0; at && far < 5; at = at.parentElement, far += 1) {
        const others = [...at.querySelectorAll("input:not([type=hidden]), textarea, select")];
        if (others.some(e => e !== field && isSeen(e))) return false;
        const buttons = [...at.querySelectorAll("button, [role=button], i, svg, .cursor-pointer")]
            .filter(each => isSeen(each) && !each.contains(field) && each.type !== "submit")
            .filter(each => opens([each.getAttribute("class"), each.textContent, each.ariaLabel,
                each.getAttribute("title")].join(" ")));
        if (buttons.length) return Boolean(buttons[0].dataset.directorStep = "1");
    }
    return false;
}"""
"""Whether there is an icon beside a field that opens its calendar; it is marked."""
UNMARK: Final = """document.querySelectorAll("[data-director-step]").forEach(
    each => delete each.dataset.directorStep)"""


def parse_calendar_date(text: str) -> date | None:
    """A date as it is written in numbers, the year first."""
    found = re.fullmatch(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", text.strip())
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def is_same_calendar_date(shown: str, wanted: date) -> bool:
    """Whether a field shows the year, the month and the day, in whatever order."""
    numbers = sorted(int(each) for each in re.findall(r"\d+", shown)[:6])
    return numbers == sorted((wanted.year, wanted.month, wanted.day))


async def pick_calendar_date(session: Session, found: Found, wanted: date, within: float) -> bool:
    """Open the calendar of a field and click a day in it; false if that could not be done."""
    if found.sight is None:
        return False
    frame, field = found.sight.frame, found.sight.locator(exact=False)
    try:
        async with session.acting(session.page()):
            if not await _open(frame, field, within) or not await _pick(frame, wanted, within):
                return False
            await _close(frame)
    except PlaywrightError:
        return False
    finally:
        with suppress(PlaywrightError):
            await frame.evaluate(UNMARK)
    return True


async def _open(frame: Frame, field: Locator, within: float) -> bool:
    """Click the field, or else the icon beside it, until a calendar is there."""
    await field.click(timeout=within)
    if await _wait(frame, None, _OPENS):
        return True
    if not await field.evaluate(OPENER):
        return False
    await frame.locator(STEP).click(timeout=within)
    return bool(await _wait(frame, None, within / 1000))


async def _pick(frame: Frame, wanted: date, within: float) -> bool:
    far: int | None = None
    for _ in range(_MONTHS):
        seen = await _wait(frame, wanted, within / 1000, other_than=far)
        if not seen:
            return False
        await frame.locator(STEP).click(timeout=within)
        if seen["state"] == "day":
            return True
        far = seen["far"]
    return False


async def _close(frame: Frame) -> None:
    """Close a calendar that stays open over the page, where Escape closes it and nothing else."""
    seen = await frame.evaluate(TURN, [])
    if seen.get("isMenu"):
        await frame.page.keyboard.press("Escape")
        until = time.monotonic() + _OPENS
        while time.monotonic() < until:
            if (await frame.evaluate(TURN, []))["state"] == "closed":
                return
            await asyncio.sleep(_LOOK_AGAIN)


async def _wait(
    frame: Frame, wanted: date | None, seconds: float, *, other_than: int | None = None
) -> dict[str, Any] | None:
    """What an open calendar tells once it has turned; nothing if it does not."""
    until = time.monotonic() + seconds
    day = [wanted.year, wanted.month, wanted.day] if wanted else []
    while True:
        seen: dict[str, Any] = await frame.evaluate(TURN, day)
        if seen["state"] in ("open", "turn", "day") and seen.get("far", "") != other_than:
            return seen
        if time.monotonic() >= until:
            return None
        await asyncio.sleep(_LOOK_AGAIN)
