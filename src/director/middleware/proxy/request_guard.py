"""Which requests the proxy takes: those for its own name, and from no page that was not allowed.

A page of a stranger can point its own name at this machine, or send a request here across sites;
either way it would use the keys and the money of whoever runs the proxy. What a browser says in
`Host`, `Origin` and `Sec-Fetch-Site` no page can alter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import TypeAlias

from director.middleware.proxy.http_lines import ProxyRequest

Answer: TypeAlias = tuple[bytes, bytes, bytes]
LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?", re.ASCII)


class RequestGuard:
    """Refuses what is sent to another name, or by a page that was not allowed."""

    def __init__(
        self, host: str, *, names: Iterable[str] = (), origins: Iterable[str] = ()
    ) -> None:
        self._names = LOOPBACK | {host.lower()} | {name.lower() for name in names}
        # Whoever listens beyond this machine is asked by its addresses. No name can be pointed at
        # an address that is written out.
        self._addresses = host not in LOOPBACK
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    def check(self, request: ProxyRequest) -> Answer | None:
        """Why a request is refused; None if it is not."""
        asked = request.header(b"host").decode("latin-1").lower()
        if not self._is_ours(asked):
            return write_guard_refusal(
                b"421 Misdirected Request",
                "The proxy was asked by a name that is not its own. Nothing was sent on. Use the "
                "address that it printed, or start it with --name NAME.",
            )
        if not self._may_send(request, asked):
            return write_guard_refusal(
                b"403 Forbidden",
                "This request came from a web page. Nothing was sent on. If the page is yours, "
                "start the proxy with --allow-origin and the origin of the page.",
            )
        if not request.target.startswith(b"/"):
            return write_guard_refusal(
                b"400 Bad Request", "A request names a path that begins with /."
            )
        return None

    def _is_ours(self, asked: str) -> bool:
        found = _HOST.fullmatch(asked)
        if found is None:
            return False
        name = found[1] or found[2]
        return name in self._names or (self._addresses and _is_address(name))

    def _may_send(self, request: ProxyRequest, asked: str) -> bool:
        origin = request.header(b"origin").decode("latin-1").lower()
        if origin:
            return origin == f"http://{asked}" or origin in self._origins
        return request.header(b"sec-fetch-site").lower() in (b"", b"same-origin", b"none")


def write_guard_refusal(status: bytes, message: str) -> Answer:
    """An answer of our own that says why, in the shape of the providers' errors."""
    body = {"type": "error", "error": {"type": "refused_by_proxy", "message": message}}
    return status, b"application/json", json.dumps(body).encode()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
