"""A past request made again from the store, offline, and compared byte for byte with what was sent.

The turns come from the log as it stood, what was put around them from the record; then it goes the
way of every request, through the provider's own library, only that nothing leaves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from director.agent.request_log.context_records import read_context_record
from director.agent.request_log.kept_requests import read_kept_request, read_sent_body
from director.context.values import Context
from director.models import (
    Attempt,
    Capabilities,
    MemoryJournal,
    Model,
    ModelError,
    Policy,
    ResumeRecord,
    StateRef,
    StreamEnd,
    Timing,
    Tool,
    open_model,
)
from director.store import Store
from director.store.context_view import project_context_view
from director.store.values import Json

# Keys that open nothing: an offline model asks for one all the same.
_NO_KEYS = dict.fromkeys(
    ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CHAT_API_KEY"), "offline"
) | {"AZURE_OPENAI_ENDPOINT": "https://offline.invalid"}


@dataclass(frozen=True, slots=True)
class Replayed:
    """A request as it was sent and as it is made now; `differs` is the first byte that does."""

    sent: bytes
    made: bytes

    @property
    def same(self) -> bool:
        """Whether they are the same, byte for byte."""
        return self.sent == self.made

    @property
    def differs(self) -> int | None:
        """Where they part."""
        if self.same:
            return None
        pairs = enumerate(zip(self.sent, self.made, strict=False))
        ends = min(len(self.sent), len(self.made))
        return next((at for at, (one, other) in pairs if one != other), ends)


async def replay_request(store: Store, thread: str, number: int) -> Replayed:
    """Make a request again from the log as it stood and the context that was kept."""
    body = read_kept_request(store, thread, number).body
    sent = read_sent_body(store, thread, number)
    head = cast("int", body["head"])
    told = project_context_view(store.entries(thread, upto=head)) if head else Context()
    context = read_context_record(cast("Json", body["context"]), told)
    async with _offline(body) as model:
        _remember(model, body)
        policy = replace(Policy(**cast("dict[str, object]", body["policy"])), attempts=1)  # type: ignore[arg-type]
        attempts = await _attempts(
            model, context, read_kept_request_tools(store, body), body, policy
        )
    return Replayed(sent, attempts[0].body if attempts else b"")


def _offline(body: Json) -> Model:
    at = cast("float", body["at"])
    return open_model(
        str(body["model"]),
        journal=MemoryJournal(),
        timing=Timing(now=lambda: at, sleep=_at_once),
        capabilities=Capabilities(**cast("dict[str, object]", body["capabilities"])),  # type: ignore[arg-type]
        env=_NO_KEYS,
        offline=True,
    )


def _remember(model: Model, body: Json) -> None:
    """Let the model know what the server was known to remember; the account is not compared."""
    attempts = cast("Sequence[Mapping[str, object]]", body["attempts"])
    kept = attempts[0]["state"] if attempts else None
    if isinstance(kept, Mapping):
        state = replace(StateRef(**kept), account=model.place.account)
        model.journal.write(str(body["sent_as"]), ResumeRecord(state))


async def _attempts(
    model: Model, context: Context, tools: list[Tool], body: Json, policy: Policy
) -> tuple[Attempt, ...]:
    """Send it nowhere; what would have left. A script answers, and nothing is sent."""
    thread = str(body["sent_as"])
    try:
        if body["streaming"] is not True:
            reply = await model.send(context, tools=tools, thread=thread, policy=policy)
            return reply.attempts
        async for one in model.stream(context, tools=tools, thread=thread, policy=policy):
            if isinstance(one, StreamEnd):
                return one.reply.attempts
    except ModelError as offline:
        return offline.attempts
    return ()


async def _at_once(_seconds: float) -> None:
    """Wait for nothing."""


# Names of one release ago; they go with the next.
replayed = replay_request


def read_kept_request_tools(store: Store, body: Json) -> list[Tool]:
    """The tools of a kept request."""
    found = body["tools"]
    # Before they were kept once they stood in each record.
    told = json.loads(store.read_kept(found["$kept"])) if isinstance(found, Mapping) else found
    return [Tool(**one) for one in cast("Sequence[Any]", told)]
