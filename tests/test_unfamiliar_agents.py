"""Agents that nothing was chosen for: what the next call needs is there, and nothing is broken."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest

from chats import Message
from director import ContextConfig, ContextManager, counter_for
from director.api import Fitted
from unfamiliar_agents import analyse_trips, debug_cluster, query_warehouse

TOKENS = counter_for()
LITERAL = re.compile(r"[A-Za-z]+[-_][A-Za-z]*[-_]?[0-9a-f]+")
RUNS: dict[str, tuple[Callable[[int], list[Message]], float]] = {
    "warehouse": (query_warehouse, 0.9),
    "cluster": (debug_cluster, 0.9),
    "notebook": (analyse_trips, 0.85),
}
SHARES = (0.5, 0.3)


def text_of(messages: list[Message]) -> str:
    """All that a model would read, as it would read it."""
    said = [str(message["content"]) for message in messages]
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    return "\n".join([*said, *(call["function"]["arguments"] for call in calls)])


def play(
    messages: list[Message], share: float, **fields: bool
) -> Iterator[tuple[int, int, Fitted]]:
    """What is sent at each call, with where the call stands and the budget."""
    head, total = (TOKENS(text_of(given)) for given in (messages[:2], messages))
    budget = int(head + share * (total - head))
    manager = ContextManager(ContextConfig(strategy="hybrid", budget=budget, **fields))  # type: ignore[arg-type]
    for at, message in enumerate(messages):
        if message["role"] == "assistant":
            yield at, budget, manager.fit(messages[:at])
    yield len(messages), budget, manager.fit(messages)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", RUNS)
def test_what_the_next_call_names_is_still_there(kind: str, share: float) -> None:
    """Names that only older turns hold: nearly all of them, at half of the size and below."""
    make, least = RUNS[kind]
    needed = kept = 0
    for seed in (1, 2):
        messages = make(seed)
        for at, _, fitted in play(messages, share):
            if at == len(messages) or not messages[at].get("tool_calls"):
                continue
            named = set(LITERAL.findall(text_of(messages[at : at + 1])))
            older, new = text_of(messages[2 : at - 1]), text_of([*messages[:2], messages[at - 1]])
            wanted = {name for name in named if name in older and name not in new}
            needed += len(wanted)
            kept += sum(name in text_of(fitted.messages) for name in wanted)  # type: ignore[arg-type]
    assert needed > 15
    assert kept >= least * needed


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", RUNS)
def test_nothing_is_taken_that_must_stay(kind: str, share: float) -> None:
    """Same objects below the budget, never above it, the user's words, the newest result whole."""
    messages = RUNS[kind][0](3)
    for at, budget, fitted in play(messages, share):
        given, sent = messages[:at], fitted.messages
        assert fitted.report.fits
        assert given[-1] is sent[-1]
        if fitted.report.before <= budget:
            assert all(one is other for one, other in zip(given, sent, strict=True))
        said = [one["content"] for one in given if one["role"] == "user"]
        assert [text for text in said if text not in text_of(sent)] == []  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", RUNS)
def test_every_reference_that_is_named_can_be_opened(kind: str) -> None:
    """And none is named where nothing opens it."""
    messages = RUNS[kind][0](4)
    found = 0
    for _, _, fitted in play(messages, 0.3):
        said = text_of(fitted.messages)  # type: ignore[arg-type]
        found += "recall tN" in said
        named = (
            [f"t{turn}" for turn in fitted.context.summary.covers] if "recall tN" in said else []
        )  # type: ignore[union-attr]
        for reference in [*named, *re.findall(r"recall ([0-9a-f]{8})", said)]:
            assert fitted.recall(reference)
    assert found
    assert not any(
        "recall" in json.dumps(f.messages) for _, _, f in play(messages, 0.3, recall=False)
    )


def test_a_row_of_a_table_in_excerpts_comes_with_the_names_of_its_columns() -> None:
    """A row without its header says little; rows of measured values leave room for names."""
    last = [fitted for _, _, fitted in play(analyse_trips(1), 0.3)][-1]
    excerpts = [str(m["content"]) for m in last.messages if "Left out of" in str(m["content"])]  # type: ignore[index]
    lines = "\n".join(excerpts).splitlines()
    rows = [at for at, line in enumerate(lines) if re.search(r"\d+\|\d+\.\d{4}\|\d+\.\d{4}", line)]
    assert rows
    for at in rows:
        above = next(i for i in range(at, -1, -1) if not re.search(r"\|\d+\.\d{4}\|", lines[i]))
        assert re.search(r"(?:fare|trip|zone|wait)_\w+", lines[above])
