"""Who may use the tools over HTTP: a program that knows the token, under our own name, no page.

Other users of this machine can reach loopback as well, and so can every page in a browser on it.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from http import HTTPStatus
from typing import TypeAlias

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

Refusal: TypeAlias = tuple[HTTPStatus, str]
_NEEDS = (
    "These tools need a token: send `Authorization: Bearer TOKEN` with the one that "
    "`director mcp --http` wrote when it started, or DIRECTOR_MCP_TOKEN."
)


class TokenGuard:
    """Lets through what carries `Authorization: Bearer TOKEN` and names one of our hosts."""

    def __init__(self, app: ASGIApp, token: str, hosts: frozenset[str]) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or let the app answer."""
        refusal = self._refusal(scope) if scope["type"] != "lifespan" else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        status, why = refusal
        headers = {"www-authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else {}
        await PlainTextResponse(f"{why}\n", status, headers)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers: Mapping[bytes, bytes] = dict(scope.get("headers", ()))
        if headers.get(b"host", b"").decode("latin-1").lower() not in self._hosts:
            return HTTPStatus.MISDIRECTED_REQUEST, "This address is not one of Director's own."
        if b"origin" in headers:
            return HTTPStatus.FORBIDDEN, "Pages in a browser may not use these tools."
        kind, _, given = headers.get(b"authorization", b"").partition(b" ")
        if kind.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._token):
            return HTTPStatus.UNAUTHORIZED, _NEEDS
        return None
