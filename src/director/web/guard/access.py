"""Who may ask: under our own names, from our own pages, with a key.

A browser tells in `Host` which name it believes to talk to, and in `Sec-Fetch-Site` and `Origin`
where a request comes from. A page of a stranger cannot alter either: not one whose name suddenly
leads to this machine, nor one that sends a form here. A program that is no browser says neither,
and needs the session like everyone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from director.web.guard.refusal_responses import (
    LOGIN,
    error_body,
    has_header,
    header,
    refuse,
    respond,
)
from director.web.handovers import Handovers
from director.web.sessions import Sessions

RESUME = "/resume"


class OwnNames:
    """The names, each with the port, under which this program may be asked."""

    def __init__(self, names: Iterable[str], port: int, *, addresses: bool = False) -> None:
        self._port = port
        self._addresses = addresses
        self._known = {each for name in names for each in self._spelled(name.lower())}

    def __contains__(self, host: str) -> bool:
        given = host.lower()
        return given in self._known or (self._addresses and self._is_address(given))

    def _spelled(self, name: str) -> Iterable[str]:
        yield f"{name}:{self._port}"
        if self._port == 80:
            yield name

    def _is_address(self, host: str) -> bool:
        """Whether a host is a bare address of ours: no name can be pointed at it."""
        name, colon, port = host.rpartition(":")
        if not colon or port != str(self._port):
            return False
        try:
            ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return (":" in name) == name.startswith("[")


@dataclass(eq=False, slots=True)
class Hosts:
    """Refuses a request that is not for one of our names, on every route alike.

    Windows of an earlier start, under its name, may ask for their handover and nothing else.
    """

    app: ASGIApp
    names: OwnNames
    handovers: Handovers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what names us."""
        if scope["type"] == "http" and not self._is_ours(scope):
            said = error_body(
                "This address is not one of Director's own, so nothing is served under it.",
                next_="Open the address that `director app` printed.",
            )
            await refuse(scope, send, 421, said)
            return
        await self.app(scope, receive, send)

    def _is_ours(self, scope: Scope) -> bool:
        host = header(scope, b"host") or ""
        earlier = scope["path"] == RESUME and self.handovers.knows(host.rpartition(":")[0])
        return earlier or host in self.names


_SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(eq=False, slots=True)
class Crossing:
    """Refuses what another site's page sends."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what only reads, and what is ours."""
        if scope["type"] == "http" and scope["method"] not in _SAFE and not _is_from_us(scope):
            said = error_body(
                "This request came from another site's page.",
                kept="Nothing was changed.",
                next_="Do it in Director's own window.",
            )
            await refuse(scope, send, 403, said)
            return
        await self.app(scope, receive, send)


def _is_from_us(scope: Scope) -> bool:
    if has_header(scope, b"sec-fetch-site") and header(scope, b"sec-fetch-site") != "same-origin":
        return False
    if not has_header(scope, b"origin"):
        return True
    # The name was checked before: it is one of ours.
    return header(scope, b"origin") == f"{scope['scheme']}://{header(scope, b'host')}"


# These look at what they are given themselves, or tell nothing of anyone.
_OPEN = ("/launch", "/login", "/here", RESUME)
_FILES = "/static/"
# What is asked for by scripts and programs, and never opened as a page.
_NO_PAGES = ("/api/", "/events")
SHELL = b"""<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <noscript>Director's pages need JavaScript. It is off in this browser.</noscript>
    <script src="/static/enter.js"></script>
"""


@dataclass(eq=False, slots=True)
class Doors:
    """Refuses whoever has no key."""

    app: ASGIApp
    sessions: Sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through who has a key or a ticket, and who asks for one."""
        if scope["type"] != "http" or self._may_come_in(scope):
            await self.app(scope, receive, send)
        elif _opens_page(scope):
            await respond(send, 200, SHELL, "text/html; charset=utf-8")
        else:
            await shut(scope, send, self.sessions)

    def _may_come_in(self, scope: Scope) -> bool:
        path = scope["path"]
        if path in _OPEN or path.startswith(_FILES):
            return True
        if self.sessions.knows(key_in(header(scope, b"authorization") or "")):
            return True
        ticket = parse_qs(scope["query_string"].decode("latin-1")).get("ticket", [""])[0]
        return bool(
            ticket
            and scope["method"] == "GET"
            and path.startswith(_NO_PAGES)
            and self.sessions.tickets.redeem(ticket, path)
        )


def key_in(authorization: str) -> str:
    """The key that a header holds; empty if it holds none."""
    scheme, _, key = authorization.partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def _opens_page(scope: Scope) -> bool:
    return (
        scope["method"] == "GET"
        and "text/html" in (header(scope, b"accept") or "")
        and not has_header(scope, b"authorization")
        and not scope["path"].startswith(_NO_PAGES)
    )


async def shut(scope: Scope, send: Send, sessions: Sessions) -> None:
    """Say that a key is needed, and how to get one."""
    how = (
        "Enter the password."
        if sessions.password
        else "Start `director app`, or open the link that it printed; a link works once."
    )
    said = error_body("This browser is not let in yet.", next_=how)
    await refuse(scope, send, 401, said, form=LOGIN if sessions.password else "")
