"""The values of the engine: frozen, comparable, free of behaviour.

A result lives inside its call, so an orphan cannot be written down. Payloads of a provider are
carried as opaque objects in `native` and never read here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Trust: TypeAlias = Literal["system", "user", "agent", "web"]
Level: TypeAlias = Literal["none", "low", "medium", "high"]
LEVELS: tuple[Level, ...] = ("none", "low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Section:
    """A named block shown to a model ahead of the conversation, such as its instructions."""

    name: str
    text: str
    trust: Trust = "system"
    pinned: bool = True
    stable: bool = True
    native: object = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call with its result. `original` is the result before it was shrunk, if it was."""

    id: str
    tool: str
    args: str
    result: str
    failed: bool = False
    trust: Trust = "web"
    images: int = 0
    original: str | None = None
    native: object = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What a user said. `at` is the turn's number in its thread; pinned turns survive verbatim.

    The `request` that a run begins with never leaves either, but one too large to stay is cut.
    `original` is the text before it was cut, if it was.
    """

    at: int
    text: str
    pinned: bool = False
    images: int = 0
    native: object = field(default=None, compare=False)
    original: str | None = None
    request: bool = False


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """What a model said in one response: text, calls with their results, opaque thinking.

    `original` is the text before it was cut, if it was.
    """

    at: int
    text: str
    calls: tuple[Call, ...] = ()
    thinking: tuple[object, ...] = ()
    native: object = field(default=None, compare=False)
    original: str | None = None


Turn: TypeAlias = UserTurn | AgentTurn


@dataclass(frozen=True, slots=True)
class Summary:
    """Text that stands for the turns it covers (by number), where the first of them stood."""

    text: str
    covers: tuple[int, ...]
    trust: Trust = "web"


@dataclass(frozen=True, slots=True)
class Fold:
    """The turns that left the context, whole, and the summary they should be merged into."""

    turns: tuple[Turn, ...]
    previous: Summary | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """All that one request contains."""

    sections: tuple[Section, ...] = ()
    turns: tuple[Turn, ...] = ()
    summary: Summary | None = None
    fold: Fold | None = None


def _chars4(text: str) -> int:
    return (len(text) + 3) // 4


@dataclass(frozen=True, slots=True)
class Counter:
    """A way to count tokens: its name, its stated relative error, and what framing costs."""

    count: Callable[[str], int]
    name: str
    error: float
    per_message: int = 4
    per_call: int = 1
    per_image: int = 1_000

    def __call__(self, text: str) -> int:
        """Count the tokens of a text."""
        return self.count(text)


def _nothing(_text: str) -> int:
    return 0


chars4 = Counter(_chars4, "chars4", 0.65)
messages = Counter(_nothing, "messages", 0.0, per_message=1, per_call=0, per_image=0)


@dataclass(frozen=True, slots=True)
class Prices:
    """Relative input prices: a cached token costs `read`, any other `write`.

    Prefixes below `minimum` tokens are not cached. `recall` is the share of what was cut from view
    that comes back at each call, at full price.
    """

    read: float = 0.1
    write: float = 1.0
    minimum: int = 1_024
    recall: float = 0.02


@dataclass(frozen=True, slots=True)
class Budget:
    """How large a context may be: `limit` at most, back to `target` once `trigger` is passed.

    Without a trigger it is the limit. Without a target the engine derives one from the head of the
    context and the rate at which text comes in; `warn` is where a user should be told.
    """

    limit: int
    warn: int | None = None
    target: int | None = None
    counter: Counter = chars4
    prices: Prices = Prices()
    trigger: int | None = None

    @property
    def compacts_above(self) -> int:
        """The size above which a history is compacted."""
        return self.limit if self.trigger is None else min(self.trigger, self.limit)
