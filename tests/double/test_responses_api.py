"""The Responses API as OpenAI's own client meets it: answers, chains, compaction, counts, usage."""

from __future__ import annotations

import openai
import pytest
from openai.types.responses import (
    Response,
    input_token_count_params,
    response_compact_params,
    response_create_params,
)

from director.models.script_values import (
    Ask,
    Compact,
    Emit,
    Fail,
    Refuse,
    Say,
    Seen,
    Shown,
    Stop,
    Think,
    Wait,
)
from director.testing.double.request_log.block import OVERHEAD, count_block_units
from director.testing.double.responses.checks import COMPACT, COUNT, CREATE
from double.responses_room import HI, MODEL, TOOL, ask, output, result, room
from double.strict import problems


def test_an_answer_has_the_words_of_the_brain() -> None:
    """Text, refusal, reasoning and call become the items they are in the API."""
    said = [Think("Hm."), Say("One."), Ask("look", '{"at": 1}', "call_1"), Refuse("No.")]
    with room([said]) as here:
        made = here.client.responses.create(model=MODEL, input="hi", tools=[TOOL])
        kinds = [item.type for item in made.output]
        assert kinds == ["reasoning", "message", "function_call", "message"]
        assert made.output_text == "One."
        call = made.output[2]
        assert call.type == "function_call"
        assert (call.call_id, call.name, call.arguments) == ("call_1", "look", '{"at": 1}')
        assert here.clean()


def test_ids_have_their_prefixes_and_share_a_key() -> None:
    """An id is its prefix and fifty digits, the first sixteen those of its response."""
    with room([[Think("Hm."), Say("One."), Ask("look"), Compact("all")]]) as here:
        made = here.client.responses.create(model=MODEL, input="hi")
        names = [made.id, *(str(item.id) for item in made.output)]
        assert [name.split("_")[0] for name in names] == ["resp", "rs", "msg", "fc", "cmp"]
        assert {len(name.split("_")[1]) for name in names} == {50}
        assert len({name.split("_")[1][:16] for name in names}) == 1


def test_a_response_echoes_its_request_and_the_dated_name_of_its_model() -> None:
    """What was asked for is said again, with the defaults filled in."""
    with room() as here:
        made = here.client.responses.create(
            model="gpt-5.5",
            input="hi",
            instructions="Be kind.",
            tools=[{**TOOL, "strict": None}],
            metadata={"a": "b"},
            reasoning={"effort": "low"},
            service_tier="fast",
            prompt_cache_key="key",
        )
        assert (made.model, made.service_tier) == ("gpt-5.5-2026-04-23", "priority")
        assert (made.instructions, made.metadata) == ("Be kind.", {"a": "b"})
        assert made.tools[0].type == "function"
        assert made.tools[0].strict is True
        assert made.reasoning
        assert made.reasoning.effort == "low"


def test_a_chain_brings_all_items_before_it() -> None:
    """What the brain sees is the whole chain, and two may fork from one response."""
    with room() as here:
        first = here.client.responses.create(model=MODEL, input="think and call", tools=[TOOL])
        call = first.output[1]
        assert call.type == "function_call"
        answer = {"type": "function_call_output", "call_id": call.call_id, "output": "a cat"}
        for word in ("left", "right"):
            here.client.responses.create(
                model=MODEL,
                previous_response_id=first.id,
                input=[answer, {"role": "user", "content": word}],
            )
            assert here.double.generations[-1].seen.items == (
                Shown("user", "think and call"),
                Shown("thinking", "I should think."),
                Shown("call", '{"at": "0"}', "look", call.call_id),
                Shown("result", "a cat", "look", call.call_id),
                Shown("user", word),
            )
        assert here.clean()


def test_all_kinds_of_content_are_shown() -> None:
    """Messages of every role, parts of text, images, and what nobody knows."""
    parts = [
        {"type": "input_text", "text": "What is it?"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "low"},
    ]
    with room() as here:
        ask(
            here,
            [
                {"role": "developer", "content": "Be kind."},
                {"role": "assistant", "content": "Hello."},
                {"type": "web_search_call", "id": "ws_1", "status": "completed"},
                {"role": "user", "content": parts},
            ],
        )
        seen = here.double.generations[-1].seen.items
        assert [item.kind for item in seen] == ["system", "agent", "other", "user"]
        assert (seen[3].text, seen[3].images) == ("What is it?", 1)
        assert here.double.ledger.lines[-1].parts["new"] > 765


def test_input_items_are_listed_newest_first_and_in_pages() -> None:
    """All that a response was made from, in the order that is asked for."""
    with room() as here:
        first = here.client.responses.create(model=MODEL, input="one")
        second = here.client.responses.create(
            model=MODEL, input="two", previous_response_id=first.id
        )
        listed = here.client.responses.input_items.list
        kinds = [item.type for item in listed(second.id)]
        assert kinds == ["message", "message", "message"]
        ascending = list(listed(second.id, order="asc", limit=2))
        assert [item.id for item in ascending] == [item.id for item in listed(second.id)][::-1]
        page = listed(second.id, order="asc", limit=2)
        assert page.has_more
        assert [item.id for item in page.data] == [item.id for item in ascending[:2]]


def test_a_deletion_says_what_it_deleted() -> None:
    """The body that the SDK throws away."""
    with room() as here:
        made = here.client.responses.create(model=MODEL, input="one")
        here.client.responses.delete(made.id)
        answer = here.double.exchanges[-1].answer
        assert answer
        assert answer.body == {"id": made.id, "object": "response", "deleted": True}


def test_a_stored_response_is_retrieved_as_it_was() -> None:
    """By id, with its usage."""
    with room() as here:
        made = here.client.responses.create(model=MODEL, input="one")
        found = here.client.responses.retrieve(made.id)
        assert (found.output_text, found.usage) == (made.output_text, made.usage)


def test_an_output_over_its_limit_is_cut() -> None:
    """To the token; a call that does not fit is left out."""
    with room([[Say("x" * 400)], [Say("y" * 40), Ask("look", "z" * 400)]]) as here:
        cut = here.client.responses.create(model=MODEL, input="one", max_output_tokens=20)
        assert cut.status == "incomplete"
        assert cut.incomplete_details
        assert cut.incomplete_details.reason == "max_output_tokens"
        assert len(cut.output_text) == (20 - OVERHEAD) * 4
        assert cut.usage
        assert cut.usage.output_tokens == 20
        kept = here.client.responses.create(model=MODEL, input="two", max_output_tokens=20)
        assert [item.type for item in kept.output] == ["message"]
        assert kept.status == "incomplete"


@pytest.mark.parametrize(
    ("reason", "told"),
    [("max_tokens", "max_output_tokens"), ("content_filter", "content_filter")],
)
def test_a_brain_may_stop_early(reason: str, told: str) -> None:
    """What was said until then is there."""
    stop = Stop("content_filter") if reason == "content_filter" else Stop()
    with room([[Say("And then"), stop]]) as here:
        made = here.client.responses.create(model=MODEL, input="one")
        assert (made.status, made.output_text) == ("incomplete", "And then")
        assert made.incomplete_details
        assert made.incomplete_details.reason == told


def test_a_failure_is_in_the_body_or_an_error_by_its_code() -> None:
    """Some codes are HTTP errors when nobody streams; none is the client's defect."""
    with room([[Fail("invalid_prompt", "Not this.")], [Fail("server_error")]]) as here:
        made = here.client.responses.create(model=MODEL, input="one")
        assert made.status == "failed"
        assert made.error
        assert (made.error.code, made.error.message) == ("invalid_prompt", "Not this.")
        with pytest.raises(openai.InternalServerError):
            here.client.responses.create(model=MODEL, input="two")
        assert here.clean()


def test_waiting_takes_time_of_the_clock() -> None:
    """A slow answer costs clock seconds, not real ones."""
    with room([[Wait(30), Say("Done.")]]) as here:
        before = here.double.now()
        made = here.client.responses.create(model=MODEL, input="one")
        assert here.double.now() - before == 30
        assert made.completed_at == made.created_at + 30


def test_usage_is_what_the_books_say() -> None:
    """The input by parts, the output by items, the reasoning within it."""
    with room() as here:
        made = here.client.responses.create(model=MODEL, input="think", instructions="Be kind.")
        assert made.usage
        thought, said = "I should think.", "Here is the answer."
        assert (
            made.usage.input_tokens
            == count_block_units("Be kind.") + count_block_units("think") + 2 * OVERHEAD
        )
        assert (
            made.usage.output_tokens_details.reasoning_tokens
            == count_block_units(thought) + OVERHEAD
        )
        assert (
            made.usage.output_tokens
            == count_block_units(thought) + count_block_units(said) + 2 * OVERHEAD
        )
        after = here.client.responses.create(model=MODEL, input="x", previous_response_id=made.id)
        assert here.double.ledger.lines[-1].parts == {"history": 6 + 8 + 9, "new": 5}
        assert after.usage
        assert after.usage.input_tokens == 28


def test_a_history_sent_whole_is_told_from_what_is_new() -> None:
    """New is what the model has not answered yet."""
    call = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
    with room() as here:
        ask(here, [HI, call, result(call, "four"), HI], tools=[TOOL])
        parts = here.double.ledger.lines[-1].parts
        assert (
            parts["history"] == count_block_units("hi") + count_block_units("look{}") + 2 * OVERHEAD
        )
        assert parts["new"] == count_block_units("four") + count_block_units("hi") + 2 * OVERHEAD
        assert parts["tools"] > 0


def test_a_second_turn_reads_the_cache_that_the_first_one_wrote() -> None:
    """With the details that the API gives, and the reason of a miss when it is asked for."""
    with room() as here:
        create = here.client.responses.create
        first = create(
            model=MODEL,
            input="x" * 8_000,
            prompt_cache_key="k",
            prompt_cache_options={"ttl": "12h"},
        )
        second = create(
            model=MODEL,
            input="more",
            previous_response_id=first.id,
            prompt_cache_key="k",
            prompt_cache_options={"comparison_response_id": first.id},
        )
        assert first.usage
        assert second.usage
        details = first.usage.input_tokens_details
        assert (details.cached_tokens, details.cache_write_tokens) == (0, 2_004)
        assert details.cache_write_tokens_details
        assert details.cache_write_tokens_details.ttl_12h_tokens == 2_004
        assert second.usage.input_tokens_details.cached_tokens == 2_004
        assert second.prompt_cache_diagnostics
        assert second.prompt_cache_diagnostics.type == "cache_hit"


@pytest.mark.parametrize(
    "other",
    [
        {"reasoning": {"effort": "high"}},
        {"text": {"verbosity": "low"}},
        {"service_tier": "flex"},
        {"prompt_cache_key": "other"},
    ],
)
def test_what_a_cache_is_kept_apart_by_makes_a_new_one(other: dict[str, object]) -> None:
    """The same context again, with one setting changed, reads nothing."""
    with room() as here:
        for more in ({}, {}, other):
            ask(here, "x" * 8_000, **more)
        reads = [line.read for line in here.double.ledger.lines]
        assert reads == [0, 2_004, 0]


def test_counting_says_what_a_request_would_take() -> None:
    """The same number as the usage of the same request; and it leaves no trace."""
    with room() as here:
        first = here.client.responses.create(model=MODEL, input="one")
        body = {"model": MODEL, "input": "two", "instructions": "Be kind.", "tools": [TOOL]}
        counted = here.post("/responses/input_tokens", {**body, "previous_response_id": first.id})
        made = here.post("/responses", {**body, "previous_response_id": first.id})
        usage = made["usage"]
        assert isinstance(usage, dict)
        assert counted["input_tokens"] == usage["input_tokens"]
        assert here.client.responses.input_tokens.count(model=MODEL, input="two").input_tokens == 5
        assert len(here.double.generations) == 2


def test_compacting_keeps_the_users_messages_and_one_item() -> None:
    """Its output is the new window, sent whole; the brain then sees both."""
    with room() as here:
        history = [HI, {"role": "assistant", "content": "a secret"}, {**HI, "content": "on"}]
        made = here.post("/responses/compact", {"model": MODEL, "input": history})
        kinds = [item["type"] for item in output(made)]
        assert kinds == ["message", "message", "compaction"]
        assert here.double.generations[-1].seen.purpose == "compact"
        ask(here, [*output(made), {**HI, "content": "now"}])
        assert here.double.generations[-1].seen.items == (
            Shown("user", "hi"),
            Shown("user", "on"),
            Shown("compaction", "short: hi; a secret; on"),
            Shown("user", "now"),
        )
        assert here.clean()


def test_a_response_can_be_compacted_by_its_id() -> None:
    """The SDK's own call, over a chain."""
    with room() as here:
        first = here.client.responses.create(model=MODEL, input="one")
        made = here.client.responses.compact(model=MODEL, previous_response_id=first.id)
        assert made.object == "response.compaction"
        assert made.output[-1].type == "compaction"
        assert (
            made.usage.output_tokens
            == count_block_units("short: one; Here is the answer.") + OVERHEAD
        )


def test_a_context_over_its_threshold_is_compacted_on_the_way() -> None:
    """The output begins with the compaction, and what follows in the chain starts from it."""
    with room() as here:
        first = here.client.responses.create(model=MODEL, input="fact=" + "x" * 3_000)
        managed = [{"type": "compaction", "compact_threshold": 1_000}]
        small = here.client.responses.create(
            model=MODEL, input="a", previous_response_id=first.id, context_management=managed
        )
        assert [item.type for item in small.output] == ["message"]
        big = here.client.responses.create(
            model=MODEL,
            input="y" * 4_000,
            previous_response_id=small.id,
            context_management=managed,
        )
        assert [item.type for item in big.output] == ["compaction", "message"]
        compacted, answered = here.double.generations[-2:]
        assert (compacted.seen.purpose, answered.seen.purpose) == ("compact", "answer")
        assert [item.kind for item in answered.seen.items] == ["compaction", "user"]
        here.client.responses.create(model=MODEL, input="b", previous_response_id=big.id)
        after = here.double.generations[-1].seen.items
        assert [item.kind for item in after] == ["compaction", "agent", "user"]
        assert "fact=" in after[0].text
        assert here.clean()


def test_a_compaction_by_the_brain_stands_for_all_before_it() -> None:
    """Whenever it is said."""

    def brain(seen: Seen) -> list[Emit]:
        return [Compact("in short"), Say("Go on.")] if len(seen.items) == 1 else [Say("Yes.")]

    with room(brain) as here:
        first = here.client.responses.create(model=MODEL, input="one")
        here.client.responses.create(model=MODEL, input="two", previous_response_id=first.id)
        kinds = [item.kind for item in here.double.generations[-1].seen.items]
        assert kinds == ["compaction", "agent", "user"]


@pytest.mark.parametrize(
    "path", ["/responses/compact", "/responses/input_tokens", "/conversations"]
)
def test_a_server_may_lack_an_endpoint(path: str) -> None:
    """To find out is no defect; to try again is one."""
    with room(profile="vllm") as here:
        for defect in (False, True):
            here.refused(
                "absent",
                lambda: here.post(path, {"model": MODEL, "input": "hi"}),
                f"Invalid URL (POST /v1{path})",
                status=404,
                defect=defect,
            )


def test_the_tables_of_fields_are_those_of_the_sdk() -> None:
    """No field more and none less than OpenAI's own parameters."""
    create = response_create_params.ResponseCreateParamsStreaming.__annotations__
    base = response_create_params.ResponseCreateParamsBase.__annotations__
    assert set(CREATE) == set(create) | set(base)
    assert set(COMPACT) == set(response_compact_params.ResponseCompactParams.__annotations__)
    assert set(COUNT) == set(input_token_count_params.InputTokenCountParams.__annotations__)


def test_the_strict_check_finds_what_is_missing_unknown_and_wrong() -> None:
    """The check that all these answers go through is not blind itself."""
    with room() as here:
        body = ask(here)
        assert problems(body, Response) == []
        short = {key: value for key, value in body.items() if key != "model"}
        assert problems(short, Response) == ["$.model: is missing"]
        assert problems({**body, "store": True}, Response) == ["$.store: is not known"]
        assert problems({**body, "parallel_tool_calls": 1}, Response) == [
            "$.parallel_tool_calls: 1 is not <class 'bool'>"
        ]
        wrong = {**body, "output": [{**output(body)[0], "role": "user"}]}
        assert problems(wrong, Response) == ["$.output[0].role: 'user' is none of ('assistant',)"]
