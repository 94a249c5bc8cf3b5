"""Measures whether each ref of an outline leads to its element: `.venv/bin/python bench/refs.py`.

Elements of a page are chosen by the refs of its outline, seeded, and marked in the page. Each is
described by the bundle that we propose, by the selector that Playwright's recorder would write and
by one CSS selector as developer tools copy it. Then each way is asked for its element: in the same
document, after a reload, and after seeded changes of content and markup. Pages: the demo site,
Django's admin, tasks of MiniWoB++, galleries of components and applications, which it installs into
a cache (`installed.py`). Pages and changes that are held out were never mended for and are told
apart. What was measured on a page stays in the cache until the code that it depends on changes, so
that it can be run in slices. Writes `bench/results/refs.json`; prints markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from installed import install
from playwright.async_api import Error, Locator, Page
from redesign import visited
from ref_pages import Stop, list_groups, opened
from ref_results import (
    CHANGES,
    CHOSEN,
    GONE,
    STATES,
    WAYS,
    Kinds,
    Tally,
    fingerprint,
    judge,
    keep,
    looks_of,
    recall,
    summary,
    table,
    write,
)
from shared_looks import Looked, look_all
from shelf import Shelf, rendered

from director.browser.bundle import Bundle, LocatorError
from director.browser.descriptions import make_element_description, rests_on_position
from director.browser.locators import make_locator_bundle, resolve_locator
from director.browser.masks import MaskedPage
from director.browser.snapshots import take_snapshot

HERE = Path(__file__).parent
ASKED = 2
"""Elements of each page and state that `resolve` itself is asked for as well."""
COMPARED = 10
"""Elements of each page whose other selectors are asked for as well: each is a question of its own."""
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
  const beside = element.parentNode.children.length;
  return { steps, beside, css: copied(element), text: (element.textContent || "").trim().slice(0, 80) };
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


# Whether the page has drawn again what was taken out: all that stood there stands there.
_DRAWN_AGAIN = """([steps, text, beside]) => {
  let el = document.documentElement;
  for (const [shadow, index, tag] of steps) {
    el = (shadow ? el.shadowRoot : el)?.children[index];
    if (!el || el.localName !== tag) return false;
  }
  return el.parentNode.children.length === beside && (el.textContent || "").trim().slice(0, 80) === text;
}"""


@dataclass(frozen=True)
class Known:
    """An element as it was described in the beginning, and where it stood."""

    at: int
    frame: int
    where: dict[str, Any]
    bundle: Bundle | None
    normal: str | None
    """The selector of Playwright's recorder; None if other ways are not asked for it."""
    ref: str


async def choose(page: Page, most: int, stop: Stop) -> list[Known]:
    """Choose elements by the refs of the outline, and describe them in every way."""
    outline = (await take_snapshot(page)).text
    refs = sorted(set(_REF.findall(outline)), key=lambda ref: (len(ref), ref))
    chosen = random.Random(stop.name).sample(refs, min(most, len(refs)))
    compared = set(chosen[:COMPARED])
    known = []
    for at, ref in enumerate(sorted(chosen, key=lambda ref: (len(ref), ref))):
        element = page.locator(f"aria-ref={ref}")
        if await element.count() != 1:
            continue
        where = await element.evaluate(_WHERE, at)
        handle = await element.element_handle()
        frame = page.frames.index(await handle.owner_frame() or page.main_frame)
        normal = await _normal(element) if ref in compared else None
        known.append(Known(at, frame, where, await _first(page, element), normal, ref))
    looked = await _look(page, known, hidden=True)
    found = {at: fits == [at] for at, fits in looked.fits.items()}
    replace(looked, told={**looked.told, "found": found}).store(looks_of(stop, CHOSEN))
    return [each if found.get(each.at) else await _described(page, each) for each in known]


async def _normal(element: Locator) -> str:
    """The selector that Playwright's recorder would write; empty if it has none."""
    try:
        # Playwright's Python has no public name for the text of a selector.
        return str((await element.normalize())._impl_obj._selector)  # noqa: SLF001
    except Error:
        return ""


async def _first(page: Page, element: Locator) -> Bundle | None:
    """The bundle that is tried first for an element."""
    try:
        return await make_locator_bundle(page, element)
    except (LocatorError, Error):
        return None


async def _described(page: Page, known: Known) -> Known:
    """The same with the bundle that is proposed in the end, if there is one."""
    element = page.locator(f"aria-ref={known.ref}")
    try:
        bundle = (await make_element_description(MaskedPage(page), element, known.ref)).bundle
    except (LocatorError, Error):
        bundle = None
    return replace(known, bundle=bundle)


async def _look(page: Page, known: Sequence[Known], *, hidden: bool = False) -> Looked:
    bundles = {each.at: each.bundle for each in known if each.frame == 0 and each.bundle}
    return await look_all(page, bundles, hidden=hidden)


async def ask(page: Page, known: Sequence[Known], tally: Tally, state: str) -> None:
    """Note what each way finds now, of each element."""
    looked = await _look(page, known)
    looked.store(looks_of(tally.stop, state))
    for at, each in enumerate(known):
        outcomes = {WAYS[0]: judge(looked.meant.get(each.at), each.at)}
        if at < ASKED or each.at not in looked.meant:
            asked = await _resolve(page, each)
            if each.at in looked.meant:
                tally.agrees["same" if asked == outcomes[WAYS[0]] else "another"] += 1
            outcomes[WAYS[0]] = asked
        if each.normal is not None:
            outcomes[WAYS[1]] = (
                await _hit(page.locator(each.normal), each.at) if each.normal else "none"
            )
            outcomes[WAYS[2]] = await _by_css(page, each)
        tally.said[str(each.at)] = f"{each.bundle} {each.where['css']} {each.where['text'][:30]!r}"
        tally.add(state, each.at, outcomes)


async def _resolve(page: Page, known: Known) -> str:
    if known.bundle is None:
        return "none"
    try:
        return await _hit((await resolve_locator(page, known.bundle)).locator, known.at)
    except (LocatorError, Error):
        return "none"


async def _by_css(page: Page, known: Known) -> str:
    frame = page.frames[known.frame] if known.frame < len(page.frames) else page.main_frame
    return await _hit(frame.locator(f"css={known.where['css']}"), known.at)


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


async def measure(page: Page, stop: Stop, most: int, changes: Mapping[str, Kinds]) -> Tally:
    """All that is measured on one page."""
    tally = Tally(stop)
    await stop.open(page)
    known = await choose(page, most, stop)
    for each in known:
        rests = each.bundle is None or rests_on_position(each.bundle)
        tally.rests["position" if rests else "more"] += 1
    await ask(page, known, tally, STATES[0])
    await stop.open(page)
    there = await mark_again(page, known)
    await ask(page, there, tally, STATES[1])
    main = [each for each in known if each.frame == 0]
    for seed, (state, kinds) in enumerate(changes.items()):
        await stop.open(page)
        there = await mark_again(page, main)
        still = await _change(page, seed, kinds)
        gone = state in GONE
        wanted = [each for each, is_there in zip(there, still, strict=True) if is_there is not gone]
        if gone:
            wanted = await _leave_out_redrawn(page, wanted)
        await ask(page, wanted, tally, state)
    return tally


async def _leave_out_redrawn(page: Page, gone: Sequence[Known]) -> list[Known]:
    """Those that are gone indeed: some applications draw at once what a hand takes out."""
    await page.wait_for_timeout(200)
    given = [[each.where[key] for key in ("steps", "text", "beside")] for each in gone]
    again = await page.evaluate(f"given => given.map({_DRAWN_AGAIN})", given)
    return [each for each, is_again in zip(gone, again, strict=True) if not is_again]


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


async def run(shelf: Shelf, given: argparse.Namespace) -> list[Tally]:
    """Measure all pages that are not measured yet."""
    found: dict[str, Tally] = {}
    until = time.monotonic() + 60 * given.minutes
    code = fingerprint(given.refs)
    folder = None if given.no_apps else install()
    async with opened(shelf) as page, visited(page) as site:
        for group in list_groups(site, shelf, folder):
            asked = [s for s in group.stops if re.search(given.only, f"{s.kind} {s.name}")]
            found |= {stop.key: tally for stop in asked if (tally := recall(stop, code))}
            left = {stop.key for stop in asked} - set(found)
            if not left or time.monotonic() > until:
                continue
            with group.serve() as stops:
                for stop in stops:
                    if stop.key in left and time.monotonic() < until:
                        found |= await _measured(page, stop, given, code)
    return list(found.values())


async def _measured(
    page: Page, stop: Stop, given: argparse.Namespace, code: str
) -> dict[str, Tally]:
    try:
        tally = await measure(page, stop, min(given.refs, 200), CHANGES)
    except Error as problem:
        print(f"{stop.name}: {problem.message[:200]}", flush=True)
        return {}
    keep(tally, code)
    shown = {state: dict(ways.get(WAYS[0], {})) for state, ways in tally.counts().items()}
    print(stop.kind, stop.name, json.dumps(shown), flush=True)
    return {stop.key: tally}


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--refs", type=int, default=40, help="refs a page, at most 200")
    parser.add_argument("--no-apps", action="store_true", help="only what needs no installation")
    parser.add_argument("--only", default="", help="only pages whose kind and name match this")
    parser.add_argument("--minutes", type=float, default=600, help="begin no page after this time")
    parser.add_argument("--dry", action="store_true", help="write no results")
    given = parser.parse_args()
    told = summary(asyncio.run(run(rendered(), given)))
    if not given.dry:
        write(given.refs, told)
    for name, part in told.items():
        if part["pages"]:
            facts = f"{part['rests on']}\n{part['resolve gives']}"
            print(f"\n{name}: {len(part['pages'])}\n\n{table(part['outcomes'])}\n\n{facts}")
            # Of what is held out only the figures are looked at.
            print("" if name != "seen pages" else "\n".join(part["not right"][:200]))


if __name__ == "__main__":
    main()
