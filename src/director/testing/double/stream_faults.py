"""How streams and bodies break: functions from a good answer to a bad one.

What each kind does to an answer that is no stream is said in `faults.KINDS`. A broken answer
never says more than the good one did, but for the error, event or item that is the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from director.testing.double.api_keys import Api
from director.testing.double.exchange import (
    UNHEARD_OF,
    Fault,
    ParsedRequest,
    ProviderResponse,
    ServerSentEvent,
)
from director.testing.double.fault_refusals import DOOR, GATE, read_fault_number
from director.testing.double.faults import KINDS, get_endpoint_api

Events: TypeAlias = tuple[ServerSentEvent, ...]
Body: TypeAlias = Mapping[str, object]

TERMINALS = ("response.completed", "response.incomplete", "response.failed", "message_stop")
_BEGINS = ("response.output_item.added", "content_block_start")
_COUNTS = ("input_tokens", "output_tokens", "total_tokens", "prompt_tokens", "completion_tokens")
_SOURCE = {
    "error_flat": "server_error",
    "error_nested": "server_error",
    "failed_event": "server_error",
    "rate_limit_event": "rate_limit",
    "window_event": "window",
    "overloaded_event": "overloaded",
}


def is_terminal_stream_event(event: ServerSentEvent) -> bool:
    """Whether a stream may end with this event (for Chat: whether it says why it ends)."""
    if not isinstance(event.data, Mapping):
        return False
    if event.data.get("type") in TERMINALS:
        return True
    choices = event.data.get("choices")
    return isinstance(choices, Sequence) and any(
        isinstance(choice, Mapping) and choice.get("finish_reason") for choice in choices
    )


def find_last_stream_index(events: Sequence[ServerSentEvent]) -> int:
    """Where the end of a stream begins."""
    found = (index for index, event in enumerate(events) if is_terminal_stream_event(event))
    return next(found, max(len(events) - 1, 0))


def cut_stream_at(fault: Fault, events: Sequence[ServerSentEvent]) -> int:
    """After how many events a fault strikes: as it says, or in the middle."""
    return min(int(read_fault_number(fault.with_, "after", len(events) // 2)), len(events))


def renumber_stream(events: Sequence[ServerSentEvent]) -> Events:
    """The events with sequence numbers that have no gap."""
    start = next((_sequence(event) for event in events if _sequence(event) is not None), 0) or 0
    numbered: list[ServerSentEvent] = []
    for event in events:
        if isinstance(event.data, Mapping) and "sequence_number" in event.data:
            event = _with(event, sequence_number=start)  # noqa: PLW2901  the numbered one
            start += 1
        numbered.append(event)
    return tuple(numbered)


def _sequence(event: ServerSentEvent) -> int | None:
    given = event.data.get("sequence_number") if isinstance(event.data, Mapping) else None
    return given if isinstance(given, int) else None


def _with(event: ServerSentEvent, **fields: object) -> ServerSentEvent:
    data = event.data if isinstance(event.data, Mapping) else {}
    return ServerSentEvent(event.name, {**data, **fields})


def _make_event(kind: str, **fields: object) -> ServerSentEvent:
    return ServerSentEvent(kind, {"type": kind, **fields})


def _error(fault: Fault, api: Api, asked: ParsedRequest) -> ProviderResponse:
    kind = _SOURCE[fault.kind]
    return (GATE | DOOR)[kind](api, asked, fault.with_, 0.0).answer


def _fail_response(response: Body, error: object) -> dict[str, object]:
    given = error if isinstance(error, Mapping) else {}
    told = {"code": given.get("code") or "server_error", "message": given.get("message")}
    gone = dict.fromkeys(("usage", "completed_at", "incomplete_details"))
    return {**response, "status": "failed", "error": told, "output": [], **gone}


def fail_response_stream(asked: ParsedRequest, response: Body) -> dict[str, object] | None:
    """The response as a fault leaves it that makes it fail, if one does."""
    fault = next((each for each in asked.faults if each.kind in _SOURCE), None)
    if fault is None:
        return None
    return _fail_response(response, _error(fault, "responses", asked).body["error"])


def _error_event(fault: Fault, asked: ParsedRequest, events: Events) -> ServerSentEvent:
    api = get_endpoint_api(asked.endpoint)
    body = _error(fault, api, asked).body
    if api == "chat":
        return ServerSentEvent("", body)
    if api == "anthropic":
        return ServerSentEvent("error", body)
    error = body["error"]
    told = error if isinstance(error, Mapping) else {}
    code = told.get("code") or "server_error"
    if fault.kind == "error_flat":
        message, param = told.get("message"), told.get("param")
        return _make_event("error", code=code, message=message, param=param, sequence_number=0)
    if fault.kind == "error_nested":
        return _make_event("error", error={**told, "code": code}, sequence_number=0)
    begun = (event.data.get("response") for event in events if isinstance(event.data, Mapping))
    response = next((found for found in begun if isinstance(found, Mapping)), {})
    return _make_event(
        "response.failed", response=_fail_response(response, told), sequence_number=0
    )


def _with_error(events: Events, fault: Fault, asked: ParsedRequest) -> Events:
    kept = events[: max(1, min(cut_stream_at(fault, events), find_last_stream_index(events)))]
    return renumber_stream((*kept, _error_event(fault, asked, events)))


def _begin(events: Sequence[ServerSentEvent]) -> int | None:
    found = (index for index, event in enumerate(events) if event.name in _BEGINS)
    return next(found, None)


def _disorder(events: Events, _fault: Fault, _asked: ParsedRequest) -> Events:
    begin = _begin(events)
    deltas = (index for index, event in enumerate(events) if event.name.endswith("delta"))
    delta = next((index for index in deltas if begin is not None and index > begin), None)
    if begin is None or delta is None:
        return events
    rest = (*events[begin:delta], *events[delta + 1 :])
    return renumber_stream((*events[:begin], events[delta], *rest))


def _missing_added(events: Events, _fault: Fault, _asked: ParsedRequest) -> Events:
    begin = _begin(events)
    if begin is None:
        return events
    return renumber_stream((*events[:begin], *events[begin + 1 :]))


def _duplicate(events: Events, fault: Fault, _asked: ParsedRequest) -> Events:
    at = max(1, cut_stream_at(fault, events))
    return (*events[:at], events[at - 1], *events[at:])


def _skip_number(events: Events, fault: Fault, _asked: ParsedRequest) -> Events:
    at = cut_stream_at(fault, events)
    later = (_with(event, sequence_number=(_sequence(event) or 0) + 1) for event in events[at:])
    return (*events[:at], *later)


def _unknown_event(events: Events, fault: Fault, asked: ParsedRequest) -> Events:
    new = {
        "responses": _make_event("response.unheard_of", sequence_number=0, note="of no known type"),
        "anthropic": _make_event("unheard_of", note="of no known type"),
        "chat": ServerSentEvent("", {"object": "chat.completion.unheard_of", "choices": []}),
    }[get_endpoint_api(asked.endpoint)]
    at = min(max(1, cut_stream_at(fault, events)), find_last_stream_index(events))
    return renumber_stream((*events[:at], new, *events[at:]))


def _strange(asked: ParsedRequest) -> dict[str, object]:
    return {"type": UNHEARD_OF, "id": f"uo_{asked.number:024d}", "note": "of no known type"}


def _add_item(body: Body, field: str, item: Body) -> dict[str, object]:
    items = body.get(field)
    return {**body, field: [*(items if isinstance(items, Sequence) else ()), item]}


def _unknown_item(events: Events, _fault: Fault, asked: ParsedRequest) -> Events:
    item = _strange(asked)
    at = find_last_stream_index(events)
    index = sum(event.name in _BEGINS for event in events)
    if get_endpoint_api(asked.endpoint) == "anthropic":
        at = next((k for k, event in enumerate(events) if event.name == "message_delta"), at)
        begin = _make_event("content_block_start", index=index, content_block=item)
        return (*events[:at], begin, _make_event("content_block_stop", index=index), *events[at:])
    parts = [
        _make_event(
            f"response.output_item.{name}", output_index=index, item=item, sequence_number=0
        )
        for name in ("added", "done")
    ]
    end = events[at]
    response = end.data.get("response") if isinstance(end.data, Mapping) else None
    if isinstance(response, Mapping):
        end = _with(end, response=_add_item(response, "output", item))
    return renumber_stream((*events[:at], *parts, end, *events[at + 1 :]))


def _end_with_done(events: Events, _fault: Fault, _asked: ParsedRequest) -> Events:
    return (*events, ServerSentEvent("", "[DONE]"))


_STREAMS: dict[str, Callable[[Events, Fault, ParsedRequest], Events]] = {
    **dict.fromkeys(_SOURCE, _with_error),
    "disorder": _disorder,
    "missing_added": _missing_added,
    "duplicate_sequence": _duplicate,
    "skipped_sequence": _skip_number,
    "unknown_event": _unknown_event,
    "unknown_item": _unknown_item,
    "done_appended": _end_with_done,
}


def _json_fault(answer: ProviderResponse, fault: Fault, asked: ParsedRequest) -> ProviderResponse:
    api = get_endpoint_api(asked.endpoint)
    if fault.kind == "unknown_item":
        field = "content" if api == "anthropic" else "output"
        return replace(answer, body=_add_item(answer.body, field, _strange(asked)))
    refused = _error(fault, api, asked)
    error = refused.body["error"]
    if api != "responses" or not isinstance(error, Mapping):
        return replace(refused, headers={})
    return replace(answer, body=_fail_response(answer.body, error))


def _usage(body: Body, *, bare: bool) -> dict[str, object]:
    changed = dict(body)
    for field in ("response", "message"):
        inner = changed.get(field)
        if isinstance(inner, Mapping):
            changed[field] = _usage(inner, bare=bare)
    usage = changed.pop("usage", None)
    if bare and isinstance(usage, Mapping):
        changed["usage"] = {name: usage[name] for name in _COUNTS if name in usage}
    return changed


def _body_fault(answer: ProviderResponse, fault: Fault) -> ProviderResponse:
    bare = fault.kind == "usage_bare"
    events = tuple(
        replace(event, data=_usage(event.data, bare=bare))
        if isinstance(event.data, Mapping)
        else event
        for event in answer.events
    )
    return replace(answer, body=_usage(answer.body, bare=bare), events=events)


def break_answer_stream(
    answer: ProviderResponse, asked: ParsedRequest
) -> tuple[ProviderResponse, tuple[str, ...]]:
    """The answer as the faults of stream and body leave it, and the kinds that struck."""
    struck: list[str] = []
    for fault in asked.faults:
        stage = KINDS[fault.kind].stage
        if stage == "body":
            answer = _body_fault(answer, fault)
        elif stage == "stream" and answer.events:
            events = _STREAMS[fault.kind](answer.events, fault, asked)
            answer = replace(answer, events=events)
        elif stage == "stream":
            answer = _json_fault(answer, fault, asked)
        else:
            continue
        struck.append(fault.kind)
    return answer, tuple(struck)
