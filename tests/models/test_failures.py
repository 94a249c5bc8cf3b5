"""Errors of providers, by class, and how long to wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.models.failures import (
    ADVICE,
    RETRIES,
    Failure,
    Kind,
    ModelError,
    compute_retry_wait,
    read_exception,
    read_failure_response,
)
from director.models.values import Attempt

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, {"code": "previous_response_not_found", "message": "…"}, "state_lost"),
        (400, {"message": "Invalid `previous_response_id`."}, "state_lost"),
        (
            400,
            {
                "code": "unsupported_parameter",
                "message": "Previous response cannot be used for this organization due to Zero "
                "Data Retention.",
            },
            "state_lost",
        ),
        (404, {"message": "Response with id 'resp_1' not found."}, "state_lost"),
        (400, {"message": "No tool output found for function call call_1."}, "pairing"),
        (400, {"code": "conversation_locked", "message": "…"}, "locked"),
        (400, {"code": "context_length_exceeded", "message": "…"}, "window"),
        (400, {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}, "window"),
        (429, {"type": "insufficient_quota", "code": "insufficient_quota"}, "quota"),
        (429, {"type": "tokens", "code": "rate_limit_exceeded"}, "rate_limited"),
        (529, {"type": "overloaded_error", "message": "Overloaded"}, "overloaded"),
        (500, {"message": "…"}, "transient"),
        (None, {"message": "…"}, "transient"),
        (401, {"code": "invalid_api_key"}, "auth"),
        (402, {"type": "billing_error"}, "quota"),
        (404, {"type": "not_found_error", "message": "model: x"}, "invalid"),
        (400, {"details": {"error_code": "thread_not_found"}, "message": "…"}, "state_lost"),
        (400, {"code": "invalid_encrypted_content"}, "thinking_lost"),
    ],
)
def test_an_error_has_its_class(status: int | None, error: dict[str, object], kind: Kind) -> None:
    """The code decides, then the text, then the status; nested or flat."""
    assert read_failure_response(status, error, {}, NOW).kind == kind
    assert read_failure_response(status, {"error": error}, {}, NOW).kind == kind


@pytest.mark.parametrize(
    ("headers", "text", "seconds"),
    [
        ({"retry-after": "3"}, "", 3.0),
        ({"retry-after-ms": "250", "retry-after": "3"}, "", 0.25),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:10 GMT"}, "", 10.0),
        ({}, "Please try again in 11.054s. Visit …", 11.054),
        ({}, "Please try again in 6m3s.", 363.0),
        ({}, "Please try again in 120ms.", 0.12),
        ({"retry-after": "soon"}, "", None),
    ],
)
def test_the_wait_is_what_the_header_or_the_text_says(
    headers: dict[str, str], text: str, seconds: float | None
) -> None:
    """Milliseconds before seconds before a date before words."""
    found = read_failure_response(
        429, {"code": "rate_limit_exceeded", "message": text}, headers, NOW
    )
    assert found.retry_after == (None if seconds is None else pytest.approx(seconds))


@given(st.dictionaries(st.text(), st.text()), st.text(), st.integers() | st.none())
def test_anything_can_be_read(error: dict[str, str], text: str, status: int | None) -> None:
    """No error body makes the reader fail."""
    assert read_failure_response(status, error, {"retry-after": text}, NOW).kind in ADVICE
    assert read_failure_response(status, text, {}, NOW).kind in ADVICE


def test_final_failures_are_not_tried_again() -> None:
    """Unless the provider says so, and never when it says no."""
    for kind in ADVICE:
        wait = compute_retry_wait(Failure(kind, ""), 1, 0.0)
        assert (wait is not None) == (kind in RETRIES)
        assert compute_retry_wait(Failure(kind, "", retry=False), 1, 0.0) is None
        assert compute_retry_wait(Failure(kind, "", retry=True), 1, 0.0) is not None


def test_waits_grow_and_stay_bounded() -> None:
    """Each is twice the one before, up to the most."""
    waits = [compute_retry_wait(Failure("transient", ""), nth, 0.0) for nth in range(1, 9)]
    assert waits == [0.5, 1, 2, 4, 8, 8, 8, 8]


def test_an_exception_of_ours_is_not_taken_for_a_providers() -> None:
    """A mistake in a tool or in this program is raised as it is."""
    assert read_exception(KeyError("x"), NOW) is None
    assert read_exception(ValueError("x"), NOW) is None


def test_an_error_says_what_happened_and_what_to_do() -> None:
    """Kind, message, attempts, advice."""
    tried = (Attempt(1, "quota"), Attempt(2, "quota"))
    error = ModelError(Failure("quota", "No money."), tried)
    assert str(error) == f"quota after 2 attempts: No money. {ADVICE['quota']}"
    assert error.kind == "quota"
