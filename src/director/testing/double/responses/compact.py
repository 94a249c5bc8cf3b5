"""Measuring and compacting a context without answering it: `input_tokens` and `compact`.

Neither leaves anything that a later request could be chained to.
"""

from __future__ import annotations

from collections.abc import Mapping

from director.testing.double.endpoint import EndpointRoute
from director.testing.double.exchange import ParsedRequest, ProviderResponse
from director.testing.double.request_log.block import OVERHEAD, count_block_units
from director.testing.double.responses.build import (
    build_id_maker,
    build_response_usage,
    read_compaction,
)
from director.testing.double.responses.checks import COMPACT, COUNT, check_responses_request
from director.testing.double.responses.items import complete_item, digest_response_item
from director.testing.double.responses.request_context import (
    book_request_context,
    gather_request_context,
)
from director.testing.double.responses.response_state import (
    MONTH,
    Item,
    Shelf,
    StoredResponse,
    get_response_owner,
    refuse_absent_endpoint,
)
from director.testing.double.world import World


def count(world: World, asked: ParsedRequest, _path: Mapping[str, str]) -> ProviderResponse:
    """How many tokens a request would take in."""
    if not world.profile.input_tokens:
        raise refuse_absent_endpoint(world, asked, "input_tokens")
    can = check_responses_request(world, asked.body, COUNT)
    context = gather_request_context(world, asked, can, window=False)
    return ProviderResponse({"object": "response.input_tokens", "input_tokens": context.tokens})


def compact(world: World, asked: ParsedRequest, _path: Mapping[str, str]) -> ProviderResponse:
    """A context made small: the user's messages as they were, and one item for all the rest."""
    if not world.profile.compact:
        raise refuse_absent_endpoint(world, asked, "compact")
    can = check_responses_request(world, asked.body, COMPACT)
    context = gather_request_context(world, asked, can)
    now, making = world.clock.now(), build_id_maker(world, asked)
    text = read_compaction(world.think(asked, context.render_seen(asked, compact=True)))
    messages: list[Item] = [
        complete_item(world, each.item, making.key)
        for each in context.rendered
        if each.shown.kind == "user"
    ]
    item = making.compaction(text, [digest_response_item(each) for each in messages])
    line = book_request_context(world, asked, context, output=count_block_units(text) + OVERHEAD)
    final: Item = {
        "id": making.name("resp"),
        "object": "response.compaction",
        "created_at": int(now),
        "output": [*messages, item],
        "usage": build_response_usage(line),
    }
    name = str(final["id"])
    world.state(Shelf).responses[name] = StoredResponse(
        name,
        get_response_owner(asked),
        now,
        final,
        [],
        [],
        stored=False,
        chains=False,
        until=now + MONTH,
        compaction=True,
    )
    return ProviderResponse(final)


ROUTES = (
    EndpointRoute("POST", "/v1/responses/compact", "responses.compact", "responses", compact),
    EndpointRoute(
        "POST", "/v1/responses/input_tokens", "responses.input_tokens", "responses", count
    ),
)
