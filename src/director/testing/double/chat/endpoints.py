"""The chat completions API: a request is checked, shown to the script engine, booked and answered.

It keeps nothing between requests: what a model sees is what the request carries. Local servers
play it too, with fewer rules, their thinking in the open and no details in their usage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from director.models.script_values import Fail, Wait
from director.testing.double import refusals
from director.testing.double.chat.checks import (
    CheckedChatRequest,
    check_chat_request,
    check_chat_window,
)
from director.testing.double.chat.events import (
    ChatAnswer,
    Head,
    build_chat_answer,
    cut_chat_answer,
    make_chat_chunks,
    make_chat_completion,
    make_chat_failure,
)
from director.testing.double.chat.render import render_chat_blocks, render_seen_chat
from director.testing.double.endpoint import EndpointRoute
from director.testing.double.exchange import ParsedRequest, ProviderResponse, Refusal
from director.testing.double.request_log.block import count_all_block_units
from director.testing.double.request_log.cache_openai import compute_openai_cache_key
from director.testing.double.request_log.usage_log import BilledCall, Booked
from director.testing.double.shapes import as_mapping
from director.testing.double.world import World

STATUSES = {
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "server_is_overloaded": 503,
    "slow_down": 503,
    "context_length_exceeded": 400,
    "invalid_prompt": 400,
}
APART = ("reasoning_effort", "verbosity", "response_format", "service_tier")
TIERS = {"auto": "default", "fast": "priority"}


def create(world: World, asked: ParsedRequest, _params: Mapping[str, str]) -> ProviderResponse:
    """Answer a chat completions request."""
    wanted = check_chat_request(world.profile, asked.body)
    rendered = render_chat_blocks(wanted)
    check_chat_window(wanted.can, count_all_block_units(rendered))
    at = world.clock.now()
    head = _head(world, wanted)
    emits = world.think(asked, render_seen_chat(wanted, asked.run))
    for emit in emits:
        if isinstance(emit, Wait):
            world.clock.advance(emit.seconds)
    answer = _limit_answer(build_chat_answer(emits, _call_ids(world)), asked.body)
    streams = asked.body.get("stream") is True
    if answer.failed is not None:
        return _break_answer(head, answer, answer.failed, streams=streams, local=_local(world))
    options = as_mapping(asked.body.get("prompt_cache_options"))
    booked = world.ledger.book(
        BilledCall(
            exchange=asked.number,
            run=asked.run,
            provider=world.profile.owner,
            model=wanted.model,
            at=at,
            blocks=rendered,
            output=answer.output,
            reasoning=answer.reasoning,
            key=compute_openai_cache_key(
                asked.body.get("prompt_cache_key"), {name: asked.body.get(name) for name in APART}
            ),
            lifetime=str(options.get("ttl", "")),
            mode=str(options.get("mode", "")),
        )
    )
    usage = _usage(booked, wanted, local=_local(world))
    if not streams:
        return ProviderResponse(make_chat_completion(head, answer, usage, local=_local(world)))
    asks = as_mapping(asked.body.get("stream_options")).get("include_usage") is True
    return ProviderResponse(
        events=make_chat_chunks(head, answer, usage if asks else None, local=_local(world))
    )


def _local(world: World) -> bool:
    return not world.profile.strict


def _call_ids(world: World) -> Iterator[str]:
    while True:
        yield world.ids.call()


def _head(world: World, wanted: CheckedChatRequest) -> Head:
    tier = str(wanted.body.get("service_tier") or "auto")
    return Head(
        id=f"chatcmpl-{world.ids.hexes(29)}",
        created=int(world.clock.now()),
        model=wanted.model,
        fingerprint="fp_double0000",
        tier=TIERS.get(tier, tier),
    )


def _limit_answer(answer: ChatAnswer, body: Mapping[str, object]) -> ChatAnswer:
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    return cut_chat_answer(answer, limit) if isinstance(limit, int) else answer


def _break_answer(
    head: Head, answer: ChatAnswer, fail: Fail, *, streams: bool, local: bool
) -> ProviderResponse:
    """A failure: amid the stream when something had been said, else an HTTP error."""
    if streams and answer.output:
        return ProviderResponse(events=make_chat_chunks(head, answer, None, local=local))
    raise _make_refusal(fail)


def _make_refusal(fail: Fail) -> Refusal:
    error = make_chat_failure(fail)
    return refusals.write_openai_refusal(
        "brain",
        fail.message,
        status=STATUSES.get(fail.code, 500),
        kind=str(error["type"]),
        code=fail.code,
        defect=False,
    )


def _usage(booked: Booked, wanted: CheckedChatRequest, *, local: bool) -> dict[str, object]:
    counts: dict[str, object] = {
        "prompt_tokens": booked.input,
        "completion_tokens": booked.output,
        "total_tokens": booked.input + booked.output,
    }
    if local:
        return counts
    read = {"cached_tokens": booked.read, "audio_tokens": 0}
    if wanted.can.cache == "implicit_paid":
        read["cache_write_tokens"] = sum(booked.writes.values())
    names = ("audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens")
    made = {"reasoning_tokens": booked.reasoning} | dict.fromkeys(names, 0)
    return counts | {"prompt_tokens_details": read, "completion_tokens_details": made}


ROUTES: tuple[EndpointRoute, ...] = (
    EndpointRoute("POST", "/v1/chat/completions", "chat.create", "chat", create),
)
