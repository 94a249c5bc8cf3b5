"""What each provider's API is to the layer: a body, a way to send it, and a reading of answers.

Values and the interface; nothing here knows a provider.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from director.models.capabilities import Capabilities, Form
from director.models.failures import Failure
from director.models.request_messages import Prepared
from director.models.values import (
    Calling,
    Policy,
    StateRef,
    Status,
    Text,
    Thinking,
    ToolCall,
    Usage,
)

Body: TypeAlias = dict[str, object]
_DEEPEST = 100
_MOST_CALLS = 256


@dataclass(frozen=True, slots=True)
class Seq:
    """Where a stream is: the response's id, and the number of the event."""

    id: str
    number: int | None


@dataclass(frozen=True, slots=True)
class Final:
    """The whole answer, as its JSON was."""

    body: Mapping[str, object]


Piece: TypeAlias = Text | Thinking | Calling | Seq | Final


@dataclass(frozen=True, slots=True)
class Read:
    """What an answer says; `parts` are the usages of its requests, if it took several to make."""

    id: str
    items: tuple[Mapping[str, object], ...]
    text: str
    calls: tuple[ToolCall, ...]
    status: Status
    stop: str
    usage: Usage | None
    warnings: tuple[str, ...]
    stored: bool = False
    tier: str = ""
    parts: tuple[Usage, ...] = ()


class Failed(Exception):
    """A failure that came inside an answer."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class ProviderAPI(Protocol):
    """One API of one provider, and what it can do there. Nothing here tries twice."""

    can: Capabilities

    @property
    def form(self) -> Form:
        """The wire form it speaks."""

    def body(self, prepared: Prepared, policy: Policy, state: StateRef | None, key: str) -> Body:
        """The request; with a state only what is new since then."""

    async def create(self, body: Body, within: float) -> Mapping[str, object]:
        """Send it, and return the answer's JSON."""

    def stream(self, body: Body, within: float) -> AsyncGenerator[Piece, None]:
        """Send it and return the answer piece by piece; the last one is a `Final`."""

    def read(self, body: Mapping[str, object], state: StateRef | None) -> Read:
        """What an answer says; raises `Failed` if it is a failure."""

    async def count(self, body: Body, within: float) -> int:
        """The size of a request as the provider counts it."""

    async def close(self) -> None:
        """Close the connections."""


@runtime_checkable
class Jobs(Protocol):
    """What an API with background jobs has besides."""

    async def retrieve(self, name: str, within: float) -> Mapping[str, object]:
        """A job as it is now."""

    async def cancel(self, name: str, within: float) -> Mapping[str, object]:
        """Cancel a job."""

    def resume(self, name: str, after: int, within: float) -> AsyncGenerator[Piece, None]:
        """The events of a streaming job after one that was received."""


@runtime_checkable
class Compacts(Protocol):
    """What an API that compacts on request has besides."""

    async def compact(self, body: Body, within: float) -> Mapping[str, object]:
        """The compacted window of a request."""


def compute_output_limit(policy: Policy, can: Capabilities, least: int = 1) -> int | None:
    """How much may be answered: what the policy says, within what the model can."""
    if policy.max_output is None:
        return None
    return max(least, min(policy.max_output, can.max_output))


def add_policy_extra(body: Body, policy: Policy) -> Body:
    """The body without what is empty, and with what the policy adds; betas add up."""
    made = {name: value for name, value in body.items() if value is not None and value != []}
    for name, value in policy.extra.items():
        before = made.get(name)
        both = name == "betas" and isinstance(before, list) and isinstance(value, list)
        made[name] = [*before, *value] if both else value  # type: ignore[misc]
    return made


def ask_plain_json(within: float, stream: object = None, **options: object) -> dict[str, Any]:
    """How a provider's library is asked for plain JSON, or for a stream of plain events."""
    found: dict[str, Any] = {"cast_to": object, "options": {"timeout": within, **options}}
    return found if stream is None else {**found, "stream": True, "stream_cls": stream}


def parse_answer_object(found: object) -> Mapping[str, object]:
    """An answer's JSON, which must be an object."""
    if not isinstance(found, Mapping):
        raise Failed(Failure("ambiguous", "the answer is no JSON object.", 200))
    return found


def parse_stream_event(found: object) -> Mapping[str, object]:
    """An event of a stream, which must be an object."""
    if not isinstance(found, Mapping):
        raise Failed(Failure("malformed", "an event of the stream is no JSON object.", 200))
    return found


def check_api_answer(body: Mapping[str, object]) -> None:
    """Refuse an answer that is nested deeper than any provider's; what reads it is recursive."""
    level: list[object] = [body]
    for _ in range(_DEEPEST):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return
    what = f"the answer is nested deeper than {_DEEPEST} levels."
    raise Failed(Failure("malformed", what, 200))


def check_api_calls(calls: Sequence[ToolCall]) -> None:
    """Refuse an answer that asks for more calls at once than a person could follow."""
    if len(calls) > _MOST_CALLS:
        what = f"the answer holds {len(calls):,} calls, and {_MOST_CALLS} are the most."
        raise Failed(Failure("malformed", what, 200))


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def read_answer_number(found: Mapping[str, object], name: str) -> int:
    """A number in an answer."""
    value = found.get(name)
    if not isinstance(value, int):
        raise Failed(Failure("invalid", f"the answer has no {name}.", 200))
    return value


def disable_dialect_caching(policy: Policy, can: Capabilities) -> dict[str, object] | None:
    """How OpenAI is told not to cache: where writes cost money they are made unless it is."""
    leave = not policy.cache and can.cache == "implicit_paid"
    return {"mode": "explicit"} if leave else None


def read_answer_text(value: object) -> str:
    """A value if it is text, nothing otherwise."""
    return value if isinstance(value, str) else ""


def list_answer_mappings(value: object) -> tuple[Mapping[str, object], ...]:
    """The mappings in a list."""
    found = value if isinstance(value, list | tuple) else ()
    return tuple(one for one in found if isinstance(one, Mapping))
