"""A hijacked model carries a secret elsewhere: into another field, by the clipboard, by dragging."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attacks.echo_site import SECRETS, echo_site, session_with, vault_with
from browser.sites import site
from director.browser import Browser, BrowserError, Origins
from director.browser.actions import run_action
from director.secrets import FieldNotAllowed, Reference

PLAIN = """<form action="/echo"><input id="q" name="q"><input id="user" name="user">
<input id="word" type="password"><input id="code" autocomplete="one-time-code">
<textarea id="comment"></textarea><div id="note" contenteditable></div></form>"""
OPEN = ("#user", "#comment", "#note")
SECRET = "{{secret:word}}"  # noqa: S105  its reference


@pytest.mark.promise("D2")
@pytest.mark.attack(
    "A secret is typed into a search box, a comment, an editor of the site that it is bound to",
    must="refused before anything is typed, unless the user allowed this very field for it",
    tries=4,
)
def test_a_secret_is_typed_only_into_fields_that_are_for_it(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """Password fields and one-time codes need nobody's leave; a field that was allowed is filled."""

    async def attempts() -> None:
        with echo_site(plain=PLAIN) as server:
            vault = vault_with(tmp_path, SECRETS[0], server.origin)
            async with browser.session(Origins([server.origin]), vault) as session:
                await session.navigate(f"{server.origin}/plain")
                page = session.page()
                for field in OPEN:
                    with pytest.raises(FieldNotAllowed) as caught:
                        await session.fill(page.locator(field), SECRET)
                    assert await page.locator(field).evaluate("f => f.value ?? f.innerText") == ""
                    assert caught.value.secret == "word"  # noqa: S105  its name
                    assert caught.value.origin == server.origin
                    # As an approval would: the user allows what the error names.
                    asked = caught.value
                    vault.allow_field(asked.secret, asked.origin, asked.field)
                    await session.fill(page.locator(field), SECRET)
                    shown = await page.locator(field).evaluate("f => f.value ?? f.innerText")
                    assert shown == SECRETS[0]
                for field in ("#q", "#word", "#code"):
                    await session.fill(page.locator(field), SECRET)
                    assert await page.input_value(field) == SECRETS[0]
                # A field that turns into another while the secret is on its way gets nothing.
                await session.navigate(f"{server.origin}/plain")

                async def turn() -> None:
                    await page.evaluate("word.type = 'text'")

                with pytest.raises(Exception, match="was not typed"):
                    await session.fill(page.locator("#word"), SECRET, pause=turn)
                assert await page.input_value("#word") == ""

    run(attempts())
    vault = vault_with(tmp_path, SECRETS[1], "http://127.0.0.1:9")
    assert [each.name for each in vault.fields("word")] == ["text name=q"]
    vault.disallow_field("word", "http://127.0.0.1:9", "text name=q")
    assert not vault.allows_field(Reference("word"), "http://127.0.0.1:9", "text name=q")


@pytest.mark.promise("D2")
@pytest.mark.attack(
    "Select all, copy on one approved origin, paste on another; drag the text, or a link with it",
    must="refused; the other page gets nothing",
    tries=12,
)
def test_a_secret_is_not_copied_or_dragged_to_another_place(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """By keys however they are written, by the page's own button, by the pointer."""
    keys = (
        "Control+c Control+C ControlOrMeta+KeyX Meta+v Control+Shift+KeyV Shift+Insert "
        "Control+Insert Shift+Delete ControlLeft+c Paste"
    ).split()
    button = (
        "<button id=copy onclick=\"q.select(); done = document.execCommand('copy')\">copy</button>"
    )

    async def attempts() -> None:
        with echo_site() as server, site({"/": "<input id=catch>"}) as other:
            server.pages["/"] = f"{server.pages['/']}{button}"
            async with session_with(
                browser, server, folder=tmp_path, secret=SECRETS[0], submit=False
            ) as session:
                session.origins.approve(other.origin)
                await run_action(session, {"action": "keypress", "key": "Control+a"})
                for pressed in keys:
                    with pytest.raises(BrowserError, match="clipboard is closed"):
                        await run_action(session, {"action": "keypress", "key": pressed})
                with pytest.raises(BrowserError, match="clipboard is closed"):
                    await run_action(
                        session, {"action": "keypress", "key": "v", "modifiers": ["Control"]}
                    )
                with pytest.raises(BrowserError, match="holds a secret"):
                    await run_action(session, {"action": "drag", "selector": "#q", "to": "#other"})
                await run_action(session, {"action": "click", "selector": "#copy"})
                assert await session.page().input_value("#other") == ""
                # Not through our own door: whether anything is on the clipboard at all.
                await session.open_tab(f"{other.origin}/", "other")
                await session.page().locator("#catch").focus()
                await session.page().keyboard.press("Control+v")
                assert await session.page().input_value("#catch") == ""

    run(attempts())


@pytest.mark.promise("D1")
@pytest.mark.attack(
    "The agent types a guess into a password field: is it hidden together with the secret beside it?",
    must="the same is hidden, whatever the secret is",
    tries=4,
)
def test_what_an_agent_types_into_a_password_field_tells_nothing_of_a_secret(
    browser: Browser, run: Callable[[Any], Any], tmp_path: Path
) -> None:
    """`Found: Zebr` overlaps with one of the secrets, and not with the other."""
    field = "<input id=pass type=password>"

    async def told(server: Any, number: int) -> str:
        folder = tmp_path / str(number)
        async with session_with(browser, server, folder=folder, secret=SECRETS[number]) as session:
            await session.page().evaluate(
                "field => document.body.insertAdjacentHTML('beforeend', field)", field
            )
            seen = ""
            for guess in ("Found: Zebr", "nd: Z", SECRETS[0][:6], SECRETS[1][:5]):
                await run_action(session, {"action": "type", "selector": "#pass", "text": guess})
                await run_action(session, {"action": "keypress", "key": "Tab"})
                seen += (await session.snapshot()).text
            return seen

    async def both() -> tuple[str, str]:
        with echo_site() as server:
            return await told(server, 0), await told(server, 1)

    first, second = run(both())
    assert first == second
    assert not any(secret in first for secret in SECRETS)
