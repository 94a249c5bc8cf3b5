"""The verdict: each wrong that a client does is found, and what is right is not."""

from __future__ import annotations

from collections.abc import Sequence

import httpx2
import pytest

from director.models.script_values import Ask, Emit, Say, Seen, Think, Wait
from director.testing.double import Fault
from director.testing.double.api_keys import Api
from director.testing.double.conformance_report import FINDERS, run_finders
from director.testing.double.exchange import ParsedRequest, ProviderResponse
from director.testing.double.world import Exchange
from double.core_room import APIS, BODY, KEY, LONG, USER, Room, room_of

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
TOOL: dict[Api, dict[str, object]] = {
    "responses": {"type": "function", "name": "look", "parameters": SCHEMA, "strict": True},
    "chat": {"type": "function", "function": {"name": "look", "parameters": SCHEMA}},
    "anthropic": {"name": "look", "input_schema": SCHEMA},
}
FIELD: dict[Api, str] = {"responses": "input", "chat": "messages", "anthropic": "messages"}


def looks(seen: Seen) -> Sequence[Emit]:
    """A brain that looks once for every thing that a user says, then says what it saw."""
    if seen.items[-1].kind == "user" and "look" in seen.tools:
        return [Ask("look")]
    return [Say("I have seen it.")]


def slow(_seen: Seen) -> Sequence[Emit]:
    """A brain that takes three seconds."""
    return [Wait(3), Say("done")]


def _said(api: Api, answer: httpx2.Response) -> list[dict[str, object]]:
    """What an answer adds to a history that the client keeps."""
    body = answer.json()
    if api == "responses":
        return list(body["output"])
    if api == "chat":
        return [body["choices"][0]["message"]]
    return [{"role": "assistant", "content": body["content"]}]


def _result(api: Api, said: Sequence[dict[str, object]]) -> dict[str, object]:
    """The answer to the one call that was made."""
    if api == "responses":
        call = next(item["call_id"] for item in said if item["type"] == "function_call")
        return {"type": "function_call_output", "call_id": call, "output": "a cat"}
    if api == "chat":
        calls = said[0]["tool_calls"]
        assert isinstance(calls, list)
        return {"role": "tool", "tool_call_id": calls[0]["id"], "content": "a cat"}
    content = said[0]["content"]
    assert isinstance(content, list)
    block = {"type": "tool_result", "tool_use_id": content[0]["id"], "content": "a cat"}
    return {"role": "user", "content": [block]}


def _turn(api: Api, *items: object, **more: object) -> dict[str, object]:
    return {FIELD[api]: list(items), "tools": [TOOL[api]], **more}


@pytest.mark.parametrize("api", APIS)
def test_a_client_that_replays_its_log_is_clean(api: Api) -> None:
    """A call, its result and a second turn, all sent again each time."""
    with room_of(api, brain=looks) as room:
        log: list[object] = [USER]
        for words in ("and now?", "and then?"):
            said = _said(api, room.ask(_turn(api, *log)))
            log += [*said, _result(api, said)]
            log += [*_said(api, room.ask(_turn(api, *log))), {"role": "user", "content": words}]
        assert room.double.defects == []
        assert room.double.verdict() == []
        assert room.double.notes() == []


def test_a_client_that_chains_is_clean() -> None:
    """Only what is new is sent, with tools and instructions each time."""
    with room_of("responses", brain=looks) as room:
        first = room.ask(_turn("responses", USER, instructions="Be kind."))
        result = _result("responses", _said("responses", first))
        second = room.ask(
            _turn(
                "responses",
                result,
                instructions="Be kind.",
                previous_response_id=first.json()["id"],
            )
        )
        assert second.status_code == 200
        assert room.double.verdict() == []


@pytest.mark.parametrize("kind", ["stall_after", "reset_after_work"])
def test_a_background_job_is_not_created_again_after_a_loss(kind: str) -> None:
    """The first may be running; nobody can find it."""
    with room_of("responses", Fault(kind)) as room:
        body: dict[str, object] = {"background": True, "store": True}
        room.lose(body)
        assert room.kinds() == []
        job = room.ask(body).json()["id"]
        room.call("POST", f"/v1/responses/{job}/cancel")
        assert room.kinds() == ["resent_job"]


def test_a_foreground_create_may_be_sent_again_but_is_noted() -> None:
    """It may have been paid twice."""
    with room_of("responses", Fault("stall_after")) as room:
        room.lose()
        room.ask()
        assert room.double.verdict() == []
        assert [str(note) for note in room.double.notes()] == [
            "#2 paid_twice: #1 may have been paid too"
        ]


@pytest.mark.parametrize(
    "with_",
    [
        {"retry_after": 5},
        {"retry_after_ms": 5000},
        {"retry_after": 5, "date": True},
        {"retry_after": 5, "none": True},
    ],
)
def test_a_retry_waits_as_long_as_it_was_told(with_: dict[str, object]) -> None:
    """Whether a header said it, or only the words."""
    with room_of("responses", Fault("rate_limit", times=2, with_=with_)) as room:
        room.ask()
        room.double.advance(4.5)
        room.ask()
        assert room.kinds() == ["early_retry"]
        room.double.advance(5)
        room.ask()
        assert room.kinds() == ["early_retry"]


@pytest.mark.parametrize("stream", [True, False])
def test_a_delay_told_in_a_failed_answer_counts_too(stream: bool) -> None:  # noqa: FBT001  a row
    """Status 200, and the delay in its error's words."""
    with room_of("responses", Fault("rate_limit_event", with_={"retry_after": 5})) as room:
        room.ask(stream=stream)
        room.double.advance(1)
        room.ask(stream=stream)
        assert room.kinds() == ["early_retry"]


@pytest.mark.parametrize(
    ("api", "fault"),
    [
        ("responses", Fault("window")),
        ("responses", Fault("quota")),
        ("responses", Fault("model_retired")),
        ("responses", Fault("key_revoked")),
        ("responses", Fault("server_error", with_={"should_retry": False})),
        ("anthropic", Fault("quota")),
        ("chat", Fault("window")),
    ],
)
def test_what_is_refused_for_good_is_not_asked_again(api: Api, fault: Fault) -> None:
    """The same request can only be refused again; another may be sent."""
    with room_of(api, fault) as room:
        room.ask()
        room.ask({FIELD[api]: [{"role": "user", "content": "something else"}]})
        assert room.kinds() == []
        room.ask()
        assert room.kinds() == ["hopeless_retry"]


@pytest.mark.parametrize(
    ("api", "fault"),
    [
        ("responses", Fault("locked")),
        ("responses", Fault("server_error")),
        ("responses", Fault("overloaded")),
        ("responses", Fault("server_error", with_={"should_retry": True})),
        ("anthropic", Fault("overloaded")),
    ],
)
def test_what_passes_may_be_asked_again(api: Api, fault: Fault) -> None:
    """Locks, overloads and errors of the server."""
    with room_of(api, fault) as room:
        room.ask()
        room.ask()
        assert room.kinds() == []


def test_a_refused_key_may_be_replaced() -> None:
    """The same request with another key is no retry."""
    with room_of("responses", Fault("key_revoked")) as room:
        room.ask()
        room.ask(authorization="Bearer another")
        assert room.kinds() == []


def _job(room: Room) -> str:
    return str(room.ask({"background": True, "store": True}).json()["id"])


def test_a_job_that_is_polled_to_its_end_is_clean() -> None:
    """At a decent pace, and not once more."""
    with room_of("responses", brain=slow) as room:
        job, status = _job(room), "queued"
        while status in ("queued", "in_progress"):
            room.double.advance(1)
            status = room.call("GET", f"/v1/responses/{job}").json()["status"]
        assert status == "completed"
        assert room.kinds() == []
        room.double.advance(1)
        room.call("GET", f"/v1/responses/{job}")
        assert room.kinds() == ["poll_after_end"]


def test_polls_keep_a_decent_pace() -> None:
    """Faster than the policy is found; a job that runs on is found as well."""
    with room_of("responses", brain=slow) as room:
        job = _job(room)
        room.call("GET", f"/v1/responses/{job}")
        room.double.advance(0.1)
        room.call("GET", f"/v1/responses/{job}")
        assert room.kinds() == ["abandoned_job", "fast_poll"]


def test_a_job_may_be_cancelled() -> None:
    """Left alone it is found; cancelled it is not."""
    with room_of("responses", brain=slow) as room:
        job = _job(room)
        assert room.kinds() == ["abandoned_job"]
        room.call("POST", f"/v1/responses/{job}/cancel")
        assert room.kinds() == []


def test_a_job_that_is_gone_is_over() -> None:
    """Nobody can poll what was evicted."""
    with room_of("responses", Fault("background_evicted"), brain=slow) as room:
        job = _job(room)
        room.double.advance(5)
        assert room.call("GET", f"/v1/responses/{job}").status_code == 404
        assert room.kinds() == []


def test_a_streamed_job_ends_with_its_stream() -> None:
    """The last event is as good as a poll."""
    with room_of("responses") as room:
        room.ask({"background": True, "store": True}, stream=True)
        assert room.kinds() == []


def test_a_job_whose_id_was_never_told_is_nobodys_fault() -> None:
    """What was lost on the way cannot be polled."""
    with room_of("responses", Fault("stall_after")) as room:
        room.lose({"background": True, "store": True})
        assert room.kinds() == []


def test_tools_and_instructions_are_sent_with_every_chained_turn() -> None:
    """A chain carries neither."""
    with room_of("responses") as room:
        first = room.ask(_turn("responses", USER, instructions="Be kind.")).json()["id"]
        room.ask({"previous_response_id": first})
        assert room.kinds() == ["instructions_forgotten", "tools_forgotten"]


def test_a_chain_that_began_without_tools_needs_none() -> None:
    """Nothing was forgotten."""
    with room_of("responses") as room:
        first = room.ask().json()["id"]
        room.ask({"previous_response_id": first})
        assert room.kinds() == []


def test_a_result_is_sent_once_in_a_chain() -> None:
    """Sent again in a later turn it is found, refused or not."""
    with room_of("responses", brain=looks) as room:
        first = room.ask(_turn("responses", USER))
        result = _result("responses", _said("responses", first))
        second = room.ask(_turn("responses", result, previous_response_id=first.json()["id"]))
        room.ask(_turn("responses", result, previous_response_id=second.json()["id"]))
        assert room.kinds() == ["result_twice"]


def test_two_branches_may_each_answer_a_call() -> None:
    """A fork is not a repetition."""
    with room_of("responses", brain=looks) as room:
        first = room.ask(_turn("responses", USER))
        result = _result("responses", _said("responses", first))
        for words in ("left", "right"):
            more = {"role": "user", "content": words}
            room.ask(_turn("responses", result, more, previous_response_id=first.json()["id"]))
        assert room.kinds() == []


@pytest.mark.parametrize("api", APIS)
def test_a_call_is_answered_and_not_dropped(api: Api) -> None:
    """To go on as if it had not been made is found."""
    with room_of(api, brain=looks) as room:
        room.ask(_turn(api, USER))
        more = {"role": "user", "content": "never mind"}
        kept = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Well."}]
        assert room.ask(_turn(api, *kept, more)).status_code == 200
        assert room.kinds() == ["dropped_call"]


def test_a_call_is_not_dropped_by_going_back_in_the_chain() -> None:
    """To go on from before the call, with the same words again, is the same."""
    with room_of("responses", brain=looks) as room:
        root = room.ask(_turn("responses", USER, tools=[])).json()["id"]
        words = {"role": "user", "content": "look"}
        room.ask(_turn("responses", words, previous_response_id=root))
        more = {"role": "user", "content": "never mind"}
        room.ask(_turn("responses", words, more, previous_response_id=root))
        assert room.kinds() == ["dropped_call"]


def test_a_call_of_a_job_is_not_dropped_either() -> None:
    """A background job says its calls when it is polled."""
    with room_of("responses", brain=looks) as room:
        job = room.ask(_turn("responses", USER, background=True, store=True)).json()["id"]
        room.double.advance(60)
        polled = room.call("GET", f"/v1/responses/{job}").json()
        assert polled["output"][-1]["type"] == "function_call"
        room.ask(_turn("responses", USER, {"role": "user", "content": "never mind"}))
        assert room.kinds() == ["dropped_call"]


def test_an_answered_call_may_be_folded_away() -> None:
    """Once answered, a call and its result may leave together."""
    with room_of("chat", brain=looks) as room:
        said = _said("chat", room.ask(_turn("chat", USER)))
        room.ask(_turn("chat", USER, *said, _result("chat", said)))
        summary = {"role": "user", "content": "(What came before: a cat was seen.)"}
        room.ask(_turn("chat", USER, summary))
        assert room.kinds() == []


def test_asking_the_very_same_again_drops_nothing() -> None:
    """A client that lost its process may ask anew."""
    with room_of("chat", brain=looks) as room:
        room.ask(_turn("chat", USER))
        room.ask(_turn("chat", USER))
        assert room.kinds() == []


@pytest.mark.parametrize("api", APIS)
def test_a_broken_stream_is_not_taken_for_an_answer(api: Api) -> None:
    """A part of a text that comes back as what the model said is found."""
    with room_of(api, Fault("clean_eof")) as room:
        room.ask(stream=True)
        partial = {"role": "assistant", "content": LONG}
        more = {"role": "user", "content": "go on"}
        assert room.ask({FIELD[api]: [USER, partial, more]}).status_code == 200
        assert room.kinds() == ["partial_as_whole"]


@pytest.mark.parametrize("api", APIS)
def test_a_stream_may_be_asked_for_again(api: Api) -> None:
    """When a later answer is whole, its text may be used."""
    with room_of(api, Fault("clean_eof")) as room:
        room.ask(stream=True)
        again = _said(api, room.ask())
        more = {"role": "user", "content": "go on"}
        room.ask({FIELD[api]: [USER, *again, more]})
        assert room.kinds() == []


def test_a_message_of_a_thread_is_continued_once() -> None:
    """The second continuation is found."""
    beta = "message-threads-2026-08-12"
    with room_of("anthropic") as room:
        first = room.ask({"thread": {"type": "create"}}, anthropic_beta=beta).json()["id"]
        thread = {"type": "continue", "previous_message_id": first}
        statuses = [
            room.ask({"thread": thread, "messages": [USER]}, anthropic_beta=beta).status_code
            for _ in range(2)
        ]
        assert statuses == [200, 400]
        assert room.kinds() == ["thread_twice"]


def test_thinking_comes_back_as_it_was() -> None:
    """Edited, it is refused and found."""

    def thinks(seen: Seen) -> Sequence[Emit]:
        return [Think("Hm."), *looks(seen)]

    with room_of("anthropic", brain=thinks) as room:
        said = room.ask(_turn("anthropic", USER)).json()["content"]
        assert [block["type"] for block in said] == ["thinking", "tool_use"]
        said[0]["thinking"] = "Well."
        result = {"type": "tool_result", "tool_use_id": said[1]["id"], "content": "a cat"}
        turns = {"role": "assistant", "content": said}, {"role": "user", "content": [result]}
        assert room.ask(_turn("anthropic", USER, *turns)).status_code == 400
        assert room.kinds() == ["thinking_edited"]


@pytest.mark.parametrize(
    "secret", [KEY, "sk-proj-0123456789abcdef", "sk-ant-api03-abcdef", "Bearer 0123456789abcdef"]
)
def test_a_secret_in_a_body_is_found(secret: str) -> None:
    """The request's own key, or what looks like one."""
    with room_of("chat") as room:
        room.ask({"messages": [{"role": "user", "content": f"I have {secret} here"}]})
        assert room.kinds() == ["secret"]
        assert secret not in str(room.double.verdict()[0])


def test_runs_are_judged_by_themselves() -> None:
    """What one run was refused, another may ask."""
    with room_of("responses", Fault("quota")) as room:
        room.ask({"metadata": {"run": "one"}})
        room.ask({"metadata": {"run": "two"}})
        assert room.kinds() == []


def test_every_finder_is_content_with_an_empty_or_a_strange_journal() -> None:
    """No journal makes a finder stumble."""
    strange = Exchange(
        ParsedRequest(
            "POST", "/v1/responses", {}, {}, {"input": 3, "thread": 4}, "responses.create"
        ),
        0.0,
        ProviderResponse({"output": "text", "error": "words"}, 400),
    )
    assert run_finders([]) == []
    assert run_finders([strange]) == []
    assert set(FINDERS) >= {"resent_job", "dropped_call", "secret"}
    assert BODY
