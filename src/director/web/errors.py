"""What goes wrong in a route, as a status and plain words: what happened, what was kept, what next.

Nothing that was sent is repeated in an error, so that no secret can be.
"""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from director.errors import DirectorError
from director.services.errors import describe_error
from director.web.app_state import AppState
from director.web.guard.refusal_responses import error_body
from director.web.page_templates import answer_page_template


class Problem(BaseModel):
    """What happened, what was kept of it, and what to do next."""

    error: str
    kept: str = ""
    next: str = ""


_WORDS = {
    404: ("There is nothing at this address.", "See /help, or /api/openapi.json."),
    405: ("This address is not used in this way.", "See /api/openapi.json."),
}
RESPONSES: dict[int | str, dict[str, object]] = {
    status: {"model": Problem} for status in (400, 401, 403, 404, 409, 413, 415, 421, 422)
}


def add_error_answers(app: FastAPI) -> None:
    """Let every foreseen error of a route be told in one shape."""
    app.add_exception_handler(DirectorError, _describe)
    app.add_exception_handler(RequestValidationError, _unfit)
    app.add_exception_handler(HTTPException, _refused)


async def _describe(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, DirectorError)  # noqa: S101  it is registered for it
    studio: AppState = request.app.state.studio
    found = describe_error(problem)
    said = error_body(studio.clean(found.happened), kept=found.kept, next_=found.next_step)
    return _told(request, found.status, said)


async def _unfit(request: Request, problem: Exception) -> Response:
    """What a body, a path or a query lacks; the given values are not repeated."""
    assert isinstance(problem, RequestValidationError)  # noqa: S101  it is registered for it
    places = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in problem.errors()[:20]]
    said = error_body(
        f"This request is not of the right form. {'; '.join(places)}",
        kept="Nothing was changed.",
        next_="See /api/openapi.json for the right form.",
    )
    return _told(request, 422, said)


async def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)  # noqa: S101  it is registered for it
    error, next_ = _WORDS.get(problem.status_code, (str(problem.detail), ""))
    said = error_body(error, kept="Nothing was changed.", next_=next_)
    return _told(request, problem.status_code, said, problem.headers)


def _told(
    request: Request, status: int, said: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> Response:
    """The error as JSON; to somebody who looks at a page, as a page."""
    is_page = "text/html" in request.headers.get("accept", "")
    if not is_page or request.url.path.startswith("/api/"):
        return JSONResponse(said, status, headers=headers)
    return answer_page_template(request, "error.html", {"said": said}, status=status)
