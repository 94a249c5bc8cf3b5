"""Selectors: what is no CSS reaches no browser, and no way of writing one finds out a secret."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from attacks.echo_site import SECRETS, echo_site, session_with
from browser.sites import site
from browser.test_snapshots_screens import read_picture
from director.browser import Browser, BrowserError, Origins, Session
from director.browser.bundle import LocatorError, parse_bundle_or_css
from director.browser.locators import make_locator_bundle, resolve_locator
from director.browser.masks import MaskedPage
from director.browser.page_conditions import check_page_condition
from director.browser.queries import run_query
from director.planning.injection import find_injected_commands, find_wrong_injections
from director.secrets import Vault
from director.workflow.selectors import check_selector
from director.workflow.types import check_config
from director.workflow.values import WorkflowError

Run = Callable[[Any], Any]
SECRET = SECRETS[0]
HIDES = 'body /*`"`*/ >> '
LOGIN = """<title>Login</title><table><tr id=r><td>Password</td>
<td><input type=password id=pw name=password></td></tr></table>
<div id=ed contenteditable aria-label=q></div><input id=t name=q2 pattern="Z.*">
<button aria-labelledby="go pw"><b id=go>Go</b></button><button>Sign in</button>"""


async def _holds(session: Session, asked: Any) -> bool:
    return (await check_page_condition(session, {"count": asked, "at_least": 1, "within": 0})).holds


def _typed(browser: Browser, run: Run, folder: Path, ask: Callable[[Session], Any]) -> Any:
    """What is asked of a page with a secret in a password field, an editor and a plain field."""

    async def work() -> Any:
        with site({"/": LOGIN}) as server:
            vault = Vault(folder / "vault")
            vault.put("word", SECRET, server.origin)
            for field in ("editable text id=ed", "text name=q2"):
                vault.allow_field("word", server.origin, field)
            approved = Origins([server.origin])
            async with browser.session(approved, vault, downloads=folder / "files") as session:
                await session.navigate(f"{server.origin}/")
                for css in ("#pw", "#ed", "#t"):
                    await session.fill(session.page().locator(css), "{{secret:word}}")
                return await ask(session)

    return run(work())


ENGINES = [
    HIDES + 'role=row[name^="Password {}"i]',
    "tr >> internal:role=row[name^='Password {}'i]",
    'tr:has-text(">> role=row[name^={}]")',
    'role=row[name^="Password {}"]',
    "xpath=//input[starts-with(@value, '{}')]",
    "  _react=x[a='{}']",
    "internal:text={}",
    "css=[value^='{}']",
    "data-testid={}",
    '"{}"',
    "..",
]


@pytest.mark.attack(
    "A selector goes over to another engine of Playwright's, by '>>' behind a quote or a comment "
    "that CSS does not know, or by its name",
    must="refused when it is saved and before it is used, in every place that takes a selector",
    tries=44,
)
@pytest.mark.parametrize("form", ENGINES)
def test_no_other_engine_is_reached(form: str) -> None:
    """The engine of roles reads what is in fields."""
    css = form.format("Zeb")
    for given in (css, {"css": css}, {"path": css}):
        with pytest.raises(WorkflowError):
            check_selector(given)
        with pytest.raises(LocatorError):
            parse_bundle_or_css(given)
    extract = {"method": "deterministic_extract", "selector": "p", "fields": {"a": css}}
    with pytest.raises(WorkflowError):
        check_config("browser_query", extract)
    with pytest.raises(LocatorError):
        MaskedPage(None).check_selector(css)  # type: ignore[arg-type]


def _guesses(guess: str) -> list[Any]:
    return [
        HIDES + f'role=row[name^="Password {guess}"i]',
        {"role": f'row[name^="Password {guess}"] >> internal:role=cell', "name": "Password"},
        f'#ed:/**/has-text("{guess}")',
        f'#ed:has-\\74\r\next("{guess}")',
        "#t:/**/valid",
    ]


@pytest.mark.promise("D2")
@pytest.mark.attack(
    "Selectors and bundles guess at what is in a field: through a role, a comment, an escape, a name",
    must="a right guess and a wrong one get the same answer",
    tries=7,
)
def test_no_way_of_writing_tells_what_is_in_a_field(
    browser: Browser, run: Run, tmp_path: Path
) -> None:
    """And what is honest is still found on the same page."""

    async def ask(session: Session) -> list[tuple[bool, bool]]:
        right = [*_guesses("Zeb"), {"role": "row", "name": f"Password {SECRET}"}]
        wrong = [*_guesses("Xeb"), {"role": "row", "name": f"Password {SECRETS[1]}"}]
        right.append({"role": "button", "name": f"Go {SECRET}"})
        wrong.append({"role": "button", "name": f"Go {SECRETS[1]}"})
        said = []
        for each, other in zip(right, wrong, strict=True):
            said.append((await _told(session, each), await _told(session, other)))
        assert await _holds(session, "#r > td")
        assert await _holds(session, {"role": "button", "name": "Sign in"})
        return said

    said = _typed(browser, run, tmp_path, ask)
    assert [pair for pair in said if pair[0] != pair[1]] == []


async def _told(session: Session, asked: Any) -> str:
    found = await check_page_condition(session, {"count": asked, "at_least": 1, "within": 0})
    text = f"{found.holds} {found.found}"
    for guess in (*SECRETS, "Zeb", "Xeb", "[redacted]"):
        text = text.replace(guess, "?")
    return text


@pytest.mark.promise("D2")
@pytest.mark.attack(
    "An attribute that holds a secret is asked about with a comment, in capitals, behind a class",
    must="a right guess and a wrong one get the same answer",
    tries=6,
)
def test_no_way_of_writing_tells_what_is_in_an_attribute(
    browser: Browser, run: Run, tmp_path: Path
) -> None:
    """What loads something cannot be masked, so nothing may ask about it."""
    forms = ("@SRC~{}", "@Src~{}", "img[/**/src*='{}']", "img[src/**/*='{}']", ".x img[src*='{}']")

    async def ask(session: Session, rule: str) -> str:
        config = {"method": "deterministic_extract", "selector": "body, img", "visibleOnly": False}
        try:
            return str(await run_query(session, {**config, "fields": {"a": rule}}))
        except LocatorError as problem:
            return f"refused: {str(problem)[-60:]}"

    async def work() -> list[tuple[str, str]]:
        with echo_site() as server:
            async with session_with(browser, server, folder=tmp_path, secret=SECRET) as session:
                await session.page().evaluate("document.documentElement.className = 'x'")
                return [
                    (await ask(session, form.format("Zeb")), await ask(session, form.format("Xeb")))
                    for form in forms
                ]

    said = run(work())
    assert [pair for pair in said if pair[0] != pair[1]] == []


@pytest.mark.attack(
    "A selector of two hundred thousand characters, and a skill with runs of backticks that never "
    "close or commands on every line",
    must="refused or read in a moment: nothing else waits for it",
    tries=8,
)
@pytest.mark.parametrize("css", ["/* " * 8_000, "[" * 40_000 + " " * 40_000, "[a" + " " * 200_000])
def test_a_long_selector_holds_nothing_up(css: str) -> None:
    """Each of them would be looked at once for every place in it."""
    began = time.thread_time()
    with pytest.raises(WorkflowError, match="at most 2,000"):
        check_config("browser_action", {"action": "click", "selector": css})
    with pytest.raises(LocatorError):
        MaskedPage(None).check_selector(css)  # type: ignore[arg-type]
    text = "".join("`" * size + "a" for size in range(2, 1_000))
    assert find_injected_commands(text) == []
    assert (
        len(find_injected_commands("!`a` " * 60_000))
        == len(find_wrong_injections("`!a` " * 60_000))
        == 60_000
    )
    assert time.thread_time() - began < 10


MOVED = """<title>L</title><style>.v::before {{ content: var(--x) }}
.v {{ position: absolute; left: 200px; top: 60px }}</style>
<input type=password id=pw name=password>
<div style="--x: '{said}'; width: 1px; height: 1px"><p class=v></p></div>"""
HELD = MOVED.replace("width: 1px; height: 1px", "position: relative; width: 500px; height: 200px")
DRAWN = """<title>L</title><input type=password id=pw name=password><p>{said}</p>
<img id=a width=300 height=30><img id=b width=300 height=30><p id=c style="height: 30px">-</p><script>
const svg = "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='30'><text y='20'>{said}</text></svg>";
a.src = URL.createObjectURL(new Blob([svg], {{type: "image/svg+xml"}}));
const pen = Object.assign(document.createElement("canvas"), {{height: 30}});
pen.getContext("2d").fillText("{said}", 5, 20); b.src = pen.toDataURL();
c.style.backgroundImage = `url(${{pen.toDataURL()}})`;
</script>"""

COPIED = {
    "shadow": "#t { filter: drop-shadow(0 90px #000) }",
    "shadow of all": "body { filter: drop-shadow(0 190px #000) }",
    "shadow that stays": "#t { filter: drop-shadow(0 90px #000); opacity: 1 !important; "
    "transition: all 99s; animation: x 99s infinite } @keyframes x { from { opacity: 1 } }",
    "reflection": "#t { -webkit-box-reflect: below 40px }",
    "rule": "",
    "part": "#c::after { content: ''; display: block; height: 30px }",
}
COPYING = """<title>L</title><style>STYLE</style><input type=password id=pw name=password>
<input id=t style="font-size: 30px; background: none; border: 0"><p id=c>-</p><script>
const pen = Object.assign(document.createElement("canvas"), {{height: 30}});
pw.oninput = () => {{
  t.value = pw.value;
  pen.getContext("2d").fillText(pw.value, 5, 20);
  const part = {{rule: "#c", part: "#c::after"}}["NAME"];
  if (part) document.styleSheets[0].insertRule(`${{part}} {{ background: url(${{pen.toDataURL()}}) }}`);
}};
</script>"""


def _pictures(browser: Browser, run: Run, folder: Path, html: str) -> list[bytes]:
    async def one(secret: str) -> bytes:
        with site({"/": html.format(said=secret)}) as server:
            vault = Vault(folder / secret[:4])
            vault.put("word", secret, server.origin)
            async with browser.session(Origins([server.origin]), vault) as session:
                await session.navigate(f"{server.origin}/")
                await session.fill(session.page().locator("#pw"), "{{secret:word}}")
                return await session.screenshot()

    async def both() -> list[bytes]:
        return list(await asyncio.gather(*map(one, SECRETS)))

    found: list[bytes] = run(both())
    return found


@pytest.mark.promise("D6")
@pytest.mark.attack(
    "A page shows a secret in a covered element of one pixel, by a child that stands elsewhere",
    must="there is no picture; there is one if the cover hides the child",
    tries=2,
)
def test_a_cover_hides_only_what_stands_below_it(
    browser: Browser, run: Run, tmp_path: Path
) -> None:
    """Only the box of an element is covered."""
    with pytest.raises(BrowserError, match="There is no picture of this page"):
        _pictures(browser, run, tmp_path, MOVED)
    first, second = _pictures(browser, run, tmp_path, HELD)
    assert read_picture(first) == read_picture(second)


@pytest.mark.promise("D6")
@pytest.mark.attack(
    "A page makes a picture of a secret itself: as a blob, as data, as a background",
    must="two secrets of one length give the same picture, pixel by pixel",
    tries=3,
)
def test_a_picture_that_the_page_has_made_is_covered(
    browser: Browser, run: Run, tmp_path: Path
) -> None:
    """What was drawn cannot be read, so it is covered as a whole."""
    first, second = _pictures(browser, run, tmp_path, DRAWN)
    assert read_picture(first) == read_picture(second)


@pytest.mark.promise("D6")
@pytest.mark.attack(
    "A page draws a copy of a covered field beside it: by shadows, reflections, and style rules with "
    "pictures of it",
    must="two secrets of one length give the same picture, pixel by pixel",
    tries=6,
)
@pytest.mark.parametrize("name", COPIED)
def test_no_copy_of_a_cover_stands_beside_it(
    browser: Browser, run: Run, tmp_path: Path, name: str
) -> None:
    """Nothing is drawn below a cover."""
    style = COPIED[name].replace("{", "{{").replace("}", "}}")
    html = COPYING.replace("STYLE", style).replace("NAME", name)
    first, second = _pictures(browser, run, tmp_path, html)
    assert read_picture(first) == read_picture(second)


ODD = """<a href="/*" title="Next >> page" id=one>x</a><button aria-label="say `hi` >>>">y</button>
<b id="a`b" role="x>>y" tabindex=0>z</b><p>a &gt;&gt; b</p><svg id=s viewBox="0 0 9 9"></svg>"""


@pytest.mark.attack(
    "The check of selectors refuses so much that honest elements cannot be named",
    must="a bundle of any element can be used, and CSS can name any text",
)
def test_signs_that_are_refused_are_written_in_another_way(browser: Browser, run: Run) -> None:
    """A bundle of any element can be used, and CSS can name any text."""

    async def work() -> Mapping[str, Any]:
        async with browser.session(Origins([])) as session:
            page = session.page()
            await page.set_content(ODD)
            for css in ("a", "button", "b"):
                made = await make_locator_bundle(page, page.locator(css))
                check_selector(made.json())
                found = await resolve_locator(page, made.json())
                assert await found.locator.evaluate("node => node.localName") == css
            assert await _holds(session, 'p:has-text("a \\3e\\3e  b")')
            assert await _holds(session, 'a[title="Next \\3e\\3e  page"]')
            assert await _holds(session, "p, #one > b, a ~ button, button + b")
            return await run_query(
                session,
                {"method": "deterministic_extract", "selector": "svg", "fields": {"a": "@viewBox"}},
            )

    assert run(work())["items"] == [{"a": "0 0 9 9"}]
