"""Servers on this machine are found by asking, and believed only after a proof."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.models.capabilities import Capabilities, read_capabilities
from director.models.local import LocalServer, find_local_servers, probe_local_server
from director.models.script_values import Emit, Say, Seen
from director.testing.double import Double

Body = Mapping[str, object] | None


@contextmanager
def serving(status: int, body: bytes) -> Iterator[int]:
    """A server that answers everything with the same; its port."""

    class Same(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Same) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def listed(*entries: Mapping[str, object]) -> bytes:
    """A list of models as servers give it."""
    return json.dumps({"object": "list", "data": entries}).encode()


@pytest.mark.parametrize(
    ("owner", "kind"),
    [
        ("library", "Ollama"),
        ("vllm", "vLLM"),
        ("llamacpp", "llama.cpp"),
        ("organization_owner", "LM Studio"),
        ("someone", "a server"),
    ],
)
def test_a_server_that_lists_models_is_found(owner: str, kind: str) -> None:
    """By what it says of its models it is known."""
    with serving(200, listed({"id": "a", "owned_by": owner}, {"id": "b"}, {"no": 1})) as port:
        assert find_local_servers([port], 60.0) == [
            LocalServer(kind, f"http://localhost:{port}/v1", ("a", "b"))
        ]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b""),
        (200, b"<html>"),
        (200, b"[]"),
        (200, b'{"data": 3}'),
        (200, b"\xff\xfe"),
        (200, b"[" * 100_000),
        (404, listed({"id": "a"})),
        (500, b"{}"),
    ],
)
def test_what_lists_no_models_is_not_a_server_of_models(status: int, body: bytes) -> None:
    """Something else may live on a usual port."""
    with serving(status, body) as port:
        assert find_local_servers([port], 60.0) == []


def test_nothing_is_found_where_nothing_listens_or_nobody_answers() -> None:
    """A refused connection and a silent one are both no server, soon."""
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        ports = [silent.getsockname()[1], closed.getsockname()[1]]
        assert find_local_servers(ports, 0.05) == []
    assert find_local_servers([]) == []


def test_servers_come_in_the_order_of_their_ports() -> None:
    """However long each takes."""
    with serving(200, listed({"id": "a"})) as one, serving(200, listed({"id": "b"})) as two:
        assert [server.example for server in find_local_servers([two, one], 60.0)] == ["b", "a"]


class Server:
    """A Responses server of a kind: what it remembers, counts and says of its models."""

    def __init__(self, memory: str, model: Mapping[str, object], *, counts: bool = True) -> None:
        self.memory = memory
        self.model = model
        self.counts = counts
        self.texts: dict[str, str] = {}
        self.asked: list[tuple[str, Body]] = []

    async def post(self, path: str, body: Body) -> tuple[int, object]:
        """Answer as such a server does."""
        self.asked.append((path, body))
        if body is None:
            running = {"models": [{"name": "m", "context_length": 16_384}]}
            return 200, running if "/api/ps" in path else {"data": [self.model]}
        if path == "/responses/input_tokens":
            return (200, {"input_tokens": 5}) if self.counts else (404, {})
        return self.respond(body)

    def respond(self, body: Mapping[str, object]) -> tuple[int, object]:
        """A response, by the kind of memory."""
        previous = str(body.get("previous_response_id", ""))
        if self.memory == "no responses":
            return 404, {"error": "not found"}
        if previous and self.memory == "refuses":
            return 400, {"error": {"message": "not supported"}}
        kept = self.texts.get(previous, "") if self.memory in ("says", "counts") else ""
        text = f"{kept} {body['input']}"
        name = f"resp_{len(self.texts)}"
        self.texts[name] = text
        knows = self.memory == "says" and previous and "quillfeather" in text
        said = "Quillfeather." if knows else "OK"
        answer: dict[str, object] = {
            "id": name,
            "output": [{"type": "message", "content": [{"type": "output_text", "text": said}]}],
        }
        if self.memory != "says":
            answer["usage"] = {"input_tokens": len(text.split())}
        return 200, answer


def probed(server: Server) -> Capabilities:
    """What a probe finds out about a server."""
    return asyncio.run(probe_local_server(server.post, "http://localhost:1/v1", "m"))


@pytest.mark.parametrize(
    ("memory", "form", "chain"),
    [
        ("says", "responses", "durable"),
        ("counts", "responses", "durable"),
        ("ignores", "responses", "none"),
        ("refuses", "responses", "none"),
        ("no responses", "chat", "none"),
    ],
)
def test_a_chain_is_believed_only_when_the_planted_word_came_back(
    memory: str, form: str, chain: str
) -> None:
    """Said again or counted again; a server that ignores the id is caught."""
    can = probed(Server(memory, {"id": "m", "max_model_len": 40_960}))
    assert (can.form, can.chain) == (form, chain)
    assert (can.window, can.max_input, can.known) == (40_960, 40_960, False)
    assert (can.background, can.cache) == (False, "none")


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ({"id": "m", "max_model_len": 8_192}, 8_192),
        ({"id": "m", "meta": {"n_ctx_train": 131_072}}, 131_072),
        ({"id": "m", "meta": {"n_ctx": 4_096, "n_ctx_train": 131_072}}, 4_096),
        ({"id": "m", "n_ctx": 2_048}, 2_048),
        ({"id": "m", "context_length": 65_536}, 65_536),
        ({"id": "only-one.gguf", "n_ctx": 2_048}, 2_048),
        ({"id": "m", "owned_by": "library"}, 16_384),
        ({"id": "m", "max_model_len": "big"}, 128_000),
        ({"id": "m"}, 128_000),
    ],
)
def test_the_window_is_what_the_server_says(entry: Mapping[str, object], window: int) -> None:
    """Each server says it in its own words; one that says nothing gets the default."""
    can = probed(Server("ignores", entry))
    assert can.window == window
    assert can.max_output <= window


def test_ollama_is_taken_at_its_small_default_when_it_does_not_say() -> None:
    """It would cut the rest without a word."""

    async def post(path: str, body: Body) -> tuple[int, object]:
        if body is None and path == "/models":
            return 200, {"data": [{"id": "m", "owned_by": "library"}]}
        return 404, None

    assert asyncio.run(probe_local_server(post, "http://localhost:1/v1", "m")).window == 4_096


def test_counting_is_believed_when_a_count_came_back() -> None:
    """Some servers have the endpoint and some do not."""
    assert probed(Server("refuses", {"id": "m"})).token_count
    assert not probed(Server("refuses", {"id": "m"}, counts=False)).token_count


def test_the_question_does_not_hold_the_word() -> None:
    """An echo of the question proves nothing."""
    server = Server("says", {"id": "m"})
    probed(server)
    question = next(body for _, body in server.asked if body and "previous_response_id" in body)
    assert "quillfeather" not in json.dumps(question)


def said_ok(_seen: Seen) -> list[Emit]:
    """A brain that never says the word, so that only the usage can prove a memory."""
    return [Say("OK")]


@pytest.mark.parametrize(
    ("profile", "chain"),
    [("openai", "durable"), ("vllm", "none"), ("ollama", "none"), ("llamacpp", "none")],
)
def test_each_kind_of_server_is_seen_through(profile: str, chain: str) -> None:
    """One keeps, one does not find, one forgets without a word and one refuses."""
    with Double(profile, said_ok) as double:
        url = double.openai_url

        async def main() -> Capabilities:
            headers = {"Authorization": "Bearer none"}
            async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=60) as client:

                async def post(path: str, body: Body) -> tuple[int, object]:
                    sent = client.get(path) if body is None else client.post(path, json=body)
                    answer = await sent
                    return answer.status_code, answer.json()

                return await probe_local_server(post, url, "gpt-6.1-terra")

        can = asyncio.run(main())
    assert (can.form, can.chain) == ("responses", chain)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
response_like = st.fixed_dictionaries(
    {},
    optional={
        "id": json_values,
        "output": json_values,
        "usage": json_values | st.fixed_dictionaries({"input_tokens": json_values}),
        "data": json_values,
        "models": json_values,
    },
)


@given(st.lists(st.tuples(st.sampled_from([200, 400]), json_values | response_like), min_size=1))
def test_a_probe_copes_with_any_garbage(answers: list[tuple[int, object]]) -> None:
    """Whatever comes back, capabilities come out."""
    turn = iter(answers * 8)

    async def post(_path: str, _body: Body) -> tuple[int, object]:
        return next(turn)

    can = asyncio.run(probe_local_server(post, "http://localhost:1/v1", "m"))
    assert can.form in ("chat", "responses")
    assert can.window > 0


@pytest.mark.parametrize("failure", [OSError, ValueError, KeyError])
def test_a_client_that_fails_is_a_server_of_which_nothing_is_known(
    failure: Callable[[str], Exception],
) -> None:
    """The defaults of a chat server remain."""

    async def post(_path: str, _body: Body) -> tuple[int, object]:
        raise failure("gone")

    assert asyncio.run(probe_local_server(post, "http://localhost:1/v1", "m")) == read_capabilities(
        "chat", "m"
    )
