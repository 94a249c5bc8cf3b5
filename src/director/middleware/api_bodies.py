"""The bodies of requests to the three APIs: where their messages are, and how they are fitted.

Instructions and tools count against the budget; at most a tool is added (`recall`). A body that
needs nothing is the very object that came; one that leans on what a server remembers is left alone,
because what is remembered there cannot be rewritten here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.api import Fitted
from director.context.wire.shape import as_json, blocks, look
from director.middleware.managed_threads import FittedThreads
from director.middleware.recall_tool import answer_recall_calls, offer_recall_tool
from director.middleware.unchanged_reads import restore_unchanged_reads

Api: TypeAlias = Literal["chat", "responses", "anthropic"]
_CHAINED = ("previous_response_id", "conversation", "thread_id", "prompt")


@dataclass(frozen=True, slots=True)
class _Place:
    """The fields of a body that hold its messages and its instructions."""

    messages: str
    instructions: str | None


_PLACES: Mapping[Api, _Place] = {
    "chat": _Place("messages", None),
    "responses": _Place("input", "instructions"),
    "anthropic": _Place("messages", "system"),
}


@dataclass(frozen=True, slots=True)
class FittedBody:
    """A body to send, and what was done to it if it could be looked at."""

    body: Mapping[str, object]
    fitted: Fitted | None = None
    changed: bool = False
    unmanaged: str = ""  # why it could not be looked at


def fit_body(  # noqa: PLR0913  each has a name
    body: Mapping[str, object],
    api: Api,
    threads: FittedThreads,
    *,
    thread: str | None = None,
    owner: str = "",
    offers: bool = False,
) -> FittedBody:
    """The body with messages that fit, or the very body where nothing is to be done.

    With `offers` a body that has tools gets `recall` beside them, and its calls are answered here.
    """
    place = _PLACES[api]
    if not threads.on:
        return FittedBody(body, unmanaged="switched off")
    chained = [name for name in _CHAINED if _is_given(body.get(name))]
    if chained:
        return FittedBody(body, unmanaged=f"{chained[0]}: the server remembers the rest")
    body, recalls = (
        offer_recall_tool(body, api) if offers and threads.config.recall else (body, False)
    )
    messages = body.get(place.messages)
    if not isinstance(messages, list | tuple) or not messages:
        return FittedBody(body, unmanaged=f"there is no list of {place.messages}")
    named = body.get("model")
    model = named if isinstance(named, str) and named else None
    given = answer_recall_calls(messages, api) if recalls else messages
    head = _head(body, place)
    given = restore_unchanged_reads(
        given,
        api,
        lambda before: threads.replay([*head, *before], model=model, recalls=recalls),
        threads.unchanged_reads,
    )
    fitted = threads.fit(given, thread, head=head, owner=owner, model=model, recalls=recalls)
    if fitted.messages is messages:
        return FittedBody(body, fitted)
    return FittedBody({**body, place.messages: fitted.messages}, fitted, changed=True)


def _head(body: Mapping[str, object], place: _Place) -> list[object]:
    """What is sent ahead of the messages, as one message that is only counted."""
    texts = [as_json(tool) for tool in blocks(body.get("tools"))]
    said = body.get(place.instructions) if place.instructions else None
    texts.append(look(said)[0])
    text = "\n".join(filter(None, texts))
    return [{"role": "system", "content": text}] if text else []


def _is_given(value: object) -> bool:
    # The clients mark what was not given by objects of their own.
    return isinstance(value, str | Mapping) and bool(value)
