"""`fit_messages`: any wire form in, the same out, nothing lost and every cut said."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chats import Message, chats
from director import Budget, Summary, chars4, counter_for, fit_messages


def shop(pages: int) -> list[Message]:
    """A run that opens product pages."""
    messages: list[Message] = [
        {"role": "system", "content": "You shop carefully."},
        {"role": "user", "content": "Find the cheapest red mug."},
    ]
    for at in range(pages):
        rows = [{"sku": f"MUG-{at}{n:02}", "price": n * 7 % 90, "stock": n} for n in range(40)]
        call = {"id": f"c{at}", "type": "function"}
        call["function"] = {"name": "list_products", "arguments": json.dumps({"page": at})}
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{at}", "content": json.dumps(rows)},
        ]
    return messages


def test_within_the_budget_and_without_compression_the_identical_objects_come_back() -> None:
    """Level none and room enough: nothing is even copied."""
    messages = shop(3)
    fitted = fit_messages(messages, budget=1_000_000, compression_level="none")
    assert all(a is b for a, b in zip(fitted.messages, messages, strict=True))
    assert fitted.report.losses == ()


def test_what_was_cut_is_read_back_to_the_letter() -> None:
    """Every handle of the report leads to the original."""
    messages = shop(8)
    fitted = fit_messages(messages, budget=1_500)
    assert fitted.report.fits
    assert fitted.report.losses
    originals = {fitted.recall(loss.handle) for loss in fitted.report.losses}
    for message in messages[3:-1:2]:
        assert any(str(message["content"]) in original for original in originals)


def test_an_unknown_handle_says_what_a_handle_looks_like() -> None:
    """A wrong word is an error with a way on."""
    with pytest.raises(KeyError, match="eight hex digits"):
        fit_messages(shop(1), budget=500).recall("nonsense")


def test_the_notice_in_a_shrunk_result_carries_a_handle_that_works() -> None:
    """The model can ask for what went."""
    fitted = fit_messages(shop(1), budget=700)
    text = str(fitted.messages[-1]["content"])  # type: ignore[index]
    handle = text.rpartition("recall ")[2].rstrip("]")
    assert json.loads(fitted.recall(handle))[0]["sku"] == "MUG-000"


def test_what_cannot_fit_is_sent_small_and_the_floor_is_named() -> None:
    """No exception for size; the report says what stands in the way."""
    messages: list[Message] = [
        {"role": "system", "content": "rule " * 5_000},
        {"role": "user", "content": "word " * 5_000},
    ]
    report = fit_messages(messages, budget=100).report
    assert not report.fits
    assert report.floor[0][0] == "system"
    assert "does not fit" in str(report)


@pytest.mark.parametrize("budget", [0, -5, 1.5, True, "many"])
def test_a_budget_that_is_no_size_is_refused(budget: object) -> None:
    """A clear error before anything happens."""
    with pytest.raises(ValueError, match="positive number of tokens"):
        fit_messages([], budget=budget)  # type: ignore[arg-type]


def test_wrong_names_are_answered_with_the_right_ones() -> None:
    """Strategy and level."""
    with pytest.raises(ValueError, match="sliding_window, checkpoint, hybrid, adaptive"):
        fit_messages([], budget=10, strategy="magic")
    with pytest.raises(ValueError, match="none, low, medium, high"):
        fit_messages([], budget=10, compression_level="extreme")  # type: ignore[arg-type]


def test_the_report_warns_where_the_budget_says() -> None:
    """A person is told before the limit is reached."""
    messages = shop(1)
    report = fit_messages(messages, budget=Budget(5_000, warn=100)).report
    assert report.fits
    assert report.warns
    assert not fit_messages(messages, budget=5_000).report.warns


def test_an_empty_history_stays_empty() -> None:
    """Nothing in, nothing out."""
    assert fit_messages([], budget=10).messages == []


def test_a_given_summary_stands_where_the_turns_it_covers_stood() -> None:
    """A model's summary replaces turns; the first request stays."""
    messages = shop(4)
    summary = Summary("Pages 0 and 1 held nothing red.", covers=(1, 2))
    fitted = fit_messages(messages, budget=1_000_000, summary=summary, compression_level="none")
    roles = [m["role"] for m in fitted.messages]  # type: ignore[index]
    assert roles == ["system", "user", "user", "assistant", "tool", "assistant", "tool"]
    assert fitted.messages[2] == {"role": "user", "content": summary.text}
    assert fitted.fold is not None
    assert [turn.at for turn in fitted.fold.turns] == [1, 2]


def test_a_broken_history_is_repaired_and_the_report_says_so() -> None:
    """Never silently."""
    messages = [*shop(1), {"role": "tool", "tool_call_id": "nobody", "content": "?"}]
    report = fit_messages(messages, budget=100_000).report
    assert len(report.repairs) == 1
    assert report.repairs[0].startswith("message 4: ")


@given(chats(), st.integers(60, 2_000), st.sampled_from(["hybrid", "checkpoint", "adaptive"]))
def test_the_sizes_by_kind_add_up(messages: list[Message], limit: int, strategy: str) -> None:
    """The report's parts are its whole, before and after."""
    budget = Budget(limit, counter=chars4)
    report = fit_messages(messages, budget=budget, strategy=strategy).report
    assert sum(kind.before for kind in report.kinds) == report.before
    assert sum(kind.after for kind in report.kinds) == report.after


@given(chats(), st.integers(60, 2_000))
def test_fitting_what_was_fitted_changes_nothing(messages: list[Message], limit: int) -> None:
    """Also across the wire, where only the notices tell what was shrunk."""
    budget = Budget(limit, counter=chars4)
    once = fit_messages(messages, budget=budget, strategy="hybrid")
    if once.report.fits and once.context.summary is None:
        assert fit_messages(once.messages, budget=budget).messages == once.messages


def test_tools_that_come_as_an_item_count_and_stay() -> None:
    """Codex sends them so: the item is the very object, and the rest leaves them their room."""
    tool = {"type": "function", "name": "look", "description": "word " * 2_000}
    tools = {"type": "additional_tools", "role": "developer", "tools": [tool]}
    history: list[object] = [
        {"type": "message", "role": "user", "content": f"{number}: " + "page " * 150}
        for number in range(40)
    ]
    size = counter_for()(json.dumps(tool))
    bare, fitted = (
        fit_messages([*ahead, *history], budget=6_000) for ahead in (list[object](), [tools])
    )
    assert fitted.messages[0] is tools
    assert fitted.report.fits
    assert fitted.report.before >= bare.report.before + size
    assert bare.report.after <= 6_000
    said = sum(counter_for()(str(message)) for message in fitted.messages[1:])
    assert said + size < 6_500
    late = fit_messages([history[0], tools, *history[1:]], budget=6_000)
    assert any(message is tools for message in late.messages)
    assert late.report.before == fitted.report.before
