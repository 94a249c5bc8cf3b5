"""The Responses API of the double: create, retrieve, delete, cancel, and the list of input items.

What OpenAI refuses is refused in its order and its words; an answer is what the script engine says
to the context that the request brings. Nothing here is inherited but items.
"""

from __future__ import annotations

from collections.abc import Mapping

from director.models.capabilities import Capabilities
from director.models.script_values import Fail, Shown
from director.testing.double import refusals, stream_faults
from director.testing.double.endpoint import EndpointRoute
from director.testing.double.exchange import ParsedRequest, ProviderResponse
from director.testing.double.request_log.block import OVERHEAD, count_block_units
from director.testing.double.responses import conversations
from director.testing.double.responses.background_responses import (
    cancel,
    check_background_response,
    compute_background_expiry,
    retrieve,
    show_background_response,
    start_background_job,
)
from director.testing.double.responses.build import (
    BuiltOutput,
    Making,
    body,
    build_id_maker,
    build_items,
    build_response_diagnosis,
    build_response_usage,
    read_compaction,
    tie_built_items,
)
from director.testing.double.responses.checks import CREATE, check_responses_request
from director.testing.double.responses.events import make_response_events
from director.testing.double.responses.items import complete_item, page_response_items
from director.testing.double.responses.request_context import (
    ResponsesContext,
    book_request_context,
    gather_request_context,
)
from director.testing.double.responses.response_state import (
    Item,
    Shelf,
    StoredResponse,
    find_stored_response,
    get_response_owner,
    keeps_response_state,
)
from director.testing.double.shapes import as_mapping
from director.testing.double.world import World

OUTRIGHT = {
    "server_error": (500, "server_error", None),
    "rate_limit_exceeded": (429, "tokens", None),
    "insufficient_quota": (429, "insufficient_quota", None),
    "context_length_exceeded": (400, "invalid_request_error", "input"),
    "server_is_overloaded": (503, "server_error", None),
    "slow_down": (503, "server_error", None),
}


def create(world: World, asked: ParsedRequest, _path: Mapping[str, str]) -> ProviderResponse:
    """Make a response: now, in a stream, or in the background."""
    can = check_responses_request(world, asked.body, CREATE)
    behind = check_background_response(world, asked)
    context = gather_request_context(world, asked, can)
    at, making = world.clock.now(), build_id_maker(world, asked)
    made = _answer(world, asked, can, context, making)
    streams = bool(asked.body.get("stream"))
    if made.error is not None and not behind and not streams:
        _fail_outright(made.error)
    final = body(asked, can, made, making.name("resp"), at)
    _book(world, asked, context, made, final)
    kept = _keep(world, asked, context, making, final)
    if behind:
        return _in_background(world, asked, kept, final, made.seconds)
    world.clock.advance(made.seconds or 0.0)
    final["completed_at"] = int(world.clock.now()) if made.status == "completed" else None
    kept.until = compute_background_expiry(world, asked, None)
    conversations.join_conversation(world, kept)
    kept.told = True
    return (
        ProviderResponse(events=make_response_events(final, background=False))
        if streams
        else ProviderResponse(final)
    )


def _answer(
    world: World, asked: ParsedRequest, can: Capabilities, context: ResponsesContext, making: Making
) -> BuiltOutput:
    """What the script engine says, after a compaction if one is due."""
    limit = can.max_output
    asked_for = asked.body.get("max_output_tokens")
    if isinstance(asked_for, int):
        limit = min(limit, asked_for)
    forced = bool(context.own) and context.own[-1]["type"] == "compaction_trigger"
    if not forced and context.tokens < _threshold(asked.body):
        return build_items(making, world.think(asked, context.render_seen(asked)), limit)
    text = read_compaction(world.think(asked, context.render_seen(asked, compact=True)))
    made = BuiltOutput(output=[making.compaction(text)], tokens=count_block_units(text) + OVERHEAD)
    if forced:
        return made
    fresh = (each.shown for each in context.fresh())
    seen = context.render_seen(asked, Shown("compaction", text), *fresh)
    return build_items(making, world.think(asked, seen), limit + made.tokens, made)


def _threshold(ask: Mapping[str, object]) -> float:
    """From which size on the context is compacted."""
    managed = ask.get("context_management")
    found = [
        each["compact_threshold"]
        for each in (managed if isinstance(managed, list) else [])
        if each.get("compact_threshold") is not None
    ]
    return min(found, default=float("inf"))


def _fail_outright(fail: Fail) -> None:
    """A failure that is an HTTP error when nobody streams or waits; others are in the body."""
    if fail.code in OUTRIGHT:
        status, kind, param = OUTRIGHT[fail.code]
        raise refusals.write_openai_refusal(
            "fail",
            fail.message,
            status=status,
            kind=kind,
            param=param,
            code=fail.code,
            defect=False,
        )


def _book(
    world: World, asked: ParsedRequest, context: ResponsesContext, made: BuiltOutput, final: Item
) -> None:
    line = book_request_context(world, asked, context, output=made.tokens, reasoning=made.reasoning)
    if made.status != "failed":
        final["usage"] = build_response_usage(line)
    options = as_mapping(asked.body.get("prompt_cache_options"))
    compared = options.get("comparison_response_id")
    if compared is not None:
        known = str(compared) in world.state(Shelf).responses
        final["prompt_cache_diagnostics"] = build_response_diagnosis(line, known=known)


def _keep(
    world: World, asked: ParsedRequest, context: ResponsesContext, making: Making, final: Item
) -> StoredResponse:
    """Remember a response and its items, as far as the request and the server allow."""
    if world.profile.chain == "ignored":
        final["previous_response_id"] = None
    room = context.conversation
    if room is not None:
        final["conversation"] = {"id": room.id}
    struck = stream_faults.fail_response_stream(asked, final)
    stored = asked.body.get("store") is not False and keeps_response_state(world)
    kept = StoredResponse(
        id=str(final["id"]),
        owner=get_response_owner(asked),
        at=world.clock.now(),
        body=struck or final,
        given=[
            complete_item(world, item, making.key)
            for item in context.own
            if item["type"] != "compaction_trigger"
        ],
        before=context.before,
        stored=stored,
        chains=stored,
        until=0.0,
        conversation=room.id if room else "",
    )
    shelf = world.state(Shelf)
    shelf.responses[kept.id] = kept
    tie_built_items(shelf, kept.output())
    if stored or room is not None:
        for item in (*kept.given, *kept.output()):
            shelf.items[str(item.get("id"))] = (kept.owner, item)
    return kept


def _in_background(
    world: World, asked: ParsedRequest, kept: StoredResponse, final: Item, seconds: float | None
) -> ProviderResponse:
    """Queue a response; a stream of it is followed to its end."""
    kept.background = kept.stored = True
    kept.job = start_background_job(world, asked, kept.body, seconds)
    fails = kept.body is not final
    if fails:
        kept.job.starts = kept.job.ends = world.clock.now()
    kept.until = compute_background_expiry(world, asked, kept.job)
    if not asked.body.get("stream"):
        return ProviderResponse(show_background_response(kept, world.clock.now()))
    answer = ProviderResponse(events=make_response_events(final, background=True))
    kept.events = (
        stream_faults.break_answer_stream(answer, asked)[0].events if fails else answer.events
    )
    if kept.job.stuck:
        answer = ProviderResponse(events=answer.events[:2])
        kept.events = kept.events[:2]
    else:
        world.clock.advance(kept.job.ends - world.clock.now())
        kept.job.fails_after = None
        conversations.join_conversation(world, kept)
    return answer


def delete(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """Delete a response."""
    kept = find_stored_response(world, asked, path["id"])
    kept.deleted = True
    return ProviderResponse({"id": kept.id, "object": "response", "deleted": True})


def input_items(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """What a response was made from: its own input and all it was chained to."""
    kept = find_stored_response(world, asked, path["id"])
    return ProviderResponse(page_response_items([*kept.before, *kept.given], asked.query))


ROUTES = tuple(
    EndpointRoute(method, f"/v1/responses{tail}", f"responses.{name}", "responses", handle)
    for method, tail, name, handle in (
        ("POST", "", "create", create),
        ("GET", "/{id}", "get", retrieve),
        ("DELETE", "/{id}", "delete", delete),
        ("POST", "/{id}/cancel", "cancel", cancel),
        ("GET", "/{id}/input_items", "input_items", input_items),
    )
)
