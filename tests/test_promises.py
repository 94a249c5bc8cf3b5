"""The promises of docs/promises.md, seen from outside: only what a user of the library sees."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chats import Message, chats, faults, requests
from director import fit_messages

_BUDGETS = st.integers(50, 3_000)
_STRATEGIES = st.sampled_from(["sliding_window", "checkpoint", "hybrid", "adaptive"])

_FIT = """
import json, sys
from director import fit_messages
print(json.dumps(fit_messages(json.load(sys.stdin), budget=400).messages))
"""


@pytest.mark.promise("B1")
@given(chats(), _BUDGETS, _STRATEGIES)
def test_a_strict_provider_accepts_every_fitted_history(
    messages: list[Message], budget: int, strategy: str
) -> None:
    """No orphan, no duplicate, no call without its answer, whatever was cut."""
    assert faults(messages) == []
    fitted = fit_messages(messages, budget=budget, strategy=strategy)
    assert faults(list(fitted.messages)) == []


@pytest.mark.promise("B2")
@given(chats(), _BUDGETS, _STRATEGIES)
def test_nothing_larger_than_the_limit_is_called_fitting(
    messages: list[Message], budget: int, strategy: str
) -> None:
    """Either the result is within the limit, or the report says that it is not."""
    report = fit_messages(messages, budget=budget, strategy=strategy).report
    assert report.fits == (report.after <= report.limit)
    assert report.after <= report.before


@pytest.mark.promise("B3")
@given(chats(), _BUDGETS, _STRATEGIES)
def test_the_users_current_request_arrives_verbatim(
    messages: list[Message], budget: int, strategy: str
) -> None:
    """The last word of the user and the instructions are never touched."""
    sent = fit_messages(messages, budget=budget, strategy=strategy).messages
    assert sent[-1] == messages[-1]
    assert sent[0] == messages[0]


@pytest.mark.promise("B6")
@given(chats(), _BUDGETS)
def test_a_request_within_the_limit_extends_the_one_before(
    messages: list[Message], budget: int
) -> None:
    """Earlier text is rewritten only when the limit would otherwise be passed."""
    before: list[object] = []
    for request in requests(messages):
        fitted = fit_messages(request, budget=budget)
        now = list(fitted.messages)
        if fitted.report.before <= budget:
            assert now[: len(before)] == before
        before = now


@pytest.mark.promise("B7")
def test_the_same_history_gives_the_same_bytes_on_any_machine() -> None:
    """Hash seed, time zone and language of the process change nothing."""
    page = "\n".join(f'- link "Mug {n}" [ref=e{n}]: EUR {n}.50' for n in range(200))
    history = [
        {"role": "user", "content": "Find a mug."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": page},
    ]
    settings = (("0", "UTC", "C.UTF-8"), ("4711", "Asia/Tokyo", "de_DE.UTF-8"))
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _FIT],
            input=json.dumps(history).encode(),
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LANG": language},
            capture_output=True,
            check=True,
        ).stdout
        for seed, zone, language in settings
    }
    assert len(outputs) == 1


@pytest.mark.promise("B10")
@given(chats(), _BUDGETS, _STRATEGIES)
def test_the_callers_messages_are_never_altered(
    messages: list[Message], budget: int, strategy: str
) -> None:
    """What was given is the same afterwards, at any depth."""
    given_ = copy.deepcopy(messages)
    fit_messages(messages, budget=budget, strategy=strategy)
    assert messages == given_


@pytest.mark.promise("B10")
@given(chats())
def test_switched_off_it_is_invisible(messages: list[Message]) -> None:
    """With no compression and room enough, the identical objects come back."""
    sent = fit_messages(messages, budget=10**9, compression_level="none").messages
    assert [id(message) for message in sent] == [id(message) for message in messages]
