"""The ways in: the launch link and the password, each for a key; and tickets for who has one.

The link's token stands after the `#`, which browsers send nowhere: the page of `/launch` takes it
from there and posts it.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs, unquote

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import Field
from starlette.types import Receive, Scope, Send

from director.services.errors import NotFound
from director.web.guard.access import key_in, shut
from director.web.guard.refusal_responses import error_body, make_refusal_page, refuse
from director.web.request_bodies import Body
from director.web.route_dependencies import CurrentApp
from director.web.sessions import Sessions, TooMany

router = APIRouter()
_ENTRANCE = '<script type="module" src="/static/entrance.js"></script>'


class Link(Body):
    """The token of a launch link."""

    link: Annotated[str, Field(max_length=200)]


class TicketPath(Body):
    """The path that a ticket is wanted for, as it stands in an address."""

    path: Annotated[str, Field(max_length=2_000)]


class Ticket(Body):
    """What to put into the address as `ticket`."""

    ticket: str


class HandoverKey(Body):
    """The name of a handover, and the key (AES-GCM) that opens it."""

    id: str
    key: str


@router.get("/launch", include_in_schema=False)
async def show_launch_page() -> HTMLResponse:
    """The page that a launch link opens."""
    words = ["This browser is being let in."]
    return HTMLResponse(make_refusal_page(words, _ENTRANCE), headers={"cache-control": "no-store"})


@router.post("/launch", include_in_schema=False)
async def exchange_launch_link(body: Link, studio: CurrentApp) -> Response:
    """A key for whoever has the link first."""
    return _let_in(studio.sessions, studio.sessions.enter(body.link))


@router.post("/login", include_in_schema=False)
async def sign_in_with_password(request: Request, studio: CurrentApp) -> Response:
    """A key for whoever knows the password."""
    given = parse_qs((await request.body()).decode("utf-8", "replace"))
    try:
        return _let_in(studio.sessions, studio.sessions.login("".join(given.get("password", []))))
    except TooMany:
        return RefusalResponse(
            429, error_body("The password was tried too often.", next_="Wait a little.")
        )


@router.get("/here", include_in_schema=False)
async def answer_name_check(request: Request, studio: CurrentApp) -> Response:
    """Tell the launch file that this browser finds our own name; under no other name."""
    if request.url.hostname != studio.sessions.host:
        raise NotFound("There is nothing at this address.")
    return Response(status_code=204)


@router.get("/resume", include_in_schema=False)
async def resume_sign_in(
    studio: CurrentApp, id_: Annotated[str, Query(alias="id", max_length=100)]
) -> Response:
    """A sealed link for a window of an earlier start."""
    sealed = studio.sessions.hand_over(id_)
    if sealed is None:
        raise NotFound("There is no window of that name from an earlier start.")
    return JSONResponse(sealed, headers={"cache-control": "no-store"})


@router.post("/api/handover", tags=["events"])
async def get_sign_in_handover(
    studio: CurrentApp, authorization: Annotated[str, Header()]
) -> HandoverKey:
    """What a window keeps in memory, to open the link that the next start seals for it."""
    made = studio.sessions.handover(key_in(authorization))
    return HandoverKey(id=made.id, key=made.key)


@router.post("/api/tickets", status_code=201, tags=["events"])
async def issue_sign_in_ticket(body: TicketPath, studio: CurrentApp) -> Ticket:
    """A ticket for one GET of a path, for a few seconds: for what cannot send a header."""
    return Ticket(ticket=studio.sessions.tickets.issue(unquote(body.path)))


class RefusalResponse(Response):
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
    return JSONResponse({"key": key}, headers={"cache-control": "no-store"})
