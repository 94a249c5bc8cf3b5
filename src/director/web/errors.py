"""What goes wrong in a route, as a status and plain words: what happened, what was kept, what next.

Nothing that was sent is repeated in an error, so that no secret can be.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from director.agent import ContextTooLarge, TurnRunning
from director.agent.compression.compression_proposal import Refused
from director.agent.conversation.message_size import MessageTooLarge
from director.browser import BrowserError
from director.models import ModelError, NoKey, NoLibrary, UnknownModel
from director.profiles import ProfileError
from director.runs import RunError
from director.secrets import OriginError, SecretRefused, VaultError
from director.settings import SettingsError
from director.store import StoreError, VersionConflict
from director.web.app_state import AppState, NotFound
from director.web.guard.refusal_responses import error_body
from director.web.page_templates import page
from director.workflow.values import WorkflowError


class Problem(BaseModel):
    """What happened, what was kept of it, and what to do next."""

    error: str
    kept: str = ""
    next: str = ""


class _Answer(NamedTuple):
    status: int
    kept: str = "Nothing was changed."
    next: str = ""


_ANSWERS: Mapping[type[Exception], _Answer] = {
    NotFound: _Answer(404),
    TurnRunning: _Answer(409, "Nothing was stored.", "Wait until the turn has ended, or stop it."),
    VersionConflict: _Answer(409, next="Somebody else was quicker: look again and decide again."),
    StoreError: _Answer(409),
    WorkflowError: _Answer(422),
    RunError: _Answer(409),
    VaultError: _Answer(409),
    SecretRefused: _Answer(409),
    OriginError: _Answer(422),
    SettingsError: _Answer(422),
    ProfileError: _Answer(422),
    UnknownModel: _Answer(422, "What was said is kept.", "Choose another model."),
    NoKey: _Answer(409, "What was said is kept.", "Enter a key, or choose another model."),
    NoLibrary: _Answer(409, "What was said is kept.", "Install it, or choose another model."),
    MessageTooLarge: _Answer(413, "Nothing was stored or sent."),
    ContextTooLarge: _Answer(409, "What was said is kept."),
    ModelError: _Answer(409, "What was said is kept.", "Try again, or choose another model."),
    Refused: _Answer(409, "The conversation is as it was.", "Try again, or write it yourself."),
    BrowserError: _Answer(409, "Everything that was stored is kept.", "Try again."),
}
_WORDS = {
    404: ("There is nothing at this address.", "See /help, or /api/openapi.json."),
    405: ("This address is not used in this way.", "See /api/openapi.json."),
}
RESPONSES: dict[int | str, dict[str, object]] = {
    status: {"model": Problem} for status in (400, 401, 403, 404, 409, 413, 415, 421, 422)
}


def tell_errors(app: FastAPI) -> None:
    """Let every foreseen error of a route be told in one shape."""
    for kind, answer in _ANSWERS.items():
        app.add_exception_handler(kind, _telling(answer))
    app.add_exception_handler(RequestValidationError, _unfit)
    app.add_exception_handler(HTTPException, _refused)


def _telling(answer: _Answer):  # type: ignore[no-untyped-def]  # noqa: ANN202  Starlette's own type
    async def tell(request: Request, problem: Exception) -> Response:
        studio: AppState = request.app.state.studio
        said = studio.clean(str(problem) or type(problem).__name__)
        kept = "" if _says_kept(said) else answer.kept
        return _told(request, answer.status, error_body(said, kept=kept, next_=answer.next))

    return tell


def _says_kept(text: str) -> bool:
    return "Nothing was" in text or "is kept" in text


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
    return page(request, "error.html", {"said": said}, status=status)
