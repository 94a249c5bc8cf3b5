"""Measures whether each ref of an outline leads to its element: `.venv/bin/python bench/refs.py`.

Elements of a page are chosen by the refs of its outline, seeded, and marked in the page. Each is
described by the bundle that we propose, by the selector that Playwright's recorder would write and
by one CSS selector as developer tools copy it. Then each way is asked for its element: in the same
document, after a reload, and after seeded changes of content and markup. Pages: the demo site,
Django's admin, tasks of MiniWoB++, and with `--apps FOLDER` galleries and applications that are
installed there. Writes `bench/results/refs.json`; prints markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from applications import Application, serve_applications
from playwright.async_api import Error, Locator, Page, async_playwright
from redesign import PATHS, visited
from shelf import Shelf, rendered

from director.browser.bundle import Bundle, LocatorError
from director.browser.descriptions import describe, rests_on_position
from director.browser.fields import watch
from director.browser.locators import resolve
from director.browser.looking import register_model
from director.browser.masks import MaskedPage
from director.browser.snapshots import take

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "refs.json"
WAYS = ("bundle", "Playwright's recorder", "one CSS selector")
STATES = ("same document", "after a reload", "after changes")
CHANGES = (["ids", "classes"], ["text"], ["wrappers", "order"], ["attributes", "inserted"])
_REF = re.compile(r"\[ref=(\w+)\]")
_WHERE = """(element, at) => {
  element.__truth = at;
  window.truth = window.truth || [];
  window.truth[at] = element;
  const order = (el) => [...el.parentNode.children].indexOf(el);
  const steps = [];
  for (let el = element; el && el !== document.documentElement; ) {
    const up = el.parentNode;
    if (!up) break;
    steps.unshift([up instanceof ShadowRoot, order(el), el.localName]);
    el = up instanceof ShadowRoot ? up.host : up;
  }
  const copied = (el) => {
    const parts = [];
    for (let at = el; at; at = at.parentElement) {
      if (at.id) return [`#${CSS.escape(at.id)}`, ...parts].join(" > ");
      parts.unshift(at.parentElement ? `${at.localName}:nth-child(${order(at) + 1})` : "html");
    }
    return parts.join(" > ");
  };
  return { steps, css: copied(element), text: (element.textContent || "").trim().slice(0, 80) };
}"""
_MARK = """([steps, text, at]) => {
  let el = document.documentElement;
  for (const [shadow, index, tag] of steps) {
    el = (shadow ? el.shadowRoot : el)?.children[index];
    if (!el || el.localName !== tag) return false;
  }
  if ((el.textContent || "").trim().slice(0, 80) !== text) return false;
  el.__truth = at;
  window.truth = window.truth || [];
  window.truth[at] = el;
  return true;
}"""


@dataclass(frozen=True)
class Known:
    """An element as it was described in the beginning, and where it stood."""

    at: int
    frame: int
    where: dict[str, Any]
    bundle: Bundle | None
    normal: str


@dataclass(frozen=True)
class Stop:
    """A page to measure on: how it is opened, and whether its owners might change it."""

    name: str
    kind: str
    address: str
    shelf: Shelf | None = None
    changes: bool = True

    async def open(self, page: Page) -> None:
        """Show it in the state that it always starts in."""
        if self.shelf:
            await self.shelf.open(page, self.address)
        else:
            await page.goto(self.address, wait_until="load")
        await settle(page)


async def settle(page: Page) -> None:
    """Wait until nothing has changed for a while, at most some seconds."""
    last = ""
    for _ in range(40):
        now = await page.evaluate("document.documentElement.outerHTML.length + location.href")
        if now == last:
            return
        last = now
        await page.wait_for_timeout(250)


async def choose(page: Page, most: int, seed: str) -> list[Known]:
    """Choose elements by the refs of the outline, and describe them in every way."""
    outline = (await take(page)).text
    refs = sorted(set(_REF.findall(outline)), key=lambda ref: (len(ref), ref))
    chosen = random.Random(seed).sample(refs, min(most, len(refs)))
    known = []
    seen = MaskedPage(page)
    for at, ref in enumerate(sorted(chosen, key=lambda ref: (len(ref), ref))):
        element = page.locator(f"aria-ref={ref}")
        if await element.count() != 1:
            continue
        where = await element.evaluate(_WHERE, at)
        handle = await element.element_handle()
        frame = await handle.owner_frame()
        try:
            bundle = (await describe(seen, element, ref)).bundle
        except (LocatorError, Error):
            bundle = None
        try:
            # Playwright's Python has no public name for the text of a selector.
            normal = (await element.normalize())._impl_obj._selector  # noqa: SLF001
        except Error:
            normal = ""
        known.append(Known(at, page.frames.index(frame or page.main_frame), where, bundle, normal))
    return known


async def ask(page: Page, known: Known) -> dict[str, str]:
    """What each way finds now."""
    frame = page.frames[known.frame] if known.frame < len(page.frames) else page.main_frame
    outcomes = {WAYS[0]: "none"}
    if known.bundle is not None:
        try:
            found = await resolve(page, known.bundle)
            outcomes[WAYS[0]] = await _hit(found.locator, known.at)
        except (LocatorError, Error):
            pass
    outcomes[WAYS[1]] = await _hit(page.locator(known.normal), known.at) if known.normal else "none"
    css = frame.locator(f"css={known.where['css']}")
    outcomes[WAYS[2]] = await _hit(css, known.at)
    return outcomes


async def _hit(locator: Locator, at: int) -> str:
    try:
        if await locator.count() != 1:
            return "none"
        found = await locator.evaluate("element => element.__truth ?? -1", timeout=3_000)
    except Error:
        return "none"
    return "right" if found == at else "wrong"


async def mark_again(page: Page, known: Sequence[Known]) -> list[Known]:
    """Mark the same elements in a document that was loaded anew; those that are there."""
    marked = []
    for each in known:
        if each.frame >= len(page.frames):
            continue
        given = [each.where["steps"], each.where["text"], each.at]
        if await page.frames[each.frame].evaluate(_MARK, given):
            marked.append(each)
    return marked


Counts = dict[str, dict[str, Counter[str]]]


async def measure(
    page: Page, stop: Stop, most: int, changes: int
) -> tuple[Counts, Counter[str], list[str]]:
    """All that is measured on one page; what went wrong in words."""
    counts: Counts = {state: {way: Counter() for way in WAYS} for state in STATES}
    wrongs: list[str] = []

    async def count(state: str, known: Sequence[Known]) -> None:
        for each in known:
            for way, outcome in (await ask(page, each)).items():
                counts[state][way][outcome] += 1
                if way == WAYS[0] and (
                    outcome == "wrong" or (outcome == "none" and state != STATES[2])
                ):
                    wrongs.append(
                        f"{stop.name} {state} {outcome}: {each.bundle} {each.where['css']}"
                    )

    await stop.open(page)
    known = await choose(page, most, stop.name)
    rests = Counter(
        "position" if each.bundle and rests_on_position(each.bundle) else "more" for each in known
    )
    await count(STATES[0], known)
    await stop.open(page)
    await count(STATES[1], await mark_again(page, known))
    if stop.changes:
        mutations = (HERE / "mutations.js").read_text(encoding="utf-8")
        for seed, kinds in enumerate(CHANGES[:changes]):
            await stop.open(page)
            main = [each for each in known if each.frame == 0]
            there = await mark_again(page, main)
            for each in there:
                await page.evaluate("at => window.truth[at].__truth = at", each.at)
            await page.evaluate("window.truth = (window.truth || []).filter(Boolean)")
            order = await page.evaluate("window.truth.map(el => el.__truth)")
            await page.evaluate(mutations, {"seed": seed, "kinds": kinds})
            # An element that was written anew is the one that was asked for.
            await page.evaluate(
                "order => window.truth.forEach((el, i) => { if (el) el.__truth = order[i] })", order
            )
            gone = set(
                await page.evaluate(
                    "order => order.filter((_, i) => !window.truth[i]?.isConnected)", order
                )
            )
            await count(STATES[2], [each for each in there if each.at not in gone])
    return counts, rests, wrongs


def stops(site: Any, shelf: Shelf, applications: Sequence[Application]) -> list[Stop]:
    """The pages."""
    sku = next(iter(site.state.products))
    demo = [Stop(path, "demo site", site.url + path.format(sku=sku)) for path in PATHS]
    beds = [Stop(a.rpartition("//")[2], "test-beds", a, shelf) for a in shelf.addresses()]
    more = [Stop(app.name, app.kind, url) for app in applications for url in app.urls]
    return [*demo, *beds, *more]


@asynccontextmanager
async def opened(shelf: Shelf) -> AsyncIterator[Page]:
    """A page that may reach loopback and what is on the shelf."""
    async with async_playwright() as playwright:
        await register_model(playwright)
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        await watch(context)
        await context.route("**/*", lambda route: shelf.answer(route))  # noqa: PLW0108  it sets attributes
        yield await context.new_page()
        await browser.close()


async def run(
    shelf: Shelf, most: int, changes: int, *, apps: Path | None, only: str
) -> dict[str, Any]:
    """Measure all pages."""
    total: Counts = {state: {way: Counter() for way in WAYS} for state in STATES}
    kinds: dict[str, Counter[str]] = {}
    rests: Counter[str] = Counter()
    wrongs: list[str] = []
    with serve_applications(apps) as applications:
        async with opened(shelf) as page, visited(page) as site:
            for stop in stops(site, shelf, applications):
                if not re.search(only, f"{stop.kind} {stop.name}"):
                    continue
                try:
                    counts, rest, bad = await measure(page, stop, most, changes)
                except Error as problem:
                    print(f"{stop.name}: {problem.message[:200]}")
                    continue
                rests += rest
                wrongs += bad
                for state, ways in counts.items():
                    for way, counted in ways.items():
                        total[state][way] += counted
                        if way == WAYS[0]:
                            kinds.setdefault(f"{stop.kind} · {state}", Counter()).update(counted)
                print(
                    stop.kind,
                    stop.name,
                    {s: dict(w[WAYS[0]]) for s, w in counts.items()},
                    flush=True,
                )
    return {
        "refs a page": most,
        "outcomes": {s: {w: dict(c) for w, c in ways.items()} for s, ways in total.items()},
        "bundle by kind of page": {kind: dict(counted) for kind, counted in kinds.items()},
        "rests on": dict(rests),
        "not right": wrongs,
    }


def table(found: dict[str, Any]) -> str:
    """The outcomes as markdown."""
    lines = ["| state | way | elements | right | none | wrong |", "|---|---|---|---|---|---|"]
    for state, ways in found["outcomes"].items():
        for way, counted in ways.items():
            every = sum(counted.values()) or 1
            shares = [
                f"{100 * counted.get(key, 0) / every:.2f}%" for key in ("right", "none", "wrong")
            ]
            lines.append(f"| {state} | {way} | {sum(counted.values())} | {' | '.join(shares)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--refs", type=int, default=40, help="refs a page, at most 200")
    parser.add_argument("--changes", type=int, default=len(CHANGES), help="sets of changes a page")
    parser.add_argument("--apps", type=Path, help="a folder with applications (applications.py)")
    parser.add_argument(
        "--only", default="", help="only pages whose kind and name match this pattern"
    )
    given = parser.parse_args()
    most = min(given.refs, 200)
    found = asyncio.run(run(rendered(), most, given.changes, apps=given.apps, only=given.only))
    found["pages"] = given.only or "all"
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(table(found))
    print(found["rests on"])
    print("\n".join(found["not right"][:60]))


if __name__ == "__main__":
    main()
