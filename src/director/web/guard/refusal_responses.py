"""How a request is refused: a status and plain words, as JSON or as a page; never a traceback."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping

from starlette.types import Scope, Send

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
        await respond(send, status, page_of(words, form).encode(), "text/html; charset=utf-8")
        return
    await respond(send, status, json.dumps(said).encode(), "application/json")


def page_of(words: Iterable[str], form: str = "") -> str:
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
