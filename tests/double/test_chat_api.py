"""The chat API as OpenAI's own client meets it: answers, streams and usage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam

from director.models.script_values import (
    Ask,
    Compact,
    Emit,
    Fail,
    Refuse,
    Say,
    Shown,
    Stop,
    Think,
    Wait,
)
from director.testing.double.double import Double
from director.testing.double.request_log.block import OVERHEAD, count_block_units
from double.strict import problems

MODEL = "gpt-6.1-terra"
HELLO: list[ChatCompletionMessageParam] = [{"role": "user", "content": "hello"}]


@contextmanager
def opened(said: Sequence[Emit], profile: str = "openai") -> Iterator[tuple[Double, openai.OpenAI]]:
    """A double that always says the same, and a client of it."""
    with (
        Double(profile, lambda _: said) as double,
        openai.OpenAI(base_url=double.openai_url, api_key="sk-test", max_retries=0) as client,
    ):
        yield double, client


def bodies(double: Double) -> list[Mapping[str, object]]:
    """Everything that was sent, as it was sent."""
    answers = [exchange.answer for exchange in double.exchanges if exchange.answer is not None]
    events = [event.data for answer in answers for event in answer.events]
    sent = [answer.body for answer in answers if not answer.events]
    return sent + [data for data in events if not isinstance(data, str)]


def completed(said: Sequence[Emit], profile: str = "openai") -> ChatCompletion:
    """What the client gets of that, whose body must be strictly what the client declares."""
    with opened(said, profile) as (double, client):
        answer = client.chat.completions.create(model=MODEL, messages=HELLO)
        if profile == "openai":
            assert problems(bodies(double)[0], ChatCompletion) == []
    return answer


def streamed(said: Sequence[Emit], profile: str = "openai") -> list[ChatCompletionChunk]:
    """The chunks of that, each strictly what the client declares."""
    with opened(said, profile) as (double, client):
        with client.chat.completions.create(
            model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True}
        ) as stream:
            chunks = list(stream)
        answer = double.exchanges[0].answer
        assert answer is not None
        assert answer.events[-1].data == "[DONE]"
        if profile == "openai":
            assert [problems(body, ChatCompletionChunk) for body in bodies(double)] == [[]] * len(
                chunks
            )
    return chunks


def test_what_is_said_is_content() -> None:
    """Text is the content, and the answer stops."""
    answer = completed([Say("one"), Compact("two")])
    choice = answer.choices[0]
    assert (choice.message.content, choice.finish_reason) == ("one\ntwo", "stop")
    assert answer.id.startswith("chatcmpl-")
    assert answer.model == MODEL
    assert answer.service_tier == "default"


def test_calls_are_tool_calls() -> None:
    """Arguments go out as they are, and a call without an id gets one."""
    answer = completed([Ask("look", '{"at": 1}', "call_a"), Ask("leap", "{broken")])
    message = answer.choices[0].message
    assert message.content is None
    assert answer.choices[0].finish_reason == "tool_calls"
    assert message.tool_calls is not None
    first, second = message.tool_calls
    assert first.type == "function"
    assert (first.id, first.function.name, first.function.arguments) == (
        "call_a",
        "look",
        '{"at": 1}',
    )
    assert second.type == "function"
    assert second.function.arguments == "{broken"
    assert len(second.id) == len("call_") + 24


def test_a_refusal_is_a_refusal() -> None:
    """It is not content."""
    message = completed([Refuse("no")]).choices[0].message
    assert (message.refusal, message.content) == ("no", None)


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        (Stop(), "length"),
        (Stop("window"), "length"),
        (Stop("content_filter"), "content_filter"),
        (Stop("pause_turn"), "stop"),
    ],
)
def test_an_early_stop_is_a_finish_reason(stop: Stop, finish: str) -> None:
    """What was said until then is kept, and what comes after is not."""
    answer = completed([Say("half"), stop, Say("more")])
    assert answer.choices[0].finish_reason == finish
    assert answer.choices[0].message.content == "half"
    assert streamed([Say("half"), stop])[-2].choices[0].finish_reason == finish


def test_thinking_is_only_counted_by_the_vendor() -> None:
    """Its tokens are reported, its text is not."""
    answer = completed([Think("hm" * 20), Say("yes!")])
    assert answer.usage is not None
    assert answer.usage.completion_tokens_details is not None
    assert answer.usage.completion_tokens_details.reasoning_tokens == 10
    assert answer.usage.completion_tokens == 11
    assert "hmhm" not in answer.model_dump_json()


@pytest.mark.parametrize("profile", ["vllm", "ollama", "llamacpp"])
def test_a_local_server_shows_its_thinking(profile: str) -> None:
    """It comes beside the content, and usage has no details."""
    said = [Think("a long thought of it"), Say("yes")]
    answer = completed(said, profile)
    assert answer.choices[0].message.model_dump()["reasoning_content"] == "a long thought of it"
    assert answer.usage is not None
    assert answer.usage.prompt_tokens_details is None
    deltas = [chunk.choices[0].delta.model_dump() for chunk in streamed(said, profile)[:-1]]
    thought = "".join(delta.get("reasoning_content") or "" for delta in deltas)
    assert thought == "a long thought of it"


def test_a_stream_says_the_same_as_a_body() -> None:
    """Role first, then pieces, then how it ended, then the usage with no choices."""
    said = [Say("a text of some length"), Ask("look", '{"where": "over the hills"}', "call_a")]
    whole, chunks = completed(said), streamed(said)
    *parts, ended, usage = chunks
    deltas = [chunk.choices[0].delta for chunk in parts]
    assert [delta.role for delta in deltas] == ["assistant"] + [None] * (len(deltas) - 1)
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    pieces = [delta.tool_calls[0] for delta in deltas if delta.tool_calls]
    assert (pieces[0].id, pieces[0].type) == ("call_a", "function")
    assert [piece.id for piece in pieces[1:]] == [None, None]
    functions = [piece.function for piece in pieces if piece.function]
    assert functions[0].name == "look"
    arguments = "".join(function.arguments or "" for function in functions)
    assert arguments == '{"where": "over the hills"}'
    assert ended.choices[0].finish_reason == whole.choices[0].finish_reason
    assert (usage.choices, usage.usage) == ([], whole.usage)
    assert len({chunk.id for chunk in chunks}) == 1


def test_a_refusal_is_streamed_as_one() -> None:
    """Its pieces are in their own field."""
    deltas = [chunk.choices[0].delta for chunk in streamed([Refuse("I will not do this.")])[:-1]]
    assert "".join(delta.refusal or "" for delta in deltas) == "I will not do this."


def test_usage_is_streamed_only_when_asked_for() -> None:
    """Without the option no chunk has it."""
    with opened([Say("yes")]) as (_, client):
        stream = client.chat.completions.create(model=MODEL, messages=HELLO, stream=True)
        with stream:
            chunks = list(stream)
    assert [chunk.usage for chunk in chunks] == [None] * len(chunks)
    assert chunks[-1].choices[0].finish_reason == "stop"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("server_error", openai.InternalServerError),
        ("rate_limit_exceeded", openai.RateLimitError),
        ("context_length_exceeded", openai.BadRequestError),
        ("server_is_overloaded", openai.InternalServerError),
    ],
)
def test_a_failure_is_an_error_and_no_defect(code: str, error: type[openai.APIStatusError]) -> None:
    """The client is not to blame, and nothing is booked."""
    with opened([Fail(code, "broke")]) as (double, client):
        with pytest.raises(error, match="broke") as caught:
            client.chat.completions.create(model=MODEL, messages=HELLO)
        assert caught.value.code == code
        assert double.defects == []
        assert double.ledger.lines == []


def test_a_failure_amid_a_stream_is_an_error_event() -> None:
    """What was said before it has arrived."""
    with opened([Say("half"), Fail("server_error", "broke")]) as (_, client):
        stream = client.chat.completions.create(model=MODEL, messages=HELLO, stream=True)
        got: list[str] = []
        with stream, pytest.raises(openai.APIError, match="broke"):
            got.extend(chunk.choices[0].delta.content or "" for chunk in stream)
    assert "".join(got) == "half"


def test_waiting_takes_time_of_the_clock() -> None:
    """The virtual clock moves; nobody waits."""
    with opened([Wait(90), Say("late")]) as (double, client):
        before = double.now()
        client.chat.completions.create(model=MODEL, messages=HELLO)
        assert double.now() == before + 90


@pytest.mark.parametrize(
    ("limit", "content"), [(4, "abcdefghijklmnop"), (3, "abcdefghijkl"), (1, "abcd")]
)
def test_an_answer_is_cut_at_its_limit(limit: int, content: str) -> None:
    """What does not fit is not said, and the reason is length."""
    with opened([Say("abcdefghijklmnop")]) as (_, client):
        answer = client.chat.completions.create(
            model=MODEL, messages=HELLO, max_completion_tokens=limit
        )
    choice = answer.choices[0]
    assert choice.message.content == content
    assert choice.finish_reason == ("stop" if limit == 4 else "length")
    assert answer.usage is not None
    assert answer.usage.completion_tokens == limit


def test_thinking_and_calls_count_towards_the_limit() -> None:
    """Thinking may use up all of it; a call is cut within its arguments."""
    said = [Think("x" * 40), Ask("look", '{"at": "the sea"}')]
    with opened(said) as (_, client):
        answers = [
            client.chat.completions.create(
                model=MODEL, messages=HELLO, max_completion_tokens=limit
            ).choices[0]
            for limit in (5, 13)
        ]
    assert [answer.finish_reason for answer in answers] == ["length", "length"]
    assert answers[0].message.tool_calls is None
    assert answers[1].message.tool_calls is not None
    call = answers[1].message.tool_calls[0]
    assert call.type == "function"
    assert call.function.arguments == '{"at": "'


def test_calls_that_do_not_fit_are_left_out() -> None:
    """A refusal and calls share what is left after the text."""
    said = [Say("text"), Refuse("no, never"), Ask("look"), Ask("leap")]
    with opened(said) as (_, client):
        create = client.chat.completions.create
        first, second = (
            create(model=MODEL, messages=HELLO, max_completion_tokens=limit).choices[0].message
            for limit in (2, 6)
        )
    assert (first.content, first.refusal, first.tool_calls) == ("text", "no, ", None)
    assert (second.refusal, len(second.tool_calls or ())) == ("no, never", 1)


def test_a_local_server_has_no_field_for_refusals() -> None:
    """It says them as it says all else."""
    message = completed([Refuse("no")], "vllm").choices[0].message
    assert (message.content, message.refusal) == ("no", None)
    deltas = [chunk.choices[0].delta for chunk in streamed([Refuse("no")], "vllm")[:-1]]
    assert "".join(delta.content or "" for delta in deltas) == "no"


TALK: list[ChatCompletionMessageParam] = [
    {"role": "system", "content": "Be brief."},
    {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "what is it?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ],
    },
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "a cat"},
    {"role": "system", "content": "Hurry."},
    {"role": "assistant", "content": None, "refusal": "I will not."},
    {"role": "user", "content": "why?"},
]


def test_the_brain_sees_what_the_request_carries() -> None:
    """Leading system messages are instructions; the rest are items in order."""
    with opened([Say("yes")]) as (double, client):
        client.chat.completions.create(
            model=MODEL,
            messages=TALK,
            tools=[{"type": "function", "function": {"name": "look"}}],
            metadata={"run": "r1"},
        )
        seen = double.generations[0].seen
    assert (seen.form, seen.model, seen.run) == ("chat", MODEL, "r1")
    assert seen.instructions == "Be brief.\n\nBe kind."
    assert seen.tools == ("look",)
    assert seen.items == (
        Shown("user", "what is it?", images=1),
        Shown("agent", "I look."),
        Shown("call", "{}", "look", "call_1"),
        Shown("result", "a cat", "look", "call_1"),
        Shown("system", "Hurry."),
        Shown("agent", "I will not."),
        Shown("user", "why?"),
    )


def test_the_books_have_the_parts_of_a_request() -> None:
    """History is what was there at the last answer; new is what came since."""
    with opened([Say("yes")]) as (double, client):
        client.chat.completions.create(model=MODEL, messages=TALK, metadata={"run": "r1"})
        line = double.ledger.lines[0]
    assert set(line.parts) == {"instructions", "history", "new"}
    assert line.parts["new"] == count_block_units("user\nwhy?") + OVERHEAD
    assert (line.run, line.exchange, line.output) == ("r1", 1, 1)


def test_a_second_turn_reads_the_first_from_the_cache() -> None:
    """Usage says what was read and written, and agrees with the books."""
    long: list[ChatCompletionMessageParam] = [{"role": "user", "content": "x" * 8_000}]
    more: list[ChatCompletionMessageParam] = [
        *long,
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "go on"},
    ]
    with opened([Say("yes")]) as (double, client):
        create = client.chat.completions.create
        first, second = (create(model=MODEL, messages=talk).usage for talk in (long, more))
        other = create(model=MODEL, messages=more, reasoning_effort="low").usage
        lines = double.ledger.lines
    assert first is not None
    assert second is not None
    assert other is not None
    assert second.prompt_tokens_details is not None
    assert second.prompt_tokens_details.cached_tokens == first.prompt_tokens == 2_006
    written = second.prompt_tokens_details.cache_write_tokens
    assert written == second.prompt_tokens - first.prompt_tokens
    assert [line.input for line in lines] == [
        first.prompt_tokens,
        second.prompt_tokens,
        second.prompt_tokens,
    ]
    assert lines[1].cost is not None
    assert other.prompt_tokens_details is not None
    assert other.prompt_tokens_details.cached_tokens == 0


def test_a_model_without_paid_writes_reports_none() -> None:
    """The field is absent where writes are free."""
    with opened([Say("yes")]) as (double, client):
        usage = client.chat.completions.create(model="gpt-5.4", messages=HELLO).usage
        assert problems(bodies(double)[0], ChatCompletion) == []
    assert usage is not None
    assert usage.prompt_tokens_details is not None
    assert usage.prompt_tokens_details.cache_write_tokens is None
