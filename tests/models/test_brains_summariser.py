"""The summariser: the same history gives the same summary, and loses what it is told to lose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.models.script_engines.facts import find_text_facts
from director.models.script_engines.mind import Mind
from director.models.script_engines.summariser import Loss, Summariser
from director.models.script_values import Compact, Say, Seen, Shown

HISTORY = (
    Shown("user", "goal=book a table=7"),
    Shown("agent", "I decided on place=Roma"),
    Shown("call", '{"q": "x"}', tool="find", call="c"),
    Shown("result", f"{'filler ' * 30} phone=555\nmore\nthe decision was made", tool="find"),
    Shown("user", "guests=4"),
)


def _summary(loss: Loss, keep: int = 5) -> str:
    return Summariser(Mind(), loss, keep).summary(HISTORY)


def test_keep_all_loses_no_fact_and_is_shorter() -> None:
    """Every fact of the history is in the summary."""
    summary = _summary("keep_all")
    assert {"table", "place", "phone", "guests"} <= set(find_text_facts(summary))
    assert len(summary) < sum(len(item.text) for item in HISTORY) + len(HISTORY) * 15


def test_keep_last_k_forgets_what_is_older() -> None:
    """Only the facts of the last items survive."""
    assert set(find_text_facts(_summary("keep_last_k", 2))) == {"phone", "guests"}


def test_drop_decisions_keeps_the_rest() -> None:
    """What the model decided is gone; what it was told is not."""
    summary = _summary("drop_decisions")
    assert {"table", "phone", "guests"} <= set(find_text_facts(summary))
    assert "place" not in find_text_facts(summary)
    assert "decision" not in summary


def test_a_compaction_request_gets_a_compaction() -> None:
    """The purpose of the request decides."""
    (said,) = Summariser(Mind())(Seen("responses", "m", items=HISTORY, purpose="compact"))
    assert said == Compact(_summary("keep_all"))


@pytest.mark.parametrize("wish", ["Summarise the above.", "  summarize briefly"])
def test_a_wish_to_summarise_gets_the_summary_as_text(wish: str) -> None:
    """Both spellings are understood, and the wish itself is not part of the summary."""
    seen = Seen("chat", "m", items=(*HISTORY, Shown("user", wish)))
    assert Summariser(Mind())(seen) == (Say(_summary("keep_all")),)


def test_what_stands_in_the_request_itself_is_summarised() -> None:
    """A history can be pasted below the wish."""
    seen = Seen("chat", "m", items=(Shown("user", "Summarise:\nuser: a=1\nagent: b=2"),))
    (said,) = Summariser(Mind())(seen)
    assert isinstance(said, Say)
    assert find_text_facts(said.text) == {"a": "1", "b": "2"}


def test_everything_else_goes_to_the_wrapped_brain() -> None:
    """An ordinary question is answered, also when an older turn asked for a summary."""
    items = (Shown("user", "Summarise x=1"), Shown("agent", "ok"), Shown("user", "ask: x"))
    assert Summariser(Mind())(Seen("chat", "m", items=items)) == (Say("x=1"),)


def test_nothing_to_summarise_is_said() -> None:
    """An empty history gives an honest summary."""
    assert Summariser(Mind()).summary(()).endswith("(nothing)")


_TEXTS = st.text(alphabet="ab=1 \n.x", max_size=200)
_ITEMS = st.lists(
    st.builds(Shown, st.sampled_from(["user", "agent", "result", "compaction"]), _TEXTS),
    max_size=6,
)


@given(_ITEMS)
def test_keep_all_keeps_the_newest_value_of_every_fact(items: list[Shown]) -> None:
    """Whatever the history, the mind answers the same from the summary."""
    told: dict[str, str] = {}
    for item in items:
        told |= find_text_facts(item.text)
    found = find_text_facts(Summariser(Mind()).summary(items))
    assert {key: found.get(key) for key in told} == told
