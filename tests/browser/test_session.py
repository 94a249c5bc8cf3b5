"""Sessions: named tabs, dialogs, downloads, what happened, and nothing shared with another one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from browser.sites import Served, site, until
from director.browser import Browser, BrowserError, Origins, Session
from director.browser.downloads import make_safe_download_name

LINKS = '<title>{0}</title><a id="pop" target="_blank" href="/{0}">.</a>'
PAGES: dict[str, Served | str] = {
    "/": LINKS.format("one"),
    "/one": LINKS.format("two"),
    "/two": "<title>three</title>",
}


async def names(session: Session) -> list[str]:
    """The tabs, with a star at the active one."""
    return [f"{tab.name}{'*' if tab.active else ''}" for tab in await session.tabs()]


def test_tabs_have_names_and_closing_one_brings_back_the_one_before(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """The first is `main`, which `Main Tab` means too; a name that is taken gets a number."""

    async def tabs() -> None:
        with site(PAGES) as home:
            async with browser.session(Origins([home.origin])) as session:
                assert await names(session) == ["main*"]
                assert await session.open_tab(home.origin, "mail") == "mail"
                assert await session.open_tab(f"{home.origin}/two", "mail") == "mail_2"
                assert await session.open_tab("about:blank", "Main Tab") == "main_2"
                assert await names(session) == ["main", "mail", "mail_2", "main_2*"]
                await session.switch_tab("mail")
                assert session.page() is session.page("mail")
                await session.switch_tab(" main tab ")
                await session.close_tab("mail_2")
                assert await names(session) == ["main*", "mail", "main_2"]
                await session.close_tab()
                assert await names(session) == ["mail*", "main_2"]
                assert [tab.title for tab in await session.tabs()] == ["one", ""]
                with pytest.raises(BrowserError, match=r"no tab 'mial'.*Did you mean 'mail'"):
                    session.page("mial")
                await session.close_tab()
                await session.close_tab()
                with pytest.raises(BrowserError, match="No tab is open"):
                    session.page()
                assert await session.open_tab(home.origin, "main") == "main"

    run(tabs())


def test_a_popup_is_a_tab_named_after_its_opener_and_waits_to_be_chosen(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """Which tab is active never depends on when a popup arrives."""

    async def popups() -> None:
        with site(PAGES) as home:
            async with browser.session(Origins([home.origin])) as session:
                await session.navigate(home.origin)
                await session.page().click("#pop")
                await session.switch_tab("main_2")
                await session.page().click("#pop")
                await session.switch_tab("main_2_2")
                await session.page().wait_for_url("**/two")
                assert await names(session) == ["main", "main_2", "main_2_2*"]
                await session.page("main_2").evaluate("setTimeout(window.close)")
                await until(lambda: len(session.page("main").context.pages) == 2)
                await session.page().evaluate("setTimeout(window.close)")
                await until(lambda: len(session.page("main").context.pages) == 1)
                assert await names(session) == ["main*"]
                assert [event.tab for event in session.events() if event.kind == "popup"] == [
                    "main_2",
                    "main_2_2",
                ]

    run(popups())


def test_dialogs_are_dismissed_or_answered_as_told_and_never_hold_a_page_up(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """A page that asks whether to leave is left."""

    async def dialogs() -> None:
        with site({**PAGES, "/stay": "<button>.</button>"}) as home:
            async with browser.session(Origins([home.origin])) as session:
                await session.navigate(f"{home.origin}/stay")
                page = session.page()
                assert await page.evaluate("confirm('sure?')") is False
                assert await page.evaluate("prompt('name?')") is None
                session.answer_dialogs(lambda dialog: "Ada" if dialog.type == "prompt" else None)
                assert await page.evaluate("prompt('name?')") == "Ada"
                await page.click("button")
                await page.evaluate("() => { onbeforeunload = (event) => event.preventDefault() }")
                await session.navigate(home.origin)
                assert [event.text for event in session.events() if event.kind == "dialog"] == [
                    "confirm: sure? (dismissed)",
                    "prompt: name? (dismissed)",
                    "prompt: name? (accepted)",
                    "beforeunload:  (accepted)",
                ]

    run(dialogs())


@pytest.mark.promise("G3")
def test_downloads_stay_in_their_folder_and_write_over_nothing(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """Whatever name the page proposes; without a folder nothing is kept."""
    folder = tmp_path / "files"
    wishes = ["..%2F..%2Fup.txt", "%2Fetc%2Fpasswd", "up.txt", ".hidden", "con", "a%00b.txt"]

    def attachment(name: str) -> Served:
        header = f"attachment; filename*=UTF-8''{name}"
        return Served(name, "application/octet-stream", headers={"Content-Disposition": header})

    async def download() -> None:
        with site({f"/{n}": attachment(wish) for n, wish in enumerate(wishes)}) as home:
            async with browser.session(Origins([home.origin]), downloads=folder) as session:
                for number in range(len(wishes)):
                    await session.navigate(f"{home.origin}/{number}")
                    await until(lambda n=number: len(session.events()) > n)
                files = await session.downloads()
                assert len(files) == len(wishes)
                assert {file.path.parent for file in files} == {folder}
                assert all(file.size > 0 for file in files)
                assert not [file for file in files if file.path.name.startswith(".")]
            async with browser.session(Origins([home.origin])) as session:
                await session.navigate(f"{home.origin}/0")
                await until(session.events)
                assert await session.downloads() == ()
                assert "no folder for downloads" in session.events()[-1].text

    run(download())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files"]
    assert len(list(folder.iterdir())) == len(wishes)


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\x.exe", "x.exe"),
        ("...", "download"),
        ("", "download"),
        (".bashrc", "bashrc"),
        ("con.txt", "_con.txt"),
        ("a\x00b\n.txt", "a_b_.txt"),
        ("x" * 300 + ".csv", "x" * 116 + ".csv"),
        ("naïve übung.txt", "naïve übung.txt"),
    ],
)
def test_a_proposed_name_becomes_the_name_of_a_file(wish: str, name: str) -> None:
    """No folders, no hidden files, no devices, no control characters, not too long."""
    assert make_safe_download_name(wish) == name


def test_what_happened_is_told_since_a_mark(browser: Browser, run: Callable[[Any], None]) -> None:
    """Console errors, errors nobody caught, and the responses with their status."""
    page = "<script>console.error('oh'); console.log('no'); setTimeout(() => nothing())</script>"

    async def happen() -> None:
        with site({"/": page, "/again": page}) as home:
            async with browser.session(Origins([home.origin])) as session:
                await session.navigate(home.origin)
                await until(lambda: len(session.events()) >= 2)
                mark = session.mark()
                await session.navigate(f"{home.origin}/again")
                await session.page().evaluate("fetch('/missing')")
                await until(lambda: len(session.events(mark)) >= 3)
                told = {(event.kind, event.text) for event in session.events(mark)}
                assert {("console", "oh"), ("error", "nothing is not defined")} <= told
                assert "no" not in {text for _, text in told}
                assert {event.tab for event in session.events()} == {"main"}
                answered = [
                    (each.method, each.url, each.status) for each in session.responses(mark)
                ]
                assert answered == [
                    ("GET", f"{home.origin}/again", 200),
                    ("GET", f"{home.origin}/missing", 404),
                ]

    run(happen())


@pytest.mark.promise("G1")
def test_two_sessions_share_no_cookies_storage_cache_or_workers(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """What one sets the other does not have, at the same time and afterwards."""
    lasting = Served("1", "text/plain", headers={"Cache-Control": "max-age=9999"})
    keep = """async () => {
        document.cookie = "a=1"; localStorage.a = 1; sessionStorage.a = 1;
        await new Promise((done) => {
            const asked = indexedDB.open("a", 1);
            asked.onsuccess = () => { asked.result.close(); done() };
        });
        const files = await navigator.storage?.getDirectory?.();
        await files?.getFileHandle("a", {create: true});
        await (await window.caches?.open("a"))?.put("/x", new Response("1"));
        await fetch("/lasting");
        new BroadcastChannel("a").postMessage(1);
        const worker = await navigator.serviceWorker?.register("/worker.js").then((found) => found, () => 0);
        return worker ? "a service worker" : "no service worker";
    }"""
    kept = """async () => {
        const files = await navigator.storage?.getDirectory?.();
        const found = [];
        for await (const name of files?.keys() ?? []) found.push(name);
        return [document.cookie, localStorage.length, sessionStorage.length,
            (await indexedDB.databases()).length, found.length,
            (await window.caches?.keys() ?? []).length, window.heard.length,
            (await navigator.serviceWorker?.getRegistrations() ?? []).length];
    }"""
    pages: dict[str, Served | str] = {
        "/": "<script>heard = []; new BroadcastChannel('a').onmessage = (m) => heard.push(m)</script>",
        "/lasting": lasting,
        "/worker.js": Served("", "text/javascript"),
    }

    async def share() -> None:
        with site(pages) as home:
            approved = Origins([home.origin])
            async with browser.session(approved) as one, browser.session(approved) as other:
                await other.navigate(home.origin)
                await one.navigate(home.origin)
                assert await one.page().evaluate(keep) == "no service worker"
                assert "a=1" in (await one.page().evaluate(kept))[0]
                nothing = ["", 0, 0, 0, 0, 0, 0, 0]
                assert await other.page().evaluate(kept) == nothing
                await other.page().evaluate("fetch('/lasting')")
                async with browser.session(approved) as later:
                    await later.navigate(home.origin)
                    assert await later.page().evaluate(kept) == nothing
            assert [each.path for each in home.asked].count("/lasting") == 2

    run(share())


def test_a_page_is_given_no_permission(browser: Browser, run: Callable[[Any], None]) -> None:
    """Nor asked for: whoever asks is refused at once."""
    ask = "async (name) => (await navigator.permissions.query({name})).state"

    async def permissions() -> None:
        with site(PAGES) as home:
            async with browser.session(Origins([home.origin])) as session:
                await session.navigate(home.origin)
                for name in (
                    "geolocation",
                    "camera",
                    "microphone",
                    "notifications",
                    "clipboard-read",
                ):
                    assert await session.page().evaluate(ask, name) == "denied"

    run(permissions())


def test_a_site_that_does_not_answer_is_named_with_the_reason(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """Not what the browser makes of it; in the events too, and the session goes on."""

    async def visit() -> None:
        with site(PAGES) as down:
            gone = down.origin
        with site(PAGES) as home:
            async with browser.session(Origins([gone, home.origin])) as session:
                with pytest.raises(BrowserError, match="does not answer") as caught:
                    await session.navigate(gone)
                said = str(caught.value)
                assert f"{gone!r} does not answer (connection refused)" in said
                assert "ERR_" not in said
                told = [event.text for event in session.events() if event.kind == "unreached"]
                assert told[0] == f"{gone} (connection refused)"
                await session.navigate(home.origin)
                await expect(session.page()).to_have_title("one")

    run(visit())
