"""Bodies are refused early: too large, of the wrong kind, or sent where none is wanted.

The size is counted as it arrives, whatever the request said of it beforehand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from director.web.guard.refusal_responses import error_body, has_header, header, refuse

MOST = 1_048_576
# A workflow's document can be long; whoever is not let in yet has little to say.
_LIMITS = {"/api/workflows/import": 8 * MOST, "/launch": 4_096, "/login": 4_096}
_FILES = re.compile(r"/api/workflows/[^/]+/files")
_BODIED = ("POST", "PUT", "PATCH", "DELETE")
_KINDS = {"/login": "application/x-www-form-urlencoded"}


@dataclass(eq=False, slots=True)
class Bodies:
    """Refuses bodies that are too large (413) or not JSON (415)."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what is small enough and of the right kind."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = find_limit(scope["path"])
        length = header(scope, b"content-length") or "0"
        if not length.isdecimal() or int(length) > most:
            await _too_large(scope, send, most)
            return
        if scope["method"] in _BODIED and _has_body(scope, length) and not _is_right(scope):
            wanted = _KINDS.get(scope["path"], "application/json")
            said = error_body(
                f"The body must be {wanted}.", kept="Nothing was changed.", next_="Send it so."
            )
            await refuse(scope, send, 415, said)
            return
        await self.app(scope, _counted(receive, most), send)


def find_limit(path: str) -> int:
    """How many bytes the body of a request to a path may have."""
    return 8 * MOST if _FILES.fullmatch(path) else _LIMITS.get(path, MOST)


def _counted(receive: Receive, most: int) -> Receive:
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise HTTPException(413, _larger(most))
        return message

    return counted


def _has_body(scope: Scope, length: str) -> bool:
    return length != "0" or has_header(scope, b"transfer-encoding")


def _is_right(scope: Scope) -> bool:
    kind = (header(scope, b"content-type") or "").partition(";")[0].strip().lower()
    return kind == _KINDS.get(scope["path"], "application/json")


def _larger(most: int) -> str:
    return f"The body is larger than {most:,} bytes."


async def _too_large(scope: Scope, send: Send, most: int) -> None:
    said = error_body(_larger(most), kept="Nothing was changed.", next_="Send less at once.")
    await refuse(scope, send, 413, said)
