"""Conversations: lists of items that responses read from and add to, one response at a time.

Nothing here asks a script engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from director.testing.double import refusals, texts
from director.testing.double.endpoint import EndpointRoute
from director.testing.double.exchange import ParsedRequest, ProviderResponse
from director.testing.double.field_types import (
    FieldRule,
    check_field_keys,
    check_metadata,
    refuse_field_length,
    refuse_missing_field,
)
from director.testing.double.responses.background_responses import OPEN, get_background_status
from director.testing.double.responses.checks import check_responses_items
from director.testing.double.responses.items import (
    check_own_items,
    complete_item,
    page_response_items,
    read_response_items,
    resolve_response_items,
)
from director.testing.double.responses.response_state import (
    Item,
    Shelf,
    StoredResponse,
    get_response_owner,
    refuse_absent_endpoint,
)
from director.testing.double.world import World

MOST = 20
FIELDS = {"items": FieldRule((list,)), "metadata": FieldRule((dict,))}
ADDED = {"items": FieldRule((list,)), "include": FieldRule((list,))}


@dataclass(slots=True)
class ResponsesConversation:
    """A conversation and what was said in it."""

    id: str
    key: str
    owner: str
    at: float
    metadata: object
    items: list[Item] = field(default_factory=list)

    def body(self) -> Item:
        """It as it is answered."""
        return {
            "id": self.id,
            "object": "conversation",
            "created_at": int(self.at),
            "metadata": self.metadata or {},
        }


@dataclass(slots=True)
class Rooms:
    """All conversations."""

    open: dict[str, ResponsesConversation] = field(default_factory=dict)


def open_conversation(world: World, asked: ParsedRequest) -> ResponsesConversation | None:
    """The conversation that a request takes part in, unless another response has it."""
    given = asked.body.get("conversation")
    if given is None:
        return None
    if not world.profile.conversations:
        raise refusals.write_openai_refusal(
            "absent",
            "Unsupported parameter: 'conversation' is not supported by this server.",
            param="conversation",
            code="unsupported_parameter",
            defect=world.state(Shelf).again(get_response_owner(asked), "conversations"),
        )
    wanted = given.get("id") if isinstance(given, dict) else given
    found = _find_conversation(world, asked, str(wanted))
    now = world.clock.now()
    for kept in world.state(Shelf).responses.values():
        if kept.conversation == found.id and get_background_status(kept, now) in OPEN:
            raise refusals.write_openai_refusal("R16", texts.LOCKED, code="conversation_locked")
    return found


def join_conversation(world: World, kept: StoredResponse) -> None:
    """Add a response's input and output to its conversation once it has ended well."""
    room = world.state(Rooms).open.get(kept.conversation)
    if room is None or kept.joined or get_background_status(kept, world.clock.now()) in OPEN:
        return
    kept.joined = True
    if get_background_status(kept, world.clock.now()) in ("completed", "incomplete"):
        room.items += [*kept.given, *kept.output()]


def _find_conversation(world: World, asked: ParsedRequest, wanted: str) -> ResponsesConversation:
    if not world.profile.conversations:
        raise refuse_absent_endpoint(world, asked, "conversations")
    for kept in world.state(Shelf).responses.values():
        if kept.conversation == wanted:
            join_conversation(world, kept)
    found = world.state(Rooms).open.get(wanted)
    if found is None or found.owner != get_response_owner(asked):
        message = f"Conversation with id '{wanted}' not found."
        raise refusals.write_openai_refusal("R16", message, status=404)
    return found


def _items(world: World, asked: ParsedRequest) -> list[Item]:
    """The items that a request adds, as a request to create a response would send them."""
    given = asked.body.get("items")
    if isinstance(given, list) and len(given) > MOST:
        raise refuse_field_length("R16", "items", given, MOST)
    check_responses_items(given, "items")
    items = read_response_items({"input": given})
    check_own_items(asked, items)
    return resolve_response_items(world, asked, items)


def create(world: World, asked: ParsedRequest, _path: Mapping[str, str]) -> ProviderResponse:
    """Start a conversation."""
    if not world.profile.conversations:
        raise refuse_absent_endpoint(world, asked, "conversations")
    check_field_keys("", asked.body, FIELDS)
    check_metadata(asked.body.get("metadata"))
    items = _items(world, asked)
    key, now = world.ids.hexes(16), world.clock.now()
    made = ResponsesConversation(
        world.ids.item("conv", key, now),
        key,
        get_response_owner(asked),
        now,
        asked.body.get("metadata"),
    )
    made.items = [complete_item(world, item, key) for item in items]
    world.state(Rooms).open[made.id] = made
    return ProviderResponse(made.body())


def retrieve(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """A conversation."""
    return ProviderResponse(_find_conversation(world, asked, path["id"]).body())


def update(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """Change the metadata of a conversation."""
    found = _find_conversation(world, asked, path["id"])
    if "metadata" not in asked.body:
        raise refuse_missing_field("R16", "metadata")
    check_field_keys("", asked.body, {"metadata": FIELDS["metadata"]})
    check_metadata(asked.body["metadata"])
    found.metadata = asked.body["metadata"]
    return ProviderResponse(found.body())


def delete(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """Delete a conversation."""
    found = _find_conversation(world, asked, path["id"])
    del world.state(Rooms).open[found.id]
    return ProviderResponse({"id": found.id, "object": "conversation.deleted", "deleted": True})


def add_items(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """Add items to a conversation; the answer lists them."""
    found = _find_conversation(world, asked, path["id"])
    if asked.body.get("items") is None:
        raise refuse_missing_field("R16", "items")
    check_field_keys("", asked.body, ADDED)
    added = [complete_item(world, item, found.key) for item in _items(world, asked)]
    found.items += added
    return ProviderResponse(page_response_items(added, {"order": "asc", "limit": str(MOST)}))


def list_items(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """The items of a conversation, a page of them."""
    return ProviderResponse(
        page_response_items(_find_conversation(world, asked, path["id"]).items, asked.query)
    )


def _item(found: ResponsesConversation, wanted: str) -> Item:
    for item in found.items:
        if item.get("id") == wanted:
            return item
    message = f"Item with id '{wanted}' not found in conversation '{found.id}'."
    raise refusals.write_openai_refusal("R16", message, status=404)


def retrieve_item(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """One item of a conversation."""
    return ProviderResponse(_item(_find_conversation(world, asked, path["id"]), path["item"]))


def delete_item(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """Delete one item of a conversation; the answer is the conversation."""
    found = _find_conversation(world, asked, path["id"])
    found.items.remove(_item(found, path["item"]))
    return ProviderResponse(found.body())


ROUTES = tuple(
    EndpointRoute(method, f"/v1/conversations{tail}", f"conversations.{name}", "responses", handle)
    for method, tail, name, handle in (
        ("POST", "", "create", create),
        ("GET", "/{id}", "get", retrieve),
        ("POST", "/{id}", "update", update),
        ("DELETE", "/{id}", "delete", delete),
        ("POST", "/{id}/items", "items.create", add_items),
        ("GET", "/{id}/items", "items.list", list_items),
        ("GET", "/{id}/items/{item}", "items.get", retrieve_item),
        ("DELETE", "/{id}/items/{item}", "items.delete", delete_item),
    )
)
