"""A page that was taken over tries every channel: without the guard each arrives, with it none."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, async_playwright

from attacks.certificates import Certificate, make_certificate, write_chromium
from attacks.channels import (
    CHANNELS,
    EARLY,
    HTTP2,
    LEAK,
    NOT_OFFERED,
    OTHER_WAY,
    Target,
    build_pages,
    build_secure_pages,
    list_ports,
)
from attacks.http2_sites import Http2Site, http2_site
from attacks.listeners import Listener, listen
from browser.sites import Site, site, until
from director.browser import Origins, open_browser
from sharing import share

# Reports are sent at once instead of within a minute: in both runs.
REPORTS = "--short-reporting-delay"
ROUNDS, ROUND = 3, 30.0  # how often the pages are opened without the guard; seconds for each
# What a session has not at all, whoever is approved: UDP, calls, hints, reports, names of nobody.
CLOSED = frozenset(
    "coalesced early-preconnect error-log header-preconnect manifest name other-way preconnect quic "
    "report-group report-to "
    "service-worker stun transport turn turn-tcp turn-tls".split()
)
LOOKUPS = """
<link rel="dns-prefetch" href="//prefetch.names.test"><img src="http://image.names.test/">
<link rel="preconnect" href="https://connect.names.test"><iframe src="http://frame.names.test/"></iframe>
"""


@dataclass(frozen=True, slots=True)
class Field:
    """The site that was taken over, plain and with TLS, and everything that must not be reached."""

    home: Site
    secure_home: Site
    http2_home: Http2Site
    evil: Site
    safe: Site
    ports: dict[str, Listener]

    @property
    def arrived(self) -> set[str]:
        """The channels by which something arrived."""
        other = self.http2_home.paths("127.0.0.1")
        paths = {path.lstrip("/") for path in self.evil.paths | self.safe.paths | other}
        return (paths | {name for name, each in self.ports.items() if each.reached}) & CHANNELS

    @property
    def reached(self) -> int:
        """How many connections and datagrams arrived, by whatever channel."""
        return sum(each.reached for each in (self.evil, self.safe, *self.ports.values()))

    @property
    def served(self) -> bool:
        """Whether the browser asked for every page of the site, so that each had its chance."""
        own = {path for path in self.home.pages if path.startswith(("/page/", "/document/"))}
        return (
            own <= self.home.paths
            and set(self.secure_home.pages) <= self.secure_home.paths
            and "/none" in self.http2_home.paths("localhost")
        )

    @property
    def homes(self) -> tuple[str, ...]:
        """The origins of the site."""
        return (self.home.origin, self.secure_home.origin, self.http2_home.origin)


@contextmanager
def field(certificate: Certificate) -> Iterator[Field]:
    """Run the sites and the listeners."""
    with ExitStack() as stack:
        ports = {name: stack.enter_context(listen()) for name in list_ports()}
        home, evil = stack.enter_context(site()), stack.enter_context(site())
        # Some reports are sent for names only.
        secure_home = stack.enter_context(site(host="localhost", certificate=certificate.path))
        safe = stack.enter_context(site(certificate=certificate.path))
        target = Target(evil.origin, safe.origin, {n: each.place for n, each in ports.items()})
        hints = [target.fill(each) for each in EARLY.values()]
        other_way = target.fill(OTHER_WAY)
        http2_home = stack.enter_context(
            http2_site(certificate.path, hints, "".join(HTTP2.values()), altsvc=other_way)
        )
        home.pages = build_pages(target, secure_home.origin, http2_home.origin)
        secure_home.pages = build_secure_pages(target)
        yield Field(home, secure_home, http2_home, evil, safe, ports)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """The certificate of both sites with TLS, which both browsers trust."""
    return make_certificate(tmp_path_factory.mktemp("tls") / "site.pem", ["127.0.0.1", "localhost"])


@dataclass(frozen=True, slots=True)
class Control:
    """What arrived without the guard, and how long it took after the pages had been served."""

    arrived: frozenset[str]
    seconds: float


@asynccontextmanager
async def unguarded(chromium: Path) -> AsyncIterator[BrowserContext]:
    """A browser as users have it: no guard, none of its switches."""
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            "",
            executable_path=chromium,
            args=["--no-sandbox"],
            ignore_default_args=["--disable-background-networking"],
        )
        yield context
        await context.close()


@pytest.fixture(scope="module")
def control(certificate: Certificate, tmp_path_factory: pytest.TempPathFactory) -> Control:
    """The run without the guard."""
    path = tmp_path_factory.mktemp("control") / "chromium"
    names = f"--host-resolver-rules=MAP *.{LEAK} 127.0.0.1"
    chromium = write_chromium(path, certificate, REPORTS, names)

    async def run() -> tuple[list[str], float]:
        expected, took = CHANNELS - NOT_OFFERED, 0.0
        with field(certificate) as sites:
            async with unguarded(chromium) as context:
                # A browser that has much to do may leave out what it only speculates about.
                for _ in range(ROUNDS):
                    page = await context.new_page()
                    await page.goto(f"{sites.home.origin}/all", wait_until="commit")
                    await until(lambda: sites.served)
                    began = time.monotonic()
                    await until(
                        lambda began=began: (
                            expected <= sites.arrived or time.monotonic() > began + ROUND
                        )
                    )
                    took = max(took, time.monotonic() - began)
                    if expected <= sites.arrived:
                        break
                    await page.close()
            return sorted(sites.arrived), took

    arrived, took = share(tmp_path_factory, "exfiltration", lambda: asyncio.run(run()))
    return Control(frozenset(arrived), took)


@pytest.mark.attack(
    "A page sends something out by every channel that a page has, without the guard (the control)",
    must="each channel that Chromium still offers reaches the listener",
    tries=133,
)
def test_without_the_guard_every_channel_arrives(control: Control) -> None:
    """So the next test would fail if the guard let any of them through."""
    assert CHANNELS - NOT_OFFERED - control.arrived == set()


@pytest.mark.promise("E2")
@pytest.mark.attack(
    "A page sends something out by every channel that a page has, with the guard",
    must="no connection and no datagram reaches the listeners; the attempts are recorded",
    tries=133,
)
def test_with_the_guard_no_channel_arrives(
    control: Control,
    certificate: Certificate,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The pages are served as in the control and get more time than it needed."""
    chromium = write_chromium(tmp_path / "chromium", certificate, REPORTS)
    monkeypatch.setenv("DIRECTOR_CHROMIUM", str(chromium))

    async def run() -> None:
        with field(certificate) as sites:
            approved = Origins(sites.homes)
            async with open_browser() as browser, browser.session(approved) as session:
                await session.page().goto(f"{sites.home.origin}/all", wait_until="commit")
                await until(lambda: sites.served)
                await asyncio.sleep(control.seconds + 0.5)
                blocked = {event.text for event in session.events() if event.kind == "blocked"}
            assert sites.arrived == set()
            assert sites.reached == 0
            kinds = ("document", "image", "script", "stylesheet", "font", "media", "fetch", "http")
            assert {f"{sites.evil.origin} ({kind})" for kind in kinds} <= blocked

    asyncio.run(run())


@pytest.mark.slow
@pytest.mark.attack(
    "A page of an approved origin uses another approved origin by every channel",
    must="everything that runs over http arrives: the guard breaks nothing that is approved",
    tries=116,
)
def test_once_approved_every_channel_over_http_arrives(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """So the guard decides by origin, and by nothing else."""
    chromium = write_chromium(tmp_path / "chromium", certificate, REPORTS)
    monkeypatch.setenv("DIRECTOR_CHROMIUM", str(chromium))

    async def run() -> None:
        with field(certificate) as sites:
            approved = Origins([*sites.homes, sites.evil.origin, sites.safe.origin])
            async with open_browser() as browser, browser.session(approved) as session:
                await session.page().goto(f"{sites.home.origin}/all", wait_until="commit")
                await until(lambda: sites.served)
                expected, began = CHANNELS - NOT_OFFERED - CLOSED, time.monotonic()
                await until(lambda: expected <= sites.arrived or time.monotonic() > began + 45)
            assert expected - sites.arrived == set()

    asyncio.run(run())


@pytest.mark.slow
@pytest.mark.promise("E2")
@pytest.mark.attack(
    "A page writes what it knows into names that the browser then looks up",
    must="no lookup begins and no datagram is sent, by the browser's own record; without the guard they are",
    tries=4,
)
def test_the_browser_looks_no_name_up(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Hints, parts and frames; the same page without the guard is the control."""

    async def run() -> None:
        with site({"/": LOOKUPS}) as home:
            record = tmp_path / "control.json"
            plain = write_chromium(tmp_path / "plain", certificate, f"--log-net-log={record}")
            async with unguarded(plain) as context:
                page = await context.new_page()
                await page.goto(home.origin)
                # A lookup is recorded when it begins; that it fails takes longer.
                await asyncio.sleep(2)
            hosts = {f"{kind}.names.test" for kind in ("prefetch", "image", "connect", "frame")}
            assert {host for host in hosts if host in str(lookups(record))} == hosts

            record = tmp_path / "guarded.json"
            chromium = write_chromium(tmp_path / "own", certificate, f"--log-net-log={record}")
            monkeypatch.setenv("DIRECTOR_CHROMIUM", str(chromium))
            approved = Origins([home.origin])
            async with open_browser() as browser, browser.session(approved) as session:
                await session.navigate(home.origin)
                await asyncio.sleep(2)
            assert lookups(record) == []

    asyncio.run(run())


def lookups(record: Path) -> list[object]:
    """The lookups and datagrams in a browser's record of the network."""
    found = json.loads(record.read_text())
    kinds = {number: name for name, number in found["constants"]["logEventTypes"].items()}
    assert "TCP_CONNECT_ATTEMPT" in {kinds[event["type"]] for event in found["events"]}
    wanted = {"HOST_RESOLVER_MANAGER_JOB", "HOST_RESOLVER_DNS_TASK", "UDP_BYTES_SENT"}
    return [event for event in found["events"] if kinds[event["type"]] in wanted]
