"""Streams of the Responses API: every event in its place, numbered, and of the SDK's types."""

from __future__ import annotations

import pytest

from director.models.script_values import Ask, Compact, Fail, Refuse, Say, Stop, Think
from director.testing.double.exchange import ServerSentEvent
from director.testing.double.responses.events import split_event_text
from double.responses_room import MODEL, Room, room

MESSAGE = (
    "output_item.added content_part.added output_text.delta* output_text.done content_part.done "
    "output_item.done"
)
REASONING = (
    "output_item.added reasoning_summary_part.added reasoning_summary_text.delta* "
    "reasoning_summary_text.done reasoning_summary_part.done output_item.done"
)
CALL = (
    "output_item.added function_call_arguments.delta* function_call_arguments.done output_item.done"
)
REFUSAL = "output_item.added content_part.added refusal.delta* refusal.done content_part.done output_item.done"
COMPACTION = "output_item.added compaction.compacting output_item.done"


def sent(here: Room) -> tuple[ServerSentEvent, ...]:
    """The events of the last answer, as they were sent."""
    answer = here.double.exchanges[-1].answer
    assert answer
    return answer.events


def order(events: tuple[ServerSentEvent, ...]) -> list[str]:
    """The types of events, with deltas in a row as one."""
    made: list[str] = []
    for event in events:
        name = event.name.removeprefix("response.")
        name = f"{name}*" if name.endswith(".delta") else name
        if not made or made[-1] != name:
            made.append(name)
    return made


def test_the_events_come_in_the_order_of_the_api() -> None:
    """Reasoning, message, call, refusal and compaction, each with its own events."""
    said = [Think("Hm, so."), Say("Hello."), Ask("look", '{"a": 1}'), Refuse("No."), Compact("all")]
    with room([said]) as here:
        with here.client.responses.create(model=MODEL, input="hi", stream=True) as stream:
            received = [event.type for event in stream]
        events = sent(here)
        items = f"{REASONING} {MESSAGE} {CALL} {REFUSAL} {COMPACTION}".split()
        assert order(events) == ["created", "in_progress", *items, "completed"]
        assert received == [event.name for event in events]
        assert here.clean()


def test_the_numbers_have_no_gap_and_the_name_is_the_type() -> None:
    """From zero on; and no [DONE] at the end."""
    with room() as here:
        with here.client.responses.create(model=MODEL, input="think", stream=True) as stream:
            numbers = [event.sequence_number for event in stream]
        assert numbers == list(range(len(numbers)))
        for event in sent(here):
            assert isinstance(event.data, dict)
            assert event.data["type"] == event.name


def test_deltas_add_up_to_the_text() -> None:
    """In a few pieces; the last event carries the whole response with its usage."""
    with room([[Say("One two three four five.")]]) as here:
        text = ""
        with here.client.responses.create(model=MODEL, input="hi", stream=True) as stream:
            for event in stream:
                if event.type == "response.output_text.delta":
                    text += event.delta
                if event.type == "response.completed":
                    assert event.response.output_text == text
                    assert event.response.usage
        assert text == "One two three four five."
        found = here.client.responses.retrieve(event.response.id)
        assert found.output_text == text


def test_a_text_is_cut_into_at_most_four_pieces() -> None:
    """And an empty one into none."""
    assert split_event_text("") == []
    assert split_event_text("a") == ["a"]
    assert len(split_event_text("x" * 101)) == 4
    assert "".join(split_event_text("x" * 101)) == "x" * 101


def test_the_helper_of_the_sdk_understands_the_stream() -> None:
    """It raises on any event out of place."""
    with room([[Think("Hm."), Say("Hello."), Ask("look", "{}")]]) as here:
        with here.client.responses.stream(model=MODEL, input="hi") as stream:
            for _ in stream:
                pass
            final = stream.get_final_response()
        assert [item.type for item in final.output] == ["reasoning", "message", "function_call"]


def test_what_is_first_shown_of_reasoning_cannot_be_replayed() -> None:
    """Only the finished item carries a seal that holds."""
    with room() as here:
        found = {}
        with here.client.responses.create(
            model=MODEL, input="think", stream=True, store=False
        ) as stream:
            for event in stream:
                if event.type in ("response.output_item.added", "response.output_item.done"):
                    found[event.type, event.item.type] = event.item
        early = found["response.output_item.added", "reasoning"]
        late = found["response.output_item.done", "reasoning"]
        said = found["response.output_item.done", "message"]
        for item, fine in ((early, False), (late, True)):
            items = [{**each.model_dump(exclude_unset=True)} for each in (item, said)]
            body = {"model": MODEL, "input": [*items, {"role": "user", "content": "hi"}]}
            if fine:
                here.post("/responses", body)
            else:
                token = items[0]["encrypted_content"]
                here.refused(
                    "R8",
                    lambda body=body: here.post("/responses", body),
                    f"The encrypted content {token[:8]}...{token[-4:]} could not be verified. "
                    "Reason: Encrypted content could not be decrypted or parsed.",
                    code="invalid_encrypted_content",
                )


@pytest.mark.parametrize(
    ("said", "last"),
    [
        ([Say("And then"), Stop()], "response.incomplete"),
        ([Fail("server_error", "Broken.")], "response.failed"),
        ([Say("Done.")], "response.completed"),
    ],
)
def test_a_stream_ends_with_one_event_that_says_how(
    said: list[Say | Stop | Fail], last: str
) -> None:
    """Completed, incomplete or failed; a failure is no HTTP error here."""
    with room([said]) as here:
        with here.client.responses.create(model=MODEL, input="hi", stream=True) as stream:
            types = [event.type for event in stream]
        assert types[-1] == last
        ends = ("response.completed", "response.incomplete", "response.failed")
        assert sum(name in ends for name in types) == 1


def test_a_code_outside_of_the_closed_list_is_passed_on() -> None:
    """As the real API does, against its own schema."""
    with room([[Fail("context_length_exceeded", "Too long.")]], strict=False) as here:
        with here.client.responses.create(model=MODEL, input="hi", stream=True) as stream:
            *_, last = stream
        assert last.type == "response.failed"
        assert last.response.error
        assert str(last.response.error.code) == "context_length_exceeded"
