"""The proxy between the vendors' own clients and the strict double."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic
from openai import APIConnectionError, APIStatusError, OpenAI

from director import ContextConfig
from director.middleware.proxy import Proxy
from director.models.script_values import Say
from director.testing.double import Double, Fault
from middleware import loops
from middleware.test_clients import chat_loop, messages_loop, responses_loop

CONFIG = ContextConfig(strategy="hybrid", budget=loops.BUDGET)
KEY = "sk-secret-of-the-client"


@contextmanager
def proxied(
    upstream: str | None, config: Any = CONFIG, made: Proxy | None = None
) -> Iterator[Proxy]:
    """A proxy in a loop of its own, as a program would run it."""
    made = made or Proxy(config, upstream)
    ready, loop = threading.Event(), asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        await made.open()
        ready.set()
        await stop.wait()
        await made.close()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait(60)
    try:
        yield made
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)
        loop.close()


@pytest.mark.parametrize("loop", [chat_loop, responses_loop, messages_loop])
def test_thirty_steps_through_the_proxy_end_with_every_fact(loop: Any) -> None:
    """The official clients, only their address changed; the provider has no complaint."""
    other = loop is messages_loop
    with Double("anthropic" if other else "openai", loops.reader()) as double:
        with proxied(double.url) as proxy:
            made: Any = (
                Anthropic(base_url=proxy.url, api_key=KEY, max_retries=0)
                if other
                else OpenAI(base_url=f"{proxy.url}/v1", api_key=KEY, max_retries=0)
            )
            with made as client:
                messages = loop(client)
            (saved,) = proxy.seen.clients
        assert loops.answer() in json.dumps(messages[-1])
        assert double.defects == []
        assert double.verdict() == []
        assert saved.requests == loops.STEPS + 1
        assert saved.share > 0.5


class Echo:
    """An upstream that keeps the bytes it gets, and answers with bytes that it was given."""

    def __init__(self, answer: bytes) -> None:
        self.got = b""
        self._answer = answer
        self._stop = threading.Event()

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Listen until the block ends."""
        loop, ready = asyncio.new_event_loop(), threading.Event()
        stop, where = asyncio.Event(), []

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                (int(line.split(b":")[1]) for line in head.split(b"\r\n") if b"ength" in line), 0
            )
            self.got = head + await reader.readexactly(length)
            writer.write(self._answer)
            await writer.drain()
            writer.close()

        async def serve() -> None:
            server = await asyncio.start_server(talk, "127.0.0.1", 0)
            where.append(server.sockets[0].getsockname()[1])
            ready.set()
            await stop.wait()
            server.close()
            await server.wait_closed()

        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
        thread.start()
        ready.wait(60)
        try:
            yield f"http://127.0.0.1:{where[0]}"
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join(60)
            loop.close()


async def send_raw(port: int, sent: bytes) -> bytes:
    """What a connection answers to these bytes, until it is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    await writer.drain()
    got = await reader.read(-1)
    writer.close()
    return got


ANSWERS = {
    "json": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Request-ID: 7\r\n"
    b'Content-Length: 14\r\nConnection: close\r\n\r\n{ "ok" : true}',
    "events": b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    b"Connection: close\r\n\r\n8\r\ndata: 1\n\r\n1\r\n\n\r\n0\r\n\r\n",
    "error": b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nContent-Length: 2\r\n"
    b"Connection: close\r\n\r\n{}",
}


@pytest.mark.promise("B10")
@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize("path", [b"/v1/chat/completions?x=1", b"/v1/messages", b"/v1/files"])
def test_with_nothing_to_manage_every_byte_passes_both_ways(kind: str, path: bytes) -> None:
    """Spelling, order, spaces and unknown fields: only the host's name is another."""
    body = b'{ "messages" :[{"role":"user","content":"\\u00e9"}], "unknown": 1e0 }'
    head = (
        b"POST %s HTTP/1.1\r\nX-Odd-CASE: a\r\nHost: %%s\r\nauthorization: Bearer sk-1\r\n"
        b"Content-Length: %d\r\n\r\n" % (path, len(body))
    )
    echo = Echo(ANSWERS[kind])
    with echo.serving() as url, proxied(url) as proxy:
        answer = asyncio.run(send_raw(proxy.port, head % b"localhost:1" + body))
    assert answer == ANSWERS[kind]
    assert echo.got == head % url.removeprefix("http://").encode() + body


def test_a_first_file_read_of_37646_characters_passes_the_proxy_at_60000_byte_by_byte() -> None:
    """As a coding client sends it: tools, a thought about caching, the file as the newest result."""
    file = "\n".join(f"{n}\tdef handle_{n}(value): return {n}" for n in range(2_000))[:37_646]
    use = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/a/big.py"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": file}
    cached = {"cache_control": {"type": "ephemeral"}}
    request = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 1_000,
        "system": [{"type": "text", "text": "You write code.", **cached}],
        "tools": [{"name": "Read", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "What does handle_900 return?"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [{**result, **cached}]},
        ],
    }
    body = json.dumps(request, indent=1).encode()
    head = (
        b"POST /v1/messages?beta=true HTTP/1.1\r\nHost: %%s\r\nx-api-key: sk-1\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body)
    )
    echo = Echo(ANSWERS["json"])
    config = ContextConfig(strategy="hybrid", budget=60_000)
    with echo.serving() as url, proxied(url, config) as proxy:
        asyncio.run(send_raw(proxy.port, head % b"localhost:1" + body))
    assert len(file) == 37_646
    assert echo.got == head % url.removeprefix("http://").encode() + body


def test_a_stream_passes_event_by_event() -> None:
    """An event arrives before the upstream has sent the next: nothing is held back."""

    async def conversation() -> list[bytes]:
        arrived = asyncio.Event()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ndata: 1\n\r\n")
            await arrived.wait()  # the second event is sent only after the first was read
            writer.write(b"8\r\ndata: 2\n\r\n0\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        proxy = Proxy(CONFIG, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await proxy.open()
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
        first = await reader.readuntil(b"data: 1\n")
        arrived.set()
        second = await reader.readuntil(b"0\r\n\r\n")
        writer.close()
        await proxy.close()
        server.close()
        return [first, second]

    first, second = asyncio.run(conversation())
    assert first.endswith(b"data: 1\n")
    assert b"data: 2\n" in second


def test_two_hundred_streams_at_once_are_all_served() -> None:
    """Each gets its own answer to the end, and all were open at the same time."""
    many = 200

    async def conversation() -> tuple[int, list[bytes]]:
        open_now, most = 0, 0
        full = asyncio.Event()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal open_now, most
            head = await reader.readuntil(b"\r\n\r\n")
            name = head.split(b" ")[1]
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            open_now += 1
            most = max(most, open_now)
            if open_now == many:
                full.set()
            await full.wait()
            writer.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(name), name))
            await writer.drain()
            open_now -= 1
            writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", 0, backlog=512)
        proxy = Proxy(CONFIG, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await proxy.open()

        async def ask(number: int) -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            writer.write(b"GET /v1/%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % number)
            got = await reader.readuntil(b"0\r\n\r\n")
            writer.close()
            return got

        answers = await asyncio.gather(*(ask(number) for number in range(many)))
        await proxy.close()
        server.close()
        return most, answers

    most, answers = asyncio.run(conversation())
    assert most == many
    assert all(b"/v1/%d\r\n" % number in answer for number, answer in enumerate(answers))


@pytest.mark.parametrize(
    "kind", ["rate_limit", "server_error", "key_revoked", "truncated_json", "reset_before_headers"]
)
def test_faults_of_the_upstream_reach_the_client_as_they_are(kind: str) -> None:
    """What the client sees through the proxy is what it sees without."""
    seen = []
    for through in (False, True):
        struck = Double("openai", [[Say("Hello.")]], faults=[Fault(kind)])
        with struck as double, proxied(double.url) as proxy:
            url = f"{proxy.url}/v1" if through else double.openai_url
            with OpenAI(base_url=url, api_key=KEY, max_retries=0) as client:
                seen.append(_trouble(client))
    assert seen[0] == seen[1]


def _trouble(client: OpenAI) -> tuple[str, object, object]:
    try:
        client.chat.completions.create(
            model="gpt-6-sol", messages=[{"role": "user", "content": "Hello?"}]
        )
    except APIStatusError as error:
        return type(error).__name__, error.status_code, error.body
    except (APIConnectionError, ValueError) as error:
        return type(error).__name__, None, None
    return "answered", None, None


def test_a_client_that_leaves_takes_its_upstream_along() -> None:
    """An abandoned stream is not paid for to its end."""

    async def conversation() -> bytes:
        asked, ended = asyncio.Event(), asyncio.Event()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            asked.set()
            left = await reader.read()
            ended.set()
            assert left == b""
            writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        proxy = Proxy(CONFIG, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await proxy.open()
        _, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await asked.wait()
        writer.close()
        await asyncio.wait_for(ended.wait(), 60)
        await proxy.close()
        server.close()
        return b"ended"

    assert asyncio.run(conversation()) == b"ended"


def test_an_upstream_that_is_not_there_is_said_in_one_answer() -> None:
    """502, and the next request is served."""
    with proxied("http://127.0.0.1:1") as proxy, httpx2.Client(timeout=60) as client:
        for _ in range(2):
            answer = client.get(f"{proxy.url}/v1/models")
            assert answer.status_code == 502
            assert answer.json()["error"]["type"] == "upstream_unreachable"


def test_the_page_tells_what_was_saved_and_no_secret() -> None:
    """Counts per client; neither the key nor a word of a message; nothing under another name."""
    with Double("openai", loops.reader(12)) as double, proxied(double.url, 3_000) as proxy:
        with OpenAI(base_url=f"{proxy.url}/v1", api_key=KEY, max_retries=0) as client:
            chat_loop(client)
        with httpx2.Client(timeout=60) as browser:
            page = browser.get(f"{proxy.url}/director").text
            state = browser.get(f"{proxy.url}/director/state").json()
            assert browser.get(f"{proxy.url}/director/nothing").status_code == 404
            for host in ("evil.example", "127.0.0.1.evil.example", "["):
                told = browser.get(f"{proxy.url}/director/state", headers={"host": host})
                assert told.status_code == 421
    assert state["clients"][0]["requests"] == 13
    assert state["clients"][0]["after"] < state["clients"][0]["before"]
    assert "OpenAI/Python" in page
    kept = repr(vars(proxy.seen)) + page + json.dumps(state)
    assert KEY not in kept
    assert "Mug" not in kept


def test_originals_are_recalled_by_a_client_that_can_run_the_tool() -> None:
    """Offered on request only, and answered only to the key whose words they are."""
    with Double("openai", loops.reader(12)) as double, proxied(double.url, 3_000) as proxy:
        headers = {"x-director-recall": "yes"}
        with OpenAI(
            base_url=f"{proxy.url}/v1", api_key=KEY, max_retries=0, default_headers=headers
        ) as client:
            chat_loop(client)
        assert all("recall" in each.seen.tools for each in double.generations)
        with httpx2.Client(timeout=60) as browser:
            asked = f"{proxy.url}/director/recall/t1"
            mine = browser.get(asked, headers={"authorization": f"Bearer {KEY}"})
            theirs = browser.get(asked, headers={"authorization": "Bearer sk-other"})
        assert loops.page(0) in mine.text
        assert theirs.status_code == 404
        assert double.defects == []
    with Double("openai", loops.reader(2)) as double, proxied(double.url) as proxy:
        with OpenAI(base_url=f"{proxy.url}/v1", api_key=KEY, max_retries=0) as client:
            chat_loop(client)
        assert not any("recall" in each.seen.tools for each in double.generations)
