"""What the model sees is a projection of the thread: whole, in order, valid, and verbatim."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.context.values import AgentTurn, UserTurn
from director.context.wire import Wire, emit
from director.context.wire.parse_events import INTERRUPTED
from director.store.context_view import (
    build_thread_view,
    find_archived,
    list_visible_turns,
    project_context_view,
)
from director.store.values import EntryDraft
from store.threads import (
    WIRES,
    agent,
    entries_of,
    flaws,
    native,
    result,
    speaking,
    threads,
    turns_in,
    user,
)


def checkpoint(
    covers: list[int], summary: str = "short", previous: int | None = None
) -> EntryDraft:
    """A compression."""
    body = {"covers": covers, "summary": summary, "previous": previous, "by": "manual"}
    return EntryDraft("checkpoint", {**body, "before": 9, "after": 1, "head": 0})


def undo(seq: int) -> EntryDraft:
    """A compression undone."""
    return EntryDraft("restore", {"checkpoint": seq})


@given(threads())
def test_every_thread_is_valid_on_all_wires(drafts: list[EntryDraft]) -> None:
    """Calls without results, ids used twice, results of another wire: none of it gets through."""
    assert flaws(entries_of(drafts)) == []


@given(threads())
def test_every_turn_is_shown_once_under_the_number_of_its_entry(drafts: list[EntryDraft]) -> None:
    """No entry runs on into the next, none is missing, none comes twice."""
    entries = entries_of(drafts)
    assert [turn.at for turn in project_context_view(entries).turns] == sorted(turns_in(entries))
    assert list_visible_turns(entries) == tuple(sorted(turns_in(entries)))
    assert find_archived(entries) == frozenset()
    for wire in WIRES:
        sent = json.dumps(emit(project_context_view(entries), wire), ensure_ascii=False)
        for entry in entries:
            text = str(entry.body.get("text", ""))
            if entry.kind == "user":
                assert sent.count(json.dumps(text, ensure_ascii=False)) == 1


@pytest.mark.parametrize("wire", WIRES)
@given(data=st.data())
def test_items_of_a_provider_come_back_verbatim(wire: Wire, data: st.DataObject) -> None:
    """What was written is what is sent: the same JSON, in the same order."""
    drafts = data.draw(threads((wire,), whole=True))
    kept: list[Any] = []
    for draft in drafts:
        body: Any = draft.body
        if draft.kind == "agent":
            kept += body["items"]
        elif "native" not in body:
            kept.append(emit(project_context_view(entries_of([draft])), wire)[0])
        elif draft.kind == "result" and wire == "anthropic":
            block = body["native"]["message"]
            before = kept[-1]["content"] if kept else ""
            if isinstance(before, list) and before[-1]["type"] == "tool_result":
                before.append(block)
            else:
                kept.append({"role": "user", "content": [block]})
        else:
            kept.append(body["native"]["message"])
    sent: list[Any] = emit(project_context_view(entries_of(drafts)), wire)
    if wire == "anthropic" and kept and kept[0]["role"] == "assistant":
        sent = sent[1:]  # a line ahead of it says that the beginning is not shown
    assert json.dumps(sent) == json.dumps(kept)


@pytest.mark.promise("A2")
@given(threads(), st.data())
def test_each_turn_is_visible_or_covered(drafts: list[EntryDraft], data: st.DataObject) -> None:
    """After any compressions of whole units, restored or not, and turns said in between."""
    steps = list(drafts)
    made: list[int] = []
    for nth in range(data.draw(st.integers(1, 4))):
        now = build_thread_view(entries_of(steps))
        chosen = {seq for unit in now.units if data.draw(st.booleans()) for seq in unit}
        if made and data.draw(st.integers(0, 3)) == 0:
            steps.append(undo(data.draw(st.sampled_from(made))))
        elif chosen:
            top = now.current.seq if now.current else None
            steps.append(checkpoint(sorted(now.summary_turns | chosen), previous=top))
            made.append(len(steps))
        steps += data.draw(threads(start=100 * (nth + 1), most=2))
        entries = entries_of(steps)
        assert find_archived(entries) | set(list_visible_turns(entries)) == turns_in(entries)
        assert find_archived(entries).isdisjoint(list_visible_turns(entries))
        assert bool(project_context_view(entries).summary) == bool(find_archived(entries))
        assert flaws(entries) == []


@pytest.mark.parametrize("wire", WIRES)
def test_a_call_without_a_result_is_shown_as_interrupted(wire: Wire) -> None:
    """In the words of the model layer, as a failure; a result that came stays beside it."""
    drafts = [user("go"), speaking(wire, 1, "", ["a", "b"]), result("b", "done"), user("and?")]
    turn = project_context_view(entries_of(drafts)).turns[1]
    assert isinstance(turn, AgentTurn)
    assert [(call.id, call.result, call.failed) for call in turn.calls] == [
        ("a", INTERRUPTED, True),
        ("b", "done", False),
    ]


@pytest.mark.parametrize("wire", WIRES)
def test_a_failed_result_is_one_on_every_wire(wire: Wire) -> None:
    """Also where the wire itself has no word for it."""
    drafts = [
        speaking(wire, 1, "", ["a", "b"]),
        result("a", "no", failed=True, native=native(wire, "a", "no", failed=True)),
        result("b", "yes", native=native(wire, "b", "yes")),
    ]
    turn = project_context_view(entries_of(drafts)).turns[0]
    assert isinstance(turn, AgentTurn)
    assert [call.failed for call in turn.calls] == [True, False]


def test_a_result_belongs_to_the_latest_call_of_its_id() -> None:
    """Some servers count their ids anew in each answer."""
    drafts = [
        speaking("chat", 1, "", ["0"]),
        user("go on"),
        speaking("chat", 2, "", ["0"]),
        result("0", "second"),
        result("0", "nobody asked"),
    ]
    turns = project_context_view(entries_of(drafts)).turns
    found = [call.result for turn in turns if isinstance(turn, AgentTurn) for call in turn.calls]
    assert found == [INTERRUPTED, "second"]


def test_an_orphan_result_is_not_shown() -> None:
    """It is in the log, and no provider would take it."""
    entries = entries_of([user("go"), result("nobody", "asked")])
    assert project_context_view(entries).turns == (UserTurn(1, "go"),)


def test_two_answers_in_a_row_stay_two_turns() -> None:
    """Their items would otherwise be read as one response."""
    drafts = [user("go"), speaking("responses", 1, "one", []), speaking("responses", 2, "two", [])]
    assert [turn.text for turn in project_context_view(entries_of(drafts)).turns] == [
        "go",
        "one",
        "two",
    ]


def test_an_answer_with_nothing_to_send_is_still_a_turn() -> None:
    """Such as reasoning that was cut off, or items of a wire that is not known."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    for draft in (agent("responses", [thought]), agent("novel", [{"x": 1}])):  # type: ignore[arg-type]
        entries = entries_of([user("go"), draft, user("again")])
        assert list_visible_turns(entries) == (1, 2, 3)
        assert flaws(entries) == []
        assert len(emit(project_context_view(entries), "responses")) == 2


def test_the_summary_stands_where_the_first_covered_turn_stood() -> None:
    """Turns that were not chosen stay, before it and after it."""
    drafts = [user("one"), user("two"), user("three"), user("four"), checkpoint([2, 4], "S")]
    sent: list[Any] = emit(project_context_view(entries_of(drafts)), "chat")
    assert [message["content"] for message in sent] == ["one", "S", "three"]


@pytest.mark.promise("C4")
def test_a_restore_undoes_a_checkpoint_and_what_builds_on_it() -> None:
    """The one before is current again; undoing that gives the whole thread back."""
    drafts = [user(str(n)) for n in range(1, 5)]
    first = [*drafts, checkpoint([1, 2], "A")]
    second = [*first, checkpoint([1, 2, 3], "B", previous=5)]
    assert project_context_view(entries_of([*second, undo(6)])) == project_context_view(
        entries_of(first)
    )
    assert project_context_view(entries_of([*second, undo(5)])) == project_context_view(
        entries_of(drafts)
    )
    assert project_context_view(entries_of([*second, undo(6), undo(5)])) == project_context_view(
        entries_of(drafts)
    )


def test_a_checkpoint_without_a_summary_covers_nothing() -> None:
    """Whoever wrote it: what no text stands for stays visible."""
    entries = entries_of([user("one"), checkpoint([1], " \n")])
    assert project_context_view(entries).turns == (UserTurn(1, "one"),)


def test_deleted_turns_are_hidden() -> None:
    """They are in the log, and in no request."""
    drafts = [user("one"), user("two"), EntryDraft("delete", {"seqs": [1]})]
    assert list_visible_turns(entries_of(drafts)) == (2,)


def test_a_loop_with_thinking_is_one_unit() -> None:
    """A provider takes it whole or not at all; without thinking each turn is its own."""
    for thought, wanted in (("hm", ((1,), (2, 4), (6,))), ("", ((1,), (2,), (4,), (6,)))):
        drafts = [
            user("go"),
            speaking("anthropic", 1, "", ["a"], thought),
            result("a", "1"),
            speaking("anthropic", 2, "done", [], thought),
            checkpoint([], ""),
            user("next"),
            speaking("anthropic", 3, "fine", []),
        ]
        assert build_thread_view(entries_of(drafts)).units[: len(wanted)] == wanted


def test_what_is_going_on_is_not_compressed() -> None:
    """A request that waits for its answer, and a turn whose calls still run, stay in view."""
    asked = [user("one"), speaking("chat", 1, "done", []), user("two"), user("and three")]
    calling = [*asked, speaking("chat", 2, "", ["a", "b"]), result("a", "1")]
    answered = [*calling, result("b", "2")]
    over = [*answered, speaking("chat", 3, "done", [])]
    assert build_thread_view(entries_of(asked)).units == ((1,), (2,))
    assert build_thread_view(entries_of(calling)).units == ((1,), (2,))
    assert build_thread_view(entries_of(answered)).units == ((1,), (2,), (5,))
    assert build_thread_view(entries_of(over)).units == ((1,), (2,), (3,), (4,), (5,), (8,))
