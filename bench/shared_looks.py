"""One look at a page for many bundles: the model's own portraits and pools, each element drawn once.

A node looks at the page once for each bundle; here the same functions of the model answer for all of
them, and the same vote decides, so that hundreds of refs can be measured in a moment. Some of them
are asked of `resolve` as well, and where that differs, it is said.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from playwright.async_api import Page, Playwright

from director.browser import element_likeness, element_portraits
from director.browser.bundle import Bundle, parse_bundle_or_css
from director.browser.bundle_vote import Portrait, leaders, tally
from director.browser.element_portraits import (
    ENGINE,
    ask_portraits_script,
    load_portraits_script,
    report_portrait_listeners,
)

# The same texts are compared in every state of a page.
for _name in ("likeness", "_alike_paths"):
    setattr(
        element_likeness,
        _name,
        lru_cache(maxsize=None)(getattr(element_likeness, _name).__wrapped__),
    )
_TRUTH = "data-bench-truth"
_REQUEST = """const REQUESTS = {
  many: ({ bundles }) => {
    const at = new Map(), drawn = [];
    const place = (el) => {
      if (!at.has(el)) {
        at.set(el, drawn.length);
        drawn.push({ ...portrait(el), within: within(el, 8), ...placed(el), pin: "", by_css: false, nth: [0, 1],
          truth: get(el, "TRUTH") });
      }
      return at.get(el);
    };
    const pools = bundles.map((bundle) => {
      const found = new Set(bundle.css ? matches(bundle.css) : []);
      const els = pool(bundle, found);
      const known = els.map((el) => ({ role: role(el), name: name(el) }));
      number(known);
      return els.map((el, i) => [place(el), known[i].nth, found.has(el)]);
    });
    return { drawn, pools };
  },""".replace("TRUTH", _TRUTH)


async def register_shared(playwright: Playwright) -> None:
    """Register the model of a page with one request more."""
    text = load_portraits_script()
    if text.count("const REQUESTS = {") != 1:
        raise RuntimeError("The model has another form than this bench knows.")
    made = text.replace("const REQUESTS = {", _REQUEST)
    await playwright.selectors.register(ENGINE, made, content_script=True)


@dataclass(frozen=True)
class Looked:
    """One look for many bundles, by the numbers of the marked elements that they were made of.

    `meant` is the number of the one element that a bundle means now, -1 for one without, None for
    none or several; `fits` are all that fit, hidden ones too.
    """

    bundles: Mapping[int, Bundle]
    told: Mapping[str, Any]
    meant: Mapping[int, int | None] = field(default_factory=dict)
    fits: Mapping[int, list[int]] = field(default_factory=dict)

    def voted(self, *, hidden: bool = False) -> Looked:
        """The same with what the vote says; with `hidden` also all that fit."""
        drawn = self.told["drawn"]
        known = [element_portraits._portrait(each) for each in drawn]  # noqa: SLF001  as a look reads them
        truth = [-1 if each["truth"] is None else int(each["truth"]) for each in drawn]
        meant, fits = {}, {}
        for (at, bundle), pool in zip(self.bundles.items(), self.told["pools"], strict=True):
            shown = _leading(bundle, [each for each in pool if known[each[0]].visible], known)
            meant[at] = truth[shown[0]] if len(shown) == 1 else None
            if hidden:
                fits[at] = [truth[i] for i in {*shown, *_leading(bundle, pool, known)}]
        return replace(self, meant=meant, fits=fits)

    def store(self, path: Path) -> None:
        """Keep it, to vote on it again."""
        path.parent.mkdir(parents=True, exist_ok=True)
        bundles = {at: bundle.json() for at, bundle in self.bundles.items()}
        with gzip.open(path, "wt", encoding="utf-8") as file:
            json.dump({"bundles": bundles, "told": self.told}, file)

    @staticmethod
    def read(path: Path, *, hidden: bool = False) -> Looked:
        """One that was kept, and what the vote says of it now."""
        with gzip.open(path, "rt", encoding="utf-8") as file:
            kept = json.load(file)
        bundles = {int(at): parse_bundle_or_css(each) for at, each in kept["bundles"].items()}
        return Looked(bundles, kept["told"]).voted(hidden=hidden)


async def look_all(page: Page, bundles: Mapping[int, Bundle], *, hidden: bool = False) -> Looked:
    """Look at the page once, and vote for each bundle."""
    await report_portrait_listeners(page.main_frame)
    await page.evaluate(
        "key => (window.truth || []).forEach(e => e?.isConnected && e.setAttribute(key, e.__truth))",
        _TRUTH,
    )
    try:
        asked = [bundle.json() for bundle in bundles.values()]
        told = await ask_portraits_script(page.main_frame, "many", bundles=asked)
    finally:
        await page.evaluate(
            "key => (window.truth || []).forEach(e => e?.removeAttribute(key))", _TRUTH
        )
    return Looked(bundles, told).voted(hidden=hidden)


def _placed(one: Portrait, nth: tuple[int, int], *, by_css: bool) -> Portrait:
    return Portrait(_with_place(one.like, nth), one.node, one.pin, by_css, one.visible, one.in_view)


def _with_place(like: Bundle, nth: tuple[int, int]) -> Bundle:
    return like if like.nth == nth else replace(like, nth=nth)


def _leading(
    bundle: Bundle, pool: Sequence[tuple[int, Sequence[int], bool]], known: Sequence[Portrait]
) -> list[int]:
    portraits = [_placed(known[at], (nth[0], nth[1]), by_css=by_css) for at, nth, by_css in pool]
    return [pool[one.at][0] for one in leaders(bundle, tally(bundle, portraits))]
