"""`ContextManager`: the same as one call with everything, for the price of what is new."""

from __future__ import annotations

import asyncio
import copy
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chats import Message, chats
from director import Budget, ContextConfig, ContextManager, chars4, fit_messages
from director.context.wire import problems

STRATEGIES = ["sliding_window", "checkpoint", "hybrid", "adaptive"]


def calls_of(messages: list[Message]) -> list[list[Message]]:
    """The history at each model call."""
    points = [i for i, m in enumerate(messages) if m["role"] == "assistant" and i]
    return [messages[:i] for i in points] + [messages]


def long_run(steps: int) -> list[Message]:
    """A long run with short results."""
    messages: list[Message] = [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "Check every order."},
    ]
    for at in range(steps):
        call = {"id": f"c{at}", "type": "function"}
        call["function"] = {"name": "check", "arguments": f'{{"order": "A-{at}"}}'}
        messages += [
            {"role": "assistant", "content": f"Order {at}.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{at}", "content": f"A-{at} is fine, total {at}.50"},
        ]
    return messages


@settings(max_examples=settings.default.max_examples * 2 // 5)
@given(chats(), st.integers(60, 1_500), st.sampled_from(STRATEGIES))
def test_many_calls_give_what_one_call_gives(
    messages: list[Message], limit: int, strategy: str
) -> None:
    """State only saves work: it decides nothing."""
    budget = Budget(limit, counter=chars4)
    config = ContextConfig(strategy=strategy, budget=budget, max_snapshot_depth=12)
    manager = ContextManager(config)
    for history in calls_of(messages):
        step = manager.fit(copy.deepcopy(history))
        whole = fit_messages(history, budget=budget, strategy=strategy)
        assert step.messages == whole.messages
        assert (step.report.before, step.report.after) == (whole.report.before, whole.report.after)


def test_a_call_parses_and_counts_the_new_messages_only() -> None:
    """One message more is one text more, whatever came before."""
    manager = ContextManager(ContextConfig(strategy="hybrid", budget=2_000))
    messages = long_run(400)
    manager.fit(messages)
    parsed, counted = manager.metrics.parsed, manager.metrics.counted
    manager.fit([*messages, {"role": "user", "content": "And now the last word."}])
    assert manager.metrics.parsed - parsed == 1
    assert manager.metrics.counted - counted <= 2


def test_the_wire_is_known_as_soon_as_a_message_tells_it() -> None:
    """An Anthropic history begins with a message that any wire could hold."""
    messages: list[Message] = [{"role": "user", "content": "Check every order."}]
    for at in range(40):
        use = {"type": "tool_use", "id": f"t{at}", "name": "check", "input": {"order": at}}
        result = {"type": "tool_result", "tool_use_id": f"t{at}", "content": f"A-{at} is fine " * 9}
        messages += [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ]
    manager = ContextManager(ContextConfig(strategy="hybrid", budget=600))
    for end in range(1, len(messages) + 1, 2):
        step = manager.fit(messages[:end])
        whole = fit_messages(messages[:end], budget=600)
        assert step.messages == whole.messages
        assert problems(step.messages, "anthropic") == []
    assert step.report.fits
    assert step.fold is not None


def test_another_history_is_read_from_the_start() -> None:
    """A manager that is fed an edited history does not mix the two."""
    manager = ContextManager(ContextConfig(strategy="hybrid", budget=5_000))
    manager.fit(long_run(10))
    other: list[Message] = [{"role": "user", "content": "Something else."}]
    assert manager.fit(other).messages == other


def test_without_a_budget_the_window_counts_messages() -> None:
    """Cut back to about `window_size` on reaching twice as many."""
    manager = ContextManager(ContextConfig(window_size=10))
    sizes = []
    for history in calls_of(long_run(40)):
        sent = asyncio.run(manager.process_messages(history))
        sizes.append(len(sent))
        assert sent[:2] == history[:2]
    assert max(sizes) < 20
    rewrites = sum(b < a for a, b in pairwise(sizes))
    assert rewrites <= len(sizes) // 4


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_keeps_a_window_of_messages(strategy: str) -> None:
    """A summary is one message of them."""
    manager = ContextManager(ContextConfig(strategy=strategy, window_size=8))
    for history in calls_of(long_run(40)):
        assert len(manager.fit(history).messages) < 16


def test_switched_off_it_returns_the_same_objects() -> None:
    """Off is off."""
    manager = ContextManager(ContextConfig(enabled=False, window_size=1))
    messages = long_run(30)
    assert all(a is b for a, b in zip(manager.fit(messages).messages, messages, strict=True))


def test_a_checkpoint_names_the_phase_the_caller_gave() -> None:
    """`current_phase` is in the checkpoint's first lines."""
    manager = ContextManager(ContextConfig(strategy="checkpoint", budget=700))
    sent: list[object] = []
    for at, history in enumerate(calls_of(long_run(60))):
        phase = "counting" if at < 30 else "billing"
        sent = asyncio.run(manager.process_messages(history, current_phase=phase))
    text = str(sent[2])
    assert "[Checkpoint]" in text
    assert "billing" in text


def test_the_metrics_tell_tokens_in_and_out_per_strategy() -> None:
    """What users of the summary expect to find."""
    manager = ContextManager(ContextConfig(strategy="hybrid", budget=600))
    assert manager.metrics.get_summary() == {"status": "no compression events", "calls": 0}
    for history in calls_of(long_run(60)):
        manager.fit(history)
    summary = manager.metrics.get_summary()
    assert summary["calls"] == 61
    given_, sent = summary["total_input_tokens"], summary["total_output_tokens"]
    assert isinstance(given_, int)
    assert isinstance(sent, int)
    assert 0 < sent < given_
    assert "hybrid" in dict(summary["by_strategy"])  # type: ignore[call-overload]


def test_a_window_of_nothing_is_refused_at_once() -> None:
    """A mistake in the configuration shows before the first call."""
    with pytest.raises(ValueError, match="window_size"):
        ContextManager(ContextConfig(window_size=0))
