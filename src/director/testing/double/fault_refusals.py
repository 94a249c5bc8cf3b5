"""The refusals that faults make, in each provider's words; none is the client's defect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from email.utils import formatdate
from math import ceil
from typing import TypeAlias

from director.testing.double import refusals, texts
from director.testing.double.api_keys import Api, read_api_key, refuse_api_key
from director.testing.double.exchange import ParsedRequest, Refusal

RATE_TEXT = (
    "Rate limit reached for {model} in organization org-double on tokens per min (TPM): "
    "Limit 30000, Used 22999, Requested 12528.{again} "
    "Visit https://platform.openai.com/account/rate-limits to learn more."
)
QUOTA_TEXT = (
    "You exceeded your current quota, please check your plan and billing details. For more "
    "information on this error, read the docs: "
    "https://platform.openai.com/docs/guides/error-codes/api-errors."
)
OVERLOAD_TEXT = "Our servers are currently overloaded. Please try again later."


def read_fault_number(with_: Mapping[str, object], name: str, otherwise: float) -> float:
    """A number that a fault was given, or another."""
    given = with_.get(name, otherwise)
    return float(given) if isinstance(given, int | float) else otherwise


def model_of(asked: ParsedRequest) -> str:
    """The model that a request names."""
    return str(asked.body.get("model", ""))


def write_rate_refusal(model: str, seconds: float | None) -> str:
    """OpenAI's words for a rate limit, with the delay in them when there is one."""
    again = f" Please try again in {seconds:g}s." if seconds is not None else ""
    return RATE_TEXT.format(model=model, again=again)


def _rate_headers(with_: Mapping[str, object], seconds: float, now: float) -> dict[str, str]:
    if with_.get("none") or with_.get("silent"):
        return {}
    if with_.get("date"):
        return {"retry-after": formatdate(now + seconds, usegmt=True)}
    if "retry_after_ms" in with_:
        return {"retry-after-ms": f"{read_fault_number(with_, 'retry_after_ms', 0):g}"}
    return {"retry-after": str(max(1, ceil(seconds)))}


def refuse_by_rate_limit(
    api: Api, asked: ParsedRequest, with_: Mapping[str, object], now: float
) -> Refusal:
    """429, with its delay in a header, as a date, only in the text, or nowhere."""
    seconds = read_fault_number(with_, "retry_after_ms", 0) / 1000 or read_fault_number(
        with_, "retry_after", 1
    )
    headers = _rate_headers(with_, seconds, now)
    if api == "anthropic":
        message = (
            "This request would exceed your organization's rate limit of 30,000 input tokens "
            "per minute."
        )
        return refusals.write_anthropic_refusal(
            "rate_limit",
            message,
            status=429,
            kind="rate_limit_error",
            error_code="ramp_limit_exceeded" if with_.get("ramp") else "",
            headers=headers,
            defect=False,
        )
    return refusals.write_openai_refusal(
        "rate_limit",
        write_rate_refusal(model_of(asked), None if with_.get("silent") else seconds),
        status=429,
        kind="tokens",
        code="rate_limit_exceeded",
        headers=headers,
        defect=False,
    )


def _quota(api: Api, _asked: ParsedRequest, _with: Mapping[str, object], _now: float) -> Refusal:
    if api == "anthropic":
        message = (
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & "
            "Billing to upgrade or purchase credits."
        )
        return refusals.write_anthropic_refusal(
            "quota", message, status=402, kind="billing_error", defect=False
        )
    kind = "insufficient_quota"
    return refusals.write_openai_refusal(
        "quota", QUOTA_TEXT, status=429, kind=kind, code=kind, defect=False
    )


def _server_error(
    api: Api, _asked: ParsedRequest, with_: Mapping[str, object], _now: float
) -> Refusal:
    status = int(read_fault_number(with_, "status", 500))
    retry = with_.get("should_retry")
    headers = {} if retry is None else {"x-should-retry": str(bool(retry)).lower()}
    if api == "anthropic":
        kind = "timeout_error" if status == 504 else "api_error"
        return refusals.write_anthropic_refusal(
            "server_error",
            "Internal server error",
            status=status,
            kind=kind,
            headers=headers,
            defect=False,
        )
    return refusals.write_openai_refusal(
        "server_error",
        texts.SERVER,
        status=status,
        kind="server_error",
        headers=headers,
        defect=False,
    )


def _refuse_overloaded(
    api: Api, _asked: ParsedRequest, with_: Mapping[str, object], _now: float
) -> Refusal:
    if api == "anthropic":
        kind = "overloaded_error"
        return refusals.write_anthropic_refusal(
            "overloaded", "Overloaded", status=529, kind=kind, defect=False
        )
    return refusals.write_openai_refusal(
        "overloaded",
        OVERLOAD_TEXT,
        status=503,
        kind="service_unavailable_error",
        code=str(with_.get("code", "server_is_overloaded")),
        defect=False,
    )


def _window(api: Api, _asked: ParsedRequest, with_: Mapping[str, object], _now: float) -> Refusal:
    limit = int(read_fault_number(with_, "limit", 200_000))
    size = int(read_fault_number(with_, "size", limit + 1))
    if api == "anthropic":
        message = texts.MESSAGES_WINDOW.format(size=size, limit=limit)
        return refusals.write_anthropic_refusal("window", message, defect=False)
    text = texts.CHAT_WINDOW.format(limit=limit, size=size) if api == "chat" else texts.WINDOW
    param = "messages" if api == "chat" else "input"
    return refusals.write_openai_refusal(
        "window", text, param=param, code="context_length_exceeded", defect=False
    )


def _key_revoked(
    api: Api, asked: ParsedRequest, _with: Mapping[str, object], _now: float
) -> Refusal:
    return refuse_api_key(api, read_api_key(asked.headers), defect=False)


def _model_retired(
    api: Api, asked: ParsedRequest, _with: Mapping[str, object], _now: float
) -> Refusal:
    model = model_of(asked)
    if api == "anthropic":
        return refusals.write_anthropic_refusal(
            "model_retired", f"model: {model}", status=404, kind="not_found_error", defect=False
        )
    message = (
        f"The model `{model}` has been deprecated, learn more here: "
        "https://platform.openai.com/docs/deprecations"
    )
    return refusals.write_openai_refusal(
        "model_retired", message, status=404, code="model_not_found", defect=False
    )


def _refuse_locked(
    _api: Api, _asked: ParsedRequest, _with: Mapping[str, object], _now: float
) -> Refusal:
    return refusals.write_openai_refusal(
        "locked", texts.LOCKED, code="conversation_locked", defect=False
    )


Make: TypeAlias = Callable[[Api, ParsedRequest, Mapping[str, object], float], Refusal]
GATE: dict[str, Make] = {
    "key_revoked": _key_revoked,
    "rate_limit": refuse_by_rate_limit,
    "quota": _quota,
    "server_error": _server_error,
    "overloaded": _refuse_overloaded,
}
DOOR: dict[str, Make] = {
    "model_retired": _model_retired,
    "locked": _refuse_locked,
    "window": _window,
    "window_after_results": _window,
}


def find_fault_refusal(
    table: Mapping[str, Make], api: Api, asked: ParsedRequest, now: float
) -> tuple[str, Refusal] | None:
    """The first fault of a table that strikes a request, and the refusal it makes."""
    for fault in asked.faults:
        if fault.kind in table:
            return fault.kind, table[fault.kind](api, asked, fault.with_, now)
    return None
