"""The context of one request: what its chain or conversation brings, and what it sends.

Here the state is looked up, the items' rules are applied, and the window is kept. Nothing is
changed by it, so that counting a request leaves no trace.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from director.models.capabilities import Capabilities
from director.models.script_values import Seen, Shown
from director.testing.double import refusals, texts
from director.testing.double.exchange import ParsedRequest
from director.testing.double.request_log.block import CacheBlock, count_all_block_units
from director.testing.double.request_log.cache_openai import compute_openai_cache_key
from director.testing.double.request_log.usage_log import BilledCall, Booked
from director.testing.double.responses.background_responses import OPEN, get_background_status
from director.testing.double.responses.checks import get_responses_provider
from director.testing.double.responses.conversations import ResponsesConversation, open_conversation
from director.testing.double.responses.items import (
    CALLS,
    RESULTS,
    Rendered,
    check_item_pairs,
    check_own_items,
    check_reasoning_items,
    check_unique_items,
    digest_response_item,
    read_response_items,
    render_response_items,
    resolve_response_items,
)
from director.testing.double.responses.response_state import (
    Item,
    Shelf,
    StoredResponse,
    find_previous_response,
    get_response_owner,
    refuse_missing_previous_response,
    unseal_response_content,
)
from director.testing.double.responses.tool_rules import list_tool_names
from director.testing.double.shapes import as_mapping
from director.testing.double.world import World

NEW = ("user", "system", "result")


@dataclass(slots=True)
class ResponsesContext:
    """All that one request contains, and what of it did not fit."""

    instructions: str
    tools: tuple[str, ...]
    rendered: list[Rendered]
    blocks: list[CacheBlock]
    before: list[Item]
    own: list[Item]
    earlier: StoredResponse | None = None
    conversation: ResponsesConversation | None = None
    dropped: int = 0

    @property
    def tokens(self) -> int:
        """Its size."""
        return count_all_block_units(self.blocks)

    def fresh(self) -> list[Rendered]:
        """What the model has not answered yet: the last things that it did not say itself."""
        place = len(self.rendered)
        while place and self.rendered[place - 1].shown.kind in NEW:
            place -= 1
        return self.rendered[place:]

    def render_seen(self, asked: ParsedRequest, *shown: Shown, compact: bool = False) -> Seen:
        """It as a script engine sees it; or `shown` instead of its items."""
        return Seen(
            form="responses",
            model=str(asked.body.get("model") or ""),
            instructions=self.instructions,
            tools=self.tools,
            items=shown or tuple(each.shown for each in self.rendered),
            run=asked.run,
            purpose="compact" if compact else "answer",
        )


def gather_request_context(
    world: World, asked: ParsedRequest, can: Capabilities, *, window: bool = True
) -> ResponsesContext:
    """The context of a request, or the refusal of one that breaks a rule of state or items."""
    earlier, conversation = find_previous_response(world, asked), open_conversation(world, asked)
    before: list[Item] = []
    if earlier is not None:
        _check_finished(world, earlier)
        before = [*earlier.before, *earlier.given, *earlier.output()]
    elif conversation is not None:
        before = list(conversation.items)
    raw = read_response_items(asked.body)
    if world.profile.pairing:
        check_own_items(asked, raw)
    own = resolve_response_items(world, asked, raw)
    if world.profile.pairing:
        check_unique_items([*before, *own])
        if can.reasoning:
            check_reasoning_items(world.state(Shelf), before, own)
    rendered = _since_compaction(asked, render_response_items(world, asked, before, own))
    if world.profile.pairing:
        check_item_pairs([each.item for each in rendered])
    made = ResponsesContext(
        instructions=str(asked.body.get("instructions") or ""),
        tools=list_tool_names(asked.body.get("tools")),
        rendered=rendered,
        blocks=[],
        before=before,
        own=own,
        earlier=earlier,
        conversation=conversation,
    )
    made.blocks = _blocks(asked.body, made)
    if window and made.tokens > can.max_input:
        _fit(asked, made, can.max_input)
    return made


def _check_finished(world: World, earlier: StoredResponse) -> None:
    state = get_background_status(earlier, world.clock.now())
    if state == "failed":
        raise refuse_missing_previous_response(earlier.id)
    if state in OPEN:
        message = f"Previous response with id '{earlier.id}' has not finished."
        raise refusals.write_openai_refusal("R1", message, param="previous_response_id")


def _since_compaction(asked: ParsedRequest, rendered: Sequence[Rendered]) -> list[Rendered]:
    """What is left to show: the newest compaction, what it left in place, and what came after."""
    places = [place for place, each in enumerate(rendered) if each.shown.kind == "compaction"]
    if not places:
        return list(rendered)
    newest = places[-1]
    sealed = (
        unseal_response_content(
            get_response_owner(asked), rendered[newest].item.get("encrypted_content")
        )
        or {}
    )
    left = sealed.get("left")
    kept = left if isinstance(left, list) else []
    stay = [
        each
        for each in rendered[:newest]
        if each.shown.kind == "user" and digest_response_item(each.item) in kept
    ]
    return [*stay, *rendered[newest:]]


def _blocks(body: Mapping[str, object], context: ResponsesContext) -> list[CacheBlock]:
    """The context as a cache sees it: tools, instructions, items."""
    tools = body.get("tools")
    made = [
        CacheBlock("tools", json.dumps(tool, ensure_ascii=False, sort_keys=True))
        for tool in (tools if isinstance(tools, list) else [])
    ]
    if context.instructions:
        made.append(CacheBlock("instructions", context.instructions))
    fresh = len(context.rendered) - len(context.fresh())
    for place, each in enumerate(context.rendered):
        new = each.own and place >= fresh
        made.append(CacheBlock("new", each.block.text) if new else each.block)
    return made


def _fit(asked: ParsedRequest, context: ResponsesContext, most: int) -> None:
    """Drop from the start what does not fit, if the request allows it; never half of a pair."""
    size = context.tokens
    while size > most and asked.body.get("truncation") == "auto":
        gone = _first_unit(context.rendered)
        if any(context.rendered[-1] is each for each in gone):
            break
        context.rendered = [
            each for each in context.rendered if not any(each is one for one in gone)
        ]
        lost = count_all_block_units(each.block for each in gone)
        context.dropped += lost
        size -= lost
    if size > most:
        code = "context_length_exceeded"
        raise refusals.write_openai_refusal("R20", texts.WINDOW, param="input", code=code)
    context.blocks = _blocks(asked.body, context)


def _first_unit(rendered: Sequence[Rendered]) -> list[Rendered]:
    """The first item, with the outputs of its call if it is one."""
    first = rendered[0]
    if first.item["type"] not in CALLS:
        return [first]
    call = first.item.get("call_id")
    pairs = [
        each
        for each in rendered[1:]
        if each.item["type"] in RESULTS and each.item.get("call_id") == call
    ]
    return [first, *pairs]


def book_request_context(
    world: World,
    asked: ParsedRequest,
    context: ResponsesContext,
    *,
    output: int,
    reasoning: int = 0,
) -> Booked:
    """The line of the books for a context and so much output."""
    body = asked.body
    options = as_mapping(body.get("prompt_cache_options"))
    apart = {
        "effort": as_mapping(body.get("reasoning")).get("effort"),
        "text": body.get("text"),
        "service_tier": body.get("service_tier"),
    }
    return world.ledger.book(
        BilledCall(
            exchange=asked.number,
            run=asked.run,
            provider=get_responses_provider(world),
            model=str(body.get("model") or ""),
            at=world.clock.now(),
            blocks=context.blocks,
            output=output,
            reasoning=reasoning,
            key=compute_openai_cache_key(body.get("prompt_cache_key"), apart),
            lifetime=str(options.get("ttl") or ""),
            mode=str(options.get("mode") or ""),
            dropped=context.dropped,
        )
    )
