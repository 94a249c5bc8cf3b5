"""Headers on every response, refusals too: nothing is run, loaded, framed or told elsewhere."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


class Headers:
    """Puts the headers on; there are no sockets, so whoever asks for one is sent away."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

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

        await self._app(scope, receive, sent if scope["type"] == "http" else send)


def _is_page(headers: list[tuple[bytes, bytes]]) -> bool:
    named = {name.lower(): value.lower() for name, value in headers}
    is_html = named.get(b"content-type", b"").startswith(b"text/html")
    return is_html and b"content-disposition" not in named
