"""The path of every request: the order in which it is judged, answered and broken.

Transport faults, keys, rate limits, JSON, the endpoint itself, then the faults that come after
the work. It writes the journal; it knows no endpoint's rules and no socket.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from urllib.parse import parse_qsl, unquote, urlsplit

from director.models.script_values import ScriptEngine
from director.testing.double import api_keys, fault_refusals, refusals, routes, stream_faults
from director.testing.double.api_keys import Api, Limiter
from director.testing.double.endpoint import EndpointRoute
from director.testing.double.exchange import (
    Delivery,
    ParsedRequest,
    ProviderResponse,
    RawRequest,
    Refusal,
)
from director.testing.double.faults import Faults, Laid
from director.testing.double.world import Exchange, Ids, World

_NOT_JSON = (
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using "
    "your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was "
    "not valid JSON. If you have trouble figuring out how to fix this, please contact us through "
    "our help center at help.openai.com.)"
)


@dataclass(slots=True)
class GatewayRequest:
    """A request on its way through the pipeline."""

    asked: ParsedRequest
    exchange: Exchange
    api: Api
    key: str
    tokens: int
    readable: bool
    route: EndpointRoute | None
    names: Mapping[str, str]
    drawn: list[Laid]


@dataclass(slots=True)
class DoubleGateway:
    """The world with its door: the endpoints, the keys that open, the limits and the faults."""

    world: World
    routes: Sequence[EndpointRoute]
    keys: Collection[str] | None = None
    limiter: Limiter = field(default_factory=Limiter)
    faults: Faults = field(default_factory=Faults)
    lock: threading.RLock = field(default_factory=threading.RLock)
    rewind: Callable[[], ScriptEngine] | None = None
    _requests: Ids = field(default_factory=lambda: Ids(-1))

    def reply(self, request: RawRequest) -> Delivery:
        """Answer one request, or break it; only one is answered at a time."""
        with self.lock:
            visit = self._arrive(request)
            reply = self._judge(visit)
            self.faults.spend(visit.asked, visit.drawn, visit.exchange.struck)
            return replace(reply, sent=lambda: setattr(visit.exchange, "finished", True))

    def reset(self) -> None:
        """Begin again: no journal, no state, no faults, and the script from its start."""
        with self.lock:
            self.world.reset()
            self.faults.clear()
            self.limiter = Limiter(self.limiter.limits)
            self._requests = Ids(-1)
            if self.rewind is not None:
                self.world.brain = self.rewind()

    def _arrive(self, request: RawRequest) -> GatewayRequest:
        """Read a request, draw its faults, and write it down without its secrets."""
        url = urlsplit(request.target)
        path = unquote(url.path)
        text = request.body.decode("utf-8", "replace")
        body = _object(text)
        found = self._find(request.method, path)
        route, names = found or (None, {})
        key = api_keys.read_api_key(request.headers)
        asked = ParsedRequest(
            method=request.method,
            path=path,
            query=dict(parse_qsl(url.query)),
            headers=api_keys.remove_api_keys(request.headers),
            body=body or {},
            endpoint=route.endpoint if route else "",
            run=_run(request.headers, body or {}),
            number=len(self.world.exchanges) + 1,
        )
        drawn = self.faults.draw(asked)
        asked = replace(asked, faults=tuple(laid.fault for laid in drawn))
        leaks = api_keys.find_leaked_keys(text, key)
        kept = (
            replace(asked, body=_object(api_keys.scrub_api_keys(text, key)) or {})
            if leaks
            else asked
        )
        exchange = Exchange(kept, self.world.clock.now(), leaks=leaks)
        self.world.exchanges.append(exchange)
        api = _api(route, path, request.headers)
        size = -(-len(request.body) // 4)
        return GatewayRequest(
            asked, exchange, api, key, size, body is not None, route, names, drawn
        )

    def _find(self, method: str, path: str) -> tuple[EndpointRoute, Mapping[str, str]] | None:
        apis = self.world.profile.apis
        here = [route for route in self.routes if route.api in apis]
        return routes.find_route(here, method, path) or routes.find_route(self.routes, method, path)

    def _judge(self, visit: GatewayRequest) -> Delivery:
        exchange = visit.exchange
        unheard = _unheard(visit)
        if unheard is not None:
            return unheard
        try:
            answer = self._answer(visit)
        except Refusal as refusal:
            answer = refusal.answer
            exchange.rule, exchange.defect = refusal.rule, refusal.defect
        except Exception as failure:  # noqa: BLE001  a script may fail in any way: tell the test
            self.world.failures.append(failure)
            exchange.rule = "failure"
            answer = _failure(visit.api, failure).answer
        exchange.struck += _state_faults(visit)
        if answer.status < 300:
            answer, struck = stream_faults.break_answer_stream(answer, visit.asked)
            exchange.struck += struck
        answer = self._with_headers(visit, answer)
        exchange.answer = answer
        return _break_off(visit, answer) if answer.status < 300 else Delivery(answer)

    def _answer(self, visit: GatewayRequest) -> ProviderResponse:
        """The order of judgement between the transport and what comes after the work."""
        now = self.world.clock.now()
        if visit.asked.method == "HEAD":  # a client that opens its connection early, without a key
            raise _no_such_path(visit, defect=False)
        if self.world.profile.keys:
            api_keys.check_api_key(visit.api, visit.key, self.keys)
        self._refuse(visit, fault_refusals.GATE, now)
        if visit.route is None:
            raise _no_such_path(visit)
        if visit.route.api not in self.world.profile.apis:
            raise _no_such_path(visit, defect=False)
        wait = self.limiter.take(now, visit.tokens)
        if wait:
            raise fault_refusals.refuse_by_rate_limit(
                visit.api, visit.asked, {"retry_after": wait}, now
            )
        if not visit.readable:
            raise _unreadable(visit.api)
        self._refuse(visit, fault_refusals.DOOR, now)
        return visit.route.handle(self.world, visit.asked, visit.names)

    def _refuse(
        self, visit: GatewayRequest, table: Mapping[str, fault_refusals.Make], now: float
    ) -> None:
        struck = fault_refusals.find_fault_refusal(table, visit.api, visit.asked, now)
        if struck is not None:
            visit.exchange.struck += (struck[0],)
            raise struck[1]

    def _with_headers(self, visit: GatewayRequest, answer: ProviderResponse) -> ProviderResponse:
        now = self.world.clock.now()
        headers = {"date": formatdate(now, usegmt=True)}
        number = f"req_{self._requests.hexes(32)}"
        if visit.api == "anthropic":
            headers["request-id"] = number
            if "error" in answer.body and answer.body.get("type") == "error":
                answer = replace(answer, body={**answer.body, "request_id": number})
        else:
            headers["x-request-id"] = number
        if self.world.profile.keys:
            headers |= _VENDOR[visit.api] | self.limiter.headers(visit.api, now)
        return replace(answer, headers=headers | dict(answer.headers))


_OPENAI = {
    "openai-organization": "org-double",
    "openai-project": "proj_double",
    "openai-processing-ms": "12",
    "openai-version": "2020-10-01",
}
_VENDOR: dict[Api, dict[str, str]] = {
    "responses": _OPENAI,
    "chat": _OPENAI,
    "anthropic": {"anthropic-organization-id": "00000000-0000-4000-8000-000000000000"},
}


def _object(text: str) -> Mapping[str, object] | None:
    if not text.strip():
        return {}
    try:
        parsed = json.loads(text)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _run(headers: Mapping[str, str], body: Mapping[str, object]) -> str:
    metadata = body.get("metadata")
    told = metadata if isinstance(metadata, Mapping) else {}
    return str(headers.get("x-run-key") or told.get("run") or told.get("user_id") or "")


def _api(route: EndpointRoute | None, path: str, headers: Mapping[str, str]) -> Api:
    """Whose shapes an answer has; the listing of models is spoken by both."""
    if route is not None and not route.endpoint.startswith("models."):
        return route.api
    if path.startswith("/v1/messages") or "anthropic-version" in headers:
        return "anthropic"
    return route.api if route is not None else "responses"


def _no_such_path(visit: GatewayRequest, *, defect: bool = True) -> Refusal:
    if visit.api == "anthropic":
        return refusals.write_anthropic_refusal(
            "path", "Not found", status=404, kind="not_found_error", defect=defect
        )
    message = f"Invalid URL ({visit.asked.method} {visit.asked.path})"
    return refusals.write_openai_refusal("path", message, status=404, defect=defect)


def _unreadable(api: Api) -> Refusal:
    if api == "anthropic":
        return refusals.write_anthropic_refusal("json", "The request body is not valid JSON")
    return refusals.write_openai_refusal("json", _NOT_JSON)


def _failure(api: Api, failure: Exception) -> Refusal:
    message = f"{type(failure).__name__}: {failure}"
    headers = {"x-should-retry": "false"}
    if api == "anthropic":
        return refusals.write_anthropic_refusal(
            "failure", message, status=500, kind="api_error", headers=headers
        )
    return refusals.write_openai_refusal(
        "failure", message, status=500, kind="server_error", headers=headers
    )


def _unheard(visit: GatewayRequest) -> Delivery | None:
    """The reply to a request that a fault lets nobody read."""
    if visit.asked.fault("stall_before"):
        visit.exchange.struck += ("stall_before",)
        return Delivery(None, "stall")
    if visit.asked.fault("reset_before_headers"):
        visit.exchange.struck += ("reset_before_headers",)
        return Delivery(None, "reset")
    return None


def _state_faults(visit: GatewayRequest) -> tuple[str, ...]:
    """The faults of state that the endpoint asked for."""
    kinds = (laid.fault.kind for laid in visit.drawn if laid.stage == "state")
    return tuple(kind for kind in kinds if kind in visit.asked.inquired)


def _break_off(visit: GatewayRequest, answer: ProviderResponse) -> Delivery:
    """How a good answer leaves, as the faults of transport have it."""
    for fault in visit.asked.faults:
        cut = stream_faults.cut_stream_at(fault, answer.events)
        if fault.kind == "clean_eof" and "after" not in fault.with_:
            cut = stream_faults.find_last_stream_index(answer.events)
        kept = replace(answer, events=answer.events[:cut])
        reply = {
            "stall_after": Delivery(None, "stall"),
            "reset_after_work": Delivery(None, "reset"),
            "reset_between_events": Delivery(kept, "reset"),
            "reset_mid_event": Delivery(
                replace(answer, events=answer.events[: cut + 1]), "reset", half=True
            ),
            "clean_eof": Delivery(kept),
            "truncated_json": Delivery(answer, half=True),
        }.get(fault.kind)
        if reply is None:
            continue
        visit.exchange.struck += (fault.kind,)
        if reply.answer is not None and answer.events:
            visit.exchange.answer = kept
        return reply
    return Delivery(answer)
