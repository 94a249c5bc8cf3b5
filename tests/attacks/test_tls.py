"""TLS: certificates that are not valid, other schemes and ports, other servers in a tunnel."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from attacks.certificates import Certificate, make_certificate, write_chromium
from attacks.networks import PUBLIC, Table
from browser.sites import Served, site, until
from browser.test_guard_wire import say
from director.browser import Browser, NotApproved, Origins, Session, open_browser
from director.browser.egress_guard import Blocked, run_guard
from director.browser.network import Network

NAME, SUB = "shop.example", "old.shop.example"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the certificates are."""
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def trusted(folder: Path) -> Certificate:
    """The certificate whose key the browser trusts."""
    return make_certificate(folder / "trusted.pem", ["127.0.0.1", NAME, SUB])


@pytest.fixture(autouse=True)
def chromium(folder: Path, trusted: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser of these tests trusts one key more than others do."""
    monkeypatch.setenv("DIRECTOR_CHROMIUM", str(write_chromium(folder / "chromium", trusted)))


@asynccontextmanager
async def session_for(*approved: str, network: Network | None = None) -> AsyncIterator[Session]:
    """A session in a browser of its own."""
    async with (
        open_browser(network=network) as browser,
        browser.session(Origins(approved)) as session,
    ):
        yield session


def refusals(session: Session) -> list[str]:
    """What the session recorded as blocked."""
    return [event.text for event in session.events() if event.kind == "blocked"]


@pytest.mark.promise("E2")
@pytest.mark.attack(
    "A server in the middle shows a certificate of its own, one that has expired, or another host's",
    must="no request is sent to it, for a page or a part of one; the refusal is recorded",
    tries=6,
)
def test_a_certificate_that_is_not_valid_is_refused_and_recorded(
    folder: Path, trusted: Certificate
) -> None:
    """Approving an origin does not approve whoever answers for it."""
    false = {
        "own": make_certificate(folder / "own.pem", ["127.0.0.1"]),
        "expired": make_certificate(folder / "expired.pem", ["127.0.0.1"], days=-5),
        "other": make_certificate(folder / "other.pem", ["elsewhere.example"]),
    }

    async def attack(browser: Browser, certificate: Certificate) -> None:
        with (
            site({"/": "hello"}, certificate=certificate.path) as evil,
            site(certificate=trusted.path) as home,
        ):
            home.pages["/"] = f'<title>home</title><img src="{evil.origin}/image">'
            async with browser.session(Origins([home.origin, evil.origin])) as session:
                await session.navigate(home.origin)
                told = f"{evil.origin} (its certificate is not valid (ERR_CERT_"
                await until(lambda: told in "".join(refusals(session)))
                with pytest.raises(NotApproved, match=r"certificate is not valid.*not opened"):
                    await session.navigate(evil.origin)
                assert sum(text.startswith(told) for text in refusals(session)) == 2
            assert evil.asked == []
            assert home.paths >= {"/"}

    async def attack_with_all() -> None:
        async with open_browser() as browser:
            for certificate in false.values():
                await attack(browser, certificate)

    asyncio.run(attack_with_all())


@pytest.mark.promise("E2")
@pytest.mark.attack(
    "An approved origin leads to the same host by another scheme or port: links, redirects, CONNECT",
    must="only the approved scheme and port are reached; each attempt is recorded",
    tries=6,
)
def test_approving_a_scheme_approves_no_other(trusted: Certificate) -> None:
    """Neither https for http, nor http for https, nor a port for another port."""

    async def attack() -> None:
        with site({"/": "plain"}) as plain, site(certificate=trusted.path) as secure:
            secure.pages |= {
                "/": "<title>secure</title>",
                "/down": Served(status=302, headers={"Location": f"{plain.origin}/"}),
            }
            plain.pages["/up"] = Served(status=302, headers={"Location": f"{secure.origin}/"})
            pairs = ((secure, "/down", plain), (plain, "/up", secure))
            async with open_browser() as browser:
                for home, path, other in pairs:
                    before = other.reached
                    async with browser.session(Origins([home.origin])) as session:
                        with pytest.raises(NotApproved, match=other.origin):
                            await session.navigate(home.origin + path)
                        for url in (swap_scheme(home.origin), other.origin):
                            with pytest.raises(NotApproved):
                                await session.navigate(url)
                            assert f"{url} (navigation)" in refusals(session)
                    assert other.reached == before

    asyncio.run(attack())


def swap_scheme(origin: str) -> str:
    """The same host and port by the other scheme."""
    place = origin.partition("://")[2]
    return f"http://{place}" if origin.startswith("https") else f"https://{place}"


@pytest.mark.promise("E2")
@pytest.mark.attack(
    "A host asks for https for its subdomains (HSTS), so that an approved http address becomes another",
    must="the https address is refused and recorded, and nothing goes out in the clear instead",
)
def test_an_upgrade_to_https_is_asked_for_like_any_other_origin(trusted: Certificate) -> None:
    """The browser changes the scheme by itself, behind the check of the address."""

    async def attack() -> None:
        strict = Served(
            "hello", headers={"Strict-Transport-Security": "max-age=99; includeSubDomains"}
        )
        with site({"/": strict}, certificate=trusted.path) as secure, site({"/": "old"}) as plain:
            names = {NAME: [[PUBLIC]], SUB: [[PUBLIC]]}
            table = Table(
                names, {(PUBLIC, 443): secure.server_port, (PUBLIC, 80): plain.server_port}
            )
            approved = (f"https://{NAME}", f"http://{SUB}")
            async with session_for(*approved, network=table.network()) as session:
                await session.navigate(f"http://{SUB}/")
                assert await session.page().inner_text("body") == "old"
                await session.navigate(f"https://{NAME}/")
                reached = plain.reached
                with pytest.raises(NotApproved, match=f"https://{SUB}"):
                    await session.navigate(f"http://{SUB}/")
                assert f"https://{SUB} (document)" in refusals(session)
                assert plain.reached == reached

    asyncio.run(attack())


@pytest.mark.promise("E2")
@pytest.mark.attack(
    "A tunnel to an approved host asks for another server inside, for none, for two, or in pieces",
    must="only a connection that asks for the approved host goes through; the others are recorded",
    tries=12,
)
def test_a_tunnel_asks_for_the_host_that_it_was_opened_for(trusted: Certificate) -> None:
    """What is asked for inside the encryption cannot be seen."""

    async def attack() -> None:
        with site({"/": "hello"}, certificate=trusted.path) as secure:
            table = Table({NAME: [[PUBLIC]]}, {(PUBLIC, 443): secure.server_port})
            blocked: list[Blocked] = []
            approved = Origins([f"https://{NAME}"])
            async with run_guard(approved, blocked.append, network=table.network()) as guard:
                for place in (f"{NAME}:8443", f"{NAME}:80", "other.example:443", f"{NAME}.:443"):
                    await say(guard.address, open_tunnel(place) + make_hello(NAME))
                for hello in (
                    make_hello("other.example"),
                    make_hello(None),
                    make_hello(NAME)[:-40],
                    b"\x16\x03\x01\x00\x04\x02\x00\x00\x00",
                    b"\x16\x03\x01\xff\xff" + b"\x01\x00\xff\xff" + b"\x00" * 70_000,
                    b"GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n",
                ):
                    await say(guard.address, open_tunnel(f"{NAME}:443") + hello)
                assert table.connections == []
                assert len(blocked) == 10
                assert "asks for the server 'other.example'" in blocked[4].why
                assert await talk(guard.address, split=False) == b"hello"
                assert await talk(guard.address, split=True) == b"hello"
            assert len(blocked) == 10

    asyncio.run(attack())


def open_tunnel(place: str) -> bytes:
    """A request for a tunnel."""
    return f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode()


def make_hello(name: str | None) -> bytes:
    """The first message of a TLS client that asks for a server."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = _context().wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


async def talk(address: str, *, split: bool) -> bytes:
    """The body that an approved host answers with, through a tunnel; split: its hello byte by byte."""
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    writer.write(open_tunnel(f"{NAME}:443"))
    await reader.readuntil(b"\r\n\r\n")
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = _context().wrap_bio(incoming, outgoing, server_hostname=NAME)
    request, answer = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b""
    async with asyncio.timeout(120):
        while not answer.endswith(b"hello"):
            try:
                client.do_handshake()
                if request:
                    client.write(request)
                    request = b""
                while chunk := client.read(65_536):
                    answer += chunk
            except ssl.SSLWantReadError:
                await _flush(writer, outgoing.read(), split=split)
                incoming.write(await reader.read(65_536))
    writer.close()
    await writer.wait_closed()
    return answer[-5:]


async def _flush(writer: asyncio.StreamWriter, sent: bytes, *, split: bool) -> None:
    for at in range(0, len(sent), 1 if split else len(sent) or 1):
        writer.write(sent[at : at + 1] if split else sent)
        await writer.drain()
        await asyncio.sleep(0)


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
