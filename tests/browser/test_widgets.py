"""Fields of widget libraries, on pages that are built as theirs: lists, calendars, sliders, uploads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from director.browser import Browser, BrowserError, Origins, Session
from director.browser.actions import act
from director.browser.outside import Outside

T = TypeVar("T")
# As selectize draws it: no roles, the options in a box of their own, what was chosen as an item.
SELECTIZE = """<title>Order</title><div class=form-group>
<label for=c-selectized>Customer</label><div><select id=c style="display: none"><option value=""></select>
<div class="selectize-control single"><div class="selectize-input items" id=box>
<input type=text autocomplete=new-password id=c-selectized style="width: 4px"></div>
<div class=selectize-dropdown id=drop style="display: none"><div class=selectize-dropdown-content></div></div>
</div></div></div><script>
const field = document.getElementById('c-selectized'), list = drop.firstElementChild;
field.onfocus = field.onclick = () => { list.innerHTML = ''; drop.style.display = 'block';
  for (const name of ['Groß AG', 'Smith', 'Bäckerei "Zum Korn"']) { const option = document.createElement('div');
    option.className = 'option'; option.dataset.selectable = ''; option.textContent = name; list.append(option);
    option.onmousedown = e => { e.preventDefault(); box.querySelector('.item')?.remove(); field.value = '';
      box.insertAdjacentHTML('afterbegin', '<div class=item></div>'); box.firstChild.textContent = name;
      c.innerHTML = '<option selected>'; c.firstChild.value = name; c.firstChild.text = name;
      drop.style.display = 'none' } } };
field.onblur = () => { drop.style.display = 'none'; field.value = '' }</script>"""
# As bootstrap's calendar does: it hears keys alone, and writes the date that it knows as it is left.
CALENDAR = """<title>Due</title><label for=due>Due date</label>
<input id=due class=form-control data-date-format=yyyy-mm-dd value=2026-01-01><p id=known>2026-01-01</p>
<input id=other aria-label=Other class=datepicker value=2026-01-01><script>
due.onkeyup = e => { if (/^\\d{4}-\\d\\d-\\d\\d$/.test(due.value)) known.textContent = due.value };
due.onkeydown = e => { if (e.key === 'Tab') due.value = known.textContent };
other.onkeydown = e => { if (e.key === 'Tab') other.value = '2026-01-01' }</script>"""
# As the ion slider draws it: the value in a hidden read-only field, keys go to the line.
RANGE = """<title>Hours</title><div><label for=hours>Hours</label><span class=irs>
<span class=irs-line tabindex=0 id=line style="display: block; height: 8px; width: 200px"></span>
<span class=irs-single id=single>8</span></span>
<input class=irs-hidden-input id=hours readonly tabindex=-1 value=8 style="position: absolute; width: 1px; opacity: 0"></div>
<script>let first = true; line.onkeydown = e => { const by = {ArrowRight: 1, ArrowLeft: -1}[e.key] * (first ? 2 : 1);
  first = false; requestAnimationFrame(() => { hours.value = Math.min(40, Math.max(1, +hours.value + by));
  single.textContent = hours.value }) }</script>"""
# Its page is busy with the choice for longer than a second, and the list is closed by then.
SLOW = """<title>Slow</title><input id=city role=combobox aria-label=City aria-expanded=false readonly
 onclick="choices.hidden = false"><div id=choices role=listbox hidden><div role=option>Bern</div></div><script>
choices.onmousedown = () => { city.value = 'Bern'; choices.hidden = true;
  const began = Date.now(); while (Date.now() - began < 1300); }</script>"""
CLOSED = """<title>Closed</title><label>Arrived on <input id=day readonly list=none></label>
<input id=late aria-label=Late readonly onfocus="this.removeAttribute('readonly')">"""
UPLOAD = """<title>Upload</title><label for=att>Attachment</label><div><label><span>Browse...
<input id=att type=file style="position: absolute; top: -9999px"></span></label>
<input type=text placeholder="No file selected" readonly></div>
<div role=menu><div role=list><div role=listitem onclick="document.title = 'received'"><div>Receive stock…</div></div>
<div role=listitem><div>Put on hold</div></div></div></div>"""
CLEARABLE = """<title>Stock</title><label><input id=q placeholder=Search
 oninput="q.removeAttribute('placeholder'); q.setAttribute('aria-label', q.value ? 'Clear' : 'Search')"></label>"""


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


async def put(session: Session, label: str, value: Any) -> Any:
    """Set a field that has a label."""
    return await act(session, {"action": "set", "selector": {"label": label}, "value": value})


def test_a_list_without_roles_is_set_by_its_options(browser: Browser, run: Any) -> None:
    """What was chosen is proven, not what stands in the search field; a value may be set anew."""

    async def work(session: Session) -> None:
        for name in ("Groß AG", 'Bäckerei "Zum Korn"'):
            assert (await put(session, "Customer", name))["set"] == name
            assert await session.page().evaluate("c.value") == name
        with pytest.raises(BrowserError, match="There is no one option 'Nobody'"):
            await put(session, "Customer", "Nobody")
        assert await session.page().evaluate("c.value") == 'Bäckerei "Zum Korn"'

    on(run, browser, SELECTIZE, work)


def test_a_slow_choice_is_told_by_what_the_field_shows(browser: Browser, run: Any) -> None:
    """A page that is busy for a second with the click on an option has taken it all the same."""

    async def work(session: Session) -> None:
        assert (await put(session, "City", "Bern"))["set"] == "Bern"

    on(run, browser, SLOW, work)


@pytest.mark.parametrize("action", ["set", "type"])
def test_a_date_that_a_calendar_takes_back_is_typed_by_keys(
    browser: Browser, run: Any, action: str
) -> None:
    """It is read once the field is left; a calendar that takes no other date is an error."""
    said = "value" if action == "set" else "text"

    async def work(session: Session) -> None:
        config = {"action": action, said: "2026-04-15"}
        await act(session, {**config, "selector": "#due"})
        assert await session.page().inner_text("#known") == "2026-04-15"
        assert await session.page().input_value("#due") == "2026-04-15"
        with pytest.raises(BrowserError, match="2026-01-01"):
            await act(session, {**config, "selector": "#other"})

    on(run, browser, CALENDAR, work)


def test_a_slider_beside_its_hidden_field_is_moved_by_keys(browser: Browser, run: Any) -> None:
    """Also if one key moves it too far; a value beyond its end is an error with what it shows."""

    async def work(session: Session) -> None:
        for hours in (13, "4"):
            await put(session, "Hours", hours)
            assert await session.page().inner_text("#single") == str(hours)
        with pytest.raises(BrowserError, match="set to 50 and shows '40'"):
            await put(session, "Hours", 50)
        with pytest.raises(BrowserError, match="set to a number, not to 'many'"):
            await put(session, "Hours", "many")

    on(run, browser, RANGE, work)


def test_a_read_only_field_is_refused_with_what_to_do(browser: Browser, run: Any) -> None:
    """Unless it only waits for the focus; nothing waits for the time of the node to end."""

    async def work(session: Session) -> None:
        with pytest.raises(BrowserError, match=r"'Arrived on' is read-only.*icon beside it"):
            await put(session, "Arrived on", "2026-03-04")
        with pytest.raises(BrowserError, match="is read-only, so '2026-03-04' was not typed"):
            await act(session, {"action": "type", "selector": "#day", "text": "2026-03-04"})
        await act(session, {"action": "set", "selector": "#late", "value": "now"})
        assert await session.page().input_value("#late") == "now"

    on(run, browser, CLOSED, work)


def test_one_of_several_labels_reaches_the_file_field(
    browser: Browser, run: Any, tmp_path: Any
) -> None:
    """The label over it, though the button that opens the chooser is a label as well."""
    file = tmp_path / "note.txt"
    file.write_text("hello", encoding="utf-8")

    async def work(session: Session) -> str:
        config = {"action": "upload", "selector": {"label": "Attachment"}, "file": "note.txt"}
        await act(session, config, Outside(file=lambda _: file))
        return str(await session.page().evaluate("att.files[0].name"))

    assert on(run, browser, UPLOAD, work) == "note.txt"


def test_an_item_of_a_list_is_found_by_the_text_that_the_outline_shows(
    browser: Browser, run: Any
) -> None:
    """It has no accessible name, and errors call it by its text too."""

    async def work(session: Session) -> str:
        item = {"role": "listitem", "name": "Receive stock…"}
        await act(session, {"action": "click", "selector": item})
        return await session.page().title()

    assert on(run, browser, UPLOAD, work) == "received"


def test_a_field_that_gets_another_name_by_typing_is_read_back(browser: Browser, run: Any) -> None:
    """The element that was typed into is the one that is read, and nothing is doubted."""

    async def work(session: Session) -> Any:
        search = {"role": "textbox", "name": "Search"}
        return await act(session, {"action": "type", "selector": search, "text": "A-1007"})

    assert "doubts" not in on(run, browser, CLEARABLE, work)
