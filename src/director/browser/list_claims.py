"""What a page says about what was read of it: counts beside a list, its next page, rows it shows.

Gathered when the rows are read, and judged elsewhere. Nothing is changed, no secret leaves with it,
and a page that cannot be looked at says nothing.
"""

from __future__ import annotations

from importlib.resources import files
from typing import cast

from playwright.async_api import Error as PlaywrightError

from director.browser.elements import find_matching_elements
from director.browser.fields import evaluate_field_script
from director.browser.masks import MaskedPage
from director.browser.queries import clean_query
from director.browser.row_positions import drop_picks, widen_positions
from director.browser.session import Session
from director.workflow.values import Config, Json

_ROWS = """(elements, typed) => elements.map(row => {
  if (globalThis.__directorMasks?.hidesText(row)) return null;
  const cells = [...row.querySelectorAll('td,th,[role=gridcell],[role=cell]')];
  const parts = cells.length ? cells : [...row.children].length ? [...row.children] : [row];
  const words = e => (e.innerText ?? '').replace(/\\s+/g, ' ').trim();
  const text = words(row).toLowerCase();
  return typed.some(each => text.includes(each.toLowerCase())) ? parts.map(words) : null;
}).filter(row => row && row.length < 60).slice(0, 50)"""
_ERRORS = """typed => {
  const seen = e => e.checkVisibility?.({visibilityProperty: true}) ?? true;
  const fields = [...document.querySelectorAll('input:not([type=password]),textarea')].filter(seen);
  if (!fields.some(field => typed.includes(field.value.trim()))) return [];
  const said = [...document.querySelectorAll('.errornote,.errorlist,.invalid-feedback,' +
    '.field-error,.form-error,.error-message,.field_with_errors,.has-error .help-block,' +
    'form [role=alert]')];
  const words = e => (e.innerText ?? '').replace(/\\s+/g, ' ').trim();
  return said.filter(seen).map(words).filter(Boolean).slice(0, 3);
}"""
_TEXTS = """typed => {
  const seen = e => e.checkVisibility?.({visibilityProperty: true}) ?? true;
  const words = text => (text ?? '').replace(/\\s+/g, ' ').trim();
  const whole = words(document.body.innerText).toLowerCase();
  const fields = [...document.querySelectorAll('input:not([type=password]),textarea')].filter(seen);
  const texts = fields.map(field => words(field.value));
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = 0; walk.nextNode() && n < 20000; n += 1) {
    const [at, said] = [walk.currentNode.parentElement, words(walk.currentNode.data)];
    if (at && !at.closest('script,style,template') && seen(at)) texts.push(said);
  }
  const lower = typed.map(text => words(text).toLowerCase());
  const found = typed.filter((_, at) => lower[at] && whole.includes(lower[at]));
  const shown = found.some(text => words(text).length > 2);
  // What was typed in several lines may stand in as many paragraphs.
  const lines = text => text.split('\\n').map(line => words(line).toLowerCase());
  const isWhole = text => lines(text).every(line => whole.includes(line));
  for (const [at, text] of lower.entries()) {
    if (text.length < 12 || isWhole(typed[at])) continue;
    if (texts.some(one => one.toLowerCase().includes(text))) continue;
    const least = Math.max(8, text.length / 2);
    const part = texts.find(one => one.length >= least && text.startsWith(one.toLowerCase()));
    if (part) return {shown, texts: found, part: [typed[at], part]};
  }
  return {shown, texts: found, part: null};
}"""
ROW = "tbody tr, [role=row], ul > li, ol > li, article"
_LONGEST = 300
_FRAMES = 5  # that are asked what went wrong


async def look_at_list(session: Session, config: Config) -> dict[str, Json]:
    """What the active page says about the list that an extraction reads."""
    script = read_list_script()

    async def look(seen: MaskedPage) -> dict[str, Json]:
        every = await find_matching_elements(seen, config["selector"])
        chosen = every if config.get("visibleOnly") is False else every.visible()
        wide, rest = widen_positions(config["selector"]), drop_picks(config["selector"])
        for each in filter(None, (wide, rest)):
            seen.check_selector(each)
        asked: Json = {"fields": config.get("fields"), "wide": wide, "unpicked": rest}
        told = await chosen.evaluate_by_frame(script, asked)
        if told:
            return cast("dict[str, Json]", told[0])
        none = await evaluate_field_script(seen.page.main_frame, f"({script})([], given)", asked)
        return {**cast("dict[str, Json]", none), **await _find_frame_trouble(seen, script, none)}

    async with session.doing("see what the page says about the list"):
        found = await session.look(session.page(), look)
    return cast("dict[str, Json]", clean_query(found, session.net.clean))


async def _find_frame_trouble(seen: MaskedPage, script: str, main: Config) -> dict[str, Json]:
    """What a frame says that went wrong, if the page around it says nothing of the kind."""
    if main.get("trouble") or main.get("asks_login"):
        return {}
    for frame in seen.page.frames[1 : _FRAMES + 1]:
        if frame.url.startswith("chrome-error:"):
            return {"trouble": "(a frame of the page could not be loaded)"}
        try:
            said = await evaluate_field_script(
                frame, f"({script})([], given)", {"fields": None, "wide": ""}
            )
        except PlaywrightError:
            continue
        if said.get("trouble") or said.get("asks_login"):
            return {name: said[name] for name in ("trouble", "asks_login")}
    return {}


def read_list_script() -> str:
    """The function that looks at a list, as a page runs it."""
    claims, pager = (
        (files("director.browser") / name).read_text("utf-8")
        for name in ("list_claims.js", "bare_pager.js")
    )
    return f"(elements, asked) => ({claims})(elements, {{...asked, barePager: {pager}}})"


async def read_form_error_claims(session: Session, typed: tuple[str, ...]) -> list[Json]:
    """What the active page says is wrong with a form that still holds what was typed into it."""
    page = session.page()

    async def look(_: MaskedPage) -> list[Json]:
        return cast("list[Json]", await page.evaluate(_ERRORS, list(typed)))

    async with session.doing("see whether the form was taken"):
        found = await session.look(page, look)
    return cast(
        "list[Json]", clean_query([str(each)[:_LONGEST] for each in found], session.net.clean)
    )


async def look_for_texts(session: Session, typed: tuple[str, ...]) -> dict[str, Json]:
    """Whether the active page shows any of these texts, and one of which it shows only a part."""
    page = session.page()

    async def look(_: MaskedPage) -> dict[str, Json]:
        return cast("dict[str, Json]", await page.evaluate(_TEXTS, list(typed)))

    async with session.doing("see whether it is shown"):
        found = await session.look(page, look)
    return cast("dict[str, Json]", clean_query(found, session.net.clean))


async def find_claimed_rows(session: Session, typed: tuple[str, ...]) -> list[Json]:
    """The rows of the active page that show one of these texts, each as its cells."""
    page = session.page()

    async def look(_: MaskedPage) -> list[Json]:
        rows = page.locator(f"css={ROW}").filter(visible=True)
        return cast("list[Json]", await rows.evaluate_all(_ROWS, list(typed)))

    async with session.doing("see whether it is there"):
        found = await session.look(page, look)
    return cast(
        "list[Json]",
        clean_query([[str(c)[:_LONGEST] for c in row] for row in found], session.net.clean),  # type: ignore[union-attr]
    )
