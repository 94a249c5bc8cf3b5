"""One look at a page for many bundles: the model's own portraits and pools, each element drawn once.

A node looks at the page once for each bundle; here the same functions of the model answer for all of
them, and the same vote decides, so that hundreds of refs can be measured in a moment. Some of them
are asked of `resolve` as well, and where that differs, it is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from playwright.async_api import Page, Playwright

from director.browser import looking
from director.browser.bundle import Bundle
from director.browser.looking import ENGINE, ask_model, report_listeners, script
from director.browser.voting import Portrait, leaders, tally

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
    text = script()
    if text.count("const REQUESTS = {") != 1:
        raise RuntimeError("The model has another form than this bench knows.")
    made = text.replace("const REQUESTS = {", _REQUEST)
    await playwright.selectors.register(ENGINE, made, content_script=True)


async def vote_all(page: Page, bundles: Sequence[Bundle]) -> list[int | None]:
    """For each bundle the number of the marked element that it means now, -1 for one without.

    None if it means no element, or several.
    """
    await report_listeners(page.main_frame)
    await page.evaluate(
        "key => (window.truth || []).forEach(e => e?.isConnected && e.setAttribute(key, e.__truth))",
        _TRUTH,
    )
    try:
        asked = [bundle.json() for bundle in bundles]
        told = await ask_model(page.main_frame, "many", bundles=asked)
    finally:
        await page.evaluate(
            "key => (window.truth || []).forEach(e => e?.removeAttribute(key))", _TRUTH
        )
    known = [looking._portrait(each) for each in told["drawn"]]  # noqa: SLF001  as a look reads them
    return [
        _meant(bundle, pool, known, told["drawn"])
        for bundle, pool in zip(bundles, told["pools"], strict=True)
    ]


def _meant(
    bundle: Bundle,
    pool: Sequence[tuple[int, Sequence[int], bool]],
    known: Sequence[Portrait],
    drawn: Sequence[Mapping[str, Any]],
) -> int | None:
    seen = [(at, nth, by_css) for at, nth, by_css in pool if known[at].visible]
    portraits = [
        replace(known[at], like=replace(known[at].like, nth=(nth[0], nth[1])), by_css=by_css)
        for at, nth, by_css in seen
    ]
    tied = leaders(bundle, tally(bundle, portraits))
    if len(tied) != 1:
        return None
    truth = drawn[seen[tied[0].at][0]]["truth"]
    return -1 if truth is None else int(truth)
