"""Filling: a secret is typed into a field of its own origin, and is seen nowhere else."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from browser.sites import Served, Site, site, until
from director.browser import Browser, BrowserError, Origins, Session
from director.secrets import Reference, SecretRefused, Vault, list_encoded_forms

VALUE = "pä\"ss&w+ord'<é> /%7"
FORM = (
    '<form id="form" action="/login"><input id="user" name="user">'
    '<input id="pass" name="pass" type="password"><textarea id="area"></textarea>'
    '<div id="free" contenteditable="true">old</div><button id="go">Go</button></form>'
)
FIELDS = ("text name=user", "textarea id=area", "editable text id=free")


@dataclass(frozen=True, slots=True)
class Town:
    """A bank, to which the secret is bound, and a neighbour, which is approved and no more."""

    bank: Site
    other: Site
    vault: Vault

    @property
    def approved(self) -> Origins:
        """Both origins, and the bank under its other name."""
        alias = self.bank.origin.replace("127.0.0.1", "localhost")
        return Origins([self.bank.origin, self.other.origin, alias])


@contextmanager
def town(folder: Path) -> Iterator[Town]:
    """Run the two sites, with a vault that holds one secret."""
    with site({"/": FORM, "/plain": "<p>nothing"}) as bank, site({"/": FORM}) as other:
        other.pages["/frame"] = f'<iframe src="{bank.origin}/"></iframe>{FORM}'
        bank.pages["/frame"] = f'<iframe src="{other.origin}/"></iframe>{FORM}'
        bank.pages["/out"] = Served(status=302, headers={"Location": f"{other.origin}/"})
        bank.pages["/inline"] = (
            '<iframe srcdoc="<input id=pass>"></iframe>'
            '<iframe sandbox="allow-scripts" srcdoc="<input id=pass>"></iframe>'
            "<iframe src=\"data:text/html,<input id='pass'>\"></iframe>"
        )
        vault = Vault(folder / "vault")
        vault.put("pass", VALUE, bank.origin)
        for field in FIELDS:
            vault.allow_field("pass", bank.origin, field)
        yield Town(bank, other, vault)


def leaks(shown: str | bytes) -> list[str]:
    """The names of the forms in which the value is seen."""
    raw = shown if isinstance(shown, bytes) else shown.encode("utf-8", "surrogateescape")
    return [name for name, form in list_encoded_forms(VALUE).items() if form in raw]


def seen(error: BaseException) -> str:
    """An error as it would be printed, with everything that it came from."""
    found = traceback.TracebackException.from_exception(error, capture_locals=True)
    return "".join(found.format())


@pytest.mark.promise("D2")
def test_a_secret_is_typed_into_a_field_of_its_origin(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """Into inputs, text areas and editable elements; the page hears of it as of a person's typing."""

    async def fills() -> None:
        with town(tmp_path) as here:
            async with browser.session(here.approved, here.vault) as session:
                await session.navigate(f"{here.bank.origin}/")
                page = session.page()
                await page.evaluate(
                    "heard = []; for (const kind of ['input', 'change'])"
                    "addEventListener(kind, (event) => heard.push(event.type + event.target.id), true)"
                )
                for field in ("#user", "#pass", "#area", "#free"):
                    await session.fill(page.locator(field), "old")
                    await session.fill(page.locator(field), "a{{secret:pass}}z")
                shown = "f => f.value ?? f.textContent"
                for field in ("#user", "#pass", "#area", "#free"):
                    assert await page.locator(field).evaluate(shown) == f"a{VALUE}z"
                heard = await page.evaluate("heard.join(' ')")
                assert "inputpass changepass" in heard
                assert str(Reference("pass")) not in await page.content()

    run(fills())


@pytest.mark.promise("D2")
def test_a_secret_is_not_typed_anywhere_else(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """Behind a redirect, in a frame, on another name or port of the same machine."""

    async def attempts() -> None:
        with town(tmp_path) as here:
            alias = here.bank.origin.replace("127.0.0.1", "localhost")
            async with browser.session(here.approved, here.vault) as session:
                for address in (f"{here.bank.origin}/out", f"{here.other.origin}/", f"{alias}/"):
                    await session.navigate(address)
                    await refused(session, session.page().locator("#pass"))
                await session.navigate(f"{here.bank.origin}/frame")
                await refused(session, session.page().frame_locator("iframe").locator("#pass"))
                await session.navigate(f"{here.bank.origin}/inline")
                for number in range(3):
                    frame = session.page().frame_locator("iframe").nth(number)
                    await refused(session, frame.locator("#pass"))
                await session.navigate(f"{here.other.origin}/frame")
                await refused(session, session.page().locator("#pass"))
                await session.fill(
                    session.page().frame_locator("iframe").locator("#pass"), "{{secret:pass}}"
                )
            assert leaks("".join(map(repr, [*here.other.asked, *here.bank.asked]))) == []

    async def refused(session: Session, field: Any) -> None:
        with pytest.raises(SecretRefused) as caught:
            await session.fill(field, "{{secret:pass}}")
        assert leaks(seen(caught.value)) == []
        assert await field.input_value() == ""

    run(attempts())


@pytest.mark.promise("D2")
@pytest.mark.parametrize("way", ["navigate", "replace the field", "raise"])
def test_nothing_is_typed_when_the_page_changes_between_the_check_and_the_typing(
    browser: Browser, run: Callable[[Any], None], *, way: str, tmp_path: Path
) -> None:
    """The same field on the page that took its place stays empty, and the value is in no message."""

    async def attempts() -> None:
        with town(tmp_path) as here:
            async with browser.session(here.approved, here.vault) as session:
                await session.navigate(f"{here.bank.origin}/")
                field = session.page().locator("#pass")
                with pytest.raises((SecretRefused, BrowserError)) as caught:
                    await session.fill(field, "{{secret:pass}}", pause=change(session, here))
                assert leaks(seen(caught.value)) == []
                assert await field.input_value() == ""
            assert leaks("".join(map(repr, here.other.asked))) == []

    def change(session: Session, here: Town) -> Callable[[], Awaitable[None]]:
        async def pause() -> None:
            if way == "navigate":
                await session.navigate(f"{here.other.origin}/")
            elif way == "replace the field":
                await session.page().evaluate("form.outerHTML = form.outerHTML")
            else:
                raise BrowserError("stopped in the middle")

        return pause

    run(attempts())


def test_a_field_that_takes_no_text_and_an_unknown_secret_are_refused_in_words(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """As is a reference in a session that has no vault."""

    async def attempts() -> None:
        with town(tmp_path) as here:
            async with browser.session(here.approved, here.vault) as session:
                await session.navigate(f"{here.bank.origin}/")
                with pytest.raises(Exception, match="Did you mean 'pass'"):
                    await session.fill(session.page().locator("#pass"), "{{secret:pas}}")
                with pytest.raises(BrowserError, match="could not fill a field"):
                    await session.fill(session.page().locator("#go"), "{{secret:pass}}", within=300)
            async with browser.session(here.approved) as session:
                await session.navigate(f"{here.bank.origin}/")
                with pytest.raises(BrowserError, match="open the session with a vault"):
                    await session.fill(session.page().locator("#pass"), "{{secret:pass}}")

    run(attempts())


def test_no_secret_is_typed_while_playwright_prints_what_it_does(
    browser: Browser,
    run: Callable[[Any], None],
    *,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its own log would hold the value."""

    async def attempt() -> None:
        with town(tmp_path) as here:
            async with browser.session(here.approved, here.vault) as session:
                await session.navigate(f"{here.bank.origin}/")
                with pytest.raises(SecretRefused, match="unset DEBUG"):
                    await session.fill(session.page().locator("#pass"), "{{secret:pass}}")

    monkeypatch.setenv("DEBUG", "pw:api")
    run(attempt())


@pytest.mark.promise("D1")
def test_a_secret_that_the_page_echoes_is_in_nothing_that_the_session_returns(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """Console, dialogs, errors, titles, addresses, downloads, failures, restart points."""
    echo = """([value, plain]) => {
        document.title = value; console.error(value); alert(value);
        setTimeout(() => { throw new Error(value) });
        history.replaceState(0, "", "?q=" + encodeURIComponent(value));
        localStorage.setItem("v", value); document.cookie = "v=" + encodeURIComponent(value);
        fetch("/x?q=" + encodeURIComponent(value));
        const a = document.createElement("a");
        a.href = "data:text/plain,x"; a.download = plain + ".txt"; document.body.append(a); a.click();
    }"""

    async def echoes() -> None:
        with town(tmp_path) as here:
            async with browser.session(
                here.approved, here.vault, downloads=tmp_path / "files"
            ) as session:
                await session.navigate(f"{here.bank.origin}/")
                await session.fill(session.page().locator("#pass"), "{{secret:pass}}")
                # The net holds what was typed, even if the vault has another value by now.
                here.vault.put("pass", "something else", here.bank.origin)
                typed = await session.page().input_value("#pass")
                assert typed == VALUE
                here.vault.put("pin", "plain-canary", here.bank.origin)
                here.vault.allow_field("pin", here.bank.origin, "text name=user")
                await session.fill(session.page().locator("#user"), "{{secret:pin}}")
                await session.page().evaluate(echo, [typed, "plain-canary"])
                await until(lambda: {"console", "dialog", "error", "download"} <= kinds(session))
                await until(lambda: any("/x?q=" in each.url for each in session.responses()))
                returned = [
                    repr(await session.tabs()),
                    repr(session.events()),
                    repr(session.responses()),
                    repr(await session.point()),
                    repr(session),
                ]
                for address in (f"{here.bank.origin}:x/?{typed}", f"http://localhost:1/?{typed}"):
                    with pytest.raises(BrowserError) as caught:
                        await session.navigate(address)
                    returned.append(str(caught.value))
                with pytest.raises(BrowserError) as caught:
                    async with session.doing(f"click {typed!r}"):
                        await session.page().locator(f"text={typed}").click(timeout=200)
                returned.append(str(caught.value))
            assert leaks("".join(returned)) == []
            assert [file.name for file in (tmp_path / "files").iterdir()] == ["_redacted_.txt"]

    def kinds(session: Session) -> set[str]:
        return {event.kind for event in session.events()}

    run(echoes())
