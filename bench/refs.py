"""Measures whether each ref of an outline leads to its element: `.venv/bin/python bench/refs.py`.

Elements of a page are chosen by the refs of its outline, seeded, and marked in the page. Each is
described by the bundle that we propose, by the selector that Playwright's recorder would write and
by one CSS selector as developer tools copy it. Then each way is asked for its element: in the same
document, after a reload, and after seeded changes of content and markup. Pages: the demo site,
Django's admin, tasks of MiniWoB++, galleries of components and applications, which it installs into
a cache (`installed.py`). Pages and changes that are held out were never mended for and are told
apart. Writes `bench/results/refs.json`; prints markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from applications import Application, serve_applications
from installed import install
from playwright.async_api import Error, Locator, Page, async_playwright
from redesign import PATHS, visited
from shared_looks import register_shared, vote_all
from shelf import Shelf, rendered

from director.browser.bundle import Bundle, LocatorError
from director.browser.descriptions import describe, rests_on_position
from director.browser.fields import watch
from director.browser.locators import resolve
from director.browser.masks import MaskedPage
from director.browser.snapshots import take

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "refs.json"
WAYS = ("bundle", "Playwright's recorder", "one CSS selector")
STATES = ("same document", "after a reload")
Kinds: TypeAlias = Sequence[str]
TUNED: Mapping[str, Kinds] = {
    "ids and classes": ["ids", "classes"],
    "words": ["text"],
    "wrappers and order": ["wrappers", "order"],
    "attributes and more items": ["attributes", "inserted"],
}
HELD: Mapping[str, Kinds] = {
    "another language": ["translated"],
    "labels and numbers": ["labels", "numbers"],
    "prefixes and icons": ["prefixes", "icons"],
    "sections, capitals, hidden twins": ["sections", "capitals", "hidden_twins"],
}
GONE = "when it is gone"
ASKED = 2
"""Elements of each page and state that `resolve` itself is asked for as well."""
AGREES: Counter[str] = Counter()
CHANGES = {**TUNED, **HELD, GONE: ["removed"]}
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
    """A page to measure on, and how it is opened; what is held out was never mended for."""

    name: str
    kind: str
    address: str
    shelf: Shelf | None = None
    held_out: bool = False

    async def open(self, page: Page) -> None:
        """Show it in the state that it always starts in."""
        if self.shelf:
            await self.shelf.open(page, self.address)
        else:
            await page.goto(self.address, wait_until="load")
        await settle(page)


async def settle(page: Page) -> None:
    """Wait until something is shown and nothing has changed for a while, at most some seconds."""
    last, same = "", 0
    for _ in range(80):
        now = await page.evaluate(
            "document.body.innerText.trim() && document.documentElement.outerHTML.length + location.href"
        )
        same = same + 1 if now and now == last else 0
        if same == 3:
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


async def ask(page: Page, known: Sequence[Known]) -> list[dict[str, str]]:
    """What each way finds now, of each element."""
    main = [each for each in known if each.frame == 0 and each.bundle]
    bundles = [each.bundle for each in main if each.bundle]
    voted = dict(zip([each.at for each in main], await vote_all(page, bundles), strict=True))
    found = []
    for at, each in enumerate(known):
        outcomes = {WAYS[0]: _judge(voted.get(each.at), each)}
        if at < ASKED or each.at not in voted:
            asked = await _resolve(page, each)
            if each.at in voted:
                AGREES["same" if asked == outcomes[WAYS[0]] else "another"] += 1
            outcomes[WAYS[0]] = asked
        outcomes[WAYS[1]] = "none"
        if each.normal:
            outcomes[WAYS[1]] = await _hit(page.locator(each.normal), each.at)
        found.append(outcomes)
    for each, css in zip(known, await _by_css(page, known), strict=True):
        found[known.index(each)][WAYS[2]] = css
    return found


def _judge(meant: int | None, known: Known) -> str:
    return "none" if meant is None else "right" if meant == known.at else "wrong"


async def _resolve(page: Page, known: Known) -> str:
    if known.bundle is None:
        return "none"
    try:
        return await _hit((await resolve(page, known.bundle)).locator, known.at)
    except (LocatorError, Error):
        return "none"


async def _by_css(page: Page, known: Sequence[Known]) -> list[str]:
    outcomes = []
    for each in known:
        frame = page.frames[each.frame] if each.frame < len(page.frames) else page.main_frame
        outcomes.append(await _hit(frame.locator(f"css={each.where['css']}"), each.at))
    return outcomes


async def _hit(locator: Locator, at: int) -> str:
    try:
        found = await locator.evaluate_all("all => all.map(each => each.__truth ?? -1)")
        if not found and await locator.count() == 1:
            # What the model hands out is known in a world of its own.
            found = [await locator.evaluate("element => element.__truth ?? -1", timeout=3_000)]
    except Error:
        return "none"
    return "none" if len(found) != 1 else "right" if found[0] == at else "wrong"


async def mark_again(page: Page, known: Sequence[Known]) -> list[Known]:
    """Mark the same elements in a document that was loaded anew; those that are there."""
    marked = []
    for at, frame in enumerate(page.frames):
        inside = [each for each in known if each.frame == at]
        given = [[each.where["steps"], each.where["text"], each.at] for each in inside]
        there = await frame.evaluate(f"given => given.map({_MARK})", given) if inside else []
        marked += [each for each, is_there in zip(inside, there, strict=True) if is_there]
    return sorted(marked, key=lambda each: each.at)


@dataclass
class Tally:
    """What was found on a page: outcomes by state and way, and what was not right in words."""

    stop: Stop
    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    rests: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def add_all(
        self,
        state: str,
        known: Sequence[Known],
        found: Sequence[dict[str, str]],
        *,
        gone: bool = False,
    ) -> None:
        """Count what was found of each element."""
        for each, outcomes in zip(known, found, strict=True):
            self.add(state, each, outcomes, gone=gone)

    def add(
        self, state: str, known: Known, outcomes: dict[str, str], *, gone: bool = False
    ) -> None:
        """Count what each way found; of what is gone, nothing is right."""
        for way, outcome in outcomes.items():
            judged = {"none": "right", "right": "wrong"}.get(outcome, outcome) if gone else outcome
            self.counts.setdefault((state, way), Counter())[judged] += 1
            if way == WAYS[0] and judged != "right":
                said = f"{known.bundle} {known.where['css']} {known.where['text'][:30]!r}"
                self.misses.append(f"{self.stop.name} {state} {judged}: {said}")


async def measure(page: Page, stop: Stop, most: int, changes: Mapping[str, Kinds]) -> Tally:
    """All that is measured on one page."""
    tally = Tally(stop)
    await stop.open(page)
    known = await choose(page, most, stop.name)
    for each in known:
        rests = each.bundle is None or rests_on_position(each.bundle)
        tally.rests["position" if rests else "more"] += 1
    tally.add_all(STATES[0], known, await ask(page, known))
    await stop.open(page)
    there = await mark_again(page, known)
    tally.add_all(STATES[1], there, await ask(page, there))
    main = [each for each in known if each.frame == 0]
    for seed, (state, kinds) in enumerate(changes.items()):
        await stop.open(page)
        there = await mark_again(page, main)
        still = await _change(page, seed, kinds)
        gone = state == GONE
        wanted = [each for each, is_there in zip(there, still, strict=True) if is_there is not gone]
        tally.add_all(state, wanted, await ask(page, wanted), gone=gone)
    return tally


async def _change(page: Page, seed: int, kinds: Kinds) -> list[bool]:
    """Change the page; which of the elements that are marked are there then."""
    await page.evaluate("window.truth = (window.truth || []).filter(Boolean)")
    order = await page.evaluate("window.truth.map(el => el.__truth)")
    mutations = (HERE / "mutations.js").read_text(encoding="utf-8")
    await page.evaluate(mutations, {"seed": seed, "kinds": list(kinds)})
    # An element that was written anew is the one that was asked for.
    await page.evaluate(
        "order => window.truth.forEach((el, i) => { if (el) el.__truth = order[i] })", order
    )
    return list(await page.evaluate("window.truth.map(el => Boolean(el?.isConnected))"))


def stops(site: Any, shelf: Shelf, applications: Sequence[Application]) -> list[Stop]:
    """The pages."""
    sku = next(iter(site.state.products))
    demo = [Stop(path, "demo site", site.url + path.format(sku=sku)) for path in PATHS]
    beds = [Stop(a.rpartition("//")[2], "test-beds", a, shelf) for a in shelf.addresses()]
    more = [
        Stop(app.name, app.kind, url, held_out=app.held_out)
        for app in applications
        for url in app.urls
    ]
    return [*more, *demo, *beds]


@asynccontextmanager
async def opened(shelf: Shelf) -> AsyncIterator[Page]:
    """A page that may reach loopback and what is on the shelf."""
    async with async_playwright() as playwright:
        await register_shared(playwright)
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        await watch(context)
        await context.route("**/*", lambda route: shelf.answer(route))  # noqa: PLW0108  it sets attributes
        yield await context.new_page()
        await browser.close()


async def run(shelf: Shelf, given: argparse.Namespace) -> list[Tally]:
    """Measure all pages."""
    found = []
    folder = None if given.no_apps else install()
    with serve_applications(folder, given.apps) as applications:
        async with opened(shelf) as page, visited(page) as site:
            for stop in stops(site, shelf, applications):
                if not re.search(given.only, f"{stop.kind} {stop.name}"):
                    continue
                try:
                    tally = await measure(page, stop, min(given.refs, 200), CHANGES)
                except Error as problem:
                    print(f"{stop.name}: {problem.message[:200]}")
                    continue
                found.append(tally)
                if not given.dry:
                    # What was measured until here stays if it is stopped.
                    write(given, summary(found))
                shown = {s: dict(c) for (s, way), c in tally.counts.items() if way == WAYS[0]}
                print(stop.kind, stop.name, json.dumps(shown), flush=True)
    return found


def summary(tallies: Sequence[Tally]) -> dict[str, Any]:
    """The outcomes by state and way, of the pages that were seen and of those held out."""
    told: dict[str, Any] = {}
    for name, held in (("seen pages", False), ("held-out pages", True)):
        some = [tally for tally in tallies if tally.stop.held_out is held]
        counts: dict[str, dict[str, Counter[str]]] = {}
        for tally in some:
            for (state, way), counted in tally.counts.items():
                counts.setdefault(state, {}).setdefault(way, Counter()).update(counted)
        kinds: dict[str, Counter[str]] = {}
        for tally in some:
            for (state, way), counted in tally.counts.items():
                if way == WAYS[0]:
                    kinds.setdefault(f"{tally.stop.kind} · {state}", Counter()).update(counted)
        told[name] = {
            "pages": [f"{tally.stop.kind} {tally.stop.name}" for tally in some],
            "outcomes": counts,
            "bundle by kind of page": kinds,
            "rests on": sum((tally.rests for tally in some), Counter()),
            "not right": [line for tally in some for line in tally.misses],
        }
    return told


def write(given: argparse.Namespace, told: Mapping[str, Any]) -> None:
    """Keep what was measured."""
    kept = {"refs a page": given.refs, "only": given.only, "resolve": AGREES, **told}
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def table(outcomes: Mapping[str, Mapping[str, Counter[str]]]) -> str:
    """The outcomes as markdown; the sum of the changes that are no removals at the end."""
    lines = ["| state | way | elements | right | none | wrong |", "|---|---|---:|---:|---:|---:|"]
    total: dict[str, Counter[str]] = {}
    held: dict[str, Counter[str]] = {}
    for state, ways in outcomes.items():
        for way, counted in ways.items():
            lines.append(_row(state, way, counted))
            if state in TUNED or state in HELD:
                sums = total if state in TUNED else held
                sums.setdefault(way, Counter()).update(counted)
    lines += [_row("**all changes**", way, counted) for way, counted in total.items()]
    lines += [_row("**all held-out changes**", way, counted) for way, counted in held.items()]
    return "\n".join(lines)


def _row(state: str, way: str, counted: Counter[str]) -> str:
    every = sum(counted.values()) or 1
    shares = [f"{100 * counted.get(key, 0) / every:.2f}%" for key in ("right", "none", "wrong")]
    return f"| {state} | {way} | {sum(counted.values())} | {' | '.join(shares)} |"


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--refs", type=int, default=40, help="refs a page, at most 200")
    parser.add_argument("--no-apps", action="store_true", help="only what needs no installation")
    parser.add_argument("--apps", default="", help="start only applications whose names are in it")
    parser.add_argument("--only", default="", help="only pages whose kind and name match this")
    parser.add_argument("--dry", action="store_true", help="write no results")
    given = parser.parse_args()
    told = summary(asyncio.run(run(rendered(), given)))
    print("resolve gives", dict(AGREES))
    for name, part in told.items():
        if part["pages"]:
            print(
                f"\n{name}: {len(part['pages'])}\n\n{table(part['outcomes'])}\n\n{part['rests on']}"
            )
            # Of what is held out only the figures are looked at.
            print("" if name != "seen pages" else "\n".join(part["not right"][:200]))


if __name__ == "__main__":
    main()
