"""Requests are answered only under our own names: a site that points its name here gets nothing.

A browser tells in `Host` which name it believes to talk to. That is the only thing that a page of
a stranger, whose name suddenly leads to this machine, cannot choose.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

from director.web.guard.refusal_responses import error_body, header, refuse
from director.web.handovers import Handovers

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


class Hosts:
    """Refuses a request that is not for one of our names, on every route alike.

    Windows of an earlier start, under its name, may ask for their handover and nothing else.
    """

    def __init__(self, app: ASGIApp, names: OwnNames, handovers: Handovers) -> None:
        self._app = app
        self._names = names
        self._handovers = handovers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what names us."""
        if scope["type"] == "http" and not self._is_ours(scope):
            said = error_body(
                "This address is not one of Director's own, so nothing is served under it.",
                next_="Open the address that `director app` printed.",
            )
            await refuse(scope, send, 421, said)
            return
        await self._app(scope, receive, send)

    def _is_ours(self, scope: Scope) -> bool:
        host = header(scope, b"host") or ""
        earlier = scope["path"] == RESUME and self._handovers.knows(host.rpartition(":")[0])
        return earlier or host in self._names
