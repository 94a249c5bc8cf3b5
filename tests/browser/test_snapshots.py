"""A snapshot of a real page has every ref and frame, and no value of a secret field."""

from __future__ import annotations

import asyncio
import hashlib
import re
from typing import Any

import pytest
from playwright.async_api import Page

from browser.bare import ORIGIN, on
from director.browser.closer import (
    expand_snapshot_ref,
    find_snapshot_lines,
    list_snapshot_refs,
    read_snapshot_ref,
)
from director.browser.errors import BrowserError
from director.browser.fields import mark_secret_field
from director.browser.masks import Masks
from director.browser.session_redaction import SessionNet
from director.browser.snapshot_text import render_snapshot_text
from director.browser.snapshots import Happened, Snapshot, take_snapshot
from director.secrets import Clear, list_encoded_forms

CANARY = "Zw'ölf \"&+ \\ Ka7närie"
_HTML = CANARY.replace("&", "&amp;").replace('"', "&quot;").replace("'", "&#39;")

SECRETS = f"""
<title>Sign in</title>
<form>
  <label>Name <input name=user value=ada></label>
  <label>Password <input type=password id=first value="{_HTML}"></label>
  <label>Again <input type=password id=shown></label>
  <label>Code <input autocomplete=one-time-code value="{_HTML}"></label>
  <label>Card <input autocomplete="billing cc-number" value="{_HTML}"></label>
  <label>New <textarea autocomplete=new-password>{_HTML}</textarea></label>
  <label>Dots <input style="-webkit-text-security: disc" value="{_HTML}"></label>
  <label>Named <input name=userPassword value="{_HTML}"></label>
</form>
<table><tr><td><label>Cell <input type=password value="{_HTML}"></label></td></tr></table>
<button aria-label="say: {_HTML}">said</button>
<div contenteditable id=echo></div><p id=other></p><a id=link>there</a>
<x-shadow></x-shadow>
<iframe srcdoc="<label>Framed <input type=password id=framed></label><p id=said></p>"></iframe>
<script>
  const value = document.querySelector("#first").value;
  customElements.define("x-shadow", class extends HTMLElement {{
    connectedCallback() {{
      this.attachShadow({{mode: "open"}}).innerHTML =
        "<label>Shadow <input type=password></label><p>inside</p><button>deep</button>";
      const field = this.shadowRoot.querySelector("input");
      field.value = value;
      field.type = "text";
    }}
  }});
  shown.value = value;
  shown.type = "text";
  shown.setAttribute("value", value);
  echo.textContent = `echo ${{value}}!`;
  other.textContent = btoa(unescape(encodeURIComponent(value)));
  link.href = "/go?q=" + encodeURIComponent(value);
  document.querySelector("iframe").addEventListener("load", (event) => {{
    const inner = event.target.contentDocument;
    inner.querySelector("#framed").value = value;
    inner.querySelector("#framed").type = "search";
    inner.querySelector("#said").textContent = value;
    document.body.dataset.ready = "yes";
  }});
</script>
"""


def masks(value: str) -> Masks:
    """Masks for one value."""
    net = SessionNet()
    net.add(Clear(value))
    return Masks(net)


def leaks(text: str) -> list[str]:
    """The forms in which the canary stands in a text."""
    content = text.encode("utf-8", "surrogatepass")
    return [name for name, form in list_encoded_forms(CANARY).items() if form in content]


async def _ready(page: Page) -> None:
    await page.wait_for_selector("body[data-ready=yes]")


@pytest.mark.promise("D6")
def test_no_value_of_a_secret_field_is_in_a_snapshot() -> None:
    """Passwords, codes, cards; types that a script changed; shadow roots, frames and echoes."""

    async def work(page: Page) -> tuple[str, Snapshot]:
        await _ready(page)
        return await page.aria_snapshot(mode="ai"), await take_snapshot(page)

    raw, snapshot = on(work, first=SECRETS)
    assert leaks(raw)
    everything = [
        snapshot.text,
        render_snapshot_text(snapshot),
        repr(snapshot),
        snapshot.content.decode(),
    ]
    everything += [
        find_snapshot_lines(snapshot, "a"),
        *(read_snapshot_ref(snapshot, ref) for ref in list_snapshot_refs(snapshot)),
    ]
    everything += [expand_snapshot_ref(snapshot, ref) for ref in list_snapshot_refs(snapshot)]
    assert [leaks(each) for each in everything if leaks(each)] == []
    assert 'textbox "Password"' in snapshot.text
    assert "echo [redacted]!" in snapshot.text
    assert "ada" in snapshot.text


@pytest.mark.promise("D6")
def test_a_field_marked_before_it_was_filled_stays_secret() -> None:
    """Whatever it looks like, even after the page cleared it and kept an echo."""

    async def work(page: Page) -> tuple[Snapshot, Snapshot]:
        await mark_secret_field(page.locator("#plain"))
        await page.fill("#plain", CANARY)
        first = await take_snapshot(page)
        await page.evaluate("echo.textContent = plain.value; plain.value = ''")
        return first, await take_snapshot(page)

    page = "<input id=plain aria-label=Plain><p id=echo></p>"
    first, second = on(work, watched=False, first=page)
    assert 'textbox "Plain"' in first.text
    assert (leaks(first.text), leaks(second.text)) == ([], [])
    assert "[redacted]" in first.text
    assert "[redacted]" in second.text


def test_a_field_that_only_forbids_autofill_is_no_secret() -> None:
    """The search field of a list may say new-password; one that names a password stays secret."""
    page = """<label for=customer-selectized>Customer</label>
    <div class=selectize-input><div class=item>Groß AG</div>
    <input type=text autocomplete=new-password id=customer-selectized value="Groß AG"></div>
    <table><tr><td>S5018</td><td>Groß AG</td></tr></table>
    <label>Neues Kennwort <input autocomplete=new-password value="kanarie-eins"></label>
    <input autocomplete=new-password value="kanarie-zwei">
    <label>Now <input autocomplete=current-password value="kanarie-drei"></label>
    <label>Name <input type=password autocomplete=new-password value="kanarie-vier"></label>"""
    snapshot = on(take_snapshot, first=page)
    assert snapshot.text.count("Groß AG") >= 3
    assert "kanarie" not in snapshot.text
    assert snapshot.text.count("[redacted]") == 4


def test_a_code_typed_digit_by_digit_is_not_shown() -> None:
    """Not in its boxes, not in the name of the row, not joined; other numbers stay."""
    boxes = "".join(
        f"<input aria-label='Code: box' autocomplete=one-time-code value={n}>" for n in "4711"
    )
    page = f"<table><tr><td>Code {boxes}</td><td>4 tries</td></tr></table><p>sent 4711, 7 left</p>"
    snapshot = on(take_snapshot, first=page)
    assert "4711" not in snapshot.text
    assert snapshot.text.count("]: [redacted]") == 4
    assert snapshot.text.count("[redacted]") >= 5
    assert "4 tries" in snapshot.text
    assert "7 left" in snapshot.text


def test_what_the_net_knows_is_removed_everywhere() -> None:
    """From the tree, the address, the title and what the caller reports."""

    async def work(page: Page) -> Snapshot:
        await page.goto(f"{ORIGIN}/first?token=tok-12345")
        happened = Happened(
            errors=("bad tok-12345",), dialogs=("tok-12345?",), blocked=("tok-12345",)
        )
        return await take_snapshot(page, masks("tok-12345"), happened=happened)

    snapshot = on(
        work, first="<title>tok-12345</title><p>your key is tok-12345</p><button>b</button>"
    )
    assert "tok-12345" not in render_snapshot_text(snapshot) + repr(snapshot)
    assert snapshot.url == f"{ORIGIN}/first?token=[redacted]"
    assert "Console error: bad [redacted]" in render_snapshot_text(snapshot)


def test_a_secret_is_removed_though_the_page_joins_its_spaces() -> None:
    """A browser shows runs of white space as one."""
    hidden = masks("two  words   and\tmore")
    snapshot = on(
        lambda page: take_snapshot(page, hidden),
        first="<p>two  words   and\tmore!</p><button>b</button>",
    )
    assert "[redacted]!" in snapshot.text


def test_the_hash_is_that_of_the_bytes_that_are_kept() -> None:
    """So a store that names what it keeps by its hash gives the same name."""
    snapshot = Snapshot('- button "ö" [ref=e1]', "u", "t", "d")
    assert snapshot.hash == hashlib.sha256(snapshot.text.encode()).hexdigest()


PARTS = """
<h1>Parts</h1><x-open></x-open>
<iframe title=inner srcdoc="<button onclick='this.textContent=&quot;framed&quot;'>In frame</button>
  <iframe srcdoc='<button>Deeper</button>'></iframe>"></iframe>
<script>
  customElements.define("x-open", class extends HTMLElement {
    constructor() {
      super();
      this.attachShadow({mode: "open"}).innerHTML = "<button>In shadow</button>";
      this.shadowRoot.firstChild.onclick = (event) => { event.target.textContent = "shadowed" };
    }
  });
</script>
"""


def test_every_ref_leads_to_its_element() -> None:
    """In frames, frames of frames and open shadow roots too."""

    async def work(page: Page) -> tuple[Snapshot, Snapshot, list[int]]:
        await page.frame_locator("iframe").frame_locator("iframe").locator("button").wait_for()
        before = await take_snapshot(page)
        for ref in (_ref(before, "In frame"), _ref(before, "In shadow")):
            await page.locator(f"aria-ref={ref}").click()
        after = await take_snapshot(page)
        return (
            before,
            after,
            [await page.locator(f"aria-ref={r}").count() for r in list_snapshot_refs(after)],
        )

    before, after, counts = on(work, first=PARTS)
    assert all(f'button "{name}"' in before.text for name in ("In frame", "In shadow", "Deeper"))
    assert all(f'button "{name}"' in after.text for name in ("framed", "shadowed", "Deeper"))
    assert set(counts) == {1}
    assert len(list_snapshot_refs(after)) == len(set(list_snapshot_refs(after)))


def _ref(snapshot: Snapshot, name: str) -> str:
    line = next(line for line in snapshot.text.split("\n") if f'"{name}"' in line)
    return line.partition("[ref=")[2].partition("]")[0]


LISTENING = """
<style>.icon {display: inline-block; width: 20px; height: 20px; background: #ccc}</style>
<ul>
  <li>First <span class="icon trash" onclick="said.textContent = 'first'"></span></li>
  <li>Second <span class="icon trash"></span></li>
</ul>
<div id=row>A row <b>with parts</b> and more than a label, which is the reason why it stays the plain row that it always was.</div>
<div contenteditable><i id=edited onclick="1">text</i></div>
<svg width=20 height=20><rect width=20 height=20 fill=red></rect></svg><p id=said></p>
<script>
  document.querySelectorAll(".trash")[1].addEventListener("click", () => { said.textContent = "second" });
  document.querySelector("rect").addEventListener("mousedown", () => {});
  row.addEventListener("click", () => {});
  globalThis.page = () => document.body.innerHTML;
</script>
"""


def test_what_only_listens_can_be_acted_on() -> None:
    """Icons and rows without a role are shown with refs, in their place; the page stays as it was."""

    async def work(page: Page) -> tuple[Snapshot, str, bool]:
        before = await page.evaluate("page()")
        snapshot = await take_snapshot(page)
        same = await page.evaluate("page()") == before
        icon = find_snapshot_lines(snapshot, "icon trash").split("\n")[-1]
        await page.locator(f"aria-ref={icon.partition('[ref=')[2].rstrip(']')}").click()
        return snapshot, await page.locator("#said").inner_text(), same

    snapshot, said, same = on(work, first=LISTENING)
    assert same
    assert said == "second"
    shown = render_snapshot_text(snapshot)
    assert shown.count('button "icon trash" [ref=') == 2
    assert shown.index("First") < shown.index("icon trash") < shown.index("Second")
    assert 'button "red rect" [ref=' in shown
    assert re.search(r"generic \[ref=\w+\]: A row", shown)
    assert "button" not in next(line for line in snapshot.text.split("\n") if "text" in line)


def test_only_what_changed_is_shown_within_one_document() -> None:
    """After a load the whole page is shown again, though it is the same."""

    async def work(page: Page) -> list[Snapshot]:
        seen = [await take_snapshot(page)]
        await page.check("#n7")
        await page.evaluate("history.pushState(null, '', '?other')")
        seen.append(await take_snapshot(page))
        await page.reload()
        seen.append(await take_snapshot(page))
        return seen

    boxes = "".join(f"<label><input type=checkbox id=n{n}>Item {n}</label>" for n in range(40))
    first, second, third = on(work, first=boxes)
    assert first.document == second.document != third.document
    changed = render_snapshot_text(second, first)
    assert 'checkbox "Item 7" [checked]' in changed
    assert 'checkbox "Item 9"' not in changed
    assert 2 * len(changed) < len(render_snapshot_text(second))
    assert render_snapshot_text(third, second) == render_snapshot_text(third)
    assert "Nothing changed" in render_snapshot_text(second, second)


def test_a_page_that_hangs_is_an_error_that_says_so() -> None:
    """The snapshot ends at its limit, not when the page does."""

    async def work(page: Page) -> None:
        # Nobody waits for it: it never answers.
        busy = asyncio.ensure_future(page.evaluate("() => { for (;;); }"))
        try:
            await take_snapshot(page, timeout=1)
        finally:
            busy.cancel()

    with pytest.raises(BrowserError, match="did not answer within 1 s"):
        on(work, first="<p>calm</p>")


def test_a_snapshot_too_large_to_keep_is_refused() -> None:
    """With the size and what to do about it."""
    with pytest.raises(BrowserError, match="more than 100; it was not kept"):
        on(lambda each: take_snapshot(each, largest=100), first=f"<p>{'words ' * 50}</p>")


@pytest.mark.slow
def test_a_page_that_takes_too_long_is_an_error_that_says_so() -> None:
    """A hundred thousand elements are more than Playwright can tell of in seconds."""
    page = """<div id=all></div><script>
      all.innerHTML = Array.from({length: 33_000}, (_, n) =>
        `<div><span>row ${n}</span><button>Open ${n}</button></div>`).join("")
    </script>"""
    with pytest.raises(BrowserError, match="too large"):
        on(lambda each: take_snapshot(each, timeout=5), first=page)


def test_a_page_that_changes_its_prototypes_is_taken_all_the_same() -> None:
    """Old libraries give arrays and elements methods of their own."""

    async def work(page: Page) -> Any:
        return (await take_snapshot(page)).text

    page = """<script>
      Array.prototype.toJSON = function () { return "broken" };
      Array.prototype.each = function () {};
    </script><input type=password value=hunter-two><button>go</button>"""
    text = on(work, watched=False, first=page)
    assert "hunter-two" not in text
    assert 'button "go"' in text


def test_a_page_hears_nothing_of_what_its_fields_are_asked() -> None:
    """Not the question, which has the name of the answer in it, nor the answer."""

    async def work(page: Page) -> tuple[str, Any]:
        return (await take_snapshot(page)).text, await page.evaluate("globalThis.heard")

    page = """<input type=password value=hunter-two><button>go</button><script>
      globalThis.heard = [];
      for (const type of ["director-held", "director-report"])
        performance.addEventListener(type, (event) => heard.push(event.detail), true);
    </script>"""
    text, heard = on(work, first=page)
    assert "hunter-two" not in text
    assert heard == []


def test_what_listens_is_told_on_a_page_that_was_written_anew() -> None:
    """Writing a document anew takes away whoever listened at its window."""

    async def work(page: Page) -> str:
        await take_snapshot(page)
        await page.set_content("<p><i id=more></i></p>")
        await page.evaluate("document.getElementById('more').onclick = () => 0")
        return (await take_snapshot(page)).text

    assert 'button "more"' in on(work, first="<p>before</p>")
