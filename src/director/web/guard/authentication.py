"""Every route needs a key, sent in a header; the launch link and the password give one.

A browser that opens a page sends no header, so it gets the shell: the same few lines for every
page, without anything of the user's. Its script asks for the page with the key.
"""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from director.web.guard.hosts import RESUME
from director.web.guard.refusal_responses import (
    LOGIN,
    error_body,
    has_header,
    header,
    refuse,
    respond,
)
from director.web.sessions import Sessions

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


class Doors:
    """Refuses whoever has no key."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through who has a key or a ticket, and who asks for one."""
        if scope["type"] != "http" or self._may_come_in(scope):
            await self._app(scope, receive, send)
        elif _opens_page(scope):
            await respond(send, 200, SHELL, "text/html; charset=utf-8")
        else:
            await shut(scope, send, self._sessions)

    def _may_come_in(self, scope: Scope) -> bool:
        path = scope["path"]
        if path in _OPEN or path.startswith(_FILES):
            return True
        if self._sessions.knows(key_in(header(scope, b"authorization") or "")):
            return True
        ticket = parse_qs(scope["query_string"].decode("latin-1")).get("ticket", [""])[0]
        return bool(
            ticket
            and scope["method"] == "GET"
            and path.startswith(_NO_PAGES)
            and self._sessions.tickets.redeem(ticket, path)
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
