"""Every route needs the session; the launch link and the password are the two ways to get one."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie

from starlette.types import ASGIApp, Receive, Scope, Send

from director.web.guard.refusing import LOGIN, error_body, header, refuse
from director.web.sessions import Sessions

# These look at what they are given themselves, and answer 401 as well.
ENTRANCES = ("/launch/", "/login")


class Doors:
    """Refuses whoever has no session."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through who has a session, and who asks for one."""
        if scope["type"] != "http" or self._may_come_in(scope):
            await self._app(scope, receive, send)
        else:
            await shut(scope, send, self._sessions)

    def _may_come_in(self, scope: Scope) -> bool:
        if scope["path"].startswith(ENTRANCES):
            return True
        return self._sessions.knows(_cookie(scope, self._sessions.cookie))


async def shut(scope: Scope, send: Send, sessions: Sessions) -> None:
    """Say that a session is needed, and how to get one."""
    how = (
        "Enter the password."
        if sessions.password
        else "Start `director app`, or open the link that it printed; a link works once."
    )
    said = error_body("This browser is not let in yet.", next_=how)
    await refuse(scope, send, 401, said, form=LOGIN if sessions.password else "")


def _cookie(scope: Scope, name: str) -> str:
    try:
        found = SimpleCookie(header(scope, b"cookie") or "").get(name)
    except CookieError:
        return ""
    return found.value if found else ""
