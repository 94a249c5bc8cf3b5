"""The guard on the wire: what it passes on, and what it closes without a word to anyone."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import pytest

from browser.sites import Served, Site, site
from director.browser import Origins
from director.browser.egress_guard import Blocked, run_guard

LARGE = "x" * 3_000_000
PAGES: dict[str, Served | str] = {
    "/": "hello",
    "/large": LARGE,
    "/none": Served(status=204),
    "/odd": Served("o", headers={"X-Odd": "a\\|é", "Set-Cookie": "a=1"}),
}


async def say(address: str, sent: bytes) -> bytes:
    """Send bytes to the guard; all that comes back until it closes."""
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    writer.write(sent)
    writer.write_eof()
    found = await reader.read()
    writer.close()
    await writer.wait_closed()
    return found


def with_guard(check: Callable[[str, Site, Site, list[Blocked]], Awaitable[None]]) -> None:
    """Run a check with a guard, the site that it approves, and one that it does not."""

    async def whole() -> None:
        blocked: list[Blocked] = []
        with site(PAGES) as home, site(PAGES) as evil:
            async with run_guard(Origins([home.origin]), blocked.append) as guard:
                await check(guard.address, home, evil, blocked)
            assert evil.reached == 0

    asyncio.run(whole())


def test_requests_and_answers_pass_whole_and_one_connection_serves_many() -> None:
    """Large bodies both ways, heads, empty answers; hop-by-hop headers stay behind."""

    async def check(address: str, home: Site, _: Site, __: list[Blocked]) -> None:
        at = home.origin.encode()
        post = b"POST %s/?q=\\|x HTTP/1.1\r\nHost: h\r\nProxy-Connection: x\r\nContent-Length: %d\r\n\r\n"
        found = await say(
            address,
            b"GET %s/ HTTP/1.1\r\nHost: h\r\n\r\n" % at
            + b"HEAD %s/large HTTP/1.1\r\nHost: h\r\n\r\n" % at
            + post % (at, len(LARGE))
            + LARGE.encode()
            + b"GET %s/none HTTP/1.1\r\nHost: h\r\n\r\n" % at
            + b"GET %s/odd HTTP/1.1\r\nHost: h\r\n\r\n" % at
            + b"GET %s/large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" % at,
        )
        assert found.count(b"HTTP/1.1 200") == 5
        assert found.count(b"HTTP/1.1 204") == 1
        assert found.endswith(LARGE.encode())
        assert b"X-Odd: a\\|" in found
        assert [(each.method, each.path) for each in home.asked] == [
            ("GET", "/"),
            ("HEAD", "/large"),
            ("POST", "/?q=\\|x"),
            ("GET", "/none"),
            ("GET", "/odd"),
            ("GET", "/large"),
        ]
        assert home.asked[2].body == LARGE.encode()
        assert "Proxy-Connection" not in home.asked[2].headers

    with_guard(check)


def test_what_is_not_approved_is_closed_recorded_and_never_connected_to() -> None:
    """Plain requests, tunnels, another scheme in a tunnel, and what is not HTTP at all."""

    async def check(address: str, home: Site, evil: Site, blocked: list[Blocked]) -> None:
        at, to = evil.origin.encode(), evil.origin.removeprefix("http://").encode()
        near = home.origin.removeprefix("http://").encode()
        hello = b"\x16\x03\x01\x00\x05hello"
        attempts = [
            b"GET %s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (at, near),
            b"GET http://u@%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (to, near),
            b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % to,
            b"GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
            b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\nGET / HTTP/1.1\r\n\r\n" % (to, near),
            b"CONNECT leak.attacker.test:443 HTTP/1.1\r\nHost: x\r\n\r\n" + hello,
            b"CONNECT /etc HTTP/1.1\r\nHost: x\r\n\r\n",
            b"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" % near + hello,
            b"nonsense\r\n\r\n",
            b"\x16\x03\x01",
            b"",
        ]
        for sent in attempts:
            assert b"hello" not in await say(address, sent)
        assert home.reached == 0
        assert blocked == [
            Blocked(evil.origin, "http"),
            Blocked(evil.origin, "http"),
            Blocked("no address", "http"),
            Blocked("file://", "http"),
            Blocked(evil.origin.replace("http", "https"), "tunnel"),
            Blocked("https://leak.attacker.test", "tunnel"),
            Blocked("https://", "tunnel"),
            Blocked(home.origin.replace("http", "https"), "tunnel"),
        ]

    with_guard(check)


def test_a_tunnel_carries_bytes_both_ways() -> None:
    """As for a WebSocket over plain http; encrypted ones are the same bytes to it."""

    async def check(address: str, home: Site, _: Site, __: list[Blocked]) -> None:
        place = urlsplit(address)
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(
            b"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" % urlsplit(home.origin).netloc.encode()
        )
        assert b"200" in await reader.readuntil(b"\r\n\r\n")
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert (await reader.read()).endswith(b"hello")
        writer.close()
        await writer.wait_closed()

    with_guard(check)


@pytest.mark.parametrize("kind", ["http", "tunnel"])
def test_a_site_that_cannot_be_reached_closes_the_connection(kind: str) -> None:
    """And the guard goes on."""

    async def check() -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            place = f"127.0.0.1:{taken.getsockname()[1]}"
            async with run_guard(Origins([f"http://{place}"])) as guard:
                asked = f"GET http://{place}/ HTTP/1.1\r\nHost: x\r\n\r\n"
                sent = (
                    asked
                    if kind == "http"
                    else f"CONNECT {place} HTTP/1.1\r\nHost: x\r\n\r\n{asked}"
                )
                assert await say(guard.address, sent.encode()) in (b"", b"HTTP/1.1 200 OK\r\n\r\n")

    asyncio.run(check())
