"""Every rule of the Messages API: a wrong request is refused in the vendor's words and counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from anthropic import Anthropic, APIStatusError

from director.models.script_values import Ask, Emit, Say, Seen, Think
from director.testing.double.double import Double

FABLE = "claude-fable-5-1"
SONNET = "claude-sonnet-5-5"
HAIKU = "claude-haiku-4-5"
LOOK = {"name": "look", "input_schema": {"type": "object"}}
BINDING = "thinking-binding-controls-2026-08-01"


def brain(seen: Seen) -> list[Emit]:
    """Thinks, then looks when it is told to and greets otherwise."""
    last = seen.items[-1]
    if last.kind == "user" and "look" in last.text:
        return [Think("I should look."), Ask("look", '{"at": "door"}')]
    return [Think("That was easy."), Say("Hello.")]


@pytest.fixture
def double() -> Iterator[Double]:
    """A strict double of Anthropic."""
    with Double("anthropic", brain) as double:
        yield double


@pytest.fixture
def client(double: Double) -> Iterator[Anthropic]:
    """The official client against it."""
    with Anthropic(base_url=double.anthropic_url, api_key="test", max_retries=0) as client:
        yield client


def user(*blocks: Any) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "user", "content": blocks[0] if isinstance(blocks[0], str) else list(blocks)}


def agent(*blocks: Any) -> dict[str, Any]:
    """A message of the agent."""
    return {**user(*blocks), "role": "assistant"}


def text(words: str, **more: Any) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words, **more}


def use(id_: str = "toolu_1") -> dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": id_, "name": "look", "input": {}}


def result(id_: str = "toolu_1", **more: Any) -> dict[str, Any]:
    """A result of a tool."""
    return {"type": "tool_result", "tool_use_id": id_, "content": "seen", **more}


def send(client: Anthropic, *messages: Any, **fields: Any) -> dict[str, Any]:
    """Send a request as it is, and return the body of the answer."""
    body = {"model": SONNET, "max_tokens": 100, "messages": list(messages), **fields}
    betas = body.pop("betas", None)
    headers = {"anthropic-beta": betas} if betas else {}
    kept = {key: value for key, value in body.items() if value is not ...}
    answer = client.post("/v1/messages", body=kept, cast_to=object, options={"headers": headers})
    assert isinstance(answer, dict)
    return answer


def refused(double: Double, client: Anthropic, rule: str, *messages: Any, **fields: Any) -> str:
    """Send a request that must be refused by a rule with 400 and be counted; return the words."""
    with pytest.raises(APIStatusError) as caught:
        send(client, *messages, **fields)
    error = caught.value
    assert isinstance(error.body, dict)
    assert error.body["type"] == "error"
    assert error.status_code == (404 if error.body["error"]["type"] == "not_found_error" else 400)
    assert [defect.rule for defect in double.defects] == [rule]
    assert not any(exchange.work for exchange in double.exchanges[-1:])
    return str(error.body["error"]["message"])


def looked(client: Anthropic, **fields: Any) -> list[dict[str, Any]]:
    """A conversation up to the result of a call, with the thought before the call."""
    first = user("please look")
    answer = send(client, first, tools=[LOOK], **fields)
    call = answer["content"][-1]
    return [first, agent(*answer["content"]), user(result(call["id"]))]


def test_a_conversation_must_begin_with_the_user(double: Double, client: Anthropic) -> None:
    """M0: the first message is the user's."""
    said = refused(double, client, "M0", agent("hello"), user("hi"))
    assert said == 'messages: first message must use the "user" role'


def test_a_call_needs_its_result_in_the_next_message(double: Double, client: Anthropic) -> None:
    """M1: an unanswered call is named."""
    said = refused(
        double, client, "M1", user("a"), agent(use("toolu_1"), use("toolu_2")), user("b")
    )
    assert said == (
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: "
        "toolu_1, toolu_2. Each `tool_use` block must have a corresponding `tool_result` block in "
        "the next message."
    )


def test_a_call_at_the_very_end_is_unanswered(double: Double, client: Anthropic) -> None:
    """M1: nothing follows the call at all."""
    assert "toolu_1" in refused(double, client, "M1", user("a"), agent(use()))


def test_a_result_needs_a_call_in_the_message_before(double: Double, client: Anthropic) -> None:
    """M2: an orphan result is refused."""
    said = refused(double, client, "M2", user("a"), agent("b"), user(result("toolu_9")))
    assert said == (
        "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous "
        "message."
    )


def test_a_call_has_one_result(double: Double, client: Anthropic) -> None:
    """M3: two results of one call are refused."""
    said = refused(double, client, "M3", user("a"), agent(use()), user(result(), result()))
    assert said == (
        "messages.2.content.1: each tool_use must have a single result. Found multiple "
        "`tool_result` blocks with id: toolu_1"
    )


def test_calls_have_ids_of_their_own(double: Double, client: Anthropic) -> None:
    """M4: an id may not be used twice."""
    messages = [user("a"), agent(use()), user(result()), agent(use()), user(result())]
    said = refused(double, client, "M4", *messages)
    assert said == "messages.3.content.0: `tool_use` ids must be unique"


def test_results_come_first_in_their_message(double: Double, client: Anthropic) -> None:
    """M13: words before a result are refused with the words of M1."""
    said = refused(double, client, "M13", user("a"), agent(use()), user(text("so:"), result()))
    assert said.startswith("messages.1: `tool_use` ids were found without `tool_result` blocks")


def test_messages_of_one_role_are_one_turn(double: Double, client: Anthropic) -> None:
    """Results may be spread over messages in a row, and words may follow them."""
    messages = [user("a"), user("b"), agent(use("toolu_1")), agent(use("toolu_2"))]
    results = [user(result("toolu_1")), user(result("toolu_2"), text("and?"))]
    assert send(client, *messages, *results)["stop_reason"] == "end_turn"
    assert double.defects == []


def test_thoughts_in_an_open_run_of_tools_stay_as_they_were(
    double: Double, client: Anthropic
) -> None:
    """M5: a changed thought in the latest answer is refused."""
    messages = looked(client)
    messages[1]["content"][0]["thinking"] = "I was told to look."
    said = refused(double, client, "M5", *messages, tools=[LOOK])
    assert said == (
        "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant "
        "message cannot be modified. These blocks must remain as they were in the original "
        "response."
    )


def test_unchanged_thoughts_are_read(double: Double, client: Anthropic) -> None:
    """M5: the answer sent back as it came is good, with cache marks or without."""
    messages = looked(client)
    messages[2]["content"][0]["cache_control"] = {"type": "ephemeral"}
    messages[0] = user(text("please look", cache_control={"type": "ephemeral", "ttl": "1h"}))
    assert send(client, *messages, tools=[LOOK])["content"][-1]["text"] == "Hello."
    assert [item.kind for item in double.generations[-1].seen.items][1] == "thinking"
    assert double.defects == []


def test_a_budgeted_run_of_tools_begins_with_its_thought(double: Double, client: Anthropic) -> None:
    """M6: leaving the thought out is refused while thinking is enabled."""
    budget = {"type": "enabled", "budget_tokens": 1024}
    fields = {"model": HAIKU, "max_tokens": 2000, "thinking": budget}
    messages = looked(client, **fields)
    del messages[1]["content"][0]
    said = refused(double, client, "M6", *messages, tools=[LOOK], **fields)
    assert said.startswith(
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
        "`tool_use`. When `thinking` is enabled, a final `assistant` message must start with a "
        "thinking block"
    )


def test_a_budgeted_run_with_its_thought_goes_on(double: Double, client: Anthropic) -> None:
    """M6: with the thought in front all is well."""
    budget = {"type": "enabled", "budget_tokens": 1024}
    fields = {"model": HAIKU, "max_tokens": 2000, "thinking": budget}
    assert send(client, *looked(client, **fields), tools=[LOOK], **fields)
    assert double.defects == []


def test_a_forged_signature_is_refused(double: Double, client: Anthropic) -> None:
    """M7: a thought that nobody thought."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "Zm9yZ2Vk"}
    said = refused(double, client, "M7", user("a"), agent(thought, text("b")), user("c"))
    assert said == "messages.1.content.0: Invalid `signature` in `thinking` block"


def test_a_changed_old_thought_is_refused(double: Double, client: Anthropic) -> None:
    """M7: the text of a thought belongs to its signature."""
    answer = send(client, user("a"))
    answer["content"][0]["thinking"] += "!"
    said = refused(double, client, "M7", user("a"), agent(*answer["content"]), user("c"))
    assert said == "messages.1.content.0: Invalid `signature` in `thinking` block"


@pytest.mark.parametrize("content", ["", [text("")]])
def test_text_may_not_be_empty(double: Double, client: Anthropic, content: Any) -> None:
    """M8: neither as a string nor as a block."""
    said = refused(double, client, "M8", {"role": "user", "content": content})
    assert said == "messages: text content blocks must be non-empty"


def test_five_cache_marks_are_one_too_many(double: Double, client: Anthropic) -> None:
    """M9: tools, system, messages and the request's own mark are counted together."""
    mark = {"cache_control": {"type": "ephemeral"}}
    fields: dict[str, Any] = {"tools": [{**LOOK, **mark}], "system": [text("be brief", **mark)]}
    messages = [user(text("a", **mark), text("b", **mark))]
    said = refused(double, client, "M9", *messages, **fields, **mark)
    assert said == "A maximum of 4 blocks with cache_control may be provided. Found 5."


def test_four_cache_marks_are_good(double: Double, client: Anthropic) -> None:
    """M9: four pass."""
    mark = {"cache_control": {"type": "ephemeral"}}
    send(client, user(*(text(word, **mark) for word in "abc")), tools=[{**LOOK, **mark}])
    assert double.defects == []


def test_long_lived_marks_come_before_short_lived_ones(double: Double, client: Anthropic) -> None:
    """M9: an hour after five minutes is refused."""
    hour = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    short = {"cache_control": {"type": "ephemeral"}}
    said = refused(double, client, "M9", user(text("a", **short), text("b", **hour)))
    assert "a ttl='1h' cache_control block must not come after a ttl='5m'" in said


def test_recent_models_take_no_prefill(double: Double, client: Anthropic) -> None:
    """M10: the conversation ends with the user."""
    said = refused(double, client, "M10", user("a"), agent("The answer is"))
    assert said == (
        "This model does not support assistant message prefill. The conversation must end with a "
        "user message."
    )


def test_older_models_take_a_prefill(double: Double, client: Anthropic) -> None:
    """M10: those that can still do."""
    send(client, user("a"), agent("The answer is"), model=HAIKU)
    assert double.defects == []


def test_a_prompt_over_the_window_is_refused(double: Double, client: Anthropic) -> None:
    """M11: to the token, in the double's unit: four bytes each, four for the block."""
    room = 200_000
    said = refused(double, client, "M11", user("x" * 4 * (room - 3)), model=HAIKU)
    assert said == f"prompt is too long: {room + 1} tokens > {room} maximum"


def test_a_prompt_that_just_fits_is_read(double: Double, client: Anthropic) -> None:
    """M11: exactly the window passes."""
    send(client, user("x" * 4 * (200_000 - 4)), model=HAIKU)
    assert double.defects == []


def test_an_unknown_model_is_not_found(double: Double, client: Anthropic) -> None:
    """M12: 404 with the model's name."""
    assert refused(double, client, "M12", user("a"), model="claude-9") == "model: claude-9"


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"verbosity": "low"}, "verbosity"),
        ({"messages": [{**user("a"), "name": "Ann"}]}, "messages.0.name"),
        ({"messages": [user(text("a", id="1"))]}, "messages.0.content.0.text.id"),
        ({"tools": [{**LOOK, "parameters": {}}]}, "tools.0.custom.parameters"),
    ],
)
def test_unknown_fields_are_refused(
    double: Double, client: Anthropic, fields: dict[str, Any], path: str
) -> None:
    """M12: wherever they are."""
    said = refused(double, client, "M12", user("a"), **fields)
    assert said == f"{path}: Extra inputs are not permitted"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"max_tokens": "many"}, "max_tokens: Input should be a valid integer"),
        ({"messages": []}, "messages: at least one message is required"),
        ({"tools": [LOOK, LOOK]}, "tools: Tool names must be unique."),
        (
            {"cache_control": {"type": "ephemeral", "ttl": "2h"}},
            "cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
        ),
        (
            {"messages": [{"role": "tool", "content": "a"}]},
            "messages.0.role: Input should be 'user', 'assistant' or 'system'",
        ),
        (
            {"messages": [user("a"), agent({**use(), "input": "{}"})]},
            "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
        ),
    ],
)
def test_wrong_values_are_refused(
    double: Double, client: Anthropic, fields: dict[str, Any], words: str
) -> None:
    """M12: types and bounds."""
    assert refused(double, client, "M12", user("a"), **fields) == words


@pytest.mark.parametrize(
    ("fields", "beta", "path"),
    [
        (
            {"context_management": {"edits": []}},
            "context-management-2025-06-27",
            "context_management",
        ),
        ({"thread": {"type": "create"}}, "message-threads-2026-08-12", "thread"),
        ({"compaction": {"type": "summarize"}}, "compact-2026-09-04", "compaction"),
        (
            {"thinking": {"type": "adaptive", "block_binding": {}}},
            BINDING,
            "thinking.adaptive.block_binding",
        ),
    ],
)
def test_betas_open_their_fields(
    double: Double, client: Anthropic, fields: dict[str, Any], beta: str, path: str
) -> None:
    """M14: without its header a beta's field is unknown; with it, it is read."""
    said = refused(double, client, "M14", user("a"), **fields)
    assert said == f"{path}: Extra inputs are not permitted"
    assert send(client, user("a"), **fields, betas=beta)["type"] == "message"


def test_each_edit_has_a_beta_of_its_own(double: Double, client: Anthropic) -> None:
    """M14: compaction is not opened by the header of clearing."""
    edits = {"edits": [{"type": "compact_20260112"}]}
    fields = {"context_management": edits, "betas": "context-management-2025-06-27"}
    said = refused(double, client, "M14", user("a"), **fields)
    assert said.startswith("context_management.edits.0: Input tag 'compact_20260112' found using")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"tools": [LOOK], "tool_choice": {"type": "any"}},
            "Thinking may not be enabled when tool_choice forces tool use.",
        ),
        ({"temperature": 0.2}, "`temperature` is deprecated for this model."),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 1024}},
            (
                '"thinking.type.enabled" is not supported for this model. Use '
                '"thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
            ),
        ),
    ],
)
def test_recent_models_refuse_what_older_ones_took(
    double: Double, client: Anthropic, fields: dict[str, Any], words: str
) -> None:
    """M15: forced tools, sampling and budgets, by what the model can do."""
    send(client, user("a"), model=HAIKU, **{"max_tokens": 2000, **fields})
    assert refused(double, client, "M15", user("a"), model=FABLE, **fields) == words


def test_default_sampling_is_no_sampling(double: Double, client: Anthropic) -> None:
    """M15: naming the default is allowed."""
    send(client, user("a"), temperature=1.0)
    assert double.defects == []


def test_always_on_thinking_cannot_be_switched_off(double: Double, client: Anthropic) -> None:
    """M15: the words of the vendor even name a way that is not open."""
    said = refused(double, client, "M15", user("a"), thinking={"type": "disabled"})
    assert said.startswith('"thinking.type.disabled" is not supported for this model.')


@pytest.mark.parametrize("change", ["system", "tools", "message"])
def test_a_thought_is_bound_to_all_that_came_before(
    double: Double, client: Anthropic, change: str
) -> None:
    """M16: system, tools or an earlier message changed under a thought."""
    messages, fields = looked(client), {"tools": [LOOK]}
    edits: dict[str, Any] = {
        "system": {"system": "be brief"},
        "tools": {"tools": [{**LOOK, "description": "Looks."}]},
        "message": {"messages": [user("do look"), *messages[1:]]},
    }
    fields = {**fields, **edits[change]}
    said = refused(double, client, "M16", *messages, **fields, betas=BINDING)
    assert said == (
        "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a "
        "different conversation. Remove the block, or set "
        '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
    )


def test_a_thought_that_lost_its_conversation_can_be_dropped(
    double: Double, client: Anthropic
) -> None:
    """M16: with the beta the block is left out and the answer says so."""
    binding = {"prefix_mismatch_behavior": "drop_block"}
    fields = {"thinking": {"type": "adaptive", "block_binding": binding}, "betas": BINDING}
    answer = send(client, *looked(client), tools=[LOOK], system="be brief", **fields)
    path = "messages.1.content.0"
    note = {"type": "thinking_dropped", "path": path, "reason": "prefix_binding_mismatch"}
    assert answer["input_transformations"] == [note]
    assert "thinking" not in [item.kind for item in double.generations[-1].seen.items]
    assert double.defects == []


def test_leaving_every_thought_out_breaks_no_binding(double: Double, client: Anthropic) -> None:
    """M16: a client that strips all thoughts of an earlier turn is heard."""
    first = send(client, user("a"))
    second = send(client, user("a"), agent(*first["content"]), user("b"))
    messages = [user("a"), agent(first["content"][1]), user("b"), agent(*second["content"])]
    send(client, *messages, user("c"))
    assert double.defects == []


def test_a_thought_between_others_cannot_be_left_out(double: Double, client: Anthropic) -> None:
    """M16: thoughts stay in their order without a gap."""
    messages: list[Any] = []
    for word in "abc":
        messages.append(user(word))
        messages.append(agent(*send(client, *messages)["content"]))
    del messages[3]["content"][0]
    said = refused(double, client, "M16", *messages, user("d"))
    assert said.startswith("messages.5.content.0: Invalid `signature` in `thinking` block.")


def test_another_models_thoughts_are_dropped_in_silence(double: Double, client: Anthropic) -> None:
    """M16: a change of the model is no error."""
    answer = send(client, user("a"))
    messages = [user("a"), agent(*answer["content"]), user("b")]
    later = send(client, *messages, model=FABLE, betas=BINDING)
    assert later["input_transformations"][0]["reason"] == "model_binding_mismatch"
    assert double.defects == []


def test_models_without_binding_let_history_change(double: Double, client: Anthropic) -> None:
    """M16: it is asked only of models that have it."""
    answer = send(client, user("a"), model=HAIKU)
    send(client, user("changed"), agent(*answer["content"]), user("b"), model=HAIKU)
    assert double.defects == []


def test_no_model_writes_more_than_it_can(double: Double, client: Anthropic) -> None:
    """M19: max_tokens over the model's own limit."""
    said = refused(double, client, "M19", user("a"), model=HAIKU, max_tokens=64_001)
    assert said == (
        "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for "
        "claude-haiku-4-5"
    )


def test_max_tokens_must_be_said(double: Double, client: Anthropic) -> None:
    """M20: it has no default."""
    assert refused(double, client, "M20", user("a"), max_tokens=...) == "max_tokens: Field required"


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        (
            {"messages": [user({"type": "tool_result"})]},
            "messages.0.content.0.tool_result.tool_use_id",
        ),
        ({"tools": [{"name": "look"}]}, "tools.0.custom.input_schema"),
        ({"messages": [{"role": "user"}]}, "messages.0.content"),
    ],
)
def test_what_a_block_needs_must_be_there(
    double: Double, client: Anthropic, fields: dict[str, Any], path: str
) -> None:
    """M20: wherever it is missing."""
    assert refused(double, client, "M20", user("a"), **fields) == f"{path}: Field required"


def test_a_lenient_server_lets_everything_through() -> None:
    """A profile without pairing, strictness and counting refuses none of it."""
    with Double("ollama", brain) as double:
        url = double.anthropic_url
        with Anthropic(base_url=url, api_key="test", max_retries=0) as client:
            wild = {"model": "qwen", "verbosity": "low", "thread": {"type": "continue"}}
            send(client, agent(use()), user(result("toolu_9")), **wild)
            with pytest.raises(APIStatusError) as caught:
                client.messages.count_tokens(
                    model="qwen", messages=[{"role": "user", "content": "a"}]
                )
        assert caught.value.status_code == 404
        assert double.defects == []
