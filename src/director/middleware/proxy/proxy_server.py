"""The proxy itself: looks at the requests that ask a model, and passes everything on.

Nothing is added but managed context. What needs nothing goes on byte for byte, and so does every
response, as it comes. Keys pass through; they are never kept, written or told.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Literal, TypeAlias

import h11

from director.home import is_loopback, limit_connections
from director.middleware.api_bodies import Api, FittedBody, fit_body
from director.middleware.background_summaries import Writes
from director.middleware.managed_threads import FittedThreads, Managing, make_thread_manager
from director.middleware.proxy.content_encoding import decode_body
from director.middleware.proxy.http_lines import (
    BODY_AT_MOST,
    Client,
    ProxyRequest,
    RequestRefused,
    Upstream,
    Wire,
)
from director.middleware.proxy.request_guard import Answer, RequestGuard, write_guard_refusal
from director.middleware.proxy.request_kinds import (
    classify_request,
    is_websocket,
    may_fall_back,
)
from director.middleware.proxy.seen import TrafficCounts, can_recall_seen

PREFIX = "/director"
THREAD = b"x-director-thread"
PASSWORD = b"x-director-password"
RECALL = b"x-director-recall"
AT_ONCE = 16_384
PENDING = 400  # connections without a whole request
PROVIDERS: Mapping[Api, str] = MappingProxyType(
    {
        "chat": "https://api.openai.com",
        "responses": "https://api.openai.com",
        "anthropic": "https://api.anthropic.com",
    }
)
_FALL_BACK = (
    "The proxy manages this API over HTTP only. Nothing was sent on. Send the same request with "
    "POST; clients that open a WebSocket first do so by themselves."
)
Counting: TypeAlias = Literal["original", "managed"]


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request to send, and a line of ours for the head of its response."""

    request: ProxyRequest
    added: bytes = b""


class Proxy:
    """Listens on a port, a free one for 0; `upstream` is where everything goes.

    Without an upstream, requests go to the one of `providers` whose API they speak. `names` are
    those by which it may be asked beside its own, `origins` those of pages that may ask it. With
    `recall` every request that has tools is offered that one too; otherwise those that ask for it.
    With `counting` "managed", a question for the size of a request is one for what would be sent.
    Where other machines can reach it, it needs a `password`, which every request carries in
    `X-Director-Password`.
    """

    def __init__(  # noqa: PLR0913  each is an option of the command
        self,
        managing: Managing,
        upstream: str | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        writes: Writes | None = None,
        password: str = "",
        names: Iterable[str] = (),
        origins: Iterable[str] = (),
        recall: bool = False,
        counting: Counting = "original",
        providers: Mapping[Api, str] = PROVIDERS,
    ) -> None:
        if not is_loopback(host) and not password:
            raise ValueError(
                f"{host!r} can be reached from other machines, and there is no password. Nothing "
                "was started. Set DIRECTOR_PASSWORD, or leave out --host."
            )
        self._password = password.encode()
        config = make_thread_manager(managing).config
        wires: tuple[Api, ...] = ("chat", "responses", "anthropic")
        self.threads = {wire: FittedThreads(config, writes=writes, wire=wire) for wire in wires}
        self.seen = TrafficCounts()
        self._recall, self._counting = recall, counting
        self._upstream = Upstream.at(upstream) if upstream else None
        self._providers = {api: Upstream.at(url) for api, url in providers.items()}
        self._host, self.port = host, port
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()
        self._pending: dict[Client, None] = {}
        self._drains = False
        self.guard = RequestGuard(host, names=names, origins=origins)

    @property
    def url(self) -> str:
        """The address of the proxy."""
        return f"http://{self._host}:{self.port}"

    async def open(self) -> None:
        """Begin to listen; the port is known when this returns."""
        sock = socket.create_server((self._host, self.port), backlog=512)
        self._server = await asyncio.start_server(self._accept, sock=sock)
        self.port = int(self._server.sockets[0].getsockname()[1])

    async def drain(self, seconds: float) -> None:
        """Take no more requests, let those under way end for so many seconds, then stop."""
        self._drains = True
        if self._server is not None:
            self._server.close()
        for client in list(self._pending):
            client.writer.transport.abort()
        if self._talks:
            await asyncio.wait(set(self._talks), timeout=seconds)
        await self.close()

    async def close(self) -> None:
        """Drop every connection and stop."""
        if self._server is not None:
            self._server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)
        for threads in self.threads.values():
            threads.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.get_running_loop().create_task(_Talk(self, Client(reader, writer)).hold())
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)

    async def read(self, client: Client) -> ProxyRequest | None:
        """The next request of a client; of those that owe one, the oldest give way to many new."""
        if self._drains:
            return None
        self._pending[client] = None
        while len(self._pending) > limit_connections(PENDING):
            # Those that were told to go count no more, or none would go beside the oldest.
            oldest = next(iter(self._pending))
            del self._pending[oldest]
            oldest.writer.transport.abort()
        try:
            return await client.read()
        finally:
            self._pending.pop(client, None)

    def route(self, request: ProxyRequest) -> Upstream:
        """Where a request goes."""
        if self._upstream is not None:
            return self._upstream
        named = bool(request.header(b"anthropic-version"))
        return self._providers["anthropic" if named else "chat"]

    async def prepare(self, request: ProxyRequest) -> PreparedRequest:
        """The request with a body that fits, or the very request that came."""
        kind = classify_request(request)
        if kind.api is None:
            self.seen.count(request, unmanaged=kind.unmanaged)
            return PreparedRequest(request)
        read = _read_body(request)
        if isinstance(read, str):
            self.seen.count(request, unmanaged=read)
            return PreparedRequest(request)
        body, text = read
        sent = await self._fit(request, kind.api, body, len(text))
        report = sent.fitted.report if sent.fitted is not None else None
        if kind.counts:
            self.seen.count(request)
            added = b"X-Director-Managed-Tokens: %d" % report.after if report else b""
            changed = self._counting == "managed" and sent.body is not body
            return PreparedRequest(_rewrite(request, sent) if changed else request, added)
        self.seen.count(request, report, changed=sent.changed, unmanaged=sent.unmanaged)
        return PreparedRequest(request if sent.body is body else _rewrite(request, sent))

    async def _fit(
        self, request: ProxyRequest, api: Api, body: dict[str, object], size: int
    ) -> FittedBody:
        thread = request.header(THREAD).decode("latin-1") or None
        offers = self._recall or request.header(RECALL).lower() in (b"yes", b"1", b"true")
        owner = self.seen.owner(request)
        fit = partial(
            fit_body, body, api, self.threads[api], thread=thread, owner=owner, offers=offers
        )
        # A rewrite must not keep other clients waiting; a small body takes less than the way there.
        return fit() if size <= AT_ONCE else await asyncio.to_thread(fit)

    def answer_itself(self, request: ProxyRequest) -> tuple[Answer | None, bool]:
        """An answer that is not the upstream's, if there is one, and whether it is the last."""
        refused = self.guard.check(request)
        if refused is not None:
            return refused, True
        unknown = self._refuse_stranger(request)
        if unknown is not None:
            return unknown, False
        if request.path == PREFIX or request.path.startswith(f"{PREFIX}/"):
            return self._answer_own_page(request), False
        if may_fall_back(request):
            return write_guard_refusal(b"426 Upgrade Required", _FALL_BACK), True
        return None, False

    def _refuse_stranger(self, request: ProxyRequest) -> Answer | None:
        """The answer to a request without the password, if there is one to know."""
        given = request.header(PASSWORD)
        if not self._password or hmac.compare_digest(given, self._password):
            return None
        message = "This proxy needs its password in the header X-Director-Password."
        body = {"type": "error", "error": {"type": "authentication_error", "message": message}}
        return b"401 Unauthorized", b"application/json", json.dumps(body).encode()

    def _answer_own_page(self, request: ProxyRequest) -> Answer:
        """The answer to a request for one of our own pages."""
        path = request.path.removeprefix(PREFIX).strip("/")
        if path == "":
            about = f"Requests to {self.url} are fitted; this page loads itself anew."
            return b"200 OK", b"text/html; charset=utf-8", self.seen.page(about).encode()
        if path == "state":
            return b"200 OK", b"application/json", json.dumps(self.seen.as_json()).encode()
        if path.startswith("recall/"):
            return self._answer_recall(request, path.removeprefix("recall/"))
        return b"404 Not Found", b"text/plain", b"There is /director, /director/state, /v1/...\n"

    def _answer_recall(self, request: ProxyRequest, reference: str) -> Answer:
        owner = self.seen.owner(request)
        for threads in self.threads.values() if can_recall_seen(request) else ():
            with suppress(KeyError):
                found = threads.recall(reference, owner=owner)
                return b"200 OK", b"text/plain; charset=utf-8", found.encode()
        message = (
            f"Nothing of yours is known by the reference {reference!r}. Without a key, ask on the "
            "connection that sent the request, or name a session in X-Director-Session. A key "
            "that others may use as well, such as 'ollama', needs a session.\n"
        )
        return b"404 Not Found", b"text/plain; charset=utf-8", message.encode()


class _Talk:
    """A client's connection, and beside it one to the upstream."""

    def __init__(self, proxy: Proxy, client: Client) -> None:
        self._proxy, self._client = proxy, client
        self._wire: Wire | None = None

    async def hold(self) -> None:
        """Pass on request after request, until either side is done."""
        try:
            while (request := await self._proxy.read(self._client)) is not None:
                if not await self._pass(request):
                    break
            self._client.writer.close()
            await self._client.writer.wait_closed()
        except RequestRefused as why:
            with suppress(OSError):
                said = write_guard_refusal(why.status, f"{why} Nothing was sent on.")
                await self._client.say(*said, last=True)
                self._client.writer.close()
        except ConnectionResetError:
            self._client.reset()
        except (OSError, h11.RemoteProtocolError):
            pass  # the client went away, or speaks no HTTP
        finally:
            if self._wire is not None:
                self._wire.close()
            self._client.writer.transport.abort()

    async def _pass(self, request: ProxyRequest) -> bool:
        answer, last = self._proxy.answer_itself(request)
        if answer is not None:
            await self._client.say(*answer, last=last)
            return not last
        sent = await self._proxy.prepare(request)
        try:
            wire = await self._connect(self._proxy.route(request))
        except OSError as error:
            await self._client.say(*_unreachable(error))
            return True
        if is_websocket(request):
            await wire.exchange(request, self._client)
            return False
        await wire.ask(sent.request)
        return await self._relay(wire, request.method, sent.added)

    async def _connect(self, upstream: Upstream) -> Wire:
        if self._wire is None or not self._wire.usable or self._wire.upstream != upstream:
            if self._wire is not None:
                self._wire.close()
            self._wire = await upstream.connect()
        return self._wire

    async def _relay(self, wire: Wire, method: bytes, added: bytes) -> bool:
        """Relay the response, unless the client goes away: then the upstream is told so."""
        relay = asyncio.create_task(wire.relay(method, self._client.writer, added=added))
        gone = asyncio.create_task(self._client.wait_gone())
        try:
            await asyncio.wait((relay, gone), return_when=asyncio.FIRST_COMPLETED)
            if gone.done() and not relay.done() and gone.result():
                return False
            return await relay
        finally:
            for task in (relay, gone):
                task.cancel()
            await asyncio.gather(relay, gone, return_exceptions=True)


def _read_body(request: ProxyRequest) -> tuple[dict[str, object], bytes] | str:
    """The object that a body holds and its text, or why it cannot be read."""
    coding = request.header(b"content-encoding")
    text = decode_body(request.body, coding, BODY_AT_MOST) if coding else request.body
    if text is None:
        return f"content-encoding {coding.decode('latin-1')[:40]!r} cannot be read"
    try:
        body: object = json.loads(text)
    except (ValueError, RecursionError):
        return "its body is no JSON"
    return (body, text) if isinstance(body, dict) else "its body is no JSON object"


def _rewrite(request: ProxyRequest, sent: FittedBody) -> ProxyRequest:
    written = json.dumps(sent.body, ensure_ascii=False, separators=(",", ":"))
    kept = [line for line in request.headers if line[0].lower() != b"content-encoding"]
    return replace(request, headers=kept, body=written.encode())


def _unreachable(error: OSError) -> Answer:
    message = f"The proxy cannot reach its upstream: {error.strerror or error}"
    body = {"type": "error", "error": {"type": "upstream_unreachable", "message": message}}
    return b"502 Bad Gateway", b"application/json", json.dumps(body).encode()
