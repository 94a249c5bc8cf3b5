"""What nobody foresaw ends as one plain answer; what happened is logged without any secret."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from director.web.guard.refusal_responses import error_body, refuse

_LOG = logging.getLogger("director.web")


class ErrorMiddleware:
    """Answers with 500 and words where a route broke."""

    def __init__(self, app: ASGIApp, clean: Callable[[str], str]) -> None:
        self._app = app
        self._clean = clean

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, and catch what comes back broken."""
        began = False

        async def sent(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except ClientDisconnect:
            # It went away, or was too slow: nobody is there to be told, and nothing is broken.
            return
        except Exception as fault:
            if scope["type"] != "http":
                raise
            _LOG.error("%s", self._clean("".join(traceback.format_exception(fault))))
            if not began:
                said = error_body(
                    f"Director broke here ({type(fault).__name__}). This is a fault of Director.",
                    kept="What was written before is kept.",
                    next_="Try again; the program's output tells more.",
                )
                await refuse(scope, send, 500, said)
