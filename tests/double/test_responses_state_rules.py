"""The rules about state: what a response may be continued from, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from director.testing.double.conformance_report.exchange_content import read_answer_id
from director.testing.double.exchange import Fault
from double.responses_room import (
    HI,
    MODEL,
    Room,
    ask,
    asking,
    client,
    not_found,
    output,
    room,
)


@pytest.fixture
def here() -> Iterator[Room]:
    """A double of OpenAI with a plain brain."""
    with room() as made:
        yield made


def test_r1_an_unknown_previous_id_is_refused(here: Room) -> None:
    """R1: an id that was never given out; one that was is continued."""
    not_found(here, "resp_0")
    first = ask(here)
    assert ask(here, previous_response_id=first["id"])["previous_response_id"] == first["id"]


def test_r1_a_deleted_and_an_unstored_id_are_refused(here: Room) -> None:
    """R1: what was deleted, and what was never stored."""
    first = ask(here)
    here.client.responses.delete(str(first["id"]))
    not_found(here, first["id"])
    not_found(here, ask(here, store=False)["id"])


def test_r1_the_id_of_another_key_is_refused(here: Room) -> None:
    """R1: what belongs to somebody else."""
    with client(here.double, "sk-somebody-else") as other:
        theirs = other.responses.create(model=MODEL, input="hi")
    not_found(here, theirs.id)


def test_r1_what_the_double_lost_by_itself_is_no_defect(here: Room) -> None:
    """R1: after thirty days, or when a fault forgets it, the client could not know."""
    first = ask(here)
    here.double.advance(31 * 86_400)
    not_found(here, first["id"], defect=False)
    second = ask(here)
    here.double.strike(Fault("forget_ids"))
    not_found(here, second["id"], defect=False)
    assert not here.double.pending_faults


def test_a_lost_response_can_be_refused_in_the_short_words(here: Room) -> None:
    """One server says only that the id is invalid, without a param."""
    first = ask(here)
    here.double.strike(Fault("forget_ids", with_={"terse": True}))
    here.refused(
        "R1",
        asking(here, previous_response_id=first["id"]),
        "Invalid `previous_response_id`.",
        code="invalid_request_error",
        defect=False,
    )


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    "kind",
    [
        "failed_event",
        "error_flat",
        "error_nested",
        "rate_limit_event",
        "window_event",
        "overloaded_event",
    ],
)
def test_a_response_that_failed_is_kept_as_failed_and_continues_nothing(
    kind: str, *, stream: bool
) -> None:
    """Whether it failed in a stream or in a body, and for whatever cause."""
    with room(faults=[Fault(kind)], strict=False) as here:
        body = {"model": MODEL, "input": "hi", "stream": stream}
        here.client.post("/responses", cast_to=str, body=body)
        name = read_answer_id(here.double.exchanges[-1])
        kept = here.get(f"/responses/{name}")
        assert (kept["status"], kept["output"], kept["usage"]) == ("failed", [], None)
        not_found(here, name)


def test_a_failed_response_leaves_nothing_in_its_conversation() -> None:
    """Neither what was asked nor what was begun."""
    with room(faults=[Fault("failed_event")]) as here:
        made = here.post("/conversations", {})
        ask(here, conversation=made["id"])
        assert here.get(f"/conversations/{made['id']}/items")["data"] == []


def test_a_background_stream_that_failed_is_resumed_to_its_failure() -> None:
    """The rest of the stream ends as the stream did, and so does a poll."""
    with room(faults=[Fault("failed_event")]) as here:
        body = {"model": MODEL, "input": "hi", "stream": True, "background": True, "store": True}
        here.client.post("/responses", cast_to=str, body=body)
        name = read_answer_id(here.double.exchanges[-1])
        rest = here.client.get(f"/responses/{name}?stream=true&starting_after=2", cast_to=str)
        assert rest.count("event: ") == rest.count("event: response.") > 0
        assert "event: response.failed" in rest
        assert here.get(f"/responses/{name}")["status"] == "failed"


@pytest.mark.parametrize(
    ("profile", "status", "message", "code"),
    [
        (
            "openai-zdr",
            400,
            "Previous response cannot be used for this organization due to Zero Data Retention.",
            "unsupported_parameter",
        ),
        ("vllm", 404, "Response with id 'resp_0' not found.", None),
        ("llamacpp", 400, "llama.cpp does not support 'previous_response_id'.", None),
    ],
)
def test_r1_a_server_without_chains_says_so_and_counts_from_the_second_time(
    profile: str, status: int, message: str, code: str | None
) -> None:
    """R1: to be told once is how a client learns; to ask again is a defect."""
    with room(profile=profile) as here:
        for defect in (False, True, True):
            here.refused(
                "R1",
                asking(here, previous_response_id="resp_0"),
                message,
                status=status,
                param="previous_response_id",
                code=code,
                defect=defect,
            )


def test_r1_a_server_may_drop_the_previous_id_in_silence() -> None:
    """R1: Ollama knows no such field, and its answer shows none."""
    with room(profile="ollama") as here:
        first = ask(here, "remember the word")
        second = ask(here, previous_response_id=first["id"])
        assert second["previous_response_id"] is None
        assert len(here.double.generations[-1].seen.items) == 1
        assert here.clean()


def test_r1_a_response_that_still_runs_cannot_be_continued(here: Room) -> None:
    """R1: only once it has finished."""
    running = ask(here, background=True, store=True)
    here.refused(
        "R1",
        asking(here, previous_response_id=running["id"]),
        f"Previous response with id '{running['id']}' has not finished.",
        param="previous_response_id",
    )
    here.double.advance(3)
    assert ask(here, previous_response_id=running["id"])["status"] == "completed"


def test_r2_a_request_has_one_kind_of_state(here: Room) -> None:
    """R2: a conversation or a previous response, not both."""
    kept = here.client.conversations.create()
    first = ask(here)
    here.refused(
        "R2",
        asking(here, conversation=kept.id, previous_response_id=first["id"]),
        "Mutually exclusive parameters: 'conversation' and 'previous_response_id'. Ensure you are "
        "only providing one of: 'previous_response_id' or 'conversation'.",
    )
    ask(here, conversation=kept.id)


def test_r14_a_compaction_is_no_previous_response(here: Room) -> None:
    """R14: what /responses/compact returns is sent as input instead."""
    made = here.post("/responses/compact", {"model": MODEL, "input": "a long talk"})
    not_found(here, made["id"], rule="R14")
    ask(here, [*output(made), HI])


def test_r16_a_conversation_serves_one_response_at_a_time(here: Room) -> None:
    """R16: a busy one is refused, in words that invite a retry."""
    kept = here.client.conversations.create()
    ask(here, conversation=kept.id, background=True)
    here.refused(
        "R16",
        asking(here, conversation={"id": kept.id}),
        "Another process is currently operating on this conversation. "
        "Please retry in a few seconds.",
        code="conversation_locked",
    )
    here.double.advance(3)
    ask(here, conversation=kept.id)


def test_r16_a_conversation_takes_twenty_items_at_a_time(here: Room) -> None:
    """R16: at its start and later."""
    kept = here.client.conversations.create()
    for path in ("/conversations", f"/conversations/{kept.id}/items"):
        here.refused(
            "R16",
            lambda path=path: here.post(path, {"items": [HI] * 21}),
            "Invalid 'items': array too long. Expected an array with maximum length 20, "
            "but got an array with length 21 instead.",
            param="items",
            code="array_above_max_length",
        )
        here.post(path, {"items": [HI] * 20})


def test_r17_what_is_stored_shows_no_encrypted_content(here: Room) -> None:
    """R17: it cannot be asked for, and is not there."""
    first = ask(here, "think")
    here.refused(
        "R17",
        lambda: here.client.responses.retrieve(
            str(first["id"]), include=["reasoning.encrypted_content"]
        ),
        "Encrypted content cannot be requested for persisted responses.",
        param="include",
    )
    assert output(first)[0]["encrypted_content"]
    assert output(here.get(f"/responses/{first['id']}"))[0]["encrypted_content"] is None


def test_r18_only_a_streamed_job_can_be_streamed_again(here: Room) -> None:
    """R18: not a foreground response, nor a job that was not streamed."""
    first, job = ask(here), ask(here, background=True)
    for body, cause in ((first, "background=true"), (job, "stream=true")):
        here.refused(
            "R18",
            lambda body=body: here.client.responses.retrieve(str(body["id"]), stream=True),
            f"This response cannot be streamed because it was not created with {cause}.",
            param="stream",
        )


def test_r18_what_was_deleted_is_gone(here: Room) -> None:
    """R18: for a second delete, a look, a cancel and a list."""
    name = str(ask(here)["id"])
    assert here.client.responses.delete(name) is None
    calls: tuple[Callable[[str], object], ...] = (
        here.client.responses.retrieve,
        here.client.responses.delete,
        here.client.responses.cancel,
        here.client.responses.input_items.list,
    )
    for call in calls:
        here.refused(
            "R18",
            lambda call=call: call(name),
            f"Response with id '{name}' not found.",
            status=404,
        )


def test_r18_what_has_ended_cannot_be_cancelled(here: Room) -> None:
    """R18: nor what never ran in the background; one that was not yet told so is no defect."""
    name = str(ask(here)["id"])
    cancel = here.client.responses.cancel
    here.refused("R18", lambda: cancel(name), "Cannot cancel a synchronous response.")
    job = str(ask(here, background=True)["id"])
    here.double.advance(3)
    ended = "Cannot cancel a completed response."
    here.refused("R18", lambda: cancel(job), ended, defect=False)
    here.client.responses.retrieve(job)
    here.refused("R18", lambda: cancel(job), ended)


def test_r19_a_job_is_kept_for_ten_minutes_unless_it_is_stored(here: Room) -> None:
    """R19: only an explicit store keeps it longer."""
    short, long = ask(here, background=True), ask(here, background=True, store=True)
    here.double.advance(600)
    here.client.responses.retrieve(str(short["id"]))
    here.double.advance(3)
    here.refused(
        "R19",
        lambda: here.client.responses.retrieve(str(short["id"])),
        f"Response with id '{short['id']}' not found.",
        status=404,
    )
    assert here.client.responses.retrieve(str(long["id"])).status == "completed"
    ask(here, previous_response_id=long["id"])


def test_r19_some_servers_need_a_job_to_be_stored() -> None:
    """R19: as the older rule had it."""
    with room(profile="azure") as here:
        here.refused(
            "R19",
            asking(here, background=True, store=False),
            "background=true requires store=true",
            param="background",
            code="unsupported_parameter",
        )
        assert ask(here, background=True)["status"] == "queued"
