"""The faults: each kind does what its table says, where it was laid, as often as it was meant to."""

from __future__ import annotations

import json
from collections.abc import Sequence

import anthropic
import httpx2
import openai
import pytest

from director.models.script_values import Ask
from director.testing.double import KINDS, Double, Fault
from director.testing.double.api_keys import Api
from director.testing.double.conformance_report.exchange_content import has_ended_well
from director.testing.double.exchange import ServerSentEvent
from director.testing.double.stream_faults import renumber_stream
from double.core_room import APIS, BODY, KEY, PATH, USER, Room, room_of, say


def _types(events: Sequence[object]) -> list[str]:
    return [str(each.get("type")) if isinstance(each, dict) else str(each) for each in events]


def _numbers(events: Sequence[object]) -> list[int]:
    return [each["sequence_number"] for each in events if isinstance(each, dict)]


def _good(api: Api) -> list[object]:
    with room_of(api) as room:
        return room.events()


REFUSALS: list[tuple[Api, str, dict[str, object], int, str]] = [
    ("responses", "rate_limit", {}, 429, "rate_limit_exceeded"),
    ("chat", "rate_limit", {}, 429, "rate_limit_exceeded"),
    ("anthropic", "rate_limit", {}, 429, "rate_limit_error"),
    ("responses", "quota", {}, 429, "insufficient_quota"),
    ("anthropic", "quota", {}, 402, "billing_error"),
    ("responses", "server_error", {}, 500, "server_error"),
    ("responses", "server_error", {"status": 502}, 502, "server_error"),
    ("chat", "server_error", {"status": 503}, 503, "server_error"),
    ("anthropic", "server_error", {}, 500, "api_error"),
    ("anthropic", "server_error", {"status": 504}, 504, "timeout_error"),
    ("responses", "overloaded", {}, 503, "server_is_overloaded"),
    ("anthropic", "overloaded", {}, 529, "overloaded_error"),
    ("responses", "window", {}, 400, "context_length_exceeded"),
    ("chat", "window", {}, 400, "context_length_exceeded"),
    ("anthropic", "window", {}, 400, "invalid_request_error"),
    ("responses", "key_revoked", {}, 401, "invalid_api_key"),
    ("anthropic", "key_revoked", {}, 401, "authentication_error"),
    ("responses", "model_retired", {}, 404, "model_not_found"),
    ("anthropic", "model_retired", {}, 404, "not_found_error"),
    ("responses", "locked", {}, 400, "conversation_locked"),
]


@pytest.mark.parametrize(("api", "kind", "with_", "status", "code"), REFUSALS)
def test_a_refusal_strikes_once_and_is_no_defect(
    api: Api, kind: str, with_: dict[str, object], status: int, code: str
) -> None:
    """The provider's status and code, no work done, and the next call is answered."""
    with room_of(api, Fault(kind, with_=with_)) as room:
        refused = room.ask()
        error = refused.json()["error"]
        assert (refused.status_code, error.get("code") or error["type"]) == (status, code)
        assert room.double.exchanges[0].struck == (kind,)
        assert not room.double.exchanges[0].work
        assert room.double.defects == []
        assert room.ask().status_code == 200
        assert room.double.pending_faults == []


@pytest.mark.parametrize(
    ("with_", "headers", "text"),
    [
        ({}, {"retry-after": "1"}, "Please try again in 1s."),
        ({"retry_after": 300}, {"retry-after": "300"}, "Please try again in 300s."),
        ({"retry_after_ms": 1500}, {"retry-after-ms": "1500"}, "Please try again in 1.5s."),
        (
            {"retry_after": 60, "date": True},
            {"retry-after": "Fri, 15 Jan 2027 08:01:00 GMT"},
            "Please try again in 60s.",
        ),
        ({"retry_after": 11.054, "none": True}, {}, "Please try again in 11.054s."),
        ({"silent": True}, {}, ""),
    ],
)
def test_a_rate_limit_tells_its_delay_in_many_ways(
    with_: dict[str, object], headers: dict[str, str], text: str
) -> None:
    """Seconds, milliseconds, a date on the double's clock, only words, or not at all."""
    with room_of("responses", Fault("rate_limit", with_=with_)) as room:
        refused = room.ask()
        told = {name: value for name, value in refused.headers.items() if "retry-after" in name}
        assert told == headers
        message = refused.json()["error"]["message"]
        assert text in message
        assert ("try again" in message) == bool(text)
        assert refused.headers["date"] == "Fri, 15 Jan 2027 08:00:00 GMT"


def test_a_rate_limit_of_anthropics_may_carry_the_code_of_a_ramp() -> None:
    """Its clients are to branch on the code and not on the words."""
    with room_of("anthropic", Fault("rate_limit", with_={"ramp": True})) as room:
        error = room.ask().json()["error"]
        assert error["details"] == {"error_code": "ramp_limit_exceeded"}


@pytest.mark.parametrize(("given", "told"), [(True, "true"), (False, "false"), (None, None)])
def test_a_server_error_maysay_whether_to_retry(given: object, told: str | None) -> None:
    """The header overrides what a client would do."""
    with_ = {} if given is None else {"should_retry": given}
    with room_of("responses", Fault("server_error", with_=with_)) as room:
        assert room.ask().headers.get("x-should-retry") == told


def test_a_window_may_fail_only_once_results_are_sent() -> None:
    """It waits for a request whose last input is a tool's result."""
    with room_of("responses", Fault("window_after_results")) as room:
        assert room.ask().status_code == 200
        call = {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"}
        result = {"type": "function_call_output", "call_id": "call_1", "output": "seen"}
        refused = room.ask({"input": [USER, call, result]})
        assert refused.json()["error"]["code"] == "context_length_exceeded"
        assert room.double.exchanges[1].struck == ("window_after_results",)


def test_results_are_known_in_every_form() -> None:
    """A tool message and a tool_result block are results too."""
    with room_of("chat", Fault("window_after_results")) as room:
        call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        asking = {"role": "assistant", "content": None, "tool_calls": [call]}
        result = {"role": "tool", "tool_call_id": "call_1", "content": "seen"}
        assert room.ask({"messages": [USER, asking, result]}).status_code == 400
    with room_of("anthropic", Fault("window_after_results")) as room:
        use = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
        block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "seen"}
        turns = [
            USER,
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [block]},
        ]
        refused = room.ask({"messages": turns})
        assert (
            refused.json()["error"]["message"]
            == "prompt is too long: 200001 tokens > 200000 maximum"
        )


@pytest.mark.parametrize(("kind", "work"), [("stall_before", False), ("stall_after", True)])
def test_a_stall_never_answers(kind: str, work: bool) -> None:  # noqa: FBT001  a row of the table
    """The client times out, whether or not the work was done."""
    with room_of("responses", Fault(kind)) as room:
        assert room.lose() is httpx2.ReadTimeout
        assert [one.work for one in room.double.exchanges] == [work]
        assert not room.double.exchanges[0].finished
        assert room.ask().status_code == 200


@pytest.mark.parametrize(
    ("kind", "work"), [("reset_before_headers", False), ("reset_after_work", True)]
)
@pytest.mark.parametrize("api", APIS)
def test_a_reset_breaks_the_connection(api: Api, kind: str, work: bool) -> None:  # noqa: FBT001
    """The client sees a broken connection and no status."""
    with room_of(api, Fault(kind)) as room:
        with pytest.raises(httpx2.ReadError):
            room.ask()
        assert [one.work for one in room.double.exchanges] == [work]


@pytest.mark.parametrize("stream", [True, False])
def test_a_reset_within_leaves_half_of_an_event_or_body(stream: bool) -> None:  # noqa: FBT001
    """The headers came, then a part, then nothing."""
    with room_of("responses", Fault("reset_mid_event", with_={"after": 5})) as room:
        with pytest.raises(httpx2.ReadError):
            room.ask(stream=stream)
        answer = room.double.exchanges[0].answer
        assert answer is not None
        assert len(answer.events) == (5 if stream else 0)


def test_a_reset_between_events_delivers_whole_events_first() -> None:
    """What was sent before it can be read to the last byte."""
    with room_of("anthropic", Fault("reset_between_events", with_={"after": 2})) as room:
        chunks: list[bytes] = []
        url, headers = room.double.url + PATH["anthropic"], {"x-api-key": KEY}
        body = BODY["anthropic"] | {"stream": True}
        with (
            httpx2.stream("POST", url, json=body, headers=headers, verify=False) as answer,
            pytest.raises(httpx2.ReadError),
        ):
            chunks.extend(answer.iter_bytes())
        got = b"".join(chunks)
        assert got.count(b"\n\n") == 2
        assert got.endswith(b"\n\n")


@pytest.mark.parametrize("api", APIS)
def test_a_clean_end_lacks_only_the_last_event(api: Api) -> None:
    """The stream ends well, but for the event that would make it whole."""
    with room_of(api, Fault("clean_eof")) as room:
        assert room.ask().status_code == 200
        cut, whole = room.events(), _good(api)
        assert len(cut) < len(whole)
        assert _types(cut) == _types(whole)[: len(cut)]
        answer = room.double.exchanges[1].answer
        assert answer is not None
        assert not has_ended_well(answer)


def test_openais_clientsays_nothing_of_a_clean_end() -> None:
    """The fault is one that the official SDK does not report."""
    with (
        room_of("responses", Fault("clean_eof")) as room,
        openai.OpenAI(base_url=room.double.openai_url, api_key=KEY, max_retries=0) as client,
        client.responses.create(model="gpt-6.1-sol", input="hello", stream=True) as events,
    ):
        assert [event.type for event in events][-1] != "response.completed"


@pytest.mark.parametrize("api", APIS)
def test_truncated_json_comes_with_200(api: Api) -> None:
    """All headers are right; the body is half of one. It waits for an answer that is JSON."""
    with room_of(api, Fault("truncated_json")) as room:
        assert room.events() == _good(api)
        cut = room.ask()
        assert cut.status_code == 200
        with pytest.raises(json.JSONDecodeError):
            cut.json()


ERRORS = {
    "error_flat": ("server_error", "api_error"),
    "error_nested": ("server_error", "api_error"),
    "failed_event": ("server_error", "api_error"),
    "rate_limit_event": ("rate_limit_exceeded", "rate_limit_error"),
    "window_event": ("context_length_exceeded", "invalid_request_error"),
    "overloaded_event": ("server_is_overloaded", "overloaded_error"),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_amid_a_stream_ends_it(kind: str) -> None:
    """Responses has three shapes for it, all in sequence."""
    with room_of("responses", Fault(kind)) as room:
        events = room.events()
        last = events[-1]
        assert isinstance(last, dict)
        assert _numbers(events) == list(range(len(events)))
        error = {
            "error_flat": last,
            "error_nested": last.get("error"),
        }.get(kind, last.get("response", {}).get("error"))
        assert error["code"] == ERRORS[kind][0]
        assert last["type"] == ("error" if kind.startswith("error") else "response.failed")
        assert "response.completed" not in _types(events)


def test_a_rate_limit_amid_a_stream_tells_its_delay_only_in_words() -> None:
    """No header says it."""
    with room_of("responses", Fault("rate_limit_event", with_={"retry_after": 11.054})) as room:
        answer = room.ask(stream=True)
        assert "Please try again in 11.054s." in answer.text
        assert "retry-after" not in answer.headers


@pytest.mark.parametrize("kind", ERRORS)
def test_the_other_apis_have_one_shape_for_an_error(kind: str) -> None:
    """Chat sends an error for a chunk, Anthropic an event of that name."""
    with room_of("chat", Fault(kind)) as room:
        last = room.events()[-1]
        assert isinstance(last, dict)
        assert last["error"]["message"]
    with room_of("anthropic", Fault(kind)) as room:
        last = room.events()[-1]
        assert isinstance(last, dict)
        assert (last["type"], last["error"]["type"]) == ("error", ERRORS[kind][1])


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_of_streams_has_an_equivalent_in_json(kind: str) -> None:
    """Responses fails with 200; the others answer with the status of the error."""
    with room_of("responses", Fault(kind)) as room:
        answer = room.ask()
        assert (answer.status_code, answer.json()["status"]) == (200, "failed")
        assert answer.json()["error"]["code"] == ERRORS[kind][0]
    with room_of("anthropic", Fault(kind)) as room:
        answer = room.ask()
        assert answer.status_code >= 400
        assert answer.json()["error"]["type"] == ERRORS[kind][1]
        assert room.double.exchanges[0].struck == (kind,)


def test_a_failed_response_raises_nothing_in_openais_client() -> None:
    """A client has to look at the status itself."""
    with (
        room_of("responses", Fault("failed_event")) as room,
        openai.OpenAI(base_url=room.double.openai_url, api_key=KEY, max_retries=0) as client,
    ):
        said = client.responses.create(model="gpt-6.1-sol", input="hello")
        assert said.status == "failed"
        assert said.error is not None


def test_an_error_event_raises_in_anthropics_client() -> None:
    """With status 200, as the real one does."""
    with (
        room_of("anthropic", Fault("overloaded_event")) as room,
        anthropic.Anthropic(
            base_url=room.double.anthropic_url, api_key=KEY, max_retries=0
        ) as client,
        client.messages.create(
            model="claude-sonnet-5-5",
            max_tokens=100,
            messages=[{"role": "user", "content": "hello"}],
            stream=True,
        ) as events,
        pytest.raises(anthropic.APIStatusError) as raised,
    ):
        list(events)
    assert raised.value.status_code == 200


@pytest.mark.parametrize(
    ("api", "begin", "delta"),
    [
        ("responses", "response.output_item.added", "response.output_text.delta"),
        ("anthropic", "content_block_start", "content_block_delta"),
    ],
)
def test_order_can_be_broken(api: Api, begin: str, delta: str) -> None:
    """A delta comes before what it belongs to, or what it belongs to never comes."""
    with room_of(api, Fault("disorder"), Fault("missing_added", nth=2)) as room:
        types = _types(room.events())
        assert types.index(delta) < types.index(begin)
        types = _types(room.events())
        assert begin not in types
        assert delta in types


def test_sequence_numbers_can_repeat_or_skip() -> None:
    """Once an event comes twice, once a number is left out."""
    faults = Fault("duplicate_sequence"), Fault("skipped_sequence", nth=2)
    with room_of("responses", *faults) as room:
        events = room.events()
        numbers = _numbers(events)
        assert len(numbers) == len(set(numbers)) + 1
        twice = numbers.index(next(n for n in numbers if numbers.count(n) == 2))
        assert events[twice] == events[twice + 1]
        numbers = _numbers(room.events())
        assert len(set(range(numbers[-1] + 1)) - set(numbers)) == 1


@pytest.mark.parametrize("api", APIS)
def test_an_unknown_event_comes_amid_the_others(api: Api) -> None:
    """All known events are there, and one more."""
    with room_of(api, Fault("unknown_event")) as room:
        events = room.events()
        assert len(events) == len(_good(api)) + 1
        assert "unheard_of" in json.dumps(events)
        assert "unheard_of" not in json.dumps(events[-1])


@pytest.mark.parametrize("api", ["responses", "anthropic"])
def test_an_unknown_item_comes_after_the_others(api: Api) -> None:
    """In a stream and in a body alike."""
    with room_of(api, Fault("unknown_item", times=2)) as room:
        events = room.events()
        assert len(events) == len(_good(api)) + 2
        assert json.dumps(events).count("unheard_of") == (3 if api == "responses" else 1)
        field = "output" if api == "responses" else "content"
        assert [item["type"] for item in room.ask().json()[field]][-1] == "unheard_of"


def test_done_may_be_appended() -> None:
    """Some servers end every stream in the manner of Chat."""
    with room_of("responses", Fault("done_appended")) as room:
        assert _types(room.events())[-2:] == ["response.completed", "[DONE]"]


@pytest.mark.parametrize("api", APIS)
def test_usage_may_be_missing_or_bare(api: Api) -> None:
    """No usage at all, or its plain counts without the details."""
    faults = Fault("usage_missing", times=2), Fault("usage_bare", nth=3, times=2)
    with room_of(api, *faults) as room:
        assert "usage" not in room.ask().json()
        assert "usage" not in room.ask(stream=True).text
        usage = room.ask().json()["usage"]
        assert usage
        assert all(isinstance(count, int) for count in usage.values())
        assert "tokens_details" not in room.ask(stream=True).text


def test_faults_of_one_call_are_spent_one_after_another() -> None:
    """What ends an answer stands alone; the next such fault waits for the next call."""
    faults = Fault("rate_limit"), Fault("server_error"), Fault("clean_eof")
    with room_of("responses", *faults) as room:
        statuses = [room.ask(stream=True).status_code for _ in range(4)]
        assert statuses == [429, 500, 200, 200]
        struck = [one.struck for one in room.double.exchanges]
        assert struck == [("rate_limit",), ("server_error",), ("clean_eof",), ()]


def test_faults_that_go_together_strike_together() -> None:
    """A stream may be odd in more than one way."""
    with room_of("responses", Fault("done_appended"), Fault("usage_missing")) as room:
        events = room.events()
        assert events[-1] == "[DONE]"
        assert "usage" not in json.dumps(events)


def test_a_fault_strikes_from_its_nth_call_so_many_times() -> None:
    """And nth=0 strikes for ever."""
    with room_of("responses", Fault("quota", nth=2, times=2)) as room:
        assert [room.ask().status_code for _ in range(4)] == [200, 429, 429, 200]
        room.double.strike(Fault("quota", nth=0))
        assert {room.ask().status_code for _ in range(4)} == {429}
        room.double.clear_faults()
        assert room.ask().status_code == 200


def test_a_fault_keeps_to_its_model_its_run_and_its_endpoint() -> None:
    """Other requests are not counted."""
    faults = (
        Fault("quota", model="gpt-6-luna"),
        Fault("overloaded", run="second"),
        Fault("window", endpoint="chat.create"),
    )
    with room_of("responses", *faults) as room:
        assert room.ask().status_code == 200
        assert room.ask({"metadata": {"run": "second"}}).status_code == 503
        assert room.ask({"model": "gpt-6-luna"}).status_code == 429
        assert [fault.kind for fault in room.double.pending_faults] == ["window"]


def test_a_fault_that_nothing_fits_is_an_error_of_the_test() -> None:
    """A misspelt kind or endpoint would never strike."""
    with pytest.raises(ValueError, match="no such kind of fault: oops"):
        Double("openai", say, faults=[Fault("oops")])
    with pytest.raises(ValueError, match=r"no such endpoint: responses\.make"):
        Double("openai", say, faults=[Fault("quota", "responses.make")])


def test_a_fault_is_not_spent_on_a_request_that_is_refused() -> None:
    """A bad request gets its refusal, and the fault waits for a good one."""
    with room_of("responses", Fault("clean_eof")) as room:
        assert room.ask({"nonsense": 1}, stream=True).status_code == 400
        assert [fault.kind for fault in room.double.pending_faults] == ["clean_eof"]


def test_a_fault_of_state_is_spent_when_the_api_asks_for_it() -> None:
    """Requests that cannot meet it do not count."""
    with room_of("responses", Fault("forget_ids")) as room:
        first = room.ask().json()["id"]
        assert [fault.kind for fault in room.double.pending_faults] == ["forget_ids"]
        refused = room.ask({"previous_response_id": first})
        assert refused.json()["error"]["code"] == "previous_response_not_found"
        assert room.double.exchanges[1].struck == ("forget_ids",)
        assert room.double.pending_faults == []


def test_renumbering_begins_where_the_stream_began() -> None:
    """A stream that goes on from a number keeps to it."""
    events = [
        ServerSentEvent("a", {"sequence_number": 7}),
        ServerSentEvent("b", {}),
        ServerSentEvent("c", {"sequence_number": 7}),
    ]
    assert [event.data for event in renumber_stream(events)] == [
        {"sequence_number": 7},
        {},
        {"sequence_number": 8},
    ]


def test_a_call_breaks_like_a_text() -> None:
    """A stream of a tool call has deltas and beginnings as well."""
    with Double("openai", lambda _: [Ask("look", '{"at": 1}')]) as double:
        double.strike(Fault("disorder"))
        types = _types(Room(double, "responses").events())
        delta = types.index("response.function_call_arguments.delta")
        assert delta < types.index("response.output_item.added")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_described_and_can_be_laid(kind: str) -> None:
    """The table says of each what it does, and to an answer that is no stream."""
    row = KINDS[kind]
    assert row.what
    assert row.apis
    assert row.stage != "stream" or row.needs == "stream" or row.json
    Double("openai", say, faults=[Fault(kind)])
