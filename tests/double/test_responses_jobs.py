"""Responses made in the background: their states by the clock, cancelling, resuming, and faults."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest

from director.models.script_values import Ask, Fail, Say, Wait
from director.testing.double.exchange import Fault
from double.responses_room import MODEL, TOOL, Room, ask, room

CREATED = "responses.create"


@pytest.fixture
def here() -> Iterator[Room]:
    """A double of OpenAI with a plain brain."""
    with room() as made:
        yield made


def start(here: Room) -> str:
    """Start a job that is to be stored."""
    made = here.client.responses.create(model=MODEL, input="hi", background=True, store=True)
    return made.id


def status(here: Room, name: str) -> str | None:
    """Where a job stands."""
    return here.client.responses.retrieve(name).status


def test_a_job_is_queued_then_runs_then_ends(here: Room) -> None:
    """By the clock; until its end it shows nothing."""
    made = here.client.responses.create(model=MODEL, input="hi", background=True, store=True)
    assert (made.status, made.output, made.usage) == ("queued", [], None)
    assert made.service_tier == "auto"
    here.double.advance(1)
    running = here.client.responses.retrieve(made.id)
    assert (running.status, running.output, running.usage) == ("in_progress", [], None)
    here.double.advance(2)
    ended = here.client.responses.retrieve(made.id)
    assert (ended.status, ended.output_text) == ("completed", "Here is the answer.")
    assert ended.usage
    assert ended.completed_at == ended.created_at + 3
    assert here.clean()


def test_a_job_takes_as_long_as_its_script_says() -> None:
    """The seconds that it waits are those that it runs."""
    with room([[Wait(60), Say("Done.")]]) as here:
        name = start(here)
        here.double.advance(60)
        assert status(here, name) == "in_progress"
        here.double.advance(1)
        assert status(here, name) == "completed"


def test_a_job_may_end_with_calls() -> None:
    """The next turn is another request, chained to it."""
    with room([[Ask("look", "{}", "call_1")], [Say("A cat.")]]) as here:
        name = start(here)
        here.double.advance(3)
        assert status(here, name) == "completed"
        answer = {"type": "function_call_output", "call_id": "call_1", "output": "a cat"}
        made = here.client.responses.create(
            model=MODEL, previous_response_id=name, input=[answer], tools=[TOOL], background=True
        )
        assert made.status == "queued"
        assert here.clean()


def test_a_failure_of_a_job_is_in_its_body() -> None:
    """HTTP stays 200."""
    with room([[Fail("server_error", "Broken.")]]) as here:
        name = start(here)
        here.double.advance(3)
        ended = here.client.responses.retrieve(name)
        assert ended.status == "failed"
        assert ended.error
        assert ended.error.message == "Broken."


def test_a_running_job_can_be_cancelled_twice(here: Room) -> None:
    """Both times with the same answer, and for good."""
    name = start(here)
    here.double.advance(1)
    first, second = (here.client.responses.cancel(name) for _ in range(2))
    assert first == second
    assert (first.status, first.output, first.usage) == ("cancelled", [], None)
    here.double.advance(10)
    assert status(here, name) == "cancelled"
    assert here.clean()


def test_a_streamed_job_begins_in_the_queue_and_can_be_resumed(here: Room) -> None:
    """Created, queued, in progress; then any part of it again by its number."""
    with here.client.responses.create(
        model=MODEL, input="hi", background=True, store=True, stream=True
    ) as stream:
        events = list(stream)
    assert [event.type for event in events[:3]] == [
        "response.created",
        "response.queued",
        "response.in_progress",
    ]
    first = events[0]
    assert first.type == "response.created"
    assert first.response.status == "queued"
    name = first.response.id
    for after in (0, 4, len(events) - 1):
        with here.client.responses.retrieve(name, stream=True, starting_after=after) as stream:
            assert list(stream) == events[after + 1 :]
    with here.client.responses.retrieve(name, stream=True) as stream:
        assert list(stream) == events
    assert status(here, name) == "completed"


def test_a_stuck_job_stays_queued(here: Room) -> None:
    """For ever, until it is cancelled."""
    here.double.strike(Fault("background_stuck", CREATED))
    name = start(here)
    here.double.advance(100_000)
    assert status(here, name) == "queued"
    assert here.client.responses.cancel(name).status == "cancelled"


def test_the_stream_of_a_stuck_job_ends_in_the_queue(here: Room) -> None:
    """Without an event that says how it ended."""
    here.double.strike(Fault("background_stuck", CREATED))
    with here.client.responses.create(
        model=MODEL, input="hi", background=True, stream=True
    ) as stream:
        assert [event.type for event in stream] == ["response.created", "response.queued"]


def test_a_job_may_fail_after_some_polls(here: Room) -> None:
    """As many as the fault says; until then it seems to run."""
    here.double.strike(Fault("background_failed", CREATED, with_={"polls": 2}))
    name = start(here)
    here.double.advance(5)
    assert [status(here, name) for _ in range(4)] == [
        "in_progress",
        "in_progress",
        "failed",
        "failed",
    ]
    ended = here.client.responses.retrieve(name)
    assert ended.error
    assert (ended.error.code, ended.output, ended.usage) == ("server_error", [], None)


def test_the_result_of_a_job_may_be_gone(here: Room) -> None:
    """Before the poll that would have fetched it; no defect of the client."""
    here.double.strike(Fault("background_evicted", CREATED))
    name = start(here)
    here.double.advance(5)
    with pytest.raises(openai.NotFoundError):
        here.client.responses.retrieve(name)
    assert here.clean()


def test_a_job_may_end_incomplete(here: Room) -> None:
    """As if its output had been too long."""
    here.double.strike(Fault("background_incomplete", CREATED))
    name = start(here)
    here.double.advance(5)
    ended = here.client.responses.retrieve(name)
    assert ended.status == "incomplete"
    assert ended.incomplete_details
    assert ended.incomplete_details.reason == "max_output_tokens"


def test_a_job_may_complete_just_before_its_cancel(here: Room) -> None:
    """Then the cancel is refused, and the result is there."""
    here.double.strike(Fault("cancel_race", "responses.cancel"))
    name = start(here)
    here.refused(
        "R18",
        lambda: here.client.responses.cancel(name),
        "Cannot cancel a completed response.",
        defect=False,
    )
    assert status(here, name) == "completed"
    assert not here.double.pending_faults


def test_a_job_that_is_not_stored_keeps_its_seals() -> None:
    """Its poll is the only answer there is, and nothing of it persists."""
    with room(profile="openai-zdr") as here:
        made = here.client.responses.create(model=MODEL, input="think", background=True)
        here.double.advance(3)
        thought = here.client.responses.retrieve(made.id).output[0]
        assert thought.type == "reasoning"
        assert thought.encrypted_content


@pytest.mark.parametrize("profile", ["vllm", "llamacpp"])
def test_a_server_may_refuse_the_background(profile: str) -> None:
    """To be told once is how a client learns."""
    with room(profile=profile) as here:
        for defect in (False, True):
            here.refused(
                "R19",
                lambda: ask(here, background=True),
                "Unsupported parameter: 'background' is not supported by this server.",
                param="background",
                code="unsupported_parameter",
                defect=defect,
            )


def test_a_server_may_echo_the_background_and_answer_at_once() -> None:
    """As Ollama does."""
    with room(profile="ollama") as here:
        made = here.client.responses.create(model=MODEL, input="hi", background=True)
        assert (made.background, made.status) == (True, "completed")
