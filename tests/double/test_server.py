"""The double as a server: whom it lets in, what it keeps, and that it leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import anthropic
import httpx2
import openai
import pytest

from director.models.script_values import Say, ScriptError, Seen
from director.testing.double import PROFILES, Double, Fault, RateLimits
from director.testing.double.api_keys import Limiter
from director.testing.double.endpoint import EndpointRoute
from director.testing.double.exchange import (
    Delivery,
    ParsedRequest,
    ProviderResponse,
    ServerSentEvent,
)
from director.testing.double.routes import find_route
from director.testing.double.server import DoubleServer
from director.testing.double.world import World

KEY = "sk-proj-0123456789abcdefghij"
TURN = {"model": "gpt-6.1-sol", "input": "hello"}
MESSAGE = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hello"}],
}


def _echo(world: World, asked: ParsedRequest, names: Mapping[str, str]) -> ProviderResponse:
    """An endpoint that says what it was given."""
    return ProviderResponse(
        {"names": dict(names), "body": dict(asked.body), "at": world.clock.now()}
    )


def _stream(_world: World, _asked: ParsedRequest, _names: Mapping[str, str]) -> ProviderResponse:
    """An endpoint that streams."""
    return ProviderResponse(
        events=(
            ServerSentEvent("one", {"n": 1}),
            ServerSentEvent("", {"n": 2}),
            ServerSentEvent("", "[DONE]"),
        )
    )


ROUTES = (
    EndpointRoute("POST", "/v1/echo/{id}", "responses.create", "responses", _echo),
    EndpointRoute("POST", "/v1/echo/literal", "responses.compact", "responses", _echo),
    EndpointRoute("POST", "/v1/stream", "chat.create", "chat", _stream),
    EndpointRoute("POST", "/v1/messages", "messages.create", "anthropic", _echo),
)


def _say(_seen: Seen) -> list[Say]:
    return [Say("hello yourself")]


def _double(profile: str = "openai", **more: object) -> Double:
    return Double(profile, _say, **more)  # type: ignore[arg-type]


def _post(url: str, body: Mapping[str, object] | str = "{}", **headers: str) -> httpx2.Response:
    text = body if isinstance(body, str) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.post(
        url,
        content=text,
        headers={"authorization": f"Bearer {KEY}"} | named,
        verify=False,
        timeout=60,
    )


def test_an_answer_does_not_wait_for_the_other_side_to_acknowledge_its_head() -> None:
    """Small pieces are sent at once; else nearly every one after the first few takes 40 ms."""
    at_once: list[int] = []

    class Told(DoubleServer):
        def _serve_connection(
            self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            super()._serve_connection(reader, writer)
            sock: socket.socket = writer.get_extra_info("socket")
            at_once.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    server = Told(lambda _: Delivery(ProviderResponse({})))
    server.open()
    assert _post(f"http://127.0.0.1:{server.port}/").status_code == 200
    server.close()
    assert at_once == [1]


def test_openais_client_is_answered() -> None:
    """The official SDK speaks to it as to the real one."""
    with _double() as double, openai.OpenAI(base_url=double.openai_url, api_key=KEY) as client:
        said = client.responses.create(model="gpt-6.1-sol", input="hello")
        assert said.output_text == "hello yourself"
        assert double.defects == []
        assert double.verdict() == []
        assert [one.work for one in double.exchanges] == [True]
        assert [one.seen.items[-1].text for one in double.generations] == ["hello"]


def test_anthropics_client_is_answered() -> None:
    """The other SDK as well."""
    with (
        _double("anthropic") as double,
        anthropic.Anthropic(base_url=double.anthropic_url, api_key=KEY) as client,
    ):
        said = client.messages.create(
            model="claude-sonnet-5-5",
            max_tokens=100,
            messages=[{"role": "user", "content": "hello"}],
        )
        assert said.content[0].to_dict()["text"] == "hello yourself"
        assert double.defects == []


def test_names_in_a_path_are_read_and_literal_paths_go_first() -> None:
    """A pattern's names come to the endpoint; a path without names is never taken for one."""
    assert find_route(ROUTES, "POST", "/v1/echo/literal") == (ROUTES[1], {})
    assert find_route(ROUTES, "GET", "/v1/echo/literal") is None
    with _double(routes=ROUTES) as double:
        assert _post(f"{double.openai_url}/echo/a%20b").json()["names"] == {"id": "a b"}


def test_events_go_out_as_they_are_named() -> None:
    """A name makes an event line, none makes none, and a text is sent as it is."""
    with _double(routes=ROUTES) as double:
        answer = _post(f"{double.openai_url}/stream")
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.text == 'event: one\ndata: {"n": 1}\n\ndata: {"n": 2}\n\ndata: [DONE]\n\n'


def test_a_connection_is_kept_for_the_next_request() -> None:
    """Keep-alive: two requests, one connection."""
    with _double(routes=ROUTES) as double, httpx2.Client(timeout=60) as client:
        for _ in range(2):
            answer = client.post(
                f"{double.openai_url}/stream", headers={"authorization": f"Bearer {KEY}"}
            )
            assert answer.status_code == 200
        assert len(double._server._connections) == 1


def test_a_client_that_closes_gets_all_of_a_large_answer() -> None:
    """Connection: close ends the connection only when all is sent."""
    with _double(routes=ROUTES) as double:
        body = {"text": "x" * 3_000_000}
        answer = _post(f"{double.openai_url}/echo/1", body, connection="close")
        assert answer.json()["body"] == body


@pytest.mark.parametrize(
    ("profile", "path", "headers", "message"),
    [
        ("openai", "/v1/nowhere", {}, "Invalid URL (POST /v1/nowhere)"),
        ("anthropic", "/v1/nowhere", {"anthropic_version": "2026-10-21"}, "Not found"),
        ("anthropic", "/v1/messages/nowhere", {}, "Not found"),
    ],
)
def test_an_unknown_path_is_a_defect(
    profile: str, path: str, headers: dict[str, str], message: str
) -> None:
    """404 in the provider's shape, and it counts against the client."""
    with _double(profile) as double:
        answer = _post(double.url + path, **headers)
        assert (answer.status_code, answer.json()["error"]["message"]) == (404, message)
        assert [(one.exchange, one.rule, one.message) for one in double.defects] == [
            (1, "path", message)
        ]
        assert str(double.defects[0]) == f"#1 path: {message}"


def test_an_api_that_a_server_lacks_is_not_found() -> None:
    """404 as well, but a client may find out that way."""
    with _double("anthropic") as double:
        assert _post(f"{double.openai_url}/responses", TURN).status_code == 404
        assert double.defects == []


def test_json_that_is_none_is_refused_in_both_shapes() -> None:
    """What cannot be parsed gets the provider's own words."""
    with _double() as double:
        answer = _post(f"{double.openai_url}/responses", "{not json")
        assert answer.status_code == 400
        assert answer.json()["error"]["message"].startswith("We could not parse the JSON body")
        assert _post(f"{double.openai_url}/responses", "[1]").status_code == 400
        assert [defect.rule for defect in double.defects] == ["json", "json"]
    with _double("anthropic") as double:
        answer = _post(f"{double.url}/v1/messages", "{not json")
        assert answer.json()["error"]["type"] == "invalid_request_error"
        assert answer.json()["request_id"] == answer.headers["request-id"]


def test_a_missing_or_unknown_key_is_refused() -> None:
    """401 in OpenAI's words, with the key hidden."""
    with _double(keys=[KEY]) as double:
        for key in ("", "sk-proj-another-key-entirely"):
            answer = _post(
                f"{double.openai_url}/responses", TURN, authorization=f"Bearer {key}".strip()
            )
            error = answer.json()["error"]
            assert (answer.status_code, error["code"]) == (401, "invalid_api_key")
            assert error["message"].startswith("Incorrect API key provided: ")
            assert "another" not in error["message"]
        assert _post(f"{double.openai_url}/responses", TURN).status_code == 200
        assert [defect.rule for defect in double.defects] == ["key", "key"]


def test_anthropics_key_is_refused_in_its_words() -> None:
    """401 authentication_error; the key comes in a header of its own."""
    with _double("anthropic", keys=["good-key"]) as double:
        url = f"{double.url}/v1/messages"
        answer = httpx2.post(url, json=MESSAGE, headers={"x-api-key": "bad"}, timeout=60)
        assert answer.json()["error"] == {
            "type": "authentication_error",
            "message": "invalid x-api-key",
        }
        good = httpx2.post(url, json=MESSAGE, headers={"x-api-key": "good-key"}, timeout=60)
        assert good.status_code == 200


def test_a_local_server_asks_for_no_key() -> None:
    """Profiles without keys let anyone in, and send no vendor's headers."""
    with _double("ollama") as double:
        body = {"model": "local-model", "messages": [{"role": "user", "content": "hello"}]}
        answer = httpx2.post(f"{double.openai_url}/chat/completions", json=body, timeout=60)
        assert answer.status_code == 200
        assert "openai-version" not in answer.headers


def test_no_key_is_kept() -> None:
    """The journal holds a digest of the key, and a body's secrets are blotted out."""
    with _double() as double:
        body = TURN | {"input": f"my key is {KEY}"}
        assert _post(f"{double.openai_url}/responses", body, api_key=KEY).status_code == 200
        exchange = double.exchanges[0]
        assert KEY not in repr(exchange.asked)
        assert exchange.asked.headers["authorization"].startswith("sha256:")
        assert exchange.asked.body["input"] == "my key is [secret]"
        assert exchange.leaks == ("an OpenAI key", "the request's own key")


def test_answers_carry_the_headers_of_their_provider() -> None:
    """Request ids, versions and rate limits are told as the real ones tell them."""
    with _double() as double:
        headers = _post(f"{double.openai_url}/responses", TURN).headers
        assert headers["x-request-id"].startswith("req_")
        assert headers["openai-version"] == "2020-10-01"
        assert headers["x-ratelimit-remaining-requests"] == "9999"
        assert headers["x-ratelimit-reset-requests"] == "1m0s"
    with _double("anthropic") as double:
        headers = _post(f"{double.url}/v1/messages", MESSAGE, x_api_key=KEY).headers
        assert headers["request-id"].startswith("req_")
        assert headers["anthropic-ratelimit-input-tokens-limit"] == "30000000"
        assert headers["anthropic-ratelimit-requests-reset"] == "2027-01-15T08:01:00Z"


def test_a_run_is_known_by_its_header_or_its_metadata() -> None:
    """The journal files each request under its run."""
    with _double(routes=ROUTES) as double:
        url = f"{double.openai_url}/echo/1"
        _post(url, {"metadata": {"run": "one"}})
        _post(url, {"metadata": {"user_id": "two"}})
        _post(url, {"metadata": {"run": "one"}}, x_run_key="three")
        _post(url)
        assert [exchange.asked.run for exchange in double.exchanges] == ["one", "two", "three", ""]


def test_the_rate_limiter_says_when_to_come_again() -> None:
    """A minute of the clock lets in what the limits say, and no more."""
    with _double(routes=ROUTES, limits=RateLimits(requests=2)) as double:
        url = f"{double.openai_url}/echo/1"
        _post(url)
        double.advance(10)
        _post(url)
        refused = _post(url)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "50")
        assert "Please try again in 50s." in refused.json()["error"]["message"]
        double.advance(50)
        assert _post(url).status_code == 200
        assert double.defects == []


def test_tokens_are_limited_too() -> None:
    """A request waits until enough of the last minute has passed."""
    limiter = Limiter(RateLimits(requests=10, tokens=100))
    assert limiter.take(0, 60) == 0
    assert limiter.take(10, 30) == 0
    assert limiter.take(20, 50) == 40
    assert limiter.take(20, 101) == 60
    assert limiter.take(60, 50) == 0


def test_time_passes_when_it_is_told_to() -> None:
    """Waiting on a virtual clock costs no time."""
    with _double() as double:
        start, began = double.now(), time.monotonic()
        asyncio.run(double.sleep(3600))
        double.advance(1)
        assert double.now() - start == 3601
        assert time.monotonic() - began < 600


def test_a_real_clock_ticks_by_itself() -> None:
    """On a real clock a wait is a wait."""
    with _double(clock="real") as double:
        start = double.now()
        asyncio.run(double.sleep(0.05))
        assert 0.04 < double.now() - start < 600


def test_a_brain_that_fails_fails_the_test() -> None:
    """Too short a script is an error of the test, whatever the client made of it."""
    double = Double("openai", [[Say("once")]])
    double.open()
    first = _post(f"{double.openai_url}/responses", TURN)
    second = _post(f"{double.openai_url}/responses", TURN | {"input": "more"})
    assert (first.status_code, second.status_code) == (200, 500)
    assert second.headers["x-should-retry"] == "false"
    with pytest.raises(ScriptError):
        double.__exit__(None, None, None)


def test_a_failure_that_was_meant_can_be_cleared() -> None:
    """A test that wants the failure takes it away."""
    with Double("anthropic", ()) as double:
        assert _post(f"{double.url}/v1/messages", MESSAGE).status_code == 500
        assert isinstance(double.failures.pop(), ScriptError)


def test_a_reset_begins_again() -> None:
    """The journal is empty, the script is at its start, and the ids come again."""
    with Double("openai", [[Say("once")]]) as double:
        url = f"{double.openai_url}/responses"
        first = _post(url, TURN).json()
        double.strike(Fault("quota"))
        double.reset()
        assert (double.exchanges, double.generations, double.ledger.lines) == ([], [], [])
        assert double.pending_faults == []
        assert _post(url, TURN).json() == first


def test_another_brain_can_take_over() -> None:
    """A script may be changed amid a test."""
    with Double("openai", [[Say("once")]]) as double:
        double.script([[Say("again")]])
        assert "again" in _post(f"{double.openai_url}/responses", TURN).text


def test_a_script_file_is_a_brain(tmp_path: Path) -> None:
    """Its path is enough."""
    script = tmp_path / "script.json"
    script.write_text('[[{"say": "from a file"}]]')
    for path in (script, str(script)):
        with Double("openai", path) as double:
            assert "from a file" in _post(f"{double.openai_url}/responses", TURN).text


def test_a_profile_may_be_of_ones_own_making() -> None:
    """A value does as well as a name; a name that there is not is refused."""
    own = replace(PROFILES["openai"], name="own", keys=False)
    with Double(own, _say) as double:
        answer = httpx2.post(f"{double.openai_url}/responses", json=TURN, verify=False, timeout=60)
        assert answer.status_code == 200
    with pytest.raises(ValueError, match="no such profile: nobody; there is openai, "):
        Double("nobody")


def test_many_clients_are_answered_one_at_a_time() -> None:
    """Each exchange has its own number, and the brain never speaks to two at once."""
    busy = threading.Lock()

    def alone(_seen: Seen) -> list[Say]:
        assert busy.acquire(blocking=False)
        time.sleep(0.005)
        busy.release()
        return [Say("hello yourself")]

    with Double("openai", alone) as double, ThreadPoolExecutor(8) as pool:
        url = f"{double.openai_url}/responses"
        answers = list(pool.map(lambda nth: _post(url, TURN | {"input": str(nth)}), range(16)))
        assert {answer.status_code for answer in answers} == {200}
        numbers = [exchange.asked.number for exchange in double.exchanges]
        assert numbers == list(range(1, 17))
        assert len({answer.json()["id"] for answer in answers}) == 16


def test_the_same_seed_makes_the_same_ids() -> None:
    """And another seed makes others."""

    def first(seed: int) -> object:
        with _double(seed=seed) as double:
            return _post(f"{double.openai_url}/responses", TURN).json()["id"]

    assert first(1) == first(1)
    assert first(1) != first(2)


def test_closing_drops_what_is_connected_and_leaves_no_thread() -> None:
    """Stalled and idle connections end with the double; nothing is left running."""
    before = set(threading.enumerate())
    double = _double(routes=ROUTES, faults=[Fault("stall_before", nth=0)])
    double.open()
    port = int(double.url.rpartition(":")[2])
    with (
        socket.create_connection(("127.0.0.1", port)) as stalled,
        socket.create_connection(("127.0.0.1", port)) as idle,
    ):
        stalled.sendall(b"POST /v1/echo/1 HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n")
        while not double.exchanges:
            time.sleep(0.01)
        double.close()
        for connection in (stalled, idle):
            connection.settimeout(60)
            with suppress(ConnectionResetError):
                assert connection.recv(1) == b""
    assert set(threading.enumerate()) <= before
    double.close()


def test_what_is_no_http_is_dropped() -> None:
    """Nonsense ends the connection, and the next client is served."""
    with _double(routes=ROUTES) as double:
        port = int(double.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"nonsense\r\n\r\n")
            connection.settimeout(60)
            assert connection.recv(1) == b""
        assert _post(f"{double.openai_url}/echo/1").status_code == 200
        assert double.exchanges[0].asked.path == "/v1/echo/1"


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_lists_its_models(profile: str) -> None:
    """Whomever it plays, it has models."""
    with _double(profile) as double:
        answer = httpx2.get(
            f"{double.openai_url}/models",
            headers={"authorization": f"Bearer {KEY}"},
            timeout=60,
        )
        assert answer.status_code == 200
        assert answer.json()["data"]


def test_a_request_for_the_head_alone_gets_no_body_and_is_no_mistake() -> None:
    """A client opens its connection so, before it has a key; the next request on it works."""
    with Double("anthropic") as double, httpx2.Client() as client:
        early = client.head(double.url + "/")
        listed = client.get(f"{double.url}/v1/models", headers={"x-api-key": "sk-any"})
        assert (early.status_code, early.content) == (404, b"")
        assert listed.status_code == 200
        assert double.defects == []
