"""The value of a field is in no bundle: not in its own, nor in that of what stands around it."""

from __future__ import annotations

import json
import re

from playwright.async_api import Page

from browser.bare import on
from director.browser.bundle import Bundle
from director.browser.element_portraits import read_element_portraits
from director.browser.locators import make_locator_bundle, resolve_locator

_EDITOR = "<textarea aria-label=F></textarea>"
FIELDS = {
    "input": "<label>F <input value=canary></label>",
    "typed": "<input aria-label=F class=typed>",
    "secret": "<input type=password value=canary><input type=hidden value=canary>",
    "textarea": "<label>F <textarea>canary</textarea></label>",
    "editable": "<div contenteditable aria-label=F><p>canary</p></div>",
    "in an editable": "<div contenteditable><p>canary <a href=#x>link</a> canary</p>"
    "<ul><li>canary <button>tag</button></li></ul></div>",
    "textbox": "<div role=textbox aria-label=F tabindex=0>canary</div>",
    "combobox": "<div role=combobox aria-label=F tabindex=0>canary</div>",
    "spinbutton": "<span role=spinbutton aria-label=F tabindex=0>canary</span>",
    "slider": "<span role=slider aria-label=F tabindex=0><span>canary</span></span>",
    "output": "<input type=range aria-label=F><output>canary</output>",
    "monaco": f"<div class=monaco-editor><p class=view-line>canary</p>{_EDITOR}</div>",
    "codemirror": f"<div class=CodeMirror>{_EDITOR}<pre>canary</pre></div>",
    "ace": f"<div class=ace_editor>{_EDITOR}<p class=ace_line>canary</p></div>",
    "shadow": "<x-field></x-field><script>customElements.define('x-field', "
    "class extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML "
    "= '<label>F <input value=canary></label><textarea>canary</textarea>' } })</script>",
    "frame": "<iframe srcdoc='<body contenteditable>canary <a href=#x>link</a></body>'></iframe>",
}
_AROUND = """<section><h2>Things</h2><form><p>Before</p><table><tr><td>FIELD</td><td><button>Save</button>
    </td></tr></table><ul><li>FIELD <a href=/z>Z</a></li></ul><p tabindex=0>After</p></form></section>"""


def test_the_value_of_a_field_is_in_no_bundle() -> None:
    """Whatever the field is made of, and whatever of the page is described."""
    page = "".join(
        _AROUND.replace("FIELD", field.replace("canary", f"canary-{kind}"))
        for kind, field in FIELDS.items()
    )

    async def work(page: Page) -> list[str]:
        for field in await page.locator(".typed").all():
            await field.fill("canary-typed")
        # One of a page, so that nothing is known of it by hand.
        every = Bundle(css="body *", nth=(0, 1))
        seen = [
            sight.portrait.like.json()
            for frame in page.frames
            for sight in await read_element_portraits(frame, every)
        ]
        made = [
            await make_locator_bundle(page, f"section:nth-of-type({at}) button") for at in (1, 9)
        ]
        return [json.dumps(each) for each in (*seen, *(one.json() for one in made))]

    written = on(work, first=page)
    assert sum('"name": "Save"' in each for each in written) >= len(FIELDS)
    assert {kind for each in written for kind in re.findall(r"canary-[\w ]+", each)} == set()


def test_a_field_stays_found_when_its_value_is_another() -> None:
    """The text that a list of its own shows is its state; by hand it may be called by that."""
    boxes = "".join(
        f"<p><span>{name}</span><span role=combobox tabindex=0 id={name}>{value}</span></p>"
        for name, value in (("Fruit", "Pear"), ("Colour", "Red"))
    )

    async def work(page: Page) -> list[str | None]:
        made = await make_locator_bundle(page, "#Fruit")
        assert "Pear" not in json.dumps(made.json())
        by_hand = await resolve_locator(page, {"role": "combobox", "name": "Red"})
        found = [await by_hand.locator.get_attribute("id")]
        await page.evaluate("Fruit.textContent = 'Plum'")
        found.append(await (await resolve_locator(page, made)).locator.get_attribute("id"))
        return found

    assert on(work, first=boxes) == ["Colour", "Fruit"]
