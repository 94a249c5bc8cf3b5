"""Summaries that a model writes in the background: early, once, and only for the same history."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from director import ContextConfig, ContextManager
from director.middleware.background_summaries import make_summary_writer
from director.middleware.managed_threads import FittedThreads
from middleware import loops

LIMIT = 3_000


def history(steps: int, text: str = "Find the cheapest mug.") -> list[Any]:
    """A request, and so many pages that were read for it."""
    messages: list[Any] = [{"role": "user", "content": text}]
    for step in range(steps):
        function = {"name": "open_page", "arguments": f'{{"number": {step}, "shop": "S-4711"}}'}
        call = {"id": f"c{step}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append(
            {"role": "tool", "tool_call_id": f"c{step}", "content": loops.page(step, 30)}
        )
    return messages


class Writing:
    """A model that says what it was asked in a line, and counts."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> str:
        """A summary that loses nothing."""
        self.asked.append(text)
        told = [f"code_{n}=K{n * 37 + 11}" for n in range(40) if f"code_{n}=" in text]
        return "WRITTEN: Find the cheapest mug of S-4711. " + " ".join(told)


def threads(writes: Any) -> FittedThreads:
    """Threads of a small limit with a summariser."""
    config = ContextConfig(strategy="hybrid", budget=LIMIT, compression_level="low")
    return FittedThreads(ContextManager(config), writes=writes)


def walk(made: FittedThreads, steps: int, thread: str = "one", first: int = 1) -> list[Any]:
    """Feed a growing history; what was sent last."""
    sent: list[Any] = []
    for number in range(first, steps + 1):
        sent = made.fit(history(number), thread).messages
        made.summaries.settle(60)
    return sent


def said(messages: list[Any]) -> str:
    """All that was sent, as text."""
    return "\n".join(str(message["content"]) for message in messages)


def test_a_summary_is_ready_when_it_is_needed_and_stays_the_same() -> None:
    """Asked for before the limit is passed; afterwards the sent prefix does not change."""
    writing = Writing()
    made = threads(writing)
    before = made.fit(history(1), "one").report
    assert before.after < LIMIT
    sent = walk(made, 8)
    assert "WRITTEN" in said(sent)
    assert made.summaries is not None
    assert made.summaries.ready >= 1
    again = made.fit(history(8), "one").messages
    assert again == sent


def test_every_fact_survives_a_long_run_and_each_turn_is_paid_for_once() -> None:
    """Later summaries build on earlier ones; no turn is shown to the summariser twice."""
    writing = Writing()
    sent = walk(threads(writing), 24)
    text = said(sent)
    assert all(f"code_{n}=K{n * 37 + 11}" in text for n in range(24))
    bodies = [asked.partition("<conversation>")[2] for asked in writing.asked]
    for number in range(24):
        shown = sum(f'call open_page {{"number": {number}, ' in body for body in bodies)
        assert shown <= 1


def test_a_history_that_changed_does_not_get_the_summary_of_another() -> None:
    """Edited while a summary was under way: it is thrown away."""
    hold = threading.Event()
    answers = ["S-4711 of what is no more", *["S-4711 of what is"] * 9]

    def writes(_: str) -> str:
        hold.wait(60)
        return answers.pop(0)

    made = threads(writes)
    steps = 1
    while made.summaries is not None and made.summaries.asked == 0:
        made.fit(history(steps), "one")
        steps += 1
    hold.set()
    made.summaries.settle(60)
    for number in range(steps, steps + 8):
        sent = made.fit(history(number, "Find the dearest mug."), "one").messages
        assert "of what is no more" not in said(sent)
    assert "dearest" in said(sent)


def test_threads_have_summaries_of_their_own() -> None:
    """What was written for one is not shown to another."""
    writing = Writing()
    made = threads(writing)
    walk(made, 8, "one")
    other = made.fit([{"role": "user", "content": "Who are you?"}], "two").messages
    assert other == [{"role": "user", "content": "Who are you?"}]


def test_no_request_waits_for_a_summary() -> None:
    """While the model is at work, excerpts are sent, valid and within the limit."""
    begun, hold = threading.Event(), threading.Event()
    started: list[str] = []

    def writes(text: str) -> str:
        started.append(text)
        begun.set()
        hold.wait(60)
        return "late"

    made = threads(writes)
    for steps in range(1, 15):
        fitted = made.fit(history(steps), "one")
        assert fitted.report.fits
    assert begun.wait(60)
    assert len(started) == 1
    hold.set()


def test_closed_threads_go_on_in_excerpts() -> None:
    """Nothing more is begun, and a summary that comes later is not used."""
    hold = threading.Event()
    asked: list[str] = []

    def writes(text: str) -> str:
        asked.append(text)
        hold.wait(120)
        return "written too late"

    made = threads(writes)
    steps = 1
    while not asked:
        made.fit(history(steps), "one")
        steps += 1
    made.close()
    hold.set()
    for more in range(steps, steps + 8):
        fitted = made.fit(history(more), "one")
        assert fitted.report.fits
        assert "written too late" not in said(fitted.messages)
    assert len(asked) == 1


@pytest.mark.promise("A4")
@pytest.mark.parametrize("failure", ["raises", "empty", "worthless"])
def test_a_failed_summary_is_never_sent(failure: str) -> None:
    """An error, nothing, or nonsense: the facts are still there, in excerpts."""
    asked: list[str] = []

    def writes(text: str) -> str:
        asked.append(text)
        if failure == "raises":
            raise ConnectionError("network error: rate limited")
        return "" if failure == "empty" else "I cannot help with that."

    made = threads(writes)
    sent = walk(made, 14)
    text = said(sent)
    assert all(f"code_{n}=K{n * 37 + 11}" in text for n in range(14))
    assert "network error" not in text
    assert "cannot help" not in text
    assert made.summaries is not None
    assert made.summaries.failed == (len(asked) if failure == "raises" else 0)
    assert len(asked) < 8


def test_coroutines_and_models_of_langchain_can_write() -> None:
    """Whatever answers a text with a text; what cannot is refused at once."""

    async def writes(text: str) -> str:
        return Writing()(text)

    assert "WRITTEN" in said(walk(threads(writes), 8))

    class Model:
        def invoke(self, text: str) -> Any:
            return type("Message", (), {"text": text[:3]})()

    writer = make_summary_writer(Model())
    assert writer is not None
    assert writer("abcdef") == "abc"
    with pytest.raises(TypeError, match="answers a text with a text"):
        make_summary_writer(7)
