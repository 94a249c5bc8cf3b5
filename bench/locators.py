"""Measures how locators outlive changes of a page: `.venv/bin/python bench/locators.py`.

Each interactive element of real pages is described by a bundle, a single CSS selector, role and
name, and Playwright's normalised locator. Then the pages are changed, and each is asked for its
element again: the right one, a wrong one, or none. Kinds of change are in two sets; the vote was
weighed on the first and never on the held-out second. Writes `bench/results/locators.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from playwright.async_api import Error, Locator, Page, async_playwright
from redesign import PATHS, keys, pointed, visited
from shelf import Shelf, rendered

from director.browser.bundle import Bundle, LocatorError
from director.browser.element_portraits import register_portraits_script
from director.browser.locators import make_locator_bundle, resolve_locator
from director.demo.site import Site

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "locators.json"
WEIGHED = "ids classes wrappers text duplicates order attributes moved tag removed".split()
HELD_OUT = (
    "translated labels numbers prefixes icons grids inserted capitals sections hidden_twins".split()
)
WAYS = ("bundle", "one CSS selector", "role and name", "Playwright normalize()")
MOST = 20
"""How many elements of a page are asked for."""
Outcome: TypeAlias = str
_DESCRIBE = """() => {
  const order = (el) => [...el.parentNode.children].indexOf(el) + 1;
  const step = (el) => `${el.nodeName.toLowerCase()}:nth-child(${order(el)})`;
  // What a browser's developer tools copy: the nearest id, then steps down.
  const copied = (el) => {
    const steps = [];
    for (let at = el; at; at = at.parentElement) {
      if (at.id) return [`#${CSS.escape(at.id)}`, ...steps].join(" > ");
      steps.unshift(at.parentElement ? step(at) : "html");
    }
    return steps.join(" > ");
  };
  const whole = (el) => el.parentElement ? `${whole(el.parentElement)} > ${step(el)}` : "html";
  return window.truth.map((el) => ({ copied: copied(el), whole: whole(el) }));
}"""
_CHOOSE = """([seed, most]) => {
  let state = seed;
  const chance = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 4294967296;
  const open = "a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button]," +
    "[role=tab],[role=link],[role=menuitem],[role=checkbox],[role=radio],[role=switch]";
  const shown = [...document.querySelectorAll(open)].filter((el) => {
    const box = el.getBoundingClientRect();
    return el.checkVisibility({ visibilityProperty: true }) && box.width && box.height;
  });
  while (shown.length > most) shown.splice(Math.floor(chance() * shown.length), 1);
  window.truth = shown;
}"""
_WHICH = "(elements, at) => elements.length === 1 ? elements[0] === window.truth[at] : null"


@dataclass(frozen=True)
class Known:
    """An element as it was described before the page changed."""

    bundle: Bundle
    css: str
    normal: str


async def described(page: Page) -> list[Known]:
    """Describe the chosen elements of a page in every way."""
    known = []
    for each in await page.evaluate(_DESCRIBE):
        locator = page.locator(f"css={each['whole']}")
        normal = await locator.normalize()
        bundle = await make_locator_bundle(page, locator)
        # Playwright's Python has no public name for the text of a selector.
        known.append(Known(bundle, each["copied"], normal._impl_obj._selector))  # noqa: SLF001
    return known


async def chosen(page: Page, shelf: Shelf, address: str) -> None:
    """Show a page and choose the elements that are asked for."""
    await shelf.open(page, address)
    await page.evaluate(_CHOOSE, [len(address), MOST])


async def asked(page: Page, known: Known, at: int) -> dict[str, Outcome]:
    """What each way finds now for the element with that number."""
    role = page.get_by_role(known.bundle.role or "none", name=known.bundle.name, exact=True)  # type: ignore[arg-type]
    single: Mapping[str, Locator] = {
        WAYS[1]: page.locator(f"css={known.css}"),
        WAYS[2]: role,
        WAYS[3]: page.locator(known.normal),
    }
    outcomes = {way: await _hit(one.filter(visible=True), at) for way, one in single.items()}
    try:
        found = await resolve_locator(page, known.bundle)
    except LocatorError:
        outcomes[WAYS[0]] = "none"
    else:
        outcomes[WAYS[0]] = await _hit(found.locator, at)
    return outcomes


async def _hit(locator: Locator, at: int) -> Outcome:
    try:
        right = await locator.evaluate_all(_WHICH, at)
    except Error:
        return "none"
    return "none" if right is None else "right" if right else "wrong"


def plans(kinds: Sequence[str], count: int, seed: int) -> list[list[str]]:
    """Which changes each page gets: every kind alone first, then several at once."""
    chance = random.Random(seed)
    made = [[kind] for kind in kinds]
    while len(made) < count:
        several = chance.sample(list(kinds), chance.choice((2, 2, 3, 4)))
        # A copy of something that is gone may well be what is meant now: nobody could say.
        if not {"duplicates", "removed"} <= set(several):
            made.append([kind for kind in kinds if kind in several])
    return made[:count]


class Table:
    """Outcomes by way, counted."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {way: Counter() for way in WAYS}

    def add(self, outcomes: Mapping[str, Outcome], wanted: str) -> None:
        """Count one element: for one that is gone, none is right and any other is wrong."""
        for way, outcome in outcomes.items():
            if wanted == "gone":
                self.counts[way]["right" if outcome == "none" else "wrong"] += 1
            else:
                self.counts[way][outcome] += 1

    def shares(self) -> dict[str, dict[str, float]]:
        """Percentages, and how many elements."""
        return {
            way: {
                **{
                    outcome: round(100 * count[outcome] / (count.total() or 1), 2)
                    for outcome in ("right", "none", "wrong")
                },
                "elements": count.total(),
            }
            for way, count in self.counts.items()
        }


async def measured(
    page: Page, shelf: Shelf, kinds: Sequence[str], *, pages: int, seed: int
) -> dict[str, Any]:
    """Change so many pages and ask for every element of each."""
    addresses = shelf.addresses()
    random.Random(seed).shuffle(addresses)
    known: dict[str, list[Known]] = {}
    whole, by_kind = Table(), {kind: Table() for kind in (*kinds, "several at once")}
    mutate = (HERE / "mutations.js").read_text()
    for number, plan in enumerate(plans(kinds, pages, seed)):
        address = addresses[number % len(addresses)]
        if address not in known:
            await chosen(page, shelf, address)
            known[address] = await described(page)
        await chosen(page, shelf, address)
        wanted = await page.evaluate(mutate, {"seed": seed + number, "kinds": plan})
        for at, (each, there) in enumerate(zip(known[address], wanted, strict=True)):
            if there == "hidden":
                continue
            outcomes = await asked(page, each, at)
            whole.add(outcomes, there)
            by_kind[plan[0] if len(plan) == 1 else "several at once"].add(outcomes, there)
            if outcomes["bundle"] == "wrong" or (there == "gone" and outcomes["bundle"] != "none"):
                print("wrong:", plan, address, each.bundle, there, flush=True)
    return {
        "all": whole.shares(),
        "by kind": {kind: table.shares() for kind, table in by_kind.items()},
        "pages": pages,
    }


async def redesigned(page: Page, site: Site) -> dict[str, Any]:
    """Ask the redesigned demo site for what was described before."""
    table = Table()
    for path in PATHS:
        after = await keys(page, site, path, redesign=True)
        both = [key for key in await keys(page, site, path, redesign=False) if key in after]
        await pointed(page, both, redesign=False)
        known = await described(page)
        await keys(page, site, path, redesign=True)
        await pointed(page, both, redesign=True)
        for at, each in enumerate(known):
            table.add(await asked(page, each, at), "there")
    await page.context.clear_cookies(name="redesign")
    return {"all": table.shares(), "by kind": {}, "pages": len(PATHS)}


async def main() -> None:
    """Measure both sets and print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=50, help="changed pages in each set")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", choices=("weighed", "held out", "redesign"))
    options.add_argument("--dry", action="store_true", help="write nothing")
    given = options.parse_args()
    shelf = await asyncio.to_thread(rendered)
    results: dict[str, Any] = {}
    async with async_playwright() as playwright:
        await register_portraits_script(playwright)
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = await (await browser.new_context()).new_page()
        async with visited(page) as site:
            shelf = replace(shelf, served=tuple(site.url + path for path in PATHS[:6]))
            await page.route("**/*", lambda route: shelf.answer(route))  # noqa: PLW0108  it is frozen
            for name, kinds in (("weighed", WEIGHED), ("held out", HELD_OUT), ("redesign", ())):
                if given.only not in (None, name):
                    continue
                results[name] = (
                    await measured(page, shelf, kinds, pages=given.pages, seed=given.seed)
                    if kinds
                    else await redesigned(page, site)
                )
                print(shown(name, results[name]), flush=True)
        await browser.close()
    if not given.dry:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def shown(name: str, result: Mapping[str, Any]) -> str:
    """A set of results as markdown."""
    lines = [
        f"{name}: {result['pages']} pages, {result['all']['bundle']['elements']} elements",
        "| | right % | none % | wrong % |",
        "|---|---|---|---|",
    ]
    for way, share in result["all"].items():
        lines.append(f"| {way} | {share['right']} | {share['none']} | {share['wrong']} |")
    lines += ["", f"| right / wrong % by kind | {' | '.join(WAYS)} |", "|---|" + "---|" * len(WAYS)]
    for kind, shares in result["by kind"].items():
        cells = (f"{shares[way]['right']} / {shares[way]['wrong']}" for way in WAYS)
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    asyncio.run(main())
