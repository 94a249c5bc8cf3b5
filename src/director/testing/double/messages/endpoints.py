"""The Messages API of the double: messages and the counting of their tokens.

The order is the vendor's: form, state, messages, window, script engine. A refusal names its rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from director.testing.double import refusals, texts
from director.testing.double.endpoint import EndpointRoute
from director.testing.double.exchange import ParsedRequest, ProviderResponse
from director.testing.double.messages import (
    block_rules,
    build,
    diagnostics,
    message_threads,
    server_compaction,
    thinking,
)
from director.testing.double.messages.checks import check_messages_request
from director.testing.double.messages.events import stream_message_events
from director.testing.double.messages.read import (
    CheckedMessagesRequest,
    Json,
    Piece,
    Prompt,
    read_canonical_block,
    read_number,
    render_blocks,
    render_seen,
)
from director.testing.double.request_log.block import (
    CacheBlock,
    count_all_block_units,
    count_block_units,
)
from director.testing.double.request_log.usage_log import BilledCall, Booked
from director.testing.double.world import World


@dataclass(slots=True)
class Paused:
    """The answers that paused, and may be sent back as they are to be gone on with."""

    ends: set[tuple[str, ...]] = field(default_factory=set)

    def holds(self, prompt: Prompt) -> bool:
        """Whether a prompt ends with one of them."""
        if not self.ends:
            return False
        tail = [piece.canonical for piece in prompt.pieces]
        return any(tuple(tail[-len(end) :]) == end for end in self.ends if end)


@dataclass(frozen=True, slots=True)
class Ready:
    """A prompt as the client holds it, as far as it may be read, and as the model is shown it."""

    whole: Prompt
    bound: Prompt
    shown: Prompt
    extras: build.Extras
    original: int


def _prepare(world: World, asked: ParsedRequest, call: CheckedMessagesRequest) -> Ready:
    whole = message_threads.open_message_thread(world, asked, call)
    prompt, dropped = whole, list[Json]()
    if world.profile.pairing:
        paused = world.state(Paused).holds(whole)
        server_compaction.check_server_compaction(whole, call, asked, paused=paused)
        block_rules.check_block_rules(
            whole, call, paused=paused or server_compaction.is_compaction_on_demand(call)
        )
        thinking.check_latest_thinking(world, whole, call)
        prompt, dropped = thinking.drop_unreadable_thoughts(
            server_compaction.cut_at_compaction(whole), call
        )
    shown, applied = server_compaction.apply_compaction_edits(prompt, call)
    extras = build.Extras(tuple(applied), tuple(dropped))
    original = count_all_block_units(_blocks(prompt, call))
    return Ready(whole, prompt, shown, extras, original)


def _blocks(prompt: Prompt, call: CheckedMessagesRequest) -> tuple[CacheBlock, ...]:
    return render_blocks(prompt, call.body.get("cache_control"))


def _book(
    world: World,
    asked: ParsedRequest,
    call: CheckedMessagesRequest,
    blocks: Sequence[CacheBlock],
    spent: tuple[int, int],
) -> Booked:
    return world.ledger.book(
        BilledCall(
            exchange=asked.number,
            run=asked.run,
            provider=call.provider,
            model=call.model,
            at=world.clock.now(),
            blocks=blocks,
            output=spent[0],
            reasoning=spent[1],
        )
    )


def _summarise(
    world: World, asked: ParsedRequest, call: CheckedMessagesRequest, prompt: Prompt
) -> tuple[str, build.Iteration]:
    """A summary of the prompt, and the line of the books for it."""
    said = world.think(asked, render_seen(prompt, asked.run, "compact"))
    summary = build.build_message_summary(said)
    line = _book(world, asked, call, _blocks(prompt, call), (count_block_units(summary), 0))
    return summary, build.Iteration("compaction", line)


def _on_demand(
    world: World, asked: ParsedRequest, call: CheckedMessagesRequest, ready: Ready
) -> tuple[build.DraftMessage, list[build.Iteration]]:
    summary, iteration = _summarise(world, asked, call, ready.shown)
    block = server_compaction.sign_compaction_block(ready.bound, summary)
    return build.DraftMessage([block], "compaction"), [iteration]


def _answer(
    world: World, asked: ParsedRequest, call: CheckedMessagesRequest, ready: Ready
) -> tuple[build.DraftMessage, list[build.Iteration]]:
    """What the script engine says, after a compaction when one is due."""
    shown, base = ready.shown, ready.bound
    iterations: list[build.Iteration] = []
    first: list[Json] = []
    edit = server_compaction.find_due_compaction(call, shown)
    if edit:
        summary, iteration = _summarise(world, asked, call, shown)
        first, iterations = [server_compaction.find_passing_compaction(summary)], [iteration]
        if edit.get("pause_after_compaction"):
            return build.DraftMessage(first, "compaction"), iterations
        if summary:
            shown = base = shown.keeping([Piece("assistant", first[0], 0, 0)])
    if read_number(call.body.get("max_tokens"), 0) == 0:
        reply = build.DraftMessage(stop="max_tokens")
    else:
        emits = world.think(asked, render_seen(shown, asked.run))
        room = call.can.window - count_all_block_units(shown.blocks)
        reply = build.Builder(world, call, base).say(emits, room)
    line = _book(world, asked, call, _blocks(shown, call), (reply.output, reply.reasoning))
    reply.content[:0] = first
    return reply, [*iterations, build.Iteration("message", line)]


def create(world: World, asked: ParsedRequest, _: Mapping[str, str]) -> ProviderResponse:
    """POST /v1/messages."""
    call = check_messages_request(world, asked)
    ready = _prepare(world, asked, call)
    blocks = _blocks(ready.shown, call)
    size = count_all_block_units(blocks)
    if size > call.can.max_input:
        text = texts.MESSAGES_WINDOW.format(size=size, limit=call.can.max_input)
        raise refusals.write_anthropic_refusal("M11", text)
    make = _on_demand if server_compaction.is_compaction_on_demand(call) else _answer
    reply, iterations = make(world, asked, call, ready)
    streaming = call.body.get("stream") is True
    if reply.failure and not (streaming and reply.content):
        raise build.build_message_failure(reply.failure)
    body = build.build_message_body(world, call, reply, iterations, ready.extras)
    if call.body.get("diagnostics") is not None:
        body["diagnostics"] = diagnostics.write_diagnostics(world, call, blocks)
    diagnostics.keep_diagnostics(world, call, str(body["id"]), blocks)
    if not reply.failure:
        _remember(world, call, ready.whole, reply, str(body["id"]))
    return (
        ProviderResponse(events=stream_message_events(body, reply.failure))
        if streaming
        else ProviderResponse(body)
    )


def _remember(
    world: World,
    call: CheckedMessagesRequest,
    whole: Prompt,
    reply: build.DraftMessage,
    answer: str,
) -> None:
    world.state(thinking.Issued).keep(reply.content)
    if reply.stop == "pause_turn":
        world.state(Paused).ends.add(tuple(map(read_canonical_block, reply.content)))
    if reply.stop != "refusal":
        message_threads.keep_message_thread(world, call, whole, answer, reply.content)


def count(world: World, asked: ParsedRequest, _: Mapping[str, str]) -> ProviderResponse:
    """POST /v1/messages/count_tokens."""
    if not world.profile.count_tokens:
        raise refusals.write_anthropic_refusal(
            "count", "Not found", status=404, kind="not_found_error", defect=False
        )
    call = check_messages_request(world, asked, counting=True)
    counted = CheckedMessagesRequest(
        {name: value for name, value in call.body.items() if name != "compaction"},
        call.betas,
        call.provider,
        call.can,
    )
    ready = _prepare(world, asked, counted)
    body: dict[str, object] = {"input_tokens": count_all_block_units(_blocks(ready.shown, counted))}
    if counted.body.get("context_management") is not None:
        body["context_management"] = {"original_input_tokens": ready.original}
    return ProviderResponse(body)


ROUTES = (
    EndpointRoute("POST", "/v1/messages", "messages.create", "anthropic", create),
    EndpointRoute("POST", "/v1/messages/count_tokens", "messages.count_tokens", "anthropic", count),
)
