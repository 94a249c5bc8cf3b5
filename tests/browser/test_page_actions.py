"""Acting on a page and proving it: fields of every kind, editors, the mouse, whole lists, rest."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from director.agent.browsing.snapshot_refs import bind_snapshot_refs
from director.browser import Browser, BrowserError, Origins, Session
from director.browser.actions import run_action
from director.browser.bundle import LocatorError
from director.browser.descriptions import describe_ref
from director.browser.dialogs import DialogUnanswered
from director.browser.list_items import Patience
from director.browser.locators import resolve_locator
from director.browser.page_conditions import check_page_condition
from director.browser.queries import run_query
from director.browser.snapshot_text import render_snapshot_text

T = TypeVar("T")
FIELDS = """<title>Fields</title>
<input id=plain><input id=mask oninput="this.value = this.value.replace(/[^0-9]/g, '')">
<div id=rich contenteditable data-placeholder="Body"><p>old <b>words</b></p></div>
<input id=day type=date><select id=size><option value=s>Small<option value=l>Large</select>
<div role=slider id=slide tabindex=0 aria-valuenow=3 aria-valuemin=0 aria-valuemax=9 aria-label=Volume
 onkeydown="const d = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (d) this.setAttribute('aria-valuenow', Math.min(9, Math.max(0, +this.ariaValueNow + d)))">||||</div>
<input id=city role=combobox aria-label=City aria-expanded=false
 oninput="document.querySelectorAll('#choices li').forEach(l => l.hidden = !l.innerText.startsWith(this.value))"
 onclick="choices.hidden = false"><ul id=choices role=listbox hidden>
 <li role=option onclick="city.value = 'Berlin'; choices.hidden = true">Berlin</li>
 <li role=option onclick="city.value = 'Bern'; choices.hidden = true">Bern</li></ul>
<label><input type=checkbox id=ok> Agree</label>
<div id=pad style="width: 200px; height: 60px; background: #ddd; user-select: none">pad</div><p id=said></p><script>
pad.ondblclick = e => { said.textContent = 'double ' + Math.round(e.offsetX) };
pad.oncontextmenu = e => { e.preventDefault(); said.textContent = 'right' };
pad.onmousedown = e => { const x = e.clientX;
  document.onmouseup = e => { if (e.clientX !== x) said.textContent = 'moved ' + (e.clientX - x) } };
</script>"""
LIST = """<title>List</title><p id=total>150 orders</p>
<div id=box role=table aria-rowcount=150 aria-label=Orders style="height: 180px; overflow: auto">
<div id=room style="position: relative; height: 3000px"></div></div><script>
const draw = () => { const first = Math.floor(box.scrollTop / 20); room.innerHTML = '';
  for (let n = first; n < Math.min(150, first + 18); n++) room.insertAdjacentHTML('beforeend',
    `<div role=row style="position: absolute; top: ${n * 20}px; height: 20px">
     <span role=cell class=id>${n}</span> <a href="/order/${n}">Order ${n}</a></div>`) };
box.onscroll = () => setTimeout(draw, 20); draw();</script>"""
PAGED = """<title>Paged</title><ul></ul><button id=next>Next</button><script>let at = 0;
const show = () => { document.querySelector('ul').innerHTML =
  [0, 1, 2].map(n => `<li>Item ${at * 3 + n}</li>`).join(''); next.disabled = at === 3 };
next.onclick = () => { at++; setTimeout(show, 30) }; show()</script>"""


SPACED = """<title>Flows</title><div id=box style="height: 200px; overflow: auto"><table><tbody></tbody></table></div>
<script>const draw = () => { const first = Math.floor(box.scrollTop / 20), last = Math.min(300, first + 12);
  document.querySelector('tbody').innerHTML = `<tr style="height: ${first * 20}px"></tr>` +
    [...Array(last - first)].map((_, n) => `<tr style="height: 20px"><td class=no>${first + n}</td></tr>`).join('') +
    `<tr style="height: ${(300 - last) * 20}px"></tr>` };
box.onscroll = draw; draw(); box.scrollTop = 2000</script>"""
ALIKE = "<title>Alike</title><ul><li>Apple</li><li>Pear</li><li>Apple</li></ul>"


def on(
    run: Callable[[Awaitable[T]], T],
    browser: Browser,
    html: str,
    work: Callable[[Session], Awaitable[T]],
) -> T:
    """Some work on a page that is made of a text."""

    async def go() -> T:
        async with browser.session(Origins([])) as session:
            await session.page().set_content(html)
            return await work(session)

    return run(go())


async def said(session: Session, css: str = "#said") -> str:
    """What an element says."""
    return await session.page().locator(css).inner_text()


def test_fields_hold_what_they_were_given_or_the_action_fails(browser: Browser, run: Any) -> None:
    """Also rich text, which is replaced as a whole; a mask that drops letters is no success."""

    async def work(session: Session) -> None:
        await run_action(session, {"action": "type", "selector": "#plain", "text": "Ada"})
        await run_action(session, {"action": "type", "selector": "#mask", "text": "123"})
        with pytest.raises(BrowserError, match="shows '12' after '1a2b' was typed"):
            await run_action(session, {"action": "type", "selector": "#mask", "text": "1a2b"})
        body = {"role": "textbox", "name": "Body"}
        await run_action(session, {"action": "type", "selector": body, "text": "new\nlines"})
        assert (await said(session, "#rich")).split() == ["new", "lines"]

    on(run, browser, FIELDS, work)


def test_any_field_is_set_to_a_value_that_it_shows_then(browser: Browser, run: Any) -> None:
    """A date, a list, a slider, a combobox, a switch; what it does not take is an error."""

    async def work(session: Session) -> None:
        for css, value in (
            ("#day", "2026-01-15"),
            ("#size", "Large"),
            ("#slide", 7),
            ("#city", "Bern"),
            ("#ok", True),
        ):
            await run_action(session, {"action": "set", "selector": css, "value": value})
        page = session.page()
        assert await page.input_value("#day") == "2026-01-15"
        assert await page.input_value("#size") == "l"
        assert await page.get_attribute("#slide", "aria-valuenow") == "7"
        assert await page.input_value("#city") == "Bern"
        assert await page.is_checked("#ok")
        with pytest.raises(BrowserError, match="There is no one option 'Basel'"):
            await run_action(session, {"action": "set", "selector": "#city", "value": "Basel"})
        with pytest.raises(BrowserError, match="shows '9'"):
            await run_action(session, {"action": "set", "selector": "#slide", "value": 12})

    on(run, browser, FIELDS, work)


LISTS = """<title>Lists</title>
<button id=prod aria-haspopup=listbox onclick="l.hidden=false">Choose a product</button>
<div role=listbox id=l hidden><div role=option onclick="prod.textContent=this.textContent;l.hidden=true">Lamp</div></div>
<div role=listbox aria-label=Priority><div role=option onclick="p.textContent='low'">low</div>
<div role=option onclick="p.textContent='Lamp'">Lamp</div></div><p id=p>high</p>
<div id=dates role=group aria-label=Day><span role=spinbutton tabindex=0>11</span></div>
<button id=shelf aria-haspopup=dialog aria-expanded=false onclick="s.hidden=false">Choose a shelf</button>
<div id=s role=listbox hidden style="height: 80px; overflow: auto"><div id=room style="position: relative; height: 6000px"></div></div>
<button id=tool aria-haspopup=listbox aria-controls=f onclick="f.hidden=false">Choose a tool</button>
<div id=f hidden><input id=q aria-label="Search tools"><div role=listbox id=tools></div></div><script>
onkeydown = e => { if (e.key === 'Escape') l.hidden = true };
const put = (box, at, text, to) => box.insertAdjacentHTML('beforeend', `<div role=option style="position: ${at === null
  ? 'static' : 'absolute'}; top: ${at}px; height: 20px" onclick="${to}.textContent = '${text}'">${text}</div>`);
const draw = () => { const first = Math.floor(s.scrollTop / 20); room.innerHTML = '';
  for (let n = first; n < Math.min(300, first + 6); n++) put(room, n * 20, 'Shelf ' + n, 'shelf') };
s.onscroll = () => setTimeout(draw, 10); draw();
const some = () => { tools.innerHTML = ''; [...Array(90).keys()].map(n => 'Tool ' + n).filter(t => t.includes(q.value))
  .slice(0, 5).forEach(t => put(tools, null, t, 'tool')) };
q.oninput = () => setTimeout(some, 30); some()</script>"""


TAKEN = """<label for=status>Status</label><div><a><span id=shown>new</span></a><input id=status></div>
<script>document.getElementById('status').onkeydown = e => {
  if (e.key !== 'Tab') return;
  if (['open', 'closed'].includes(e.target.value)) shown.textContent = e.target.value;
  e.target.value = '' }</script>"""


def test_a_field_that_shows_its_value_beside_the_input_is_proven_there(
    browser: Browser, run: Any
) -> None:
    """The input takes keys and is empty again; the value must be all that is shown around it."""

    async def work(session: Session) -> None:
        await run_action(session, {"action": "set", "selector": "#status", "value": "open"})
        assert await said(session, "#shown") == "open"
        with pytest.raises(BrowserError, match="set to 'lost' and shows 'open'"):
            await run_action(session, {"action": "set", "selector": "#status", "value": "lost"})

    on(run, browser, TAKEN, work)


def test_an_option_is_of_the_list_that_the_field_opens(browser: Browser, run: Any) -> None:
    """Never of another one on the page; a list that draws a part is searched, or scrolled."""

    async def work(session: Session) -> None:
        async def put(css: str, value: str) -> None:
            await run_action(session, {"action": "set", "selector": css, "value": value})

        with pytest.raises(BrowserError, match=r"no one option 'low'.*Shown: 'Lamp'\."):
            await put("#prod", "low")
        assert await said(session, "#p") == "high"
        await put("#prod", "Lamp")
        await put("#shelf", "Shelf 44")
        await put("#tool", "Tool 77")
        shown = [await said(session, css) for css in ("#prod", "#shelf", "#tool", "#p")]
        assert shown == ["Lamp", "Shelf 44", "Tool 77", "high"]
        with pytest.raises(BrowserError, match=r"\(group\) holds no value.*Name the field inside"):
            await put("#dates", "2026-12-24")

    on(run, browser, LISTS, work)


def test_a_click_on_what_is_covered_says_by_what(browser: Browser, run: Any) -> None:
    """In its first line, which is all that some who read it see."""
    html = """<button>Save</button>
    <div style="position: fixed; inset: 0; z-index: 9">Saved to cloud</div>"""

    async def work(session: Session) -> None:
        with pytest.raises(BrowserError) as problem:
            await run_action(session, {"action": "click", "selector": "button", "timeout": 900})
        first = str(problem.value).partition("\n")[0]
        assert "It is covered by <div" in first
        assert "Saved to cloud</div>" in first

    on(run, browser, html, work)


def test_the_mouse_clicks_twice_right_and_drags_by_a_distance(browser: Browser, run: Any) -> None:
    """At a place in the element, if one is named."""

    async def work(session: Session) -> None:
        pad = {"selector": "#pad"}
        await run_action(
            session, {"action": "click", **pad, "clicks": 2, "position": {"x": 30, "y": 10}}
        )
        assert await said(session) == "double 30"
        await run_action(session, {"action": "click", **pad, "button": "right"})
        assert await said(session) == "right"
        await run_action(session, {"action": "drag", **pad, "by": {"x": 50, "y": 5}})
        assert await said(session) == "moved 50"

    on(run, browser, FIELDS, work)


def test_what_is_optional_is_done_if_it_is_there(browser: Browser, run: Any) -> None:
    """What fits several is refused all the same."""

    async def work(session: Session) -> None:
        gone = {"action": "click", "selector": "#nothing", "optional": True, "timeout": 100}
        assert "skipped" in await run_action(session, gone)
        with pytest.raises(LocatorError, match="elements that can be seen"):
            await run_action(session, {"action": "click", "selector": "input", "optional": True})

    on(run, browser, FIELDS, work)


def test_keys_are_pressed_only_where_the_focus_is_proven(browser: Browser, run: Any) -> None:
    """An element that takes no focus gets none."""

    async def work(session: Session) -> None:
        await run_action(session, {"action": "keypress", "selector": "#plain", "key": "x"})
        assert await session.page().input_value("#plain") == "x"
        with pytest.raises(BrowserError, match="did not take the focus"):
            await run_action(session, {"action": "keypress", "selector": "#pad", "key": "y"})
        assert await session.page().input_value("#plain") == "x"

    on(run, browser, FIELDS, work)


def test_a_question_that_comes_late_stops_the_next_action(browser: Browser, run: Any) -> None:
    """It was dismissed when nobody was asked, and is not passed over."""

    async def work(session: Session) -> None:
        async with session.page().expect_event("dialog"):
            await session.page().evaluate("setTimeout(() => confirm('Really?'), 0)")
        with pytest.raises(DialogUnanswered, match=r"Really\?"):
            await run_action(session, {"action": "click", "selector": "#pad"})

    on(run, browser, FIELDS, work)


def test_a_list_that_draws_a_part_is_read_as_a_whole(browser: Browser, run: Any) -> None:
    """By scrolling, keyed, and compared with the total that the page states."""
    asked = {
        "method": "extract_all",
        "selector": "[role=row]",
        "fields": {"id": ".id", "to": "a@href"},
        "key": "id",
        "total": "#total",
    }

    async def work(session: Session) -> None:
        outline = render_snapshot_text(await session.snapshot())
        assert "- Note: 18 of 150 rows are drawn in table" in outline
        found: Any = await run_query(session, asked)
        assert [item["id"] for item in found["items"]] == [str(n) for n in range(150)]
        assert found["items"][149]["to"].endswith("/order/149")
        assert found["total"] == 150
        assert "doubts" not in found
        found = await run_query(session, {**asked, "total": {"text": "180 orders"}, "limit": 5})
        assert found["doubts"][0]["kind"] == "total"

    on(run, browser, LIST, work)


def test_a_list_in_pages_is_turned_to_its_end(browser: Browser, run: Any) -> None:
    """What the page states otherwise is a doubt."""
    asked = {"method": "extract_all", "selector": "li", "next": "#next"}

    async def work(session: Session) -> None:
        found: Any = await run_query(session, asked)
        assert found["items"] == [f"Item {n}" for n in range(12)]
        await session.page().goto("about:blank")
        await session.page().set_content(f"{PAGED}<p id=sum>of 40</p>")
        found = await run_query(session, {**asked, "total": "#sum"})
        assert found["doubts"][0]["sentence"] == "The page states 40 items; 12 were found."
        for ends in (
            "next.parentElement.className = 'item disabled'",
            "next.style.pointerEvents = 'none'",
        ):
            link = "<ol><li class=item><a href=# id=next>Next</a></li></ol>"
            html = PAGED.replace("<button id=next>Next</button>", link)
            await session.page().goto("about:blank")
            await session.page().set_content(
                html.replace("next.disabled = at === 3", f"if (at === 3) {ends}")
            )
            found = await run_query(session, {**asked, "selector": "ul li"})
            assert (found["count"], found.get("doubts")) == (12, None)

    on(run, browser, PAGED, work)


def test_a_list_is_left_when_nothing_new_comes_or_its_time_is_over() -> None:
    """However long it takes while items come; within what its node was given."""
    patience, limited = Patience(0), Patience(0, 90)
    for now in range(0, 1000, 100):
        assert not patience.explain_end(now)
        patience.note(1, now)
    patience.note(0, 1010)
    assert not patience.explain_end(1019)
    assert patience.explain_end(1020) == "Nothing new came for 120 s, and the list had not ended"
    limited.note(1, 89)
    assert not limited.explain_end(89)
    assert limited.explain_end(90) == "The list had not ended after 90 s"


def test_a_list_that_is_left_before_its_end_is_kept_and_in_doubt(
    browser: Browser, run: Any
) -> None:
    """The same list is read to its end if it has the time."""
    endless = PAGED.replace("at === 3", "at === 30")
    asked = {"method": "extract_all", "selector": "li", "next": "#next"}

    async def work(session: Session) -> None:
        found: Any = await run_query(session, {**asked, "timeout": 1})
        assert found["items"][:3] == [f"Item {n}" for n in range(3)]
        assert found["stopped"] == "The list had not ended after 0.001 s"
        assert [each["kind"] for each in found["doubts"]] == ["early"]
        found = await run_query(session, asked)
        assert (found["items"][-1], found.get("stopped")) == ("Item 92", None)
        assert "doubts" not in found

    on(run, browser, endless, work)


def test_an_extraction_that_reads_nothing_is_in_doubt(browser: Browser, run: Any) -> None:
    """Empty fields, and no match on a page that shows rows."""

    async def work(session: Session) -> None:
        asked = {"method": "deterministic_extract", "fields": {"price": ".price"}}
        found: Any = await run_query(session, {**asked, "selector": "[role=row]"})
        assert "every field of them is empty" in found["doubts"][0]["sentence"]
        found = await run_query(session, {**asked, "selector": ".order"})
        assert "18 rows" in found["doubts"][0]

    on(run, browser, LIST, work)


def test_a_snapshot_waits_until_the_page_rests_or_says_what_is_left(
    browser: Browser, run: Any
) -> None:
    """The wait is bounded."""
    html = """<main>0</main><script>let n = 0;
    const main = document.querySelector('main'), drawing = setInterval(() => {
      if (++n < 20) main.textContent = n;
      else { main.innerHTML = '<button>Ready</button>'; clearInterval(drawing) }
    }, 20)</script>"""

    async def work(session: Session) -> None:
        await session.page().set_content(html)
        assert "Ready" in render_snapshot_text(await session.snapshot())
        await session.page().set_content("<div aria-busy=true role=status>Loading</div>")
        assert "- Still loading: busy: status" in render_snapshot_text(await session.snapshot())

    on(run, browser, "", work)


def test_what_covers_a_page_and_why_something_is_disabled_is_told(
    browser: Browser, run: Any
) -> None:
    """Beside the outline."""
    html = """<button disabled aria-describedby=w>Pay</button><p id=w>Accept the terms first</p>
    <div role=dialog aria-modal=true aria-label=Cookies style="position: fixed; inset: 0">
    <button>Accept</button></div>"""

    async def work(session: Session) -> str:
        return render_snapshot_text(await session.snapshot())

    told = on(run, browser, html, work)
    assert '- Note: dialog "Cookies" covers the page' in told
    assert "is disabled: Accept the terms first" in told


def test_a_ref_becomes_a_selector_that_was_tried(browser: Browser, run: Any) -> None:
    """In a frame and a shadow root too; a node keeps the bundle, never the ref."""
    html = """<button>Save</button><button>Save</button><iframe srcdoc="<button>Inner</button>"></iframe>
    <x-box></x-box><script>customElements.define('x-box', class extends HTMLElement {
    connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<a href=/deep>Deep</a>' } })
    </script>"""

    async def work(session: Session) -> None:
        page = session.page()
        outline = (await session.snapshot()).text
        refs = [line.partition("[ref=")[2].partition("]")[0] for line in outline.split("\n")]
        lines = dict(zip(outline.split("\n"), refs, strict=True))
        for words in ('button "Save"', 'button "Inner"', 'link "Deep"'):
            ref = next(ref for line, ref in lines.items() if words in line)
            made = await describe_ref(page, ref, session.look)
            found = await resolve_locator(page, made.bundle, looks=session.look)
            wanted = await page.locator(f"aria-ref={ref}").element_handle()
            assert await found.locator.evaluate("(one, other) => one === other", wanted)
            node = {"config": {"action": "click", "selector": ref}, "ensures": [{"element": ref}]}
            bound = await bind_snapshot_refs(session, node)
            assert bound["config"]["selector"] == made.bundle.json()
            assert bound["ensures"] == [{"element": made.bundle.json()}]
        with pytest.raises(LocatorError, match="take a new snapshot"):
            await describe_ref(page, "e999", session.look)

    on(run, browser, html, work)


def test_a_list_that_leaves_room_for_what_it_does_not_draw(browser: Browser, run: Any) -> None:
    """The outline says so, what is read of it is in doubt, and all of it is read from its start."""
    asked = {"selector": "tbody tr", "fields": {"no": ".no"}}

    async def work(session: Session) -> None:
        await session.page().wait_for_function("document.querySelector('.no')?.innerText === '100'")
        assert "rows are drawn in table; it scrolls" in render_snapshot_text(
            await session.snapshot()
        )
        found: Any = await run_query(session, {"method": "deterministic_extract", **asked})
        assert "extract_all scrolls and reads all of it" in found["doubts"][0]
        found = await run_query(session, {"method": "extract_all", "key": "no", **asked})
        assert [item["no"] for item in found["items"]] == [str(n) for n in range(300)]
        assert "doubts" not in found

    on(run, browser, SPACED, work)


def test_items_that_cannot_be_told_apart_are_in_doubt(browser: Browser, run: Any) -> None:
    """Two that stand beside each other and say the same are taken once, and that is told."""

    async def work(session: Session) -> None:
        found: Any = await run_query(session, {"method": "extract_all", "selector": "li"})
        assert found["items"] == ["Apple", "Pear"]
        assert "tells items apart" in found["doubts"][0]

    on(run, browser, ALIKE, work)


def test_a_holder_far_around_tells_two_alike_apart(browser: Browser, run: Any) -> None:
    """Whoever writes a bundle by hand may name the part of the page it is in."""
    html = """<title>Two</title><header><form><button>Search</button></form></header><main><form><fieldset>
        <ul><li><table><tr><td><button id=own>Search</button></table></li></ul></fieldset></form></main>"""
    wanted = {"role": "button", "name": "Search", "within": [{"role": "main"}]}

    async def work(session: Session) -> None:
        found = await resolve_locator(session.page(), wanted)
        assert await found.locator.get_attribute("id") == "own"

    on(run, browser, html, work)


def test_a_ref_of_a_page_that_was_left_is_told(browser: Browser, run: Any) -> None:
    """It belongs to no frame any more, and that is no fault of ours."""

    async def work(session: Session) -> None:
        with pytest.raises(LocatorError, match="take a new snapshot"):
            await describe_ref(session.page(), "f9e12", session.look)

    on(run, browser, ALIKE, work)


def test_what_the_page_marks_as_wrong_is_in_doubt(browser: Browser, run: Any) -> None:
    """A field that shows what was typed, and that the page does not take."""
    html = """<title>Filter</title><div class=filter><input id=f aria-label=Filter oninput="
        this.parentNode.classList.toggle('has-error', this.value.includes('('))"></div>"""

    async def work(session: Session) -> None:
        typed = {"action": "type", "selector": "#f"}
        assert "doubts" not in await run_action(session, {**typed, "text": "abc"})
        found = await run_action(session, {**typed, "text": "("})
        assert found["doubts"] == ["The page marks the field as wrong since this was typed."]

    on(run, browser, html, work)


def test_one_element_that_is_gone_is_not_an_empty_list(browser: Browser, run: Any) -> None:
    """What was described by its ref is one element; if it is not there, nothing was read."""

    async def work(session: Session) -> None:
        wanted = {"role": "listitem", "text": "Plum", "nth": [1, 3], "path": "ul>li"}
        asked = {"method": "deterministic_extract", "selector": wanted}
        found: Any = await run_query(session, asked)
        assert found["items"] == []
        assert "is not found: nothing was read" in found["doubts"][0]

    on(run, browser, ALIKE, work)


def test_line_breaks_are_read_where_the_page_draws_them(browser: Browser, run: Any) -> None:
    """A note of two lines stays one; the breaks of a page's own source are spaces."""
    html = "<p class=a style='white-space:pre-wrap'>\n one \n two\n</p><p class=a>one\n two</p>"

    async def work(session: Session) -> None:
        found: Any = await run_query(session, {"method": "deterministic_extract", "selector": ".a"})
        assert found["items"] == ["one\ntwo", "one two"]

    on(run, browser, html, work)


def test_a_few_hidden_items_of_many_are_told(browser: Browser, run: Any) -> None:
    """They are left out, as always; half of a list that is hidden is how some pages are made."""
    items = [f"<li class=i>{n}</li>" for n in range(20)]

    async def work(session: Session) -> None:
        asked = {"method": "deterministic_extract", "selector": ".i"}
        await session.page().add_style_tag(content=".i:nth-child(3) { display: none }")
        found: Any = await run_query(session, asked)
        assert found["count"] == 19
        assert "1 of 20 elements that fit are hidden and were left out." in found["doubts"]
        await session.page().add_style_tag(content=".i:nth-child(even) { display: none }")
        found = await run_query(session, asked)
        assert "doubts" not in found

    on(run, browser, f"<ul>{''.join(items)}</ul>", work)


def test_the_words_of_a_drawing_are_read(browser: Browser, run: Any) -> None:
    """A part of an SVG shows the text that is written into it."""
    html = "<title>Svg</title><svg width=99 height=99><g id=x><text y=20>hi</text></g></svg>"

    async def work(session: Session) -> None:
        asked: Any = {"element": "#x", "text": "hi", "within": 2000}
        assert (await check_page_condition(session, asked)).holds

    on(run, browser, html, work)


MENU = """<title>Menu</title><style>#sub { display: none; position: absolute } #menu:hover #sub { display: block }</style>
<div id=menu>File<div id=sub><button onclick="said.textContent = 'exported'">Export</button></div></div>
<p id=said></p><iframe title=Help srcdoc="<p>Help text</p>"></iframe>
<div id=board style="position: relative; width: 300px; height: 100px; background: #eee"></div>
<div id=piece draggable=true style="width: 40px; height: 20px">piece</div>
<button id=ask onclick="said.textContent = prompt('Name?') ?? 'none'">Ask</button>
<button id=tell onclick="alert('Stored'); said.textContent = 'told'">Tell</button><script>
board.ondragover = e => e.preventDefault();
board.ondrop = e => { said.textContent = `at ${Math.round(e.offsetX)} ${Math.round(e.offsetY)}` };
console.error('the shelf is broken')</script>"""


def test_menus_places_and_dialogs_are_acted_on_and_told(browser: Browser, run: Any) -> None:
    """Under the pointer, onto a place, with an answer; the outline names frames and errors."""

    async def work(session: Session) -> None:
        export = {"action": "click", "selector": {"role": "button", "name": "Export"}}
        with pytest.raises(LocatorError):
            await run_action(session, {**export, "timeout": 200})
        await run_action(session, {"action": "hover", "selector": "#menu"})
        await run_action(session, export)
        assert await said(session) == "exported"
        place = {"to": "#board", "toPosition": {"x": 120, "y": 40}}
        await run_action(session, {"action": "drag", "selector": "#piece", **place})
        assert await said(session) == "at 120 40"
        await run_action(
            session, {"action": "click", "selector": "#ask", "on_dialog": {"text": "Ada"}}
        )
        assert await said(session) == "Ada"
        done = await run_action(session, {"action": "click", "selector": "#tell"})
        assert await said(session) == "told"
        assert "Stored" in str(done["dialogs"])
        shown = render_snapshot_text(await session.snapshot())
        assert "the shelf is broken" in shown
        assert "Help text" in shown
        assert re.search(r"iframe|frame", shown)

    on(run, browser, MENU, work)
