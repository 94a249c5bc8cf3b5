"""What can go wrong: the kinds of fault as data, and the book that draws them for requests.

A fault is laid once and strikes the requests it fits. The refusals among them are made in
`fault_refusals`, the broken streams in `stream_faults`; those of state are looked for by the
APIs themselves, with `asked.fault(kind)`. Nothing here sends anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.testing.double.api_keys import Api
from director.testing.double.exchange import Fault, ParsedRequest

Stage: TypeAlias = Literal["transport", "refusal", "stream", "body", "state"]
Needs: TypeAlias = Literal["", "stream", "json", "result"]

CREATES = ("responses.create", "chat.create", "messages.create")
_ALL: tuple[Api, ...] = ("responses", "chat", "anthropic")
_BLOCKS: tuple[Api, ...] = ("responses", "anthropic")
_RESPONSES: tuple[Api, ...] = ("responses",)
_MESSAGES: tuple[Api, ...] = ("anthropic",)


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One kind of fault: when it strikes, what it does, on which APIs, and what it waits for.

    One that needs a stream, a JSON answer or a tool result as the last input waits for a request
    that has it. `json` says what a fault of streams does to an answer that is none.
    """

    stage: Stage
    what: str
    apis: tuple[Api, ...] = _ALL
    needs: Needs = ""
    json: str = ""


_AS_ERROR = "Responses: 200 with status failed; elsewhere an HTTP error"

KINDS: dict[str, FaultKind] = {
    "rate_limit": FaultKind(
        "refusal", "429; with_ retry_after, retry_after_ms, date, none, silent, ramp"
    ),
    "quota": FaultKind("refusal", "the account is out of money: 429 (OpenAI) or 402 (Anthropic)"),
    "server_error": FaultKind("refusal", "5xx; with_ status and should_retry"),
    "overloaded": FaultKind(
        "refusal", "503 server_is_overloaded, or with_ code, (OpenAI); 529 (Anthropic)"
    ),
    "window": FaultKind("refusal", "the input is over the window, said up front"),
    "window_after_results": FaultKind(
        "refusal", "the same, once a tool result is sent", needs="result"
    ),
    "key_revoked": FaultKind("refusal", "401 although the key was good"),
    "model_retired": FaultKind("refusal", "404: the model is gone"),
    "locked": FaultKind("refusal", "400 conversation_locked, which may be retried", _RESPONSES),
    "stall_before": FaultKind("transport", "never answered, and the work was not done"),
    "stall_after": FaultKind("transport", "the work was done, but never answered"),
    "reset_before_headers": FaultKind("transport", "reset, and the work was not done"),
    "reset_after_work": FaultKind("transport", "the work was done, then reset before the headers"),
    "reset_mid_event": FaultKind(
        "transport", "reset within an event; with_ after", json="reset within the body"
    ),
    "reset_between_events": FaultKind(
        "transport", "reset after some events; with_ after", needs="stream"
    ),
    "clean_eof": FaultKind(
        "transport", "the stream ends well, without its last event; with_ after", needs="stream"
    ),
    "truncated_json": FaultKind("transport", "200 with half of its JSON", needs="json"),
    "error_flat": FaultKind("stream", "a flat error event amid the stream", json=_AS_ERROR),
    "error_nested": FaultKind("stream", "a nested error event amid the stream", json=_AS_ERROR),
    "failed_event": FaultKind("stream", "response.failed as the last event", json=_AS_ERROR),
    "rate_limit_event": FaultKind("stream", "a rate limit amid the stream", json=_AS_ERROR),
    "window_event": FaultKind("stream", "the window is exceeded amid the stream", json=_AS_ERROR),
    "overloaded_event": FaultKind("stream", "an overload amid the stream", json=_AS_ERROR),
    "disorder": FaultKind("stream", "a delta before what it belongs to", _BLOCKS, "stream"),
    "missing_added": FaultKind("stream", "deltas of what was never begun", _BLOCKS, "stream"),
    "duplicate_sequence": FaultKind("stream", "one event sent twice", _RESPONSES, "stream"),
    "skipped_sequence": FaultKind("stream", "one number left out", _RESPONSES, "stream"),
    "unknown_event": FaultKind("stream", "an event of an unheard-of type", needs="stream"),
    "unknown_item": FaultKind(
        "stream", "an item of an unheard-of type", _BLOCKS, json="the item is in the body"
    ),
    "done_appended": FaultKind("stream", "[DONE] after the last event", _BLOCKS, "stream"),
    "usage_missing": FaultKind("body", "no usage at all"),
    "usage_bare": FaultKind("body", "usage without its details"),
    "forget_ids": FaultKind(
        "state", "stored responses are forgotten amid a run; with_ terse", _RESPONSES
    ),
    "background_stuck": FaultKind("state", "a background job stays queued", _RESPONSES),
    "background_failed": FaultKind("state", "a background job fails; with_ polls", _RESPONSES),
    "background_evicted": FaultKind("state", "a result is gone before the poll", _RESPONSES),
    "background_incomplete": FaultKind("state", "a background job ends incomplete", _RESPONSES),
    "cancel_race": FaultKind("state", "a job completes just before its cancel", _RESPONSES),
    "thread_expired": FaultKind("state", "a message thread expires amid a run", _MESSAGES),
    "thread_in_flight": FaultKind(
        "state", "a thread is still being continued elsewhere", _MESSAGES
    ),
    "compaction_unavailable": FaultKind("state", "a summary cannot be made just now", _MESSAGES),
}


def get_endpoint_api(endpoint: str) -> Api:
    """The API that an endpoint belongs to, by its name."""
    apis: dict[str, Api] = {"chat": "chat", "messages": "anthropic"}
    return apis.get(endpoint.partition(".")[0], "responses")


def is_streamed(asked: ParsedRequest) -> bool:
    """Whether a stream is asked for."""
    return asked.body.get("stream") is True or asked.query.get("stream") == "true"


def ends_in_result(body: Mapping[str, object]) -> bool:
    """Whether the last input is a tool's result."""
    for field in ("input", "messages"):
        items = body.get(field)
        last = items[-1] if isinstance(items, Sequence) and items else None
        if isinstance(last, Mapping) and _is_result(last):
            return True
    return False


def _is_result(item: Mapping[str, object]) -> bool:
    if item.get("role") == "tool" or str(item.get("type", "")).endswith("_call_output"):
        return True
    content = item.get("content")
    if not isinstance(content, Sequence):
        return False
    return any(isinstance(part, Mapping) and part.get("type") == "tool_result" for part in content)


@dataclass(slots=True)
class Laid:
    """A fault that lies in wait: the calls that fitted it, and the times it struck."""

    fault: Fault
    seen: int = 0
    struck: int = 0

    @property
    def due(self) -> bool:
        """Whether it strikes the call that was seen last."""
        if self.fault.nth == 0:
            return True
        return self.seen >= self.fault.nth and self.struck < self.fault.times

    @property
    def stage(self) -> Stage:
        """When it strikes."""
        return KINDS[self.fault.kind].stage

    def fits(self, asked: ParsedRequest) -> bool:
        """Whether a request is of the endpoint, model, run and form that it waits for."""
        fault, kind = self.fault, KINDS[self.fault.kind]
        anywhere = kind.stage == "state" or asked.endpoint in CREATES
        return (
            (asked.endpoint == fault.endpoint if fault.endpoint else anywhere)
            and fault.model in ("", asked.body.get("model"))
            and fault.run in ("", asked.run)
            and get_endpoint_api(asked.endpoint) in kind.apis
            and _has(kind.needs, asked)
        )


def _has(needs: Needs, asked: ParsedRequest) -> bool:
    if needs == "result":
        return ends_in_result(asked.body)
    return needs == "" or (needs == "stream") == is_streamed(asked)


class Faults:
    """The faults that were laid. One ends an answer at most; those left over wait."""

    def __init__(self, endpoints: Iterable[str] = ()) -> None:
        self._endpoints: Collection[str] = frozenset(endpoints)
        self.laid: list[Laid] = []

    def lay(self, faults: Iterable[Fault]) -> None:
        """Lay faults; a kind or an endpoint that there is not is an error of the test."""
        laid = [Laid(fault) for fault in faults]
        for fault in (each.fault for each in laid):
            if fault.kind not in KINDS:
                raise ValueError(f"no such kind of fault: {fault.kind}")
            if fault.endpoint and fault.endpoint not in self._endpoints:
                raise ValueError(f"no such endpoint: {fault.endpoint}")
        self.laid += laid

    def clear(self) -> None:
        """Take all faults away."""
        self.laid.clear()

    def pending(self) -> list[Fault]:
        """The faults that have yet to strike."""
        return [laid.fault for laid in self.laid if laid.struck == 0]

    def draw(self, asked: ParsedRequest) -> list[Laid]:
        """The faults that are due for a request; they are spent when they strike."""
        drawn: list[Laid] = []
        for laid in self.laid:
            if not laid.fits(asked):
                continue
            laid.seen += 1
            if laid.due and _goes_with(laid, drawn):
                drawn.append(laid)
        return drawn

    def spend(self, asked: ParsedRequest, drawn: Iterable[Laid], struck: Collection[str]) -> None:
        """Count the faults that struck; one of state is only seen when the API asked for it."""
        for laid in drawn:
            laid.struck += laid.fault.kind in struck
        for laid in self.laid:
            if laid.stage == "state" and laid.fault.kind not in asked.inquired:
                laid.seen -= laid.fits(asked)


def _goes_with(laid: Laid, drawn: Sequence[Laid]) -> bool:
    """Whether it can strike together with what was drawn: what ends an answer stands alone."""
    others = [other for other in drawn if other.stage != "state"]
    if laid.stage == "state" or not others:
        return True
    return not any(one.stage in ("transport", "refusal") for one in (laid, *others))
