"""From an element to its bundle and back, in a real browser, when the page has changed too."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeAlias, TypeVar

import pytest
from playwright.async_api import Page

from browser.bare import opened
from director.browser.bundle import Bundle, LocatorError
from director.browser.locators import Found, make_locator_bundle, resolve_locator
from director.browser.masks import Masks
from director.browser.session_redaction import SessionNet
from director.secrets import Clear

T = TypeVar("T")
On: TypeAlias = Callable[[str, Callable[[Page], Awaitable[T]]], T]
SHOP = """<main><h1>Shop</h1>
<form aria-label="Search"><input name="q" placeholder="Find"><button>Search</button></form>
<form aria-label="Checkout"><h2>Your order</h2>
  <label>Mail <input type="email" name="mail"></label>
  <p>Total 12.00</p>
  <button id="place" class="btn primary" data-testid="place-order">Place order</button>
  <a href="/cart">Back to the cart</a>
</form></main>"""
ROWS = "<table>{}</table>".format(
    "".join(
        f"<tr><td>{name}</td><td>{mail}</td><td><button>Delete</button></td></tr>"
        for name, mail in (("Ada", "ada@x.org"), ("Ben", "ben@x.org"), ("Cleo", "cleo@x.org"))
    )
)


@pytest.fixture(scope="module")
def on() -> Iterator[On[Any]]:
    """Some work on a page that is made of a text; all share one tab."""
    runner, browser = opened()
    page = runner.run(browser.new_page(viewport={"width": 800, "height": 600}))

    async def work_on(html: str, work: Callable[[Page], Awaitable[T]]) -> T:
        await page.goto("about:blank")
        await page.set_content(html)
        return await work(page)

    yield lambda html, work: runner.run(work_on(html, work))
    runner.run(page.close())


async def html_of(found: Found) -> str:
    """The element that was found, as it is written."""
    return str(await found.locator.evaluate("element => element.outerHTML"))


async def ref_of(page: Page, line: str) -> str:
    """The ref of the first element whose line of the snapshot has a text."""
    snapshot = await page.aria_snapshot(mode="ai")
    found = re.search(rf"{re.escape(line)}.*?\[ref=(\w+)\]", snapshot)
    assert found, snapshot
    return found[1]


def refusal(on: On[str], html: str, selector: Any, **options: Any) -> str:
    """What is said when a selector is not resolved on a page."""

    async def work(page: Page) -> str:
        with pytest.raises(LocatorError) as refused:
            await resolve_locator(page, selector, **options)
        return str(refused.value)

    return on(html, work)


def test_a_ref_becomes_a_bundle_with_several_ways_to_its_element(on: On[Bundle]) -> None:
    """Role and name, test id, CSS, attributes, and what is around it."""

    async def work(page: Page) -> Bundle:
        return await make_locator_bundle(page, await ref_of(page, 'button "Place order"'))

    bundle = on(SHOP, work)
    assert (bundle.role, bundle.name, bundle.test_id) == ("button", "Place order", "place-order")
    assert bundle.css == "#place"
    assert [str(each) for each in bundle.within] == [
        "form 'Checkout'",
        "main",
        "heading 'Your order'",
    ]
    assert bundle.near[:2] == ("Total 12.00", "Back to the cart")
    assert len(json.dumps(bundle.json())) < 700


@pytest.mark.parametrize("css", ["button#place", "input[name=q]", "input[name=mail]", "a", "h1"])
def test_a_bundle_finds_its_own_element_without_dispute(on: On[None], css: str) -> None:
    """On the page that it was made from, whatever kind of element it is."""

    async def work(page: Page) -> None:
        found = await resolve_locator(page, await make_locator_bundle(page, css))
        wanted = await page.locator(css).evaluate("element => element.outerHTML")
        assert await html_of(found) == wanted
        assert (found.disagreements, found.proposal, found.diff()) == ((), None, "")
        assert found.votes > 0.9

    on(SHOP, work)


def test_what_somebody_typed_is_in_no_bundle(on: On[str]) -> None:
    """Passwords, notes and rich text stay on the page, in the bundles of their neighbours too."""
    fields = (
        '<label>Password <input type="password" value="canary-1"></label>'
        '<input name="otp" value="canary-2"><textarea>canary-3</textarea>'
        '<div contenteditable="true">canary-4</div><a href="/in?token=canary-5-9f8a7c6b5">In</a>'
        '<input type="hidden" value="canary-6"><button>Go</button>'
    )

    async def work(page: Page) -> str:
        await page.locator("input[name=otp]").fill("canary-7")
        marked = page.locator("input:not([type=hidden]),textarea,div,a,button,label")
        made = [
            await make_locator_bundle(page, marked.nth(at)) for at in range(await marked.count())
        ]
        return json.dumps([bundle.json() for bundle in made])

    written = on(fields, work)
    assert "Password" in written
    assert "canary" not in written


def test_a_text_with_a_secret_in_it_is_left_out(on: On[Bundle]) -> None:
    """What the net would alter describes nothing that may be kept."""

    async def work(page: Page) -> Bundle:
        return await make_locator_bundle(
            page, "button", clean=lambda text: text.replace("hunter2", "[secret]")
        )

    bundle = on("<p>Your code is hunter2</p><button title='Copy hunter2'>Copy</button>", work)
    assert (bundle.name, bundle.near, dict(bundle.attributes)) == ("Copy", (), {})


def test_a_proposal_holds_no_secret_either(on: On[Found]) -> None:
    """It goes through the same net as the bundle did."""

    async def work(page: Page) -> Found:
        bundle = await make_locator_bundle(page, "#place")
        await page.evaluate("document.querySelector('#place').id = 'hunter2'")
        net = SessionNet()
        net.add(Clear("hunter2"))
        return await resolve_locator(page, bundle, looks=Masks(net).look)

    found = on(SHOP, work)
    assert found.proposal
    assert "hunter2" not in str(found.proposal.json())


def test_frames_and_shadow_roots_are_no_hindrance(on: On[None]) -> None:
    """An element inside is found by its ref, described, and found again."""
    html = """<h1>Outer</h1><button>Pay</button>
    <iframe name="card" srcdoc="<label>Number <input name='number'></label><button>Pay</button>">
    </iframe><x-box></x-box><script>customElements.define("x-box", class extends HTMLElement {
      constructor() { super(); this.attachShadow({mode: "open"}).innerHTML =
        "<p>Inside</p><button>Open</button><button>Close</button>"; } })</script>"""

    async def work(page: Page) -> None:
        await page.frame_locator("iframe").locator("button").wait_for()
        inner = await make_locator_bundle(page, await ref_of(page, 'textbox "Number"'))
        assert inner.frame
        assert inner.frame.name == "card"
        found = await resolve_locator(page, inner)
        await found.locator.fill("4111")
        assert await page.frames[1].locator("input").input_value() == "4111"
        shadowed = await make_locator_bundle(page, await ref_of(page, 'button "Close"'))
        await page.evaluate("document.querySelector('x-box').shadowRoot.lastChild.id = 'now'")
        changed = await resolve_locator(page, replace_name(shadowed))
        assert "Close" in await html_of(changed)

    def replace_name(bundle: Bundle) -> Bundle:
        return Bundle(text="Close", path=bundle.path, near=bundle.near)

    on(html, work)


def test_a_redesign_is_survived_and_reported(on: On[Found]) -> None:
    """Ids, classes and containers change: the element is found, and the new bundle only proposed."""

    async def work(page: Page) -> Found:
        bundle = await make_locator_bundle(page, "#place")
        await page.set_content(
            SHOP.replace('id="place" class="btn primary"', 'id="x81" class="css-9"')
            .replace("<p>Total", "<div><section><p>Total")
            .replace("</form></main>", "</section></div></form></main>")
        )
        found = await resolve_locator(page, bundle)
        assert "x81" in await html_of(found)
        assert found.bundle == bundle
        assert found.proposal
        again = await resolve_locator(page, found.proposal)
        assert again.disagreements == ()
        return found

    found = on(SHOP, work)
    assert found.disagreements == (
        "css '#place' describes nothing on the page",
        "attributes.id 'place' describes nothing on the page",
    )
    assert "- css: #place" in found.diff()
    assert "+ attributes: {'id': 'x81'}" in found.diff()


def test_a_candidate_that_points_elsewhere_is_named(on: On[Found]) -> None:
    """The others outvote it, and the report says where it pointed."""

    async def work(page: Page) -> Found:
        bundle = await make_locator_bundle(page, "#place")
        await page.evaluate(
            "document.querySelector('#place').id = ''; document.querySelector('a').id = 'place'"
        )
        found = await resolve_locator(page, bundle)
        assert await found.locator.inner_text() == "Place order"
        return found

    assert "css '#place' describes link 'Back to the cart' instead" in on(SHOP, work).disagreements


def test_equal_buttons_are_told_apart_by_their_rows(on: On[None]) -> None:
    """Also when rows are added and their order changes."""

    async def work(page: Page) -> None:
        bundle = await make_locator_bundle(page, "tr:nth-child(2) button")
        await page.evaluate("""() => {
          const body = document.querySelector("tbody");
          body.prepend(body.lastChild);
          body.insertAdjacentHTML("afterbegin",
            "<tr><td>Dan</td><td>dan@x.org</td><td><button>Delete</button></td></tr>");
        }""")
        found = await resolve_locator(page, bundle)
        row = await found.locator.evaluate("element => element.closest('tr').innerText")
        assert "ben@x.org" in row

    on(ROWS, work)


def test_an_element_that_is_gone_is_not_replaced_by_its_neighbour(on: On[str]) -> None:
    """Its row went with it; the message says what each candidate found, and what is nearest."""

    async def work(page: Page) -> str:
        bundle = await make_locator_bundle(page, "tr:nth-child(2) button")
        await page.evaluate("document.querySelectorAll('tr')[1].remove()")
        with pytest.raises(LocatorError) as refused:
            await resolve_locator(page, bundle)
        return str(refused.value)

    said = on(ROWS, work)
    assert "Nothing was done" in said
    assert "name 'Delete': 2" in said


def test_a_name_that_is_only_like_it_is_no_match(on: On[str]) -> None:
    """The nearest names are said instead."""
    said = refusal(on, "<button>Delete all</button>", {"role": "button", "name": "Delete"})
    assert "name 'Delete': 0" in said
    assert "Nearest on the page: button 'Delete all'" in said


@pytest.mark.parametrize(
    ("nth", "row"),
    [(0, "Ada"), (1, "Ben"), (-1, "Cleo"), ("first", "Ada"), ("last", "Cleo"), ("1", "Ben")],
)
@pytest.mark.parametrize("selector", ["button", {"role": "button", "name": "Delete"}])
def test_nth_chooses_among_several(on: On[None], selector: Any, nth: Any, row: str) -> None:
    """From the start, from the end, by word; for CSS and for a bundle alike."""

    async def work(page: Page) -> None:
        found = await resolve_locator(page, selector, nth=nth)
        said = await found.locator.evaluate("element => element.closest('tr').innerText")
        assert row in said
        assert found.counts() == {
            "nth": found.nth,
            "totalElements": 3,
            "actionableElements": 3,
            "filteredBy": ["visibleOnly"],
        }

    on(ROWS, work)


def test_several_that_fit_alike_need_an_nth(on: On[Any]) -> None:
    """Neither a bundle nor CSS guesses, unless the first is asked for."""
    said = refusal(on, ROWS, {"role": "button", "name": "Delete"})
    assert said.startswith("3 elements fit \"button 'Delete'\" alike")
    assert "Give nth" in said
    said = refusal(on, ROWS, "button")
    assert "matches 3 elements that can be seen: 0: button 'Delete'" in said

    async def work(page: Page) -> None:
        for selector in ("button", {"role": "button", "name": "Delete"}):
            assert (await resolve_locator(page, selector, first=True)).nth == 0

    on(ROWS, work)


def test_an_nth_beyond_the_end_is_refused(on: On[str]) -> None:
    """With how many there are."""
    assert "matches 3 elements" in refusal(on, ROWS, "button", nth=3)
    assert "matches 3 elements" in refusal(on, ROWS, {"role": "button", "name": "Delete"}, nth=-4)
    assert "'first' or 'last'" in refusal(on, ROWS, "button", nth="second")


@pytest.mark.parametrize("selector", ["button", {"text": "Go"}])
def test_hidden_elements_are_left_out_unless_asked_for(on: On[None], selector: Any) -> None:
    """And so are those outside of the window, if that is asked for."""
    html = (
        "<button hidden>Go</button><button>Go</button>"
        "<div style='height: 3000px'></div><button>Go</button>"
    )

    async def counted(page: Page, **options: Any) -> tuple[int, int]:
        found = await resolve_locator(page, selector, nth="last", **options)
        return found.total, found.actionable

    async def work(page: Page) -> None:
        assert await counted(page) == (3, 2)
        assert await counted(page, visible_only=False) == (3, 3)
        assert await counted(page, in_viewport_only=True) == (3, 1)

    on(html, work)


@pytest.mark.parametrize("selector", ["button", {"role": "button", "name": "Go"}, {"text": "Go"}])
def test_an_element_that_is_only_hidden_is_said_to_be(on: On[str], selector: Any) -> None:
    """With the filter that leaves it out, where it can be told."""
    said = refusal(on, "<button hidden>Go</button>", selector)
    assert "visibleOnly leaves none" in said


def test_css_that_matches_nothing_or_is_no_css_is_said(on: On[str]) -> None:
    """Each in its own words."""
    assert "No element matches '#none'" in refusal(on, SHOP, "#none")
    assert "is not CSS" in refusal(on, SHOP, "div[[x")
    assert "is not CSS" in refusal(on, SHOP, {"css": "div[[x"})


def test_an_element_that_comes_late_is_waited_for(on: On[None]) -> None:
    """As long as there is time."""
    html = (
        "<script>setTimeout(() => document.body.innerHTML = '<button>Late</button>', 300)</script>"
    )

    async def work(page: Page) -> None:
        found = await resolve_locator(page, {"role": "button", "name": "Late"}, timeout=20_000)
        assert await found.locator.inner_text() == "Late"

    on(html, work)


def test_a_lookalike_does_not_win_while_the_page_is_still_loading(on: On[None]) -> None:
    """A disputed winner has to stand for a while, and the right one comes in time."""

    async def work(page: Page) -> None:
        bundle = await make_locator_bundle(page, "#place")
        await page.set_content(
            SHOP.replace('id="place" class="btn primary" data-testid="place-order"', 'id="early"')
        )
        await page.evaluate("html => setTimeout(() => document.body.innerHTML = html, 200)", SHOP)
        found = await resolve_locator(page, bundle, timeout=20_000)
        assert "place-order" in await html_of(found)
        assert found.disagreements == ()

    on(SHOP, work)


def test_what_was_found_is_not_another_element_a_moment_later(on: On[None]) -> None:
    """It is found where it moved to and as it is drawn anew; once it is gone, nothing is."""

    async def work(page: Page) -> None:
        found = await resolve_locator(page, {"text": "Ben"})
        await page.evaluate("document.querySelector('tr').remove()")
        assert await found.locator.inner_text() == "Ben"
        found = await resolve_locator(page, {"text": "Ben"})
        await page.evaluate("document.body.innerHTML = document.body.innerHTML")
        assert await found.locator.inner_text() == "Ben"
        await page.evaluate("document.querySelector('tr').remove()")
        assert await found.locator.count() == 0

    on(ROWS, work)


def test_an_old_ref_is_refused(on: On[str]) -> None:
    """A new snapshot is asked for."""

    async def work(page: Page) -> str:
        with pytest.raises(LocatorError) as refused:
            await make_locator_bundle(page, "e999")
        return str(refused.value)

    assert "take a new snapshot" in on(SHOP, work)


def test_roles_and_names_are_those_of_the_snapshot(on: On[None]) -> None:
    """So that what is read in a snapshot can be written into a bundle."""
    html = """<button aria-label="Shut">x</button><a href="/a"><img alt="Home" src="data:,"> page</a>
    <label for="f">First name</label><input id="f"><input placeholder="Find" type="search">
    <span id="l">Size</span><select aria-labelledby="l"><option>S</option></select>
    <fieldset><legend>Ship</legend><label><input type="radio" name="s"> By air</label></fieldset>
    <input type="submit"><input type="submit" value="Send"><textarea title="Notes"></textarea>
    <h2>Head <em>line</em></h2><div role="tab">One</div><div role="switch" aria-label="Dark"></div>
    <input type="number" aria-label="Count"><input type="range" aria-label="Volume">
    <details><summary>More</summary>text</details><table><tr><th>Name</th><td>Ada</td></tr></table>
    """

    async def work(page: Page) -> None:
        snapshot = await page.aria_snapshot(mode="ai")
        named = re.findall(r'- (?!generic)(\w+) "([^"]+)".*?\[ref=(\w+)\]', snapshot)
        assert len(named) >= 15
        for role, name, ref in named:
            bundle = await make_locator_bundle(page, ref)
            assert (role, name) == (bundle.role, bundle.name)

    on(html, work)
