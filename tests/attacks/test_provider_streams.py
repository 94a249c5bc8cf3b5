"""Servers of models that attack the program that asks them: bounded, said in words, not followed."""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import Callable, Sequence

import pytest

from attacks.strangers import Visit, stranger
from director.models import ModelError, Policy, StreamEnd, open_model
from director.models.response_limits import LARGEST, LARGEST_EVENT

KEY = "sk-the-users-own-key"
EVENTS = "text/event-stream"
NAMES = ("chat", "responses", "anthropic")
ENV = dict.fromkeys(("CHAT_API_KEY", "RESPONSES_API_KEY", "ANTHROPIC_API_KEY"), KEY)
ONCE = Policy(attempts=1)


def ask(provider: str, url: str, *, streaming: bool = True, most: float = 90) -> list[object]:
    """What arrives when a model of the server is asked; raises what the caller would meet."""

    async def conversation() -> list[object]:
        async with open_model(f"{provider}:{url}/v1#m", env=ENV, policy=ONCE) as model:
            history = [{"role": "user", "content": "Hello?"}]
            if not streaming:
                return [await model.send(history)]
            return [piece async for piece in model.stream(history)]

    return asyncio.run(asyncio.wait_for(conversation(), most))


def streams(tell: Callable[[Visit], None]) -> Callable[[Visit], None]:
    """A server that streams to questions, and knows no other address."""

    def answers(visit: Visit) -> None:
        if visit.command == "GET" or "count" in visit.path:
            visit.reply(b"{}", status=404)
            return
        visit.begin(EVENTS)
        tell(visit)

    return answers


def chunk(**delta: object) -> str:
    """A chunk of Chat Completions."""
    return json.dumps({"id": "c", "choices": [{"delta": delta, "finish_reason": None}]})


def ended(visit: Visit, **more: object) -> None:
    """The end of an answer by Chat Completions."""
    end = {"id": "c", "choices": [{"delta": {}, "finish_reason": "stop"}], **more}
    visit.tell(json.dumps(end), "[DONE]")


@pytest.mark.attack(
    "A provider answers with a redirect to a stranger",
    must="it is not followed: the stranger gets no request, no key and no conversation",
    tries=24,
)
@pytest.mark.promise("D1")
@pytest.mark.parametrize("provider", NAMES)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(provider: str, status: int) -> None:
    """Streaming or not; the error says where it would have gone."""
    with stranger() as evil:

        def redirects(visit: Visit) -> None:
            visit.begin("text/plain", status, f"Location: {evil.url}/v1/x", "Content-Length: 0")

        with stranger(redirects) as server:
            for streaming in (True, False):
                with pytest.raises(ModelError, match="redirect") as told:
                    ask(provider, server.url, streaming=streaming)
                assert told.value.kind == "malformed"
                assert evil.url in str(told.value)
        assert server.requests
    assert evil.requests == []


def _endless_line(visit: Visit) -> None:
    for _ in range(2 * LARGEST // 65_536):
        visit.wfile.write(b"x" * 65_536)


def _endless_lines(visit: Visit) -> None:
    for _ in range(2 * LARGEST // 65_536):
        visit.wfile.write(b"data: 1\n" * 8_192)


def _endless_text(visit: Visit) -> None:
    piece = f"data: {chunk(content='x' * 1_000_000)}\n\n".encode()
    for _ in range(2 * LARGEST // len(piece)):
        visit.wfile.write(piece)


def _endless_comments(visit: Visit) -> None:
    for _ in range(2 * LARGEST // 65_536):
        visit.wfile.write(b": keep-alive\n\n" * 4_680)


@pytest.mark.attack(
    "A provider's stream never ends: one line, lines without an event, text, comments",
    must="the turn ends with a clear error, within bounded time and memory",
    tries=6,
)
@pytest.mark.parametrize(
    ("provider", "tell"),
    [
        ("chat", _endless_line),
        ("anthropic", _endless_line),
        ("chat", _endless_lines),
        ("responses", _endless_lines),
        ("chat", _endless_text),
        ("responses", _endless_comments),
    ],
)
def test_a_stream_without_end_is_cut(provider: str, tell: Callable[[Visit], None]) -> None:
    """Nothing of it is used."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with stranger(streams(tell)) as server, pytest.raises(ModelError) as told:
        ask(provider, server.url)
    assert told.value.kind == "malformed"
    assert any(word in str(told.value) for word in ("larger than", "lines", "events"))
    if sys.platform == "linux":
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) * 1024
        assert grown < 4 * LARGEST + 4 * LARGEST_EVENT


@pytest.mark.attack(
    "A provider sends a long answer in pieces of one letter",
    must="it is read in a time that grows with its length, not with the square of it",
    tries=2,
)
@pytest.mark.parametrize("what", ["text", "arguments"])
def test_many_small_pieces_are_joined_once(what: str) -> None:
    """An answer of 400,000 letters, of which each is an event or part of a call."""
    call = {"index": 0, "function": {"arguments": "x" * 200}}
    piece = chunk(content="x" * 200) if what == "text" else chunk(tool_calls=[call])

    def tell(visit: Visit) -> None:
        visit.wfile.write(f"data: {piece}\n\n".encode() * 20_000)
        ended(visit)

    began = time.process_time()
    with stranger(streams(tell)) as server:
        found = ask("chat", server.url)
    assert isinstance(found[-1], StreamEnd)
    assert time.process_time() - began < 60


@pytest.mark.attack(
    "A provider sends events of the wrong type: lists, texts, numbers, null, broken UTF-8, deep "
    "JSON, numbers without end, blocks without a number",
    must="an error of the turn in words, never a crash",
    tries=33,
)
@pytest.mark.parametrize("provider", NAMES)
@pytest.mark.parametrize(
    "event",
    [
        b"[1, 2]",
        b'"text"',
        b"7",
        b"null",
        b'{"type": "content_block_start", "index": [], "content_block": 1}',
        b'{"type": "content_block_delta", "index": {}, "delta": []}',
        b'{"choices": {"delta": 1}, "type": 1, "response": []}',
        b'{"choices": [{"delta": {"tool_calls": [{"index": "x", "function": 3}]}}]}',
        b"\xff\xfe\xff",
        b"[" * 100_000,
        b'{"usage": ' + b"9" * 10_000 + b"}",
    ],
    ids=range(11),
)
def test_an_event_of_the_wrong_type_is_an_error_of_the_turn(provider: str, event: bytes) -> None:
    """The conversation is kept, and the same turn can be sent again."""

    def tell(visit: Visit) -> None:
        visit.wfile.write(b"data: " + event + b"\n\n")

    with stranger(streams(tell)) as server, pytest.raises(ModelError):
        ask(provider, server.url)


@pytest.mark.attack(
    "A provider's answer holds thousands of calls, an answer nested a thousand deep, or is no JSON",
    must="refused as malformed; no call is made",
    tries=4,
)
@pytest.mark.parametrize("what", ["calls", "deep", "list", "text"])
def test_an_answer_beyond_measure_is_refused(what: str) -> None:
    """In one piece, as it comes from `send`."""
    deep = json.loads("[" * 500 + "]" * 500)
    call = {"id": "c", "type": "function", "function": {"name": "x", "arguments": "{}"}}
    message: dict[str, object] = {"role": "assistant", "content": "Hello."}
    if what == "calls":
        message["tool_calls"] = [call] * 5_000
    elif what == "deep":
        message["extra"] = deep
    body: object = {"id": "c", "choices": [{"message": message, "finish_reason": "stop"}]}
    if what == "list":
        body = [body]
    text = json.dumps(body).encode() if what != "text" else b"<html>" * 1_000

    def answers(visit: Visit) -> None:
        visit.reply(text if visit.command == "POST" else b"{}")

    with stranger(answers) as server, pytest.raises(ModelError):
        ask("chat", server.url, streaming=False)


@pytest.mark.attack(
    "A provider reports usage beyond measure: huge, negative, not a number",
    must="it is not counted, and the answer says that its cost is not known",
    tries=5,
)
@pytest.mark.parametrize("count", [10**30, -5, True, 1e308, "9"])
def test_usage_beyond_measure_is_not_counted(count: object) -> None:
    """A budget is not emptied, and no sum overflows."""
    usage = {"prompt_tokens": count, "completion_tokens": count, "total_tokens": count}

    def tell(visit: Visit) -> None:
        visit.tell(chunk(content="Hello."))
        ended(visit, usage=usage)

    with stranger(streams(tell)) as server:
        found = ask("chat", server.url)
    done = found[-1]
    assert isinstance(done, StreamEnd)
    assert done.reply.usage is None
    assert any("unknown" in each for each in done.reply.warnings)


@pytest.mark.attack(
    "A provider floods with headers, waits, retries or words: 20,000 headers, a compressed bomb, an "
    "error of megabytes, waits that are no number",
    must="one clear error of bounded length; nothing is unpacked",
    tries=6,
)
@pytest.mark.parametrize("what", ["headers", "long", "gzip", "error", "wait", "date"])
def test_a_flood_around_an_answer_is_one_short_error(what: str) -> None:
    """Before and beside the body."""
    heads: Sequence[str] = {
        "headers": [f"X-Flood-{n}: {'x' * 100}" for n in range(20_000)],
        "long": [f"X-Request-Id: {'x' * 1_000_000}"],
        "gzip": ["Content-Encoding: gzip"],
        "error": [],
        "wait": ["Retry-After: 1e309", "Retry-After-Ms: nan"],
        "date": ["Retry-After: Fri, 99 Foo 99999 99:99:99 GMT"],
    }[what]

    def answers(visit: Visit) -> None:
        words = "try again in 1.2.3s " + "previous response with id " * 100_000
        body = json.dumps({"error": {"message": words, "code": "x" * 10_000}}).encode()
        status = 200 if what in ("gzip", "headers", "long") else 429
        visit.begin("application/json", status, f"Content-Length: {len(body)}", *heads)
        visit.wfile.write(body)

    with stranger(answers) as server, pytest.raises(ModelError) as told:
        ask("chat", server.url, streaming=False)
    assert len(str(told.value)) < 3_000
    assert KEY not in str(told.value)


@pytest.mark.attack(
    "A model's name carries a password, a second host, a space or a letter that is not shown",
    must="it is the name of no model",
    tries=6,
)
@pytest.mark.parametrize(
    "url",
    [
        "http://user:pass@127.0.0.1/v1",
        "http://api.openai.com@127.0.0.1/v1",
        "http://127.0.0.1\\@evil.example/v1",
        "http://127.0.0.1 evil.example/v1",
        "http://local\thost/v1",
        "http://127.0.0.1\r\nHost: evil.example/v1",
    ],
)
def test_an_address_that_reads_two_ways_is_none(url: str) -> None:
    """What two programs could read differently is read by none."""
    with pytest.raises(ValueError, match="address"):
        open_model(f"chat:{url}#m", env=ENV)
