"""Measures snapshots on ten pages that nobody here wrote: `.venv/bin/python bench/snapshots.py`.

All look at one tab of one Chromium: Playwright's own snapshot, ours, Playwright MCP's and, with
`--browser-use PYTHON` (a Python that has it), browser-use's. An element counts as kept if the text
gives a handle for it or for something inside it. Prints markdown for `docs/measured.md` and writes
`bench/results/snapshots.json`; no model, no network beyond loopback.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from pages import Place, served
from playwright.async_api import CDPSession, Page, async_playwright
from snapshot_peers import Peer, peers

from director.browser.element_portraits import register_portraits_script
from director.browser.fields import watch_secret_fields
from director.browser.readiness import wait_until_ready
from director.browser.snapshot_text import render_snapshot_text
from director.browser.snapshots import take_snapshot
from director.counting import exact

RESULTS = Path(__file__).parent / "results/snapshots.json"
REPEATS = 9
Row: TypeAlias = dict[str, Any]
_REF = re.compile(r"\[ref=(\w+)\]")
_SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    "--window-size=1280,900",
)
# What a person could use: elements made for it, elements that say so, elements that listen.
_TRUTH = """(() => {
  const wanted = "a[href], button, input:not([type=hidden]), select, textarea, summary, [onclick], " +
    "[role=button], [role=link], [role=checkbox], [role=radio], [role=tab], [role=menuitem], " +
    "[role=option], [role=switch], [role=textbox], [role=combobox], [contenteditable=true]";
  const listens = (node) => {
    const found = getEventListeners(node);
    return ["click", "mousedown", "mouseup", "pointerdown"].some((type) => found[type]?.length);
  };
  const shown = (node) => {
    const box = node.getBoundingClientRect();
    return node.checkVisibility({visibilityProperty: true}) && box.width > 0 && box.height > 0;
  };
  const all = [...document.body.querySelectorAll("*")];
  const declared = all.filter((node) => node.matches(wanted) && shown(node) && !node.disabled);
  const listening = all.filter((node) => listens(node) && shown(node) && !declared.includes(node));
  globalThis.__truth = [...declared, ...listening];
  return declared.length;
})()"""
_WHICH = """(node) => {
  while (node && !__truth.includes(node)) node = node.parentElement;
  return node ? __truth.indexOf(node) : -1;
}"""
_START = "Math.seedrandom('5'); core.EPISODE_MAX_TIME = 1e9; core.startEpisodeReal()"


@contextmanager
def chromium(folder: Path) -> Iterator[str]:
    """A Chromium that several can attach to, and its address."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("There is no Chromium.")
    log = (folder / "chromium.log").open("w")
    browser = subprocess.Popen(
        [program, *_SWITCHES, f"--user-data-dir={folder / 'profile'}", "about:blank"],
        stdout=log,
        stderr=log,
    )
    port = folder / "profile/DevToolsActivePort"
    try:
        while not (port.exists() and port.read_text().count("\n")):
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port.read_text().split()[0]}"
    finally:
        browser.terminate()
        browser.wait()


async def prepare(page: Page, place: Place) -> None:
    """Bring the tab to a page in its first state."""
    await page.goto(place.url)
    if place.login and "/login/" in page.url:
        await page.fill("#id_username", "admin")
        await page.fill("#id_password", "Bench-1-pass")
        await page.click("[type=submit]")
        await page.goto(place.url)
    if place.task:
        await page.evaluate(_START)


async def truth(cdp: CDPSession) -> tuple[int, list[set[int]]]:
    """How many elements are declared as interactive; for all, the ids of what they hold."""
    answer = await cdp.send(
        "Runtime.evaluate", {"expression": _TRUTH, "includeCommandLineAPI": True}
    )
    size = await cdp.send("Runtime.evaluate", {"expression": "__truth.length"})
    found: list[set[int]] = []
    for at in range(size["result"]["value"]):
        node = await cdp.send("Runtime.evaluate", {"expression": f"__truth[{at}]"})
        asked = {"objectId": node["result"]["objectId"], "depth": -1}
        described = await cdp.send("DOM.describeNode", asked)
        found.append(set(_ids(described["node"])))
    return answer["result"]["value"], found


def _ids(node: Any) -> Iterator[int]:
    yield node["backendNodeId"]
    for child in node.get("children", ()):
        yield from _ids(child)


def _innermost(inside: list[set[int]], wanted: int) -> int:
    """The smallest interactive element that is or holds an element, or -1."""
    holding = [at for at, ids in enumerate(inside) if wanted in ids]
    return min(holding, key=lambda at: len(inside[at]), default=-1)


async def covered(page: Page, text: str) -> dict[str, int]:
    """For each ref of a text, the interactive element it is or is inside of."""
    refs = _REF.findall(text)
    found: dict[str, int] = {}
    for start in range(0, len(refs), 40):
        some = refs[start : start + 40]
        locators = [page.locator(f"aria-ref={ref}") for ref in some]
        found |= zip(
            some, await asyncio.gather(*(each.evaluate(_WHICH) for each in locators)), strict=True
        )
    return {ref: at for ref, at in found.items() if at >= 0}


def _bare(line: str) -> str:
    return re.sub(r" \[(?:ref|cursor|active)[^\]]*\]|'", "", line).strip().rstrip(":")


def same_lines(raw: str, other: str, which: dict[str, int]) -> set[int]:
    """The elements whose line in one snapshot stands in another one too, whatever its refs."""
    there = Counter(_bare(line) for line in other.split("\n") if "[ref=" in line)
    kept: set[int] = set()
    for line in raw.split("\n"):
        ref = _REF.search(line)
        if ref and ref[1] in which and there[_bare(line)] > 0:
            there[_bare(line)] -= 1
            kept.add(which[ref[1]])
    return kept


async def timed(page: Page) -> tuple[float, float, float]:
    """Median seconds of Playwright's own call, of ours, and of showing; taken in turns."""
    own: list[float] = []
    ours: list[float] = []
    shown: list[float] = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        await page.aria_snapshot(mode="ai")
        own.append(time.perf_counter() - began)
        began = time.perf_counter()
        snapshot = await take_snapshot(page)
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        render_snapshot_text(snapshot)
        shown.append(time.perf_counter() - began)
    return statistics.median(own), statistics.median(ours), statistics.median(shown)


async def measured(page: Page, place: Place, others: dict[str, Peer | str]) -> Row:
    """One page, by all."""
    count = exact("o200k_base").count
    await prepare(page, place)
    html = await page.content()
    began = time.perf_counter()
    # What a session does before it looks; requests are not counted here.
    still = await wait_until_ready(page, lambda: ())
    settled = time.perf_counter() - began
    own, ours, shown = await timed(page)
    cdp = await page.context.new_cdp_session(page)
    declared, inside = await truth(cdp)
    await cdp.detach()
    row: Row = {"page": place.name, "declared": declared, "interactive": len(inside)}
    first = await take_snapshot(page)
    which = await covered(page, first.text)
    texts = {
        "raw HTML": html,
        "Playwright": await page.aria_snapshot(mode="ai"),
        "ours": render_snapshot_text(first),
    }
    kept = {
        name: {which[ref] for ref in _REF.findall(texts[name]) if ref in which}
        for name in ("Playwright", "ours")
    }
    for name, peer in others.items():
        seen = await asyncio.to_thread(_seen, peer, page.url)
        if seen is None:
            continue
        texts[name] = seen["text"]
        if "ids" in seen:
            kept[name] = {_innermost(inside, each) for each in seen["ids"]} - {-1}
        else:
            kept[name] = same_lines(first.text, seen["text"], which)
    row["tokens"] = {name: count(text) for name, text in texts.items()}
    row["declared kept"] = {name: sum(at < declared for at in each) for name, each in kept.items()}
    row["kept"] = {name: len(each) for name, each in kept.items()}
    before = await take_snapshot(page)
    await page.evaluate(place.act)
    await page.wait_for_timeout(500)
    row["tokens"]["ours, after one action"] = count(
        render_snapshot_text(await take_snapshot(page), before)
    )
    row["seconds"] = {"Playwright": own, "ours": ours, "show": shown, "settle": settled}
    row["still under way"] = list(still)
    print(row, flush=True)
    return row


def _seen(peer: Peer | str, url: str) -> dict[str, Any] | None:
    if isinstance(peer, str):
        return None
    try:
        return peer.look(url)
    except Exception as problem:
        print(f"left out: {problem!r}", flush=True)
        return None


async def measure(folder: Path, python: str, only: str) -> dict[str, Any]:
    """All pages."""
    with (
        served(folder) as places,
        chromium(folder) as address,
        peers(folder, address, python) as others,
    ):
        async with async_playwright() as playwright:
            browser = await playwright.chromium.connect_over_cdp(address)
            # Afterwards: a context that was there before takes over nothing that was registered.
            await register_portraits_script(playwright)
            await watch_secret_fields(browser.contexts[0])
            page = browser.contexts[0].pages[0]
            rows = [await measured(page, place, others) for place in places if only in place.name]
            await browser.close()
    missing = {name: why for name, why in others.items() if isinstance(why, str)}
    return {"date": time.strftime("%Y-%m-%d"), "pages": rows, "missing": missing}


COLUMNS = (
    "raw HTML",
    "Playwright",
    "Playwright MCP",
    "browser-use",
    "ours",
    "ours, after one action",
)


def tables(found: dict[str, Any]) -> str:
    """The results as markdown."""
    rows = found["pages"]
    sizes = [
        [
            row["page"],
            *(f"{row['tokens'][name]:,}" if name in row["tokens"] else "–" for name in COLUMNS),
        ]
        for row in rows
    ]
    totals = [sum(row["tokens"].get(name, 0) for row in rows) for name in COLUMNS]
    sizes.append(["all", *(f"{total:,}" if total else "–" for total in totals)])
    names = ("Playwright", "Playwright MCP", "browser-use", "ours")
    shares = [
        [
            row["page"],
            str(row["interactive"]),
            *(f"{row['kept'][name]}" if name in row["kept"] else "–" for name in names),
            f"{1e3 * row['seconds']['Playwright']:.0f}",
            f"{row['seconds']['ours'] / row['seconds']['Playwright']:.2f}",
            f"{1e3 * row['seconds']['show']:.1f}",
            f"{1e3 * row['seconds']['settle']:.0f}",
        ]
        for row in rows
    ]
    every = sum(row["interactive"] for row in rows)
    part = [sum(row["kept"].get(name, 0) for row in rows) for name in names]
    ratio = statistics.median(row["seconds"]["ours"] / row["seconds"]["Playwright"] for row in rows)
    shares.append(
        ["all", str(every), *(f"{each} ({each / every:.0%})" if each else "–" for each in part),
         "", f"median {ratio:.2f}", "", ""]
    )  # fmt: skip
    first = _table(["page (tokens, o200k)", *COLUMNS], sizes)
    head = [
        "page",
        "interactive",
        *names,
        "Playwright ms",
        "ours ÷ Playwright",
        "show ms",
        "settle ms",
    ]
    missing = "".join(f"\n\n{name} was left out: {why}" for name, why in found["missing"].items())
    return f"{first}\n\n{_table(head, shares)}{missing}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser-use", default="python3", metavar="PYTHON")
    parser.add_argument(
        "--only", default="", help="pages whose name holds this; nothing is written"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        found = asyncio.run(measure(Path(folder), given.browser_use, given.only))
    print(f"\n{tables(found)}")
    if not given.only:
        RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
