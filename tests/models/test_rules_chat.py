"""Each rule of Chat Completions: a naive client is refused by it, our layer gets its answer."""

from __future__ import annotations

import pytest

from director import fit_messages
from director.context.values import Context, UserTurn
from director.models import INTERRUPTED, Policy, turn_of
from director.models.tool_schemas import read_responses_tool
from models.rules_room import long, ours, refused, said

FORM = "chat"
HI, MORE = said("hi", "go on")
FLAT = {"type": "function", "name": "look", "parameters": {"type": "object"}}


def calls(*names: str) -> dict[str, object]:
    """A message that calls a tool under each of these ids."""
    function = {"name": "look", "arguments": '{"place": "door"}'}
    made = [{"id": name, "type": "function", "function": function} for name in names]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(name: str, content: str | None = "a door") -> dict[str, object]:
    """The answer to a call."""
    return {"role": "tool", "tool_call_id": name, "content": content}


@pytest.mark.parametrize(
    ("history", "warning"),
    [
        ([HI, result("call_1"), MORE], "message 1: The result without a call was dropped."),
        (
            [HI, calls("call_1"), result("call_1"), result("call_1"), MORE],
            "message 3: The first result stays, this was dropped.",
        ),
    ],
)
def test_c1_a_tool_message_without_its_call_is_left_out(
    history: list[object], warning: str
) -> None:
    """A history that was cut through a pair, or kept an answer twice."""
    with refused("C1", FORM) as naive:
        naive.ask(history)
    with ours(FORM) as here:
        assert here.answers(history).warnings == (warning,)


@pytest.mark.parametrize(
    ("history", "warning"),
    [
        (
            [HI, calls("call_1", "call_2"), result("call_2"), MORE],
            "message 1: A result saying that none was recorded was added.",
        ),
        (
            [HI, calls("call_1"), MORE, result("call_1")],
            "message 3: The result was moved to its call.",
        ),
    ],
)
def test_c2_every_call_is_answered_at_once(history: list[object], warning: str) -> None:
    """A missing answer is added, a late one is moved."""
    with refused("C2", FORM) as naive:
        naive.ask(history)
    with ours(FORM) as here:
        assert here.answers(history).warnings == (warning,)


def test_c2_an_interrupted_call_is_answered_as_such() -> None:
    """What the user says instead of waiting for a tool comes after an answer that says so."""
    with refused("C2", FORM) as naive:
        first = naive.ask(said("call twice"))["choices"][0]["message"]
        naive.ask([*said("call twice"), first, MORE])
    with ours(FORM) as here:
        turns = (UserTurn(0, "call twice"),)
        reply = here.send(Context((), turns))
        here.answers(Context((), (*turns, turn_of(reply, 1), UserTurn(2, "never mind"))))
        assert here.shown("result") == [INTERRUPTED] * 2


def test_c3_a_tool_of_responses_is_sent_nested() -> None:
    """The flat shape is of another API."""
    with refused("C3", FORM) as naive:
        naive.ask([HI], tools=[FLAT])
    with ours(FORM) as here:
        here.answers([HI], tools=[read_responses_tool(FLAT)])
        assert here.double.generations[0].seen.tools == ("look",)


@pytest.mark.parametrize(
    "history",
    [
        [{"role": "user", "content": None}, HI],
        [{"role": "user"}, HI],
        [HI, {"role": "assistant", "content": None}, MORE],
        [{"role": "system", "content": None}, HI],
        [HI, calls("call_1"), result("call_1", None), MORE],
    ],
)
def test_c4_content_is_never_null(history: list[object]) -> None:
    """What says nothing is sent as an empty text, or not at all."""
    with refused("C4", FORM) as naive:
        naive.ask(history)
    with ours(FORM) as here:
        here.answers(history)


def test_c5_the_limit_has_the_name_that_the_model_knows() -> None:
    """A model that reasons takes another field for it."""
    with refused("C5", FORM) as naive:
        naive.ask([HI], max_tokens=100)
    with ours(FORM, policy=Policy(max_output=100)) as here:
        here.answers([HI])
        assert here.bodies[0]["max_completion_tokens"] == 100


def test_c6_messages_over_the_window_are_an_error_that_says_what_to_do() -> None:
    """They are sent once; fitted into the window they get their answer."""
    with refused("C6", FORM) as naive:
        naive.ask(long(31), model="gpt-4o")
    with ours(FORM, name="chat:gpt-4o", defects=["C6"]) as here:
        here.raises("window", "fit it into a smaller budget", long(31))
        assert len(here.double.exchanges) == 1
    with ours(FORM, name="chat:gpt-4o") as here:
        here.answers(fit_messages(long(31), budget=here.model.capabilities.max_input).messages)
