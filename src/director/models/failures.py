"""What can go wrong with a provider, by class, and what to do about each. Data, not branches.

Reads the exceptions of the providers' libraries by their fields, so none has to be imported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Literal, TypeAlias

from director.errors import DirectorError
from director.models.values import Attempt

Kind: TypeAlias = Literal[
    "rate_limited",
    "transient",
    "overloaded",
    "locked",
    "ambiguous",
    "broken_stream",
    "state_lost",
    "thinking_lost",
    "job_lost",
    "timed_out",
    "window",
    "quota",
    "auth",
    "invalid",
    "pairing",
    "malformed",
]

_LONGEST_TEXT = 2_000  # of what a provider says about a failure
_LONGEST_ID = 200
_SHORTEST_KEY = 6  # what is shorter is in many words, and opens nothing


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed request, read into one form for all providers."""

    kind: Kind
    message: str
    status: int | None = None
    code: str = ""
    retry_after: float | None = None
    retry: bool | None = None
    request: str = ""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How to wait before the next attempt: from `first` seconds, doubled each time, to `most`."""

    first: float
    most: float


RETRIES: dict[Kind, RetryPolicy] = {
    "rate_limited": RetryPolicy(1.0, 60.0),
    "transient": RetryPolicy(0.5, 8.0),
    "overloaded": RetryPolicy(2.0, 30.0),
    "locked": RetryPolicy(1.0, 8.0),
    "ambiguous": RetryPolicy(0.5, 8.0),
    "broken_stream": RetryPolicy(0.5, 8.0),
}
ADVICE: dict[Kind, str] = {
    "rate_limited": "Wait, or ask the provider for a higher limit.",
    "transient": "The provider does not answer properly; try again later.",
    "overloaded": "The provider is overloaded; try again later, or choose another model.",
    "locked": "Another request works on this conversation; let it end.",
    "ambiguous": (
        "It may have been answered and billed all the same, so it was not sent again by itself. "
        "Send the turn again if you want to."
    ),
    "broken_stream": "The connection broke before the answer was complete; try again.",
    "state_lost": "The provider lost the history and refused it when it was sent again.",
    "thinking_lost": "The provider refused the reasoning that it had returned.",
    "job_lost": "The provider no longer knows the background job; send the turn again.",
    "timed_out": "The background job was cancelled; raise `background_seconds`, or send it again.",
    "window": "The history is larger than the model's window; fit it into a smaller budget.",
    "quota": "The account is used up; look at the plan and billing of the provider.",
    "auth": "The provider refused the key; check the environment variable it comes from.",
    "invalid": "The provider refused the request as it is; sending it again would not help.",
    "pairing": "This is a fault of Director: please report it with the ids above.",
    "malformed": "Nothing of it was used. Try again, or choose another model or server.",
}


class RefusedResponse(DirectorError):
    """A response that is beyond what a provider may send; the message says in what."""


class ModelError(DirectorError):
    """A turn that could not be sent: what happened, after which attempts, and what to do next.

    Nothing of the history is lost; the same turn can be sent again.
    """

    kept = "What was said is kept."
    next_step = "Try again, or choose another model."

    def __init__(self, failure: Failure, attempts: tuple[Attempt, ...] = ()) -> None:
        self.failure = failure
        self.attempts = attempts
        tried = f" after {len(attempts)} attempts" if len(attempts) > 1 else ""
        super().__init__(f"{failure.kind}{tried}: {failure.message} {ADVICE[failure.kind]}")

    @property
    def kind(self) -> Kind:
        """The class of the failure."""
        return self.failure.kind


_BY_CODE: dict[str, Kind] = {
    "previous_response_not_found": "state_lost",
    "thread_not_found": "state_lost",
    "thread_already_continued": "state_lost",
    "thread_fingerprint_mismatch": "state_lost",
    "thread_unsupported_request": "state_lost",
    "thread_continue_in_flight": "locked",
    "conversation_locked": "locked",
    "invalid_encrypted_content": "thinking_lost",
    "context_length_exceeded": "window",
    "insufficient_quota": "quota",
    "rate_limit_exceeded": "rate_limited",
    "rate_limit_error": "rate_limited",
    "server_is_overloaded": "overloaded",
    "slow_down": "overloaded",
    "overloaded_error": "overloaded",
    "compaction_unavailable": "overloaded",
    "server_error": "transient",
    "api_error": "transient",
    "timeout_error": "transient",
    "authentication_error": "auth",
    "invalid_api_key": "auth",
    "permission_error": "auth",
    "billing_error": "quota",
}
_TEXTS: tuple[tuple[str, Kind], ...] = (
    (r"no tool output found for|no tool call found for", "pairing"),
    (r"tool_use` ids were found without|unexpected `tool_use_id`", "pairing"),
    (r"must be followed by tool messages|must be a response to a prece", "pairing"),
    (r"previous response with id .* not found|invalid `previous_response_id`", "state_lost"),
    (r"zero data retention|does not support 'previous_response_id'", "state_lost"),
    (r"response with id .* not found", "state_lost"),
    (r"items are not persisted when `store`", "state_lost"),
    (r"signature` in `thinking`|blocks .*cannot be modified", "thinking_lost"),
    (r"provided without its required", "thinking_lost"),
    (r"prompt is too long|exceed(s)? (the )?context (window|limit)", "window"),
    (r"maximum context length", "window"),
    (r"another process is currently operating", "locked"),
)
_BY_TEXT = tuple((re.compile(text, re.IGNORECASE), kind) for text, kind in _TEXTS)
_BY_STATUS: dict[int, Kind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    408: "transient",
    409: "locked",
    429: "rate_limited",
    503: "overloaded",
    529: "overloaded",
}
_DELAY = re.compile(r"try again in (?:(\d+)m(?!s))?([\d.]+)(ms|s)", re.IGNORECASE)


def read_failure_response(
    status: int | None, error: object, headers: Mapping[str, str], now: float
) -> Failure:
    """The failure that an error body means; `error` may be the body or what is inside it."""
    found = error if isinstance(error, Mapping) else {}
    inner = found.get("error")
    found = inner if isinstance(inner, Mapping) else found
    details = found.get("details")
    named = details.get("error_code") if isinstance(details, Mapping) else None
    message = str(found.get("message") or error or f"HTTP {status}")[:_LONGEST_TEXT]
    code = str(named or found.get("code") or "")[:_LONGEST_ID]
    words = (code, str(found.get("type") or "")[:_LONGEST_ID])
    kind = _kind(status, words, message)
    delay = _delay(headers, message, now) if kind in ("rate_limited", "overloaded") else None
    said = headers.get("x-should-retry", "")
    asked = {"true": True, "false": False}.get(said)
    request = headers.get("x-request-id") or headers.get("request-id") or ""
    return Failure(kind, message, status, code or words[1], delay, asked, request[:_LONGEST_ID])


def _kind(status: int | None, words: tuple[str, str], message: str) -> Kind:
    for word in words:
        if word in _BY_CODE:
            return _BY_CODE[word]
    for pattern, kind in _BY_TEXT:
        if pattern.search(message):
            return kind
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "transient" if status is None or status >= 500 or status == 200 else "invalid"


def _delay(headers: Mapping[str, str], message: str, now: float) -> float | None:
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    if dated := headers.get("retry-after"):
        try:
            return max(0.0, parsedate_to_datetime(dated).timestamp() - now)
        except ValueError:
            pass
    found = _DELAY.search(message)
    if not found:
        return None
    minutes, amount, unit = found.groups()
    try:
        return int(minutes or 0) * 60 + float(amount) * (0.001 if unit == "ms" else 1.0)
    except (ValueError, OverflowError):
        return None


def read_exception(error: BaseException, now: float) -> Failure | None:
    """The failure that an exception of a provider's library means, None if it is another's."""
    refused = next((one for one in _causes(error) if isinstance(one, RefusedResponse)), None)
    if refused is not None:
        return Failure("malformed", str(refused))
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"APITimeoutError", "APIConnectionError", "TransportError", "TimeoutError"}:
        unsent = "ConnectError" in {type(cause).__name__ for cause in _causes(error)}
        what = "no connection" if unsent else "the connection ended without an answer"
        late = not unsent and bool(names & {"APITimeoutError", "TimeoutError"})
        why = "no answer came within the time limit." if late else f"{what} ({_last(error)})."
        return Failure("transient" if unsent else "ambiguous", why)
    if names & {"APIStatusError", "APIError"}:
        response = getattr(error, "response", None)
        headers = {k.lower(): v for k, v in dict(getattr(response, "headers", {})).items()}
        status = getattr(error, "status_code", None)
        body = getattr(error, "body", None) or str(error)
        return read_failure_response(status, body, headers, now)
    if names & {"APIResponseValidationError", "JSONDecodeError"}:
        why = _last(error)[:_LONGEST_TEXT]
        return Failure("ambiguous", f"the answer could not be read ({why}).")
    if names & {"UnicodeDecodeError", "RecursionError"} or _is_long_number(error):
        return Failure("malformed", f"the answer could not be read ({type(error).__name__}).")
    return None


def hide_failed_key(failure: Failure, key: str) -> Failure:
    """The failure without the key, which some servers repeat in their words."""
    if len(key) < _SHORTEST_KEY:
        return failure
    hidden = {
        name: getattr(failure, name).replace(key, "[key]")
        for name in ("message", "code", "request")
    }
    return replace(failure, **hidden)


def _is_long_number(error: BaseException) -> bool:
    """Whether JSON could not be read because of a number with thousands of digits."""
    return type(error) is ValueError and "integer string conversion" in str(error)


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _last(error: BaseException) -> str:
    cause = _causes(error)[-1]
    return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__


def compute_retry_wait(failure: Failure, nth: int, jitter: float) -> float | None:
    """Seconds to wait before attempt `nth + 1`, None if there must be none."""
    if failure.retry is False or (failure.kind not in RETRIES and failure.retry is not True):
        return None
    if failure.retry_after is not None:
        return failure.retry_after
    rule = RETRIES.get(failure.kind, RETRIES["transient"])
    wait = min(rule.most, rule.first * 2.0 ** (nth - 1))
    return float(wait * (1.0 + 0.25 * jitter))
