"""The ways in: the launch link and the password. Both answer 401 to whoever has neither."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.types import Receive, Scope, Send

from director.web.guard.doors import shut
from director.web.guard.refusing import error_body, refuse
from director.web.sessions import Sessions, TooMany

router = APIRouter(include_in_schema=False)
_AGE = 30 * 24 * 3600


@router.get("/launch/{token}")
async def launch(token: str, request: Request) -> Response:
    """Let the browser in that opens the link first."""
    sessions: Sessions = request.app.state.studio.sessions
    return _let_in(sessions, sessions.enter(token))


@router.post("/login")
async def login(request: Request) -> Response:
    """Let a browser in that knows the password."""
    sessions: Sessions = request.app.state.studio.sessions
    given = parse_qs((await request.body()).decode("utf-8", "replace"))
    try:
        return _let_in(sessions, sessions.login("".join(given.get("password", []))))
    except TooMany:
        return Refusal(429, error_body("The password was tried too often.", next_="Wait a little."))


class Refusal(Response):
    """A refusal in the shape that the request wants."""

    def __init__(self, status: int, said: dict[str, str]) -> None:
        super().__init__(status_code=status)
        self._said = said

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send it."""
        await refuse(scope, send, self.status_code, self._said)


class Shut(Response):
    """Nobody is let in."""

    def __init__(self, sessions: Sessions) -> None:
        super().__init__(status_code=401)
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send it."""
        await shut(scope, send, self._sessions)


def _let_in(sessions: Sessions, key: str | None) -> Response:
    if key is None:
        return Shut(sessions)
    response = RedirectResponse("/", status_code=303)
    response.set_cookie(
        sessions.cookie, key, max_age=_AGE, httponly=True, samesite="strict", path="/"
    )
    response.headers["cache-control"] = "no-store"
    return response
