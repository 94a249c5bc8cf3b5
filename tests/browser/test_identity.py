"""What a bundle means on generated pages: its element or none, whatever the page becomes."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.async_api import Page

from browser.bare import on
from director.browser.bundle import Bundle, LocatorError
from director.browser.descriptions import make_element_description
from director.browser.locators import resolve_locator
from director.browser.masks import MaskedPage

WORDS = "amber basil cedar dune ember fjord grove heath inlet jetty knoll ledge".split()
TARGETS = 14
# An element is known by what it stands for, which no attribute says.
_MARK = """() => {
  const all = [];
  const visit = (root) => root.querySelectorAll("*").forEach((el) => {
    if (el.localName !== "script") all.push(el);
    if (el.shadowRoot) visit(el.shadowRoot);
  });
  visit(document.body);
  all.forEach((el, at) => (el.__truth = at));
  globalThis.everyElement = all;
  return all.length;
}"""
_CHANGE = """([kind, wanted, seed]) => {
  let state = seed;
  const chance = () => ((state = (Math.imul(state, 48271) >>> 0) % 2147483647) / 2147483647);
  const all = globalThis.everyElement, target = all[wanted];
  const isThere = (el) => el.isConnected;
  const shuffle = () => document.querySelectorAll("tbody, ul").forEach((list) =>
    [...list.children].sort(() => chance() - 0.5).forEach((child) => list.append(child)));
  const renumber = () => document.querySelectorAll("[id]").forEach((el) => {
    el.id = el.id.replace(/\\d+/, (n) => Number(n) + 1);
  });
  const KINDS = {
    gone: () => target.remove(),
    "row gone": () => (target.closest("tr, li") || target).remove(),
    "gone, renumbered": () => {
      (target.closest("tr, li") || target).remove();
      document.querySelectorAll("tbody, ul").forEach((list) =>
        list.querySelectorAll("[id]").forEach((el, at) => (el.id = el.id.replace(/\\d+/, at))));
    },
    swapped: () => {
      const next = document.createElement(target.localName);
      for (const { name, value } of target.attributes)
        if (["class", "type", "href"].includes(name)) next.setAttribute(name, value);
      next.textContent = "Quartz umbra";
      if (target.localName === "input") next.setAttribute("aria-label", "Quartz umbra");
      target.replaceWith(next);
    },
    "re-sorted": shuffle,
    renumbered: renumber,
    "re-sorted, renumbered": () => (shuffle(), renumber()),
    "other cells": () => document.querySelectorAll("td.key").forEach((cell, at) =>
      at % 2 && (cell.textContent = `Velvet ${at}`)),
    translated: () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode())
        if (node.data.trim()) node.data = [...node.data].reverse().join("") + "ung";
    },
  };
  KINDS[kind]();
  return isThere(target);
}"""
CHANGES = (
    "gone",
    "row gone",
    "gone, renumbered",
    "swapped",
    "re-sorted",
    "renumbered",
    "re-sorted, renumbered",
    "other cells",
    "translated",
)


def draw(seed: int) -> str:
    """A page of rows, items, twin menus, a dialog and fields in shadow roots."""
    chance = random.Random(seed)
    keys = chance.sample(WORDS, 5)
    # Some rows say the same.
    keys[4] = chance.choice((keys[3], keys[4]))
    rows = "".join(
        f"<tr id=row{at}><td><input type=checkbox></td><td class=key>{key}</td>"
        f"<td>{chance.choice(('open', 'paid'))}</td><td>{chance.randrange(4)}</td>"
        f"<td><button id=edit{at}>Edit</button> <button class=icon>*</button>"
        f"<ul><li><a href='/log'>Log</a></li><li><a href='/{at}/stop'>Stop</a></li></ul></td></tr>"
        for at, key in enumerate(keys)
    )
    links = chance.sample(WORDS, 4)
    menu = "".join(f"<li><a href='/{word}'>{word}</a> <span>new</span></li>" for word in links)
    fields = "".join(f"<x-field name='{word}'></x-field>" for word in chance.sample(WORDS, 3))
    return f"""<aside aria-label=Main><ul>{menu}</ul></aside><nav aria-label=Main><ul>{menu}</ul></nav>
      <main><h1>{chance.choice(WORDS)}</h1><table><tbody>{rows}</tbody></table>
      <form><label>Mail <input name=mail></label><button>Save</button></form>{fields}
      <div role=dialog aria-label=Sure><button>Save</button><button>Cancel</button></div></main>
      <script>customElements.define("x-field", class extends HTMLElement {{
        connectedCallback() {{
          this.attachShadow({{ mode: "open" }}).innerHTML =
            `<label for=input>${{this.getAttribute("name")}}</label><input id=input>`;
        }}
      }})</script>"""


async def _find(page: Page, bundle: Bundle) -> int | None:
    try:
        found = (await resolve_locator(page, bundle)).locator
    except LocatorError:
        return None
    return int(await found.evaluate("element => element.__truth ?? -1"))


async def _describe(page: Page, at: int) -> Bundle | None:
    await page.evaluate("at => everyElement[at].setAttribute('data-key', `x${at}`)", at)
    try:
        return (
            await make_element_description(
                MaskedPage(page), page.locator(f"[data-key=x{at}]"), "it"
            )
        ).bundle
    except LocatorError:
        return None


async def _try_page(page: Page, seed: int) -> dict[str, list[str]]:
    """What was not as it must be, by state."""
    chance = random.Random(seed)
    many = await page.evaluate(_MARK)
    chosen = chance.sample(range(many), min(TARGETS, many))
    bundles = {at: made for at in chosen if (made := await _describe(page, at))}
    faults: dict[str, list[str]] = {}

    async def expect(state: str, at: int, allowed: set[int | None]) -> None:
        if (found := await _find(page, bundles[at])) not in allowed:
            faults.setdefault(state, []).append(f"{found} for {at}: {bundles[at].json()}")

    for at in bundles:
        await expect("same document", at, {at})
    await page.reload()
    await page.evaluate(_MARK)
    for at in bundles:
        await expect("reload", at, {at})
    for number, kind in enumerate(CHANGES):
        await page.reload()
        await page.evaluate(_MARK)
        one = chance.choice(list(bundles))
        stays = await page.evaluate(_CHANGE, [kind, one, seed * 31 + number + 1])
        await expect(kind, one, {one, None} if stays else {None})
        for at in chance.sample(list(bundles), 4):
            await expect(kind, at, {at, None})
    return faults


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 20))]
)
def test_a_bundle_means_its_element_or_none(seed: int) -> None:
    """Right in the same document and after a reload; never another after anything else."""

    async def work(page: Page) -> Any:
        return await _try_page(page, seed)

    assert on(work, first=draw(seed)) == {}
