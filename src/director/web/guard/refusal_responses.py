"""What every response carries, how a request is refused, and how a route that broke is answered.

Headers are on every response, refusals too: nothing is run, loaded, framed or told elsewhere. A
refusal is a status and plain words, as JSON or as a page; never a traceback.
"""

from __future__ import annotations

import html
import json
import logging
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOGIN = (
    '<form id="login" class="row wrap"><label for="password">Password</label>'
    '<input class="in auto" id="password" type="password" name="password" '
    'autocomplete="current-password" autofocus>'
    '<button class="btn pri">Enter</button><p class="told" role="alert"></p></form>'
    '<script type="module" src="/static/entrance.js"></script>'
)


def header(scope: Scope, name: bytes) -> str | None:
    """A header of a request; None if it is not there or there twice."""
    found = [value for key, value in scope["headers"] if key.lower() == name]
    return found[0].decode("latin-1") if len(found) == 1 else None


def has_header(scope: Scope, name: bytes) -> bool:
    """Whether a request has a header at all."""
    return any(key.lower() == name for key, _ in scope["headers"])


def error_body(error: str, *, kept: str = "", next_: str = "") -> dict[str, str]:
    """What went wrong, what was kept of it, what to do next; the shape of every error."""
    return {"error": error, "kept": kept, "next": next_}


async def refuse(
    scope: Scope, send: Send, status: int, said: Mapping[str, str], *, form: str = ""
) -> None:
    """Answer with a status and words; to a browser that wants a page, with a page."""
    wants = header(scope, b"accept") or ""
    if "text/html" in wants:
        words = [said[name] for name in ("error", "kept", "next") if said[name]]
        await respond(
            send, status, make_refusal_page(words, form).encode(), "text/html; charset=utf-8"
        )
        return
    await respond(send, status, json.dumps(said).encode(), "application/json")


def make_refusal_page(words: Iterable[str], form: str = "") -> str:
    """A page of a few plain lines, for whoever is not let in."""
    lines = "".join(f"<p>{html.escape(line)}</p>" for line in words)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Director</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<link rel="icon" href="/static/icon.svg" type="image/svg+xml">'
        '<link rel="stylesheet" href="/static/app.css"></head>'
        '<body><main class="page narrow" id="main"><h1>Director</h1>'
        f'<section class="card p16 col">{lines}{form}</section></main></body></html>'
    )


async def respond(
    send: Send,
    status: int,
    body: bytes,
    kind: str,
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> None:
    """Send one whole response."""
    every = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": every})
    await send({"type": "http.response.body", "body": body})


# Our own pages. Pictures are fetched with the key, and shown from memory.
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
# Everything else: files, pictures and answers, should anyone open one as a document.
SEALED = "default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = (
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
_POLICY, _RESOURCE = b"content-security-policy", b"cross-origin-resource-policy"
_OURS = {_POLICY, _RESOURCE, *(name for name, _ in HEADERS)}


@dataclass(eq=False, slots=True)
class Headers:
    """Puts the headers on; there are no sockets, so whoever asks for one is sent away."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is asked, and put the headers on what is answered."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [pair for pair in message.get("headers", ()) if pair[0].lower() not in _OURS]
                policy = POLICY if _is_page(own) else SEALED
                # The launch file, which is of no origin, asks whether our name is found.
                shared = b"cross-origin" if scope["path"] == "/here" else b"same-origin"
                added = ((_POLICY, policy.encode()), (_RESOURCE, shared))
                message = {**message, "headers": [*own, *added, *HEADERS]}
            await send(message)

        await self.app(scope, receive, sent if scope["type"] == "http" else send)


def _is_page(headers: list[tuple[bytes, bytes]]) -> bool:
    named = {name.lower(): value.lower() for name, value in headers}
    is_html = named.get(b"content-type", b"").startswith(b"text/html")
    return is_html and b"content-disposition" not in named


_LOG = logging.getLogger("director.web")


@dataclass(eq=False, slots=True)
class ErrorMiddleware:
    """Answers with 500 and words where a route broke."""

    app: ASGIApp
    clean: Callable[[str], str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, and catch what comes back broken."""
        began = False

        async def sent(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self.app(scope, receive, sent)
        except ClientDisconnect:
            # It went away, or was too slow: nobody is there to be told, and nothing is broken.
            return
        except Exception as fault:
            if scope["type"] != "http":
                raise
            _LOG.error("%s", self.clean("".join(traceback.format_exception(fault))))
            if not began:
                said = error_body(
                    f"Director broke here ({type(fault).__name__}). This is a fault of Director.",
                    kept="What was written before is kept.",
                    next_="Try again; the program's output tells more.",
                )
                await refuse(scope, send, 500, said)
