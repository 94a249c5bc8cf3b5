"""The mind: it tells what its context shows and nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.models.script_engines.facts import find_fact_questions, find_text_facts, write_facts
from director.models.script_engines.mind import Mind, PlannedCall, score_facts
from director.models.script_values import Ask, Compact, Emit, Say, Seen, Shown


def _seen(*items: Shown, tools: tuple[str, ...] = (), instructions: str = "") -> Seen:
    return Seen("responses", "m", instructions, tools, items)


def _user(text: str) -> Shown:
    return Shown("user", text)


def _said(mind: Mind, seen: Seen) -> Emit:
    (said,) = mind(seen)
    return said


@pytest.mark.parametrize("kind", ["system", "user", "agent", "result", "compaction"])
def test_a_fact_is_told_from_wherever_it_stands(kind: str) -> None:
    """Turns, results and compactions all count as seen."""
    item = Shown(kind, "the colour=red, of course")  # type: ignore[arg-type]
    assert _said(Mind(), _seen(item, _user("What is colour?"))) == Say("colour=red")


def test_instructions_count_as_seen() -> None:
    """A fact in the instructions is told as long as they are sent."""
    asks = _user("ask: codename")
    assert _said(Mind(), _seen(asks, instructions="codename=owl.")) == Say("codename=owl")
    assert _said(Mind(), _seen(asks)) == Say("UNKNOWN")


def test_the_newest_value_is_told() -> None:
    """A later value stands for the earlier one."""
    seen = _seen(_user("size=4"), _user("no, size=5"), _user("What is the size?"))
    assert _said(Mind(), seen) == Say("size=5")


def test_what_was_lost_is_unknown() -> None:
    """Nothing is remembered from an earlier request."""
    mind = Mind()
    assert _said(mind, _seen(_user("size=4"), _user("ask: size"))) == Say("size=4")
    assert _said(mind, _seen(_user("ask: size"))) == Say("UNKNOWN")


def test_several_facts_can_be_asked_at_once() -> None:
    """Each is answered on a line of its own."""
    seen = _seen(_user('a=1 b="two words"'), _user("ask: a, b, c"))
    assert _said(Mind(), seen) == Say('a=1\nb="two words"\nUNKNOWN')


@pytest.mark.parametrize(
    ("tools", "call"),
    [
        (("get_size", "get_fact"), Ask("get_size")),
        (("get_fact",), Ask("get_fact", '{"key": "size"}')),
    ],
)
def test_a_lost_fact_is_looked_up_if_a_tool_is_offered(tools: tuple[str, ...], call: Ask) -> None:
    """The tool named after the fact comes first, then the general one."""
    assert _said(Mind(), _seen(_user("ask: size"), tools=tools)) == call


def test_what_a_look_up_brought_is_told() -> None:
    """The result of the tool is part of the context."""
    items = [_user("ask: size"), Shown("call", "{}", "get_size", "c")]
    found = [*items, Shown("result", "size=9", "get_size", "c")]
    assert _said(Mind(), _seen(*found, tools=("get_size",))) == Say("size=9")


def test_a_look_up_in_vain_is_not_repeated() -> None:
    """A tool that does not know either leads to UNKNOWN, not to a loop."""
    items = [_user("ask: size"), Shown("call", "{}", "get_size", "c")]
    missed = [*items, Shown("result", "no idea", "get_size", "c")]
    assert _said(Mind(), _seen(*missed, tools=("get_size",))) == Say("UNKNOWN")


def test_a_mind_does_its_tasks_before_it_answers() -> None:
    """Calls come in order, with the facts they need filled in."""
    mind = Mind([PlannedCall("find"), PlannedCall("open", '{"id": "{order}"}')], "total {total}")
    items = [_user("go")]
    assert _said(mind, _seen(*items)) == Ask("find")
    items += [Shown("call", "{}", "find", "1"), Shown("result", "order=A-7", "find", "1")]
    said = _said(mind, _seen(*items))
    assert said == Ask("open", '{"id": "A-7"}')
    items += [Shown("call", '{"id":"A-7"}', "open", "2"), Shown("result", "total=12", "open", "2")]
    assert _said(mind, _seen(*items)) == Say("total 12")


def test_a_task_whose_call_was_lost_is_done_again_unless_its_fact_is_kept() -> None:
    """Lost history costs work; a summary that keeps the fact saves it."""
    mind = Mind([PlannedCall("find", gives="order")], "end")
    assert _said(mind, _seen(Shown("compaction", "we searched"), _user("go on"))) == Ask("find")
    assert _said(mind, _seen(Shown("compaction", "order=A-7"), _user("go on"))) == Say("end")


def test_the_same_task_twice_needs_two_calls() -> None:
    """One call in the context does one task."""
    mind = Mind([PlannedCall("poll"), PlannedCall("poll")], "end")
    call = Shown("call", "{}", "poll", "c")
    assert _said(mind, _seen(_user("go"), call)) == Ask("poll")
    assert _said(mind, _seen(_user("go"), call, call)) == Say("end")


def test_a_call_that_is_no_json_is_no_task() -> None:
    """Whatever another model called before, the mind goes on."""
    broken = Shown("call", '{"id": ', "find", "c")
    assert _said(Mind([PlannedCall("find")]), _seen(_user("go"), broken)) == Ask("find")


def test_a_task_that_lacks_a_fact_looks_it_up_or_gives_up() -> None:
    """It never makes a value up."""
    mind = Mind([PlannedCall("open", '{"id": "{order}"}')])
    assert _said(mind, _seen(_user("go"), tools=("get_order",))) == Ask("get_order")
    assert _said(mind, _seen(_user("go"))) == Say("UNKNOWN")


def test_a_compaction_tells_every_fact_that_is_seen() -> None:
    """Asked to compact, the mind loses none."""
    seen = Seen("responses", "m", items=(_user("a=1 b=2"), _user("a=3")), purpose="compact")
    assert Mind()(seen) == (Compact("a=3\nb=2"),)


def test_a_value_with_quotes_cannot_break_a_call() -> None:
    """Facts are escaped when they go into arguments."""
    mind = Mind([PlannedCall("open", '{"id": "{path}"}')])
    said = _said(mind, _seen(_user(r"path=C:\new")))
    assert isinstance(said, Ask)
    assert json.loads(said.args) == {"id": r"C:\new"}


def test_the_score_is_the_share_of_facts_answered_right() -> None:
    """Wrong, missing and unknown count alike; a later answer counts."""
    truth = {"a": "1", "b": "2", "c": "3", "d": "4"}
    assert score_facts(truth, ["a=1", "b=9", "UNKNOWN", "b=2"]) == 0.5
    assert score_facts(truth, []) == 0.0
    assert score_facts({}, []) == 1.0


def test_nothing_asked_gets_a_plain_answer() -> None:
    """A turn without a question, or no turn at all, is noted."""
    assert _said(Mind(), _seen(_user("a=1"))) == Say("Noted.")
    assert _said(Mind(), _seen()) == Say("Noted.")


def test_questions_are_found_in_text() -> None:
    """Both forms, any case, each key once."""
    assert find_fact_questions("What is the api.key? what is x?  ASK: x, y_1") == [
        "api.key",
        "x",
        "y_1",
    ]
    assert find_fact_questions("What is it that you want") == []


_KEYS = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
_VALUES = st.text(
    st.characters(exclude_characters='"\n', exclude_categories=("Cc", "Cs", "Zl", "Zp")),
    min_size=1,
    max_size=20,
)


@given(st.dictionaries(_KEYS, _VALUES, max_size=6))
def test_stated_facts_are_read_back_the_same(told: dict[str, str]) -> None:
    """What a mind tells, another reads."""
    assert find_text_facts(write_facts(list(told), told)) == told
