"""Conversations as OpenAI's own client meets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from director.models.script_values import Fail, Shown
from director.testing.double.responses.checks import HOSTED, ITEMS
from double.responses_room import HI, MODEL, Room, client, room


@pytest.fixture
def here() -> Iterator[Room]:
    """A double of OpenAI with a plain brain."""
    with room() as made:
        yield made


def texts(here: Room, name: str) -> list[str]:
    """The texts of a conversation's messages, oldest first."""
    found = []
    for item in here.client.conversations.items.list(name, order="asc"):
        assert item.type == "message"
        found.append(str(getattr(item.content[0], "text", "")))
    return found


def test_a_conversation_is_made_changed_and_deleted(here: Room) -> None:
    """With metadata, and a first item."""
    made = here.client.conversations.create(metadata={"a": "b"}, items=[HI])
    assert made.id.startswith("conv_")
    assert here.client.conversations.retrieve(made.id).metadata == {"a": "b"}
    changed = here.client.conversations.update(made.id, metadata={"c": "d"})
    assert changed.metadata == {"c": "d"}
    assert texts(here, made.id) == ["hi"]
    assert here.client.conversations.delete(made.id).deleted
    here.refused(
        "R16",
        lambda: here.client.conversations.retrieve(made.id),
        f"Conversation with id '{made.id}' not found.",
        status=404,
    )


def test_a_response_reads_and_adds_to_its_conversation(here: Room) -> None:
    """Its input and its output; the next one sees them."""
    made = here.client.conversations.create(items=[HI])
    first = here.client.responses.create(model=MODEL, input="one", conversation=made.id)
    assert first.conversation
    assert first.conversation.id == made.id
    here.client.responses.create(model=MODEL, input="two", conversation={"id": made.id})
    answer = "Here is the answer."
    assert here.double.generations[-1].seen.items == (
        Shown("user", "hi"),
        Shown("user", "one"),
        Shown("agent", answer),
        Shown("user", "two"),
    )
    assert texts(here, made.id) == ["hi", "one", answer, "two", answer]
    assert here.clean()


def test_a_job_adds_to_its_conversation_when_it_ends(here: Room) -> None:
    """Not before, and not when it is cancelled."""
    made = here.client.conversations.create()
    for word in ("one", "two"):
        job = here.client.responses.create(
            model=MODEL, input=word, conversation=made.id, background=True
        )
        assert word not in texts(here, made.id)
        if word == "two":
            here.client.responses.cancel(job.id)
        here.double.advance(3)
    assert texts(here, made.id) == ["one", "Here is the answer."]


def test_a_failed_response_adds_nothing() -> None:
    """What was asked is not kept either."""
    with room([[Fail("invalid_prompt")]]) as here:
        made = here.client.conversations.create()
        here.client.responses.create(model=MODEL, input="one", conversation=made.id)
        assert texts(here, made.id) == []


def test_items_are_added_listed_found_and_deleted(here: Room) -> None:
    """Each by its id."""
    made = here.client.conversations.create()
    items = here.client.conversations.items
    call = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
    answer = {"type": "function_call_output", "call_id": "c", "output": "a cat"}
    added = items.create(made.id, items=[HI, call, answer])
    assert [item.type for item in added.data] == [
        "message",
        "function_call",
        "function_call_output",
    ]
    newest = items.list(made.id, limit=1)
    assert newest.data[0].id == added.last_id
    assert newest.has_more
    first = items.retrieve(str(added.first_id), conversation_id=made.id)
    assert first.type == "message"
    assert items.delete(str(added.first_id), conversation_id=made.id).id == made.id
    here.refused(
        "R16",
        lambda: items.retrieve(str(added.first_id), conversation_id=made.id),
        f"Item with id '{added.first_id}' not found in conversation '{made.id}'.",
        status=404,
    )


def test_a_conversation_is_its_owners(here: Room) -> None:
    """Another key does not find it."""
    made = here.client.conversations.create()
    with client(here.double, "sk-somebody-else") as other:
        calls: tuple[Callable[[], object], ...] = (
            lambda: other.conversations.retrieve(made.id),
            lambda: other.responses.create(model=MODEL, input="hi", conversation=made.id),
        )
        for call in calls:
            here.refused("R16", call, f"Conversation with id '{made.id}' not found.", status=404)


def test_items_are_checked_as_those_of_a_response_are(here: Room) -> None:
    """The same words, with another name for the field."""
    made = here.client.conversations.create()
    names = [f"'{name}'" for name in (*ITEMS, *HOSTED)]
    here.refused(
        "R11",
        lambda: here.post(f"/conversations/{made.id}/items", {"items": [{"type": "bogus"}]}),
        f"Invalid value: 'bogus'. Supported values are: {', '.join(names[:-1])}, and {names[-1]}.",
        param="items[0].type",
        code="invalid_value",
    )
