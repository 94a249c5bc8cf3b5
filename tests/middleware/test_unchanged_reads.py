"""A client that answers a second read with "unchanged since your last Read": the text comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from director.context.wire.shape import look
from director.manager import ContextConfig
from director.middleware.api_bodies import fit_body
from director.middleware.managed_threads import FittedThreads

POINTER = (
    "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead."
)
BUDGET = 6_000


def text(number: int) -> str:
    """A file with one line that no other has."""
    rows = [f"def handler_{number}_{row}(request): return {number * row}" for row in range(200)]
    return "\n".join([*rows[:100], f"PORT = {5_000 + number}", *rows[100:]])


def reads(*numbers: int) -> list[dict[str, Any]]:
    """Messages of Anthropic: each file is read; one that was read before is answered by a pointer."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Which port has each file?"}]
    known: set[int] = set()
    for place, number in enumerate(numbers):
        use = {"name": "Read", "input": {"file_path": f"/app/{number}.py"}, "id": f"toolu_{place}"}
        result = POINTER if number in known else text(number)
        known.add(number)
        block = {"type": "tool_result", "tool_use_id": f"toolu_{place}", "content": result}
        messages.append({"role": "assistant", "content": [{"type": "tool_use", **use}]})
        messages.append({"role": "user", "content": [block]})
    return messages


def fit(threads: FittedThreads, messages: list[dict[str, Any]]) -> list[Any]:
    """What would be sent."""
    body = {"model": "claude-sonnet-5-5", "messages": messages}
    sent: Any = fit_body(body, "anthropic", threads).body["messages"]
    return list(sent)


def shown(messages: list[Any]) -> str:
    """All words of them."""
    return json.dumps(messages, ensure_ascii=False)


def test_a_pointer_to_what_has_left_becomes_what_it_points_to() -> None:
    """The first file has left when it is read again; its line is there, within the budget."""
    history = reads(0, 1, 2, 3, 0)
    sent = fit(FittedThreads(ContextConfig(budget=BUDGET)), history)
    result = sent[-1]["content"][0]
    assert "PORT = 5000" in look(result["content"])[0]
    assert result["tool_use_id"] == "toolu_4"
    assert POINTER not in shown(sent)


def test_a_pointer_to_what_is_there_stays() -> None:
    """Below the budget the very messages go; above it a file that is still whole is sent once."""
    threads = FittedThreads(ContextConfig(budget=100_000))
    history = reads(0, 1, 0)
    assert fit(threads, history) == history
    sent = shown(fit(FittedThreads(ContextConfig(budget=9_000)), reads(0, 1, 2, 3, 3)))
    assert POINTER in sent
    assert sent.count("def handler_3_199(request)") == 1


@pytest.mark.parametrize("budget", [4_000, 6_000, 8_000, 10_000])
def test_what_was_just_read_again_can_always_be_read(budget: int) -> None:
    """As the pointer's target or in its place, whatever the budget."""
    sent = fit(FittedThreads(ContextConfig(budget=budget)), reads(0, 1, 2, 3, 3))
    assert "PORT = 5003" in shown(sent)
    sent = fit(FittedThreads(ContextConfig(budget=budget)), reads(0, 1, 2, 3, 1))
    assert "PORT = 5001" in shown(sent)


@pytest.mark.parametrize("last", range(5, 9))
def test_later_requests_and_a_restart_decide_alike(last: int) -> None:
    """Call by call through one proxy, and at once through a new one, the same is sent."""
    history = reads(0, 1, 2, 3, 0, 4, 1, 5)
    threads = FittedThreads(ContextConfig(budget=BUDGET))
    for calls in range(1, last + 1):
        one_by_one = fit(threads, history[: 1 + 2 * calls])
    anew = fit(FittedThreads(ContextConfig(budget=BUDGET)), history[: 1 + 2 * last])
    assert one_by_one == anew


def test_other_short_results_are_left_alone() -> None:
    """Only a result that points is one; a first read that says so has nothing to point to."""
    history = reads(0, 1, 2, 3)
    history[2]["content"][0]["content"] = POINTER
    sent = fit(FittedThreads(ContextConfig(budget=BUDGET)), [*history, *reads(0)[1:]])
    assert "PORT = 5000" in shown(sent)
