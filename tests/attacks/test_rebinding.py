"""DNS rebinding: an approved name that is pointed at this machine, or at one behind its firewall."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from attacks.networks import OTHER_PUBLIC, PUBLIC, Table
from browser.sites import site, until
from browser.test_guard_wire import say
from chromiums import full_chromium
from director.browser import NotApproved, Origins, open_browser
from director.browser.egress_guard import Blocked, run_guard
from director.browser.network import load_private_hosts

NAME = "shop.example"
PRIVATE = (
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",  # noqa: S104  what it leads to, not what listens
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.8",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:a00:1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "fc00::1",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
    "no address",
)


@pytest.fixture(autouse=True)
def _chromium() -> Iterator[None]:
    """What a browser itself does is tried on the one that users have."""
    with full_chromium():
        yield


@pytest.mark.promise("E2")
@pytest.mark.attack(
    "A page of an approved name reads a service of this machine once its name leads there",
    must="the service is never reached; the refusal is recorded and named",
    tries=2,
)
def test_a_page_cannot_follow_its_name_to_this_machine() -> None:
    """The page comes from a public address; a moment later its name leads to loopback."""

    async def attack() -> None:
        page = """<title>waiting</title><script>
          setInterval(() => fetch("/private").then((r) => r.ok && r.text())
            .then((t) => { if (t) document.title = t }), 50)</script>"""
        with site({"/": page}) as evil, site({"/private": "the key", "/": "the key"}) as local:
            port = local.server_port
            table = Table(
                {NAME: [[PUBLIC], [PUBLIC], ["127.0.0.1"]]}, {(PUBLIC, port): evil.server_port}
            )
            approved = Origins([f"http://{NAME}:{port}"])
            async with (
                open_browser(network=table.network()) as browser,
                browser.session(approved) as session,
            ):
                await session.navigate(f"http://{NAME}:{port}/")
                told = f"http://{NAME}:{port} (its name leads to 127.0.0.1, which is not on the public internet)"
                await until(lambda: told in [event.text for event in session.events()])
                assert await session.page().title() == "waiting"
                with pytest.raises(NotApproved, match=r"leads to 127\.0\.0\.1.*PRIVATE_HOSTS"):
                    await session.navigate(f"http://{NAME}:{port}/")
            assert evil.paths >= {"/"}
            assert local.reached == 0

    asyncio.run(attack())


@pytest.mark.promise("E2")
@pytest.mark.attack(
    "An approved name leads to a private address, in any form in which one can be written",
    must="no connection is made, by http or by a tunnel; each is recorded",
    tries=54,
)
def test_a_name_leads_to_no_private_address() -> None:
    """Loopback, private, link-local, shared, mapped, translated, multicast, and what is none."""

    async def attack(address: str, sent: bytes) -> None:
        table, blocked = Table({NAME: [[address]]}), list[Blocked]()
        approved = Origins([f"http://{NAME}", f"http://{NAME}:443"])
        async with run_guard(approved, blocked.append, network=table.network()) as guard:
            await say(guard.address, sent)
        assert table.connections == []
        assert [(each.origin.rpartition(":443")[0] or each.origin) for each in blocked] == [
            f"http://{NAME}"
        ]
        assert f"leads to {address}," in blocked[0].why

    async def attacks() -> None:
        for address in PRIVATE:
            await attack(address, f"GET http://{NAME}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await attack(address, f"CONNECT {NAME}:443 HTTP/1.1\r\nHost: x\r\n\r\nGET /".encode())

    asyncio.run(attacks())


@pytest.mark.promise("E2")
@pytest.mark.attack(
    "A name has public and private addresses at once, and its public ones close",
    must="only the public ones are tried; the name is looked up once for a connection",
    tries=2,
)
def test_private_addresses_among_public_ones_are_never_tried() -> None:
    """A browser would go on to the next address; the guard has dropped it."""

    async def attack() -> None:
        answer = ["127.0.0.1", PUBLIC, "::1", OTHER_PUBLIC, "10.0.0.1"]
        for routed in (False, True):
            with site({"/": "hello"}) as shop:
                routes = {(OTHER_PUBLIC, 80): shop.server_port} if routed else {}
                table, blocked = Table({NAME: [answer]}, routes), list[Blocked]()
                approved = Origins([f"http://{NAME}"])
                async with run_guard(approved, blocked.append, network=table.network()) as guard:
                    sent = f"GET http://{NAME}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                    found = await say(guard.address, sent.encode())
                assert table.connections == [PUBLIC, OTHER_PUBLIC]
                assert table.lookups == [NAME]
                assert found.endswith(b"hello") == routed
                assert "leads to 127.0.0.1, ::1, 10.0.0.1," in blocked[0].why

    asyncio.run(attack())


@pytest.mark.attack(
    "A resolver says that localhost is somewhere else, or a private name is used as the user lists it",
    must="localhost names are not looked up; listed names and approved addresses are reached",
    tries=5,
)
def test_what_the_user_means_by_this_machine_stays_within_reach() -> None:
    """Localhost names, addresses, and names in DIRECTOR_PRIVATE_HOSTS."""

    async def visit() -> None:
        with site({"/": "hello"}) as shop:
            local = {"localhost": [[PUBLIC]], "a.localhost": [[PUBLIC]]}
            table = Table(local | {"wiki.corp": [["127.0.0.1"]], "a.lab.corp": [["127.0.0.1"]]})
            private = load_private_hosts({"DIRECTOR_PRIVATE_HOSTS": "Wiki.corp, *.lab.corp"})
            for host in ("localhost", "a.localhost", "127.0.0.1", "wiki.corp", "a.lab.corp"):
                origin = f"http://{host}:{shop.server_port}"
                async with run_guard(Origins([origin]), network=table.network(*private)) as guard:
                    sent = f"GET {origin}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                    assert (await say(guard.address, sent.encode())).endswith(b"hello")
            assert table.lookups == ["wiki.corp", "a.lab.corp"]

    asyncio.run(visit())
