"""Requests that change something come from our own pages or from no page at all.

Browsers say in `Sec-Fetch-Site` and `Origin` where a request comes from, and no page can alter
that. A program that is no browser says neither, and needs the session like everyone.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from director.web.guard.refusal_responses import error_body, has_header, header, refuse

_SAFE = ("GET", "HEAD", "OPTIONS")


class Crossing:
    """Refuses what another site's page sends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what only reads, and what is ours."""
        if scope["type"] == "http" and scope["method"] not in _SAFE and not _is_ours(scope):
            said = error_body(
                "This request came from another site's page.",
                kept="Nothing was changed.",
                next_="Do it in Director's own window.",
            )
            await refuse(scope, send, 403, said)
            return
        await self._app(scope, receive, send)


def _is_ours(scope: Scope) -> bool:
    if has_header(scope, b"sec-fetch-site") and header(scope, b"sec-fetch-site") != "same-origin":
        return False
    if not has_header(scope, b"origin"):
        return True
    # The name was checked before: it is one of ours.
    return header(scope, b"origin") == f"{scope['scheme']}://{header(scope, b'host')}"
