"""Each rule of the Messages API: a naive client is refused by it, our layer gets its answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from director import fit_messages
from director.context.values import AgentTurn, Context, Section, UserTurn
from director.models import INTERRUPTED, Policy, turn_of
from director.testing.double import Fault
from models.rules_room import ANSWER, long, ours, refused, said
from models.talk import TOOLS

FORM = "anthropic"
HAIKU = "claude-haiku-4-5"
THREAD = Policy(chain="any")
MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
THREADS = "message-threads-2026-08-12"
BUDGET = {"type": "enabled", "budget_tokens": 1024}
EDITS = {"edits": [{"type": "compact_20260112"}]}
OPENED: dict[str, Any] = {"thread": {"type": "create"}, "betas": THREADS}
LOOK = {"name": "look", "input_schema": {"type": "object"}}
HI, MORE = said("hi", "go on")


def text(words: str, **more: object) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words, **more}


def use(name: str = "toolu_1") -> dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": name, "name": "look", "input": {"place": "door"}}


def result(name: str = "toolu_1") -> dict[str, Any]:
    """The result of a call."""
    return {"type": "tool_result", "tool_use_id": name, "content": "a door"}


def user(*blocks: object) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "user", "content": list(blocks)}


def agent(*blocks: object) -> dict[str, Any]:
    """A message of the model."""
    return {"role": "assistant", "content": list(blocks)}


ADDED = "message {}: A result saying that none was recorded was added."
HISTORIES: list[tuple[str, list[object], str]] = [
    (
        "M0",
        [agent(use()), user(result())],
        "message 0: A line saying that the beginning is not shown is put first.",
    ),
    ("M1", [HI, agent(use()), MORE], ADDED.format(1)),
    ("M1", [HI, agent(use("toolu_1"), use("toolu_2")), user(result())], ADDED.format(1)),
    (
        "M2",
        [HI, user(result("toolu_9")), MORE],
        "message 1: The result without a call was dropped.",
    ),
    (
        "M3",
        [HI, agent(use()), user(result(), result())],
        "message 2: The first result stays, this was dropped.",
    ),
    (
        "M4",
        [HI, agent(use()), user(result()), agent(use()), user(result())],
        "message 3: The second call under this id was renamed to toolu_1_2.",
    ),
    (
        "M8",
        [HI, agent(text(""), use()), user(result())],
        "message 1: The empty text blocks were removed.",
    ),
    (
        "M8",
        [HI, user(text("")), agent(use()), user(result())],
        "message 1: The empty text blocks were removed.",
    ),
    (
        "M13",
        [HI, agent(use()), user(text("so:"), result())],
        "message 2: The result was moved to its call.",
    ),
]


@pytest.mark.parametrize(("rule", "history", "warning"), HISTORIES)
def test_a_broken_history_is_repaired_and_the_reply_says_so(
    rule: str, history: list[object], warning: str
) -> None:
    """M0 to M4, M8, M13: what was lost, doubled, emptied or moved on its way to us."""
    with refused(rule, FORM) as naive:
        naive.ask(history)
    with ours(FORM) as here:
        assert here.answers(history).warnings == (warning,)


def test_m1_an_interrupted_call_is_answered_as_such() -> None:
    """What the user says instead of waiting for a tool comes after a result that says so."""
    with refused("M1", FORM) as naive:
        first = naive.ask(said("call twice"), tools=[LOOK])
        naive.ask([*said("call twice"), agent(*first["content"]), MORE], tools=[LOOK])
    with ours(FORM) as here:
        turns = (UserTurn(0, "call twice"),)
        reply = here.send(Context((), turns))
        here.answers(Context((), (*turns, turn_of(reply, 1), UserTurn(2, "never mind"))))
        assert here.shown("result") == [INTERRUPTED] * 2


def test_m5_thinking_in_an_open_run_of_tools_comes_back_as_it_was() -> None:
    """A naive client shortens it; ours does not touch it."""
    with refused("M5", FORM) as naive:
        thought, call = naive.ask(said("think and call"), tools=[LOOK])["content"]
        cut = agent({**thought, "thinking": "I…"}, call)
        naive.ask([*said("think and call"), cut, user(result(call["id"]))], tools=[LOOK])
    with ours(FORM) as here:
        here.talk("think and call")
        assert here.shown("thinking") == ["I should think."]


def test_m6_a_run_of_tools_needs_no_thinking_that_was_not_asked_for() -> None:
    """A naive client asks for a budget of thinking and leaves its first block out."""
    fields: dict[str, Any] = {"model": HAIKU, "max_tokens": 2000, "thinking": BUDGET}
    asked = said("think and call")
    with refused("M6", FORM) as naive:
        _, call = naive.ask(asked, tools=[LOOK], **fields)["content"]
        naive.ask([*asked, agent(call), user(result(call["id"]))], tools=[LOOK], **fields)
    with ours(FORM, name=f"anthropic:{HAIKU}") as here:
        (message,) = here.send(asked).items
        content: Any = message["content"]
        here.answers([*asked, agent(content[-1]), user(result(content[-1]["id"]))])
        here.talk("think and call", "think")


def test_m7_signed_thinking_comes_back_as_it_was() -> None:
    """A naive client tidies an old thought; ours sends every one as it came."""
    with refused("M7", FORM) as naive:
        thought, words = naive.ask(said("think"))["content"]
        tidy = agent({**thought, "thinking": thought["thinking"].upper()}, words)
        naive.ask([*said("think"), tidy, MORE])
    with ours(FORM) as here:
        here.talk("think", "think and call", "go on")
        assert here.shown("thinking") == ["I should think."] * 2


@pytest.mark.parametrize(("rule", "open_"), [("M5", True), ("M7", False)])
def test_m7_thinking_that_is_not_theirs_is_left_out_after_one_refusal(
    rule: str, *, open_: bool
) -> None:
    """A false signature cannot be told from a good one before it is tried."""
    asked = said("think and call" if open_ else "think")
    with ours(FORM, defects=[rule]) as here:
        (message,) = here.send(asked).items
        content: Any = message["content"]
        changed = agent({**content[0], "thinking": "Hm."}, content[1])
        last = user(result(content[1]["id"])) if open_ else MORE
        reply = here.answers([*asked, changed, last])
        assert reply.warnings == ("the provider refused its earlier reasoning; sent without it.",)


def test_m8_a_history_of_another_form_brings_no_empty_text() -> None:
    """Chat Completions allows empty messages."""
    history = [HI, {"role": "assistant", "content": ""}, {"role": "user", "content": ""}, MORE]
    with refused("M8", FORM) as naive:
        naive.ask(history)
    with ours(FORM) as here:
        here.answers(history)
        here.answers(Context((Section("a", ""), Section("b", "Be brief.")), (UserTurn(0, "hi"),)))


def test_m9_many_sections_get_few_marks() -> None:
    """However many of them are stable, at most four blocks are marked."""
    sections = [f"Rule {nth}." for nth in range(9)]
    with refused("M9", FORM) as naive:
        naive.ask([HI], system=[text(words, **MARK) for words in sections])
    with ours(FORM) as here:
        here.answers(Context(tuple(Section(one, one) for one in sections), (UserTurn(0, "hi"),)))
        assert str(here.bodies[0]).count("cache_control") == 2


@pytest.mark.parametrize("marks", [[MARK] * 5, [MARK, HOUR], [HOUR] * 4])
def test_m9_the_marks_of_a_history_give_way_to_ours(marks: list[dict[str, Any]]) -> None:
    """A naive client marks every message it sends, and marks are counted together."""
    history = [HI, agent(use()), user(result(), *(text("go on", **mark) for mark in marks))]
    with refused("M9", FORM) as naive:
        naive.ask(history, **MARK)
    with ours(FORM) as here:
        here.answers(history)
        assert str(here.bodies[0]).count("cache_control") == 1
        assert len(here.double.generations[0].seen.items) == 3 + len(marks)


def test_m10_a_history_that_ends_with_the_models_words_is_refused_before_it_is_sent() -> None:
    """Unless the model goes on from them."""
    history = [HI, agent(text("The answer is"))]
    with refused("M10", FORM) as naive:
        naive.ask(history)
    with ours(FORM) as here:
        here.raises("invalid", "ends with the model's own words", history)
        assert here.double.exchanges == []
    with ours(FORM, name=f"anthropic:{HAIKU}") as here:
        here.answers(history)


def test_m11_a_prompt_over_the_window_is_an_error_that_says_what_to_do() -> None:
    """It is sent once; fitted into the window it gets its answer."""
    with refused("M11", FORM) as naive:
        naive.ask(long(47), model=HAIKU)
    with ours(FORM, name=f"anthropic:{HAIKU}", defects=["M11"]) as here:
        here.raises("window", "fit it into a smaller budget", long(47))
        assert len(here.double.exchanges) == 1
    with ours(FORM, name=f"anthropic:{HAIKU}") as here:
        here.answers(fit_messages(long(47), budget=here.model.capabilities.max_input).messages)


def test_m12_an_unknown_model_is_an_error_that_names_it() -> None:
    """It may be newer than we are, so it is asked for, once."""
    with refused("M12", FORM) as naive:
        naive.ask([HI], model="claude-9")
    with ours(FORM, name="anthropic:claude-9", defects=["M12"]) as here:
        here.raises("invalid", "claude-9", [HI])
        assert len(here.double.exchanges) == 1


def test_m12_a_history_of_another_form_is_translated() -> None:
    """Its fields and roles are not known here."""
    function = {"name": "look", "arguments": '{"place": "door"}'}
    history = [
        {"role": "user", "content": "hi", "name": "Ann"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "call.1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "call.1", "content": "a door"},
    ]  # fmt: skip
    with refused("M12", FORM) as naive:
        naive.ask(history)
    with ours(FORM) as here:
        here.answers(history)
        assert here.kinds() == ["user", "call", "result"]


def test_m12_two_tools_of_one_name_are_refused_before_they_are_sent() -> None:
    """Nobody could tell which one a call means."""
    with refused("M12", FORM) as naive:
        naive.ask([HI], tools=[LOOK, LOOK])
    with ours(FORM) as here:
        here.raises("invalid", "two tools are named 'look'", [HI], tools=TOOLS * 2)
        assert here.double.exchanges == []


def test_m14_what_a_beta_knows_is_sent_with_its_header() -> None:
    """Compaction by the server, threads, and what becomes of thinking."""
    with refused("M14", FORM) as naive:
        naive.ask([HI], context_management=EDITS)
    with ours(FORM) as here:
        here.answers([HI], Policy(compact_at=150_000))
        here.answers([HI], THREAD)
        assert "context_management" in here.bodies[0]
        assert here.bodies[1]["thread"] == {"type": "create"}


@pytest.mark.parametrize(
    ("choice", "wrong"),
    [("required", {"type": "any"}), ("look", {"type": "tool", "name": "look"})],
)
def test_m15_a_choice_is_not_forced_where_it_cannot_be(choice: str, wrong: dict[str, Any]) -> None:
    """It is where it can, and a model may always be told to call nothing."""
    with refused("M15", FORM) as naive:
        naive.ask([HI], tools=[LOOK], tool_choice=wrong)
    with ours(FORM) as here:
        here.answers([HI], Policy(tool_choice=choice))
        here.answers([HI], Policy(tool_choice="none"))
        assert [body.get("tool_choice") for body in here.bodies] == [None, {"type": "none"}]
    with ours(FORM, name=f"anthropic:{HAIKU}") as here:
        here.answers([HI], Policy(tool_choice=choice))
        assert here.bodies[0]["tool_choice"] == wrong


@pytest.mark.parametrize("wrong", [{"temperature": 0.2}, {"thinking": BUDGET}])
def test_m15_how_much_to_think_is_said_as_the_model_takes_it(wrong: dict[str, Any]) -> None:
    """By its effort, never by sampling or a budget."""
    with refused("M15", FORM) as naive:
        naive.ask([HI], **{"max_tokens": 2000, **wrong})
    with ours(FORM, policy=Policy(effort="low")) as here:
        here.talk("think and call", "hi")
        assert here.bodies[0]["output_config"] == {"effort": "low"}


@pytest.mark.parametrize("change", ["section", "turn", "gap"])
def test_m16_a_history_that_was_rewritten_under_a_thought_is_heard(change: str) -> None:
    """The provider drops what no longer holds, because we ask it to."""
    with refused("M16", FORM) as naive:
        thought, call = naive.ask(said("think and call"), tools=[LOOK])["content"]
        changed = said("please think and call")
        naive.ask([*changed, agent(thought, call), user(result(call["id"]))], tools=[LOOK])
    with ours(FORM) as here:
        talk = here.talk("think", "think and call", "think")
        first, *more = talk.context.turns
        changes: dict[str, dict[str, Any]] = {
            "section": {"sections": (Section("system", "You close doors."),)},
            "turn": {"turns": (replace(first, text="please think"), *more)},
            "gap": {"turns": (first, *more[2:])},
        }
        talk.context = replace(talk.context, **changes[change])
        assert here.say(talk, "go on").text == ANSWER


def test_m17_a_thread_that_has_expired_is_not_continued() -> None:
    """Five minutes after its last use the history is sent whole, as a new thread."""
    with refused("M17", FORM) as naive:
        first = naive.ask([HI], **OPENED)
        naive.double.advance(301)
        thread = {"type": "continue", "previous_message_id": first["id"]}
        naive.ask([MORE], **{**OPENED, "thread": thread})
    with ours(FORM, policy=THREAD) as here:
        talk = here.talk("hi", "think and call")
        here.double.advance(301)
        here.say(talk, "go on")
        kinds = [body["thread"]["type"] for body in here.bodies]
        assert kinds == ["create", "continue", "continue", "create"]
        assert here.shown("user") == ["hi", "think and call", "go on"]


def test_m17_a_thread_that_is_lost_early_is_replayed_once() -> None:
    """The server may forget a thread before its time."""
    with ours(FORM, Fault("thread_expired"), policy=THREAD) as here:
        assert here.say(here.talk("hi"), "go on").replays == 1


@pytest.mark.parametrize("change", ["section", "tools", "effort", "nothing"])
def test_m17_a_thread_is_not_continued_differently(change: str) -> None:
    """What it was made of must stay; where it does not, a new one begins."""
    with refused("M17", FORM) as naive:
        first = naive.ask([HI], system="Be brief.", **OPENED)
        thread = {"type": "continue", "previous_message_id": first["id"]}
        naive.ask([MORE], system="Be long.", **{**OPENED, "thread": thread})
    with ours(FORM, policy=THREAD) as here:
        before = Context((Section("system", "Be brief."),), (UserTurn(0, "hi"),))
        reply = here.answers(before)
        after = replace(before, turns=(*before.turns, turn_of(reply, 1), UserTurn(2, "go on")))
        if change == "section":
            after = replace(after, sections=(Section("system", "Be long."),))
        policy = replace(THREAD, effort="low") if change == "effort" else THREAD
        here.answers(after, policy, TOOLS[:1] if change == "tools" else TOOLS)
        kinds = [body["thread"]["type"] for body in here.bodies]
        assert kinds == ["create", "continue" if change == "nothing" else "create"]


def test_m17_a_thread_is_not_mixed_with_compaction() -> None:
    """One excludes the other; what was asked for explicitly is done."""
    with refused("M17", FORM) as naive:
        betas = f"{THREADS},compact-2026-01-12"
        naive.ask([HI], thread={"type": "create"}, context_management=EDITS, betas=betas)
    with ours(FORM, policy=Policy(chain="any", compact_at=150_000)) as here:
        talk = here.talk("hi", "go on")
        assert [len(body["messages"]) for body in here.bodies] == [1, 3]
        assert talk.replies[-1].replays == 0


def test_m18_a_compaction_goes_back_untouched() -> None:
    """A naive client puts it where it does not belong; ours leaves it in its place."""
    with refused("M18", FORM) as naive:
        wish = {"compaction": {"type": "summarize"}, "betas": "compact-2026-09-04"}
        made = naive.ask([HI, agent(text("hello")), MORE], **wish)
        naive.ask([HI, agent(*made["content"]), MORE], betas="compact-2026-09-04")
    with ours(FORM, policy=Policy(compact_at=1)) as here:
        talk = here.talk("The door is open. " * 12_000, "go on")
        content: Any = talk.replies[0].items[0]["content"]
        assert [block["type"] for block in content] == ["compaction", "text"]
        talk.policy = Policy()
        here.say(talk, "and on")
        for made_ in here.double.generations[-2:]:
            assert made_.seen.items[0].kind == "compaction"


def test_m19_a_limit_is_kept_within_what_the_model_can() -> None:
    """More than it can write is not asked for."""
    with refused("M19", FORM) as naive:
        naive.ask([HI], model=HAIKU, max_tokens=10**6)
    with ours(FORM, name=f"anthropic:{HAIKU}", policy=Policy(max_output=10**6)) as here:
        here.answers([HI])
        assert here.bodies[0]["max_tokens"] == 64_000


def test_m20_a_limit_is_always_sent() -> None:
    """It has no default there, and one here."""
    with refused("M20", FORM) as naive:
        naive.ask([HI], max_tokens=...)
    with ours(FORM) as here:
        here.talk("think and call", "hi")
        assert all(body["max_tokens"] == 32_000 for body in here.bodies)


def test_what_is_shown_with_one_request_only_stands_behind_the_mark() -> None:
    """A block behind the history is another each time, and costs nothing of the history's cache."""
    asked = UserTurn(0, "door " * 4_000)
    with ours(FORM) as here:
        here.answers(Context((), (asked, UserTurn(1, "<plan>\none\n</plan>", pinned=True))))
        told = AgentTurn(1, ANSWER)
        more = (asked, told, UserTurn(2, "And?"), UserTurn(3, "<plan>\ntwo\n</plan>", pinned=True))
        here.answers(Context((), more))
        first, second = here.double.ledger.lines
        assert sum(first.writes.values()) > 4_000
        assert second.read == sum(first.writes.values())
        assert second.uncached < 100
