"""Which requests the proxy reads, which it passes on, and what it says of them."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable

import brotli
import httpx2
import pytest
import zstandard

from director import counter_for
from director.middleware.proxy import Proxy
from director.middleware.proxy.content_encoding import decode_body
from director.middleware.proxy.http_lines import Upstream
from middleware import loops
from middleware.test_proxy import ANSWERS, Echo, proxied, send_raw

CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstandard.compress,
    "br": brotli.compress,
}
QUESTION = b"Which codes are there?"
BIG = json.dumps(
    {
        "model": "gpt-6-sol",
        "messages": [
            {"role": "user", "content": QUESTION.decode()},
            *loops.turns(12),
            {"role": "user", "content": "Go on."},
        ],
    }
).encode()


def _post(path: str, body: bytes, *headers: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _body(sent: bytes) -> bytes:
    return sent.partition(b"\r\n\r\n")[2]


class TestCompressedBodies:
    """Clients send large bodies compressed."""

    @pytest.mark.parametrize("coding", CODINGS)
    def test_a_compressed_body_is_fitted_and_sent_without_compression(self, coding: str) -> None:
        """The history is smaller and whole JSON, and no header says otherwise."""
        packed = CODINGS[coding](BIG)
        asked = _post("/v1/chat/completions", packed, f"Content-Encoding: {coding}")
        echo = Echo(ANSWERS["json"])
        with echo.serving() as url, proxied(url) as proxy:
            asyncio.run(send_raw(proxy.port, asked))
            (seen,) = proxy.seen.clients
        head, _, sent = echo.got.partition(b"\r\n\r\n")
        assert b"ncoding" not in head
        assert len(sent) < len(BIG) / 2
        assert json.loads(sent)["messages"][0]["content"] == QUESTION.decode()
        assert seen.changed == 1

    def test_a_compressed_body_that_fits_passes_byte_by_byte(self) -> None:
        """What needs nothing is not even unpacked on its way."""
        small = gzip.compress(b'{"model":"m","messages":[{"role":"user","content":"Hello?"}]}')
        asked = _post("/v1/chat/completions", small, "Content-Encoding: gzip")
        echo = Echo(ANSWERS["json"])
        with echo.serving() as url, proxied(url) as proxy:
            asyncio.run(send_raw(proxy.port, asked))
        assert _body(echo.got) == small
        assert b"Content-Encoding: gzip" in echo.got

    @pytest.mark.parametrize("coding", [*CODINGS, "deflate without its head"])
    def test_what_was_compressed_comes_back_unless_it_is_damaged_or_too_large(
        self, coding: str
    ) -> None:
        """A small body that unfolds to much is never unfolded beyond the bound."""
        plain = b"a" * 500_000
        raw = zlib.compressobj(wbits=-15)
        packs = {**CODINGS, "deflate without its head": lambda b: raw.compress(b) + raw.flush()}
        packed, name = packs[coding](plain), coding.partition(" ")[0].encode()
        assert decode_body(packed, name, len(plain)) == plain
        assert decode_body(packed, name, len(plain) - 1) is None
        assert decode_body(packed[:-6], name, len(plain)) is None
        assert decode_body(b"none of it", name, 100) is None
        assert decode_body(packed, b"lzma", len(plain)) is None

    def test_codings_on_top_of_each_other_are_taken_off_in_turn(self) -> None:
        """As HTTP has it: the last one named was put on last."""
        packed = brotli.compress(gzip.compress(b"{}"))
        assert decode_body(packed, b"gzip, br", 100) == b"{}"


class TestCounting:
    """A client asks how long its history is, and compacts it by the answer."""

    PATHS = ("/v1/messages/count_tokens", "/v1/responses/input_tokens")

    @staticmethod
    def _asked(path: str) -> bytes:
        field = "messages" if "messages" in path else "input"
        history = [{"role": "user", "content": "Mugs. " + "word and number 17, " * 400}] * 30
        body = {"model": "claude-sonnet-4-5", field: [*history, {"role": "user", "content": "Go."}]}
        return _post(path, json.dumps(body).encode())

    @pytest.mark.parametrize("path", PATHS)
    def test_the_question_passes_and_the_managed_size_stands_in_a_header(self, path: str) -> None:
        """Body and answer are untouched; the header says what would be sent."""
        asked, echo = self._asked(path), Echo(ANSWERS["json"])
        with echo.serving() as url, proxied(url) as proxy:
            answer = asyncio.run(send_raw(proxy.port, asked))
        assert _body(echo.got) == _body(asked)
        status, line, rest = answer.split(b"\r\n", 2)
        assert status + b"\r\n" + rest == ANSWERS["json"]
        assert 0 < int(line.removeprefix(b"X-Director-Managed-Tokens: ")) <= loops.BUDGET

    @pytest.mark.parametrize("path", PATHS)
    def test_with_managed_counting_the_provider_counts_what_would_be_sent(self, path: str) -> None:
        """The client's own compaction follows the number that holds."""
        asked, echo = self._asked(path), Echo(ANSWERS["json"])
        with echo.serving() as url:
            made = Proxy(loops.BUDGET, url, counting="managed")
            with proxied(None, made=made) as proxy:
                answer = asyncio.run(send_raw(proxy.port, asked))
        assert len(_body(echo.got)) < len(_body(asked)) / 2
        assert answer.startswith(b"HTTP/1.1 200 OK\r\nX-Director-Managed-Tokens: ")
        assert proxy.seen.clients[0].looked_at == 0


def test_tools_that_are_sent_as_an_item_count_against_the_budget() -> None:
    """Codex sends them so; the item stays as it is, and the rest leaves them their room."""
    tool = {"type": "function", "name": "look", "description": "word " * 2_000}
    tools = {"type": "additional_tools", "role": "developer", "tools": [tool]}
    history = [{"role": "user", "content": f"{number}: " + "page " * 150} for number in range(40)]
    sizes = []
    for ahead in ([], [tools]):
        asked = _post("/v1/responses", json.dumps({"input": [*ahead, *history]}).encode())
        echo = Echo(ANSWERS["json"])
        with echo.serving() as url, proxied(url, 6_000) as proxy:
            asyncio.run(send_raw(proxy.port, asked))
        sent = json.loads(_body(echo.got))["input"]
        assert sent[: len(ahead)] == ahead
        sizes.append(len(json.dumps(sent[len(ahead) :])))
    assert sizes[1] < sizes[0] - 6_000


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
def test_a_first_message_that_alone_exceeds_the_limit_is_sent_within_it(path: str) -> None:
    """Its question is whole at the end; no reference is named where no tool opens one."""
    asked = "Which of these orders was never paid?"
    rows = "\n".join(f"order {n}: {n * 37 % 1_009}.50 EUR, paid" for n in range(4_000))
    message = {"role": "user", "content": f"{rows}\n{asked}"}
    echo = Echo(ANSWERS["json"])
    with echo.serving() as url, proxied(url, 6_000) as proxy:
        asyncio.run(send_raw(proxy.port, _post(path, json.dumps({"messages": [message]}).encode())))
    (sent,) = json.loads(_body(echo.got))["messages"]
    assert asked in sent["content"]
    assert "order 0: " in sent["content"]
    assert "recall" not in sent["content"]
    assert 4_000 < counter_for()(sent["content"]) <= 6_000


@pytest.mark.parametrize(
    ("upstream", "target", "asked"),
    [
        ("https://host.example/api/v1", "/v1/responses", "/api/v1/responses"),
        ("https://host.example/v1/", "/v1/chat/completions?x=1", "/v1/chat/completions?x=1"),
        ("https://host.example/v1beta", "/v1beta/models", "/v1beta/models"),
        ("https://host.example/api", "/v1/responses", "/api/v1/responses"),
        ("https://host.example/v2", "/v1/responses", "/v2/v1/responses"),
        ("https://host.example/one/v1", "/v1x/responses", "/one/v1/v1x/responses"),
        ("https://host.example", "/v1/v1/odd", "/v1/v1/odd"),
    ],
)
def test_a_version_that_upstream_and_path_both_name_stands_once(
    upstream: str, target: str, asked: str
) -> None:
    """People give the address with `/v1`, as the clients want it, or without."""
    assert Upstream.at(upstream).join(target.encode()) == asked.encode()


class TestWebSockets:
    """Some clients open a WebSocket before they send a request."""

    UPGRADE = (
        "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n"
    )

    def test_a_responses_socket_is_refused_so_that_the_client_falls_back(self) -> None:
        """426, and nothing reaches the upstream: over HTTP the history can be managed."""
        echo = Echo(b"")
        with echo.serving() as url, proxied(url) as proxy:
            asked = (self.UPGRADE % "/v1/responses").encode()
            answer = asyncio.run(send_raw(proxy.port, asked))
        assert answer.startswith(b"HTTP/1.1 426 Upgrade Required\r\n")
        assert echo.got == b""

    def test_any_other_socket_is_passed_on_both_ways(self) -> None:
        """Frames pass as bytes until one side closes; the page says that it was not managed."""

        async def converse() -> tuple[bytes, bytes, str]:
            async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n")
                while piece := await reader.read(100):
                    writer.write(b"<" + piece + b">")
                writer.close()

            server = await asyncio.start_server(talk, "127.0.0.1", 0)
            proxy = Proxy(100, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            await proxy.open()
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            writer.write((self.UPGRADE % "/v1/realtime?model=m").encode())
            head = await reader.readuntil(b"\r\n\r\n")
            heard = b""
            for frame in (b"\x81one", b"\x81two"):
                writer.write(frame)
                heard += await reader.readuntil(b">")
            writer.close()
            state = json.dumps(proxy.seen.as_json())
            await proxy.close()
            server.close()
            return head, heard, state

        head, heard, state = asyncio.run(converse())
        assert head.startswith(b"HTTP/1.1 101")
        assert heard == b"<\x81one><\x81two>"
        assert "/v1/realtime" in state


PASSED = {
    "/v1/responses/compact": "compacts",
    "/v1/messages/batches": "batch",
    "/v1/batches": "batch",
    "/model/anthropic.claude/converse": "Converse",
    "/v1beta/models/gemini-3-pro:streamGenerateContent": "Gemini",
    "/api/chat": "Ollama",
    "/v1/completions": "text completion",
}


def test_requests_that_are_not_managed_are_listed_with_the_reason() -> None:
    """On the page and as JSON: by path, with how often."""
    echo = Echo(ANSWERS["json"])
    with echo.serving() as url, proxied(url) as proxy, httpx2.Client(timeout=60) as client:
        for path in (*PASSED, "/v1/batches"):
            client.post(f"{proxy.url}{path}", json={"messages": []})
        client.post(f"{proxy.url}/v1/responses", json={"previous_response_id": "resp_1"})
        client.post(f"{proxy.url}/v1/messages", content=b"no <b>JSON</b>")
        client.get(f"{proxy.url}/v1/models")
        state = client.get(f"{proxy.url}/director/state").json()["unmanaged"]
        page = client.get(f"{proxy.url}/director").text
    reasons = {each["path"]: each["reason"] for each in state}
    assert all(word in reasons[path] for path, word in PASSED.items())
    assert "previous_response_id" in reasons["/v1/responses"]
    assert "no JSON" in reasons["/v1/messages"]
    assert "/v1/models" not in reasons
    assert {each["path"]: each["requests"] for each in state}["/v1/batches"] == 2
    assert all(path in page for path in PASSED)


@pytest.mark.parametrize(
    ("path", "headers", "changed"),
    [
        ("/openai/deployments/mine/chat/completions?api-version=2026-01-01", (), True),
        ("/openai/v1/chat/completions", ("api-key: k",), True),
        ("/model/anthropic.claude-sonnet-4-5/invoke", ("Authorization: Bearer b",), True),
        ("/model/a/invoke-with-response-stream", ("Authorization: AWS4-HMAC-SHA256 C=1",), False),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/c:rawPredict", (), True),
    ],
)
def test_the_same_apis_at_other_hosts_are_managed_unless_the_body_is_signed(
    path: str, headers: tuple[str, ...], *, changed: bool
) -> None:
    """Azure's, Amazon's and Google's addresses of OpenAI's and Anthropic's models."""
    history = [{"role": "user", "content": "word and number 17, " * 400}] * 30
    asked = _post(path, json.dumps({"messages": history}).encode(), *headers)
    echo = Echo(ANSWERS["json"])
    with echo.serving() as url, proxied(url) as proxy:
        asyncio.run(send_raw(proxy.port, asked))
        unmanaged = proxy.seen.list_unmanaged()
    assert (len(_body(echo.got)) < len(_body(asked))) == changed
    assert bool(unmanaged) != changed
