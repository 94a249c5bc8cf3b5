"""Responses made in the background: where they stand by the clock, polling, and cancelling.

The answer is known when a job starts; only the clock decides what of it is shown. Nothing here
asks a script engine.
"""

from __future__ import annotations

from collections.abc import Mapping

from director.testing.double import refusals, texts
from director.testing.double.exchange import (
    ParsedRequest,
    ProviderResponse,
    Refusal,
    ServerSentEvent,
)
from director.testing.double.responses.build import make_unfinished
from director.testing.double.responses.response_state import (
    MONTH,
    WHILE,
    Item,
    Job,
    Shelf,
    StoredResponse,
    find_stored_response,
    get_response_owner,
    keeps_response_state,
)
from director.testing.double.world import World

QUEUED = 1.0
RUNNING = 2.0
OPEN = ("queued", "in_progress")


def check_background_response(world: World, asked: ParsedRequest) -> bool:
    """Whether the request is to run in the background here; refuse it where that cannot be."""
    if not asked.body.get("background"):
        return False
    kind = world.profile.background
    if kind == "needs_store" and asked.body.get("store") is False:
        message = "background=true requires store=true"
        raise refusals.write_openai_refusal(
            "R19", message, param="background", code="unsupported_parameter"
        )
    if kind == "refused":
        raise refusals.write_openai_refusal(
            "R19",
            "Unsupported parameter: 'background' is not supported by this server.",
            param="background",
            code="unsupported_parameter",
            defect=world.state(Shelf).again(get_response_owner(asked), "background"),
        )
    return kind != "echoed"


def start_background_job(
    world: World, asked: ParsedRequest, final: Item, seconds: float | None
) -> Job:
    """The job of a request, with the faults that strike it; `final` is changed by them."""
    starts = world.clock.now() + QUEUED
    made = Job(starts, starts + (RUNNING if seconds is None else seconds))
    made.stuck = asked.fault("background_stuck") is not None
    made.evicted = asked.fault("background_evicted") is not None
    failed = asked.fault("background_failed")
    if failed is not None:
        polls = failed.with_.get("polls", 1)
        made.fails_after = polls if isinstance(polls, int) else 1
        error = {"code": "server_error", "message": texts.SERVER}
        final.update(status="failed", output=[], usage=None, error=error, incomplete_details=None)
    if asked.fault("background_incomplete") is not None:
        final.update(status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    final["completed_at"] = int(made.ends) if final["status"] == "completed" else None
    return made


def compute_background_expiry(world: World, asked: ParsedRequest, made: Job | None) -> float:
    """When a response is deleted: a job's soon after its end, unless it was to be stored."""
    now = world.clock.now()
    if made is None or (asked.body.get("store") is True and keeps_response_state(world)):
        return now + MONTH
    return (now if made.stuck else made.ends) + WHILE


def get_background_status(kept: StoredResponse, now: float) -> str:
    """Where a response stands."""
    made = kept.job
    if made is None:
        return str(kept.body["status"])
    if made.cancelled:
        return "cancelled"
    if made.stuck or now < made.starts:
        return "queued"
    waits = made.fails_after is not None and made.polls <= made.fails_after
    if waits or (made.fails_after is None and now < made.ends):
        return "in_progress"
    return str(kept.body["status"])


def show_background_response(kept: StoredResponse, now: float) -> Item:
    """A response as it is shown now. What is stored is shown without its seals."""
    state = get_background_status(kept, now)
    if state in (*OPEN, "cancelled"):
        return make_unfinished(kept.body, state)
    kept.told = True
    if kept.job is not None and kept.until < kept.at + MONTH:
        return kept.body
    output = [
        {**item, "encrypted_content": None} if item["type"] == "reasoning" else item
        for item in kept.output()
    ]
    return {**kept.body, "output": output}


def retrieve(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """A response as it stands now, or the rest of its stream."""
    kept = find_stored_response(world, asked, path["id"])
    if kept.job is not None and kept.job.evicted:
        kept.lost = True
        kept = find_stored_response(world, asked, path["id"])
    asks = (value for key, value in asked.query.items() if key.startswith("include"))
    if any("reasoning.encrypted_content" in value for value in asks):
        message = "Encrypted content cannot be requested for persisted responses."
        raise refusals.write_openai_refusal("R17", message, param="include")
    if asked.query.get("stream", "").lower() == "true":
        headers = {"content-type": "text/event-stream; charset=utf-8"}
        return ProviderResponse(headers=headers, events=_rest(world, asked, kept))
    if kept.job is not None:
        kept.job.polls += 1
    return ProviderResponse(show_background_response(kept, world.clock.now()))


def _rest(world: World, asked: ParsedRequest, kept: StoredResponse) -> tuple[ServerSentEvent, ...]:
    if not kept.background or not kept.events:
        cause = "stream=true" if kept.background else "background=true"
        message = f"This response cannot be streamed because it was not created with {cause}."
        raise refusals.write_openai_refusal("R18", message, param="stream")
    after = asked.query.get("starting_after", "-1")
    first = int(after) + 1 if after.lstrip("-").isdigit() else 0
    kept.told = kept.told or get_background_status(kept, world.clock.now()) not in OPEN
    return kept.events[max(0, first) :]


def cancel(world: World, asked: ParsedRequest, path: Mapping[str, str]) -> ProviderResponse:
    """Stop a job that still runs."""
    kept = find_stored_response(world, asked, path["id"])
    if kept.job is None:
        raise _no_cancel("a synchronous", defect=True)
    if asked.fault("cancel_race") is not None:
        kept.job.stuck, kept.job.fails_after = False, None
        kept.job.starts = kept.job.ends = world.clock.now()
        raise _no_cancel("a completed", defect=False)
    state = get_background_status(kept, world.clock.now())
    if state in OPEN:
        kept.job.cancelled = True
    elif state != "cancelled":
        article = "an" if state[0] in "aeiou" else "a"
        raise _no_cancel(f"{article} {state}", defect=kept.told)
    return ProviderResponse(show_background_response(kept, world.clock.now()))


def _no_cancel(what: str, *, defect: bool) -> Refusal:
    """Only a client that was shown the end of a job could have known better."""
    return refusals.write_openai_refusal("R18", f"Cannot cancel {what} response.", defect=defect)
