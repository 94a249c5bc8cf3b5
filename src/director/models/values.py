"""The values of the model layer: what is asked of a provider and what came of it.

Frozen and free of behaviour. Items of a provider are kept as they came.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeAlias

from director.models.capabilities import Form

Status: TypeAlias = Literal["completed", "incomplete"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider reported them, in one form for all providers.

    `writes` counts tokens written to a cache by lifetime ("5m", "30m", "1h", "12h"); `reasoning`
    is part of `output`. None of them overlap otherwise. `None` means that nothing was reported.
    """

    uncached: int = 0
    read: int = 0
    writes: Mapping[str, int] = field(default_factory=dict)
    output: int = 0
    reasoning: int | None = 0

    @property
    def input(self) -> int:
        """All input tokens, however they were billed."""
        return self.uncached + self.read + sum(self.writes.values())


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model asks for; `args` is its JSON text as it came."""

    id: str
    tool: str
    args: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request that was made: how it ended, and how long was waited before the next.

    `body` is what left, byte for byte; `state` what the server was told to go on from.
    """

    number: int
    outcome: str
    status: int | None = None
    request: str = ""
    waited: float = 0.0
    seconds: float = 0.0
    chained: bool = False
    body: bytes = field(default=b"", compare=False, repr=False)
    state: StateRef | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StateRef:
    """A response that a server keeps: its id stands for the history whose digest it carries.

    `covers` counts the messages behind it. It is a shortcut, never the truth: used only by the
    same account, before it expires, and if the history still begins with what it covers; where
    the server goes on from a response only `once`, never after a failure, and only with the same
    `head` of model, instructions and tools.
    """

    provider: str
    account: str
    id: str
    digest: str
    covers: int
    expires_at: float | None = None
    once: bool = False
    head: str = ""


@dataclass(frozen=True, slots=True)
class Handle:
    """A background job: `digest` is of what was sent. Without an id its post was never answered.

    `sequence` is the last event that was received of it, if it streams.
    """

    digest: str
    posted_at: float
    id: str = ""
    sequence: int | None = None


@dataclass(frozen=True, slots=True)
class ResumeRecord:
    """What a thread needs after a restart, always written as one."""

    state: StateRef | None = None
    pending: tuple[ToolCall, ...] = ()
    handle: Handle | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """How a turn may be sent.

    `chain`: let the server remember where it does so durably, wherever it can ("any", which
    includes threads that expire), or never. `attempts` and `seconds` bound the retries of one
    turn; a wait longer than `longest_wait` is not waited. A background job is given up after
    `background_seconds`. `compact_at` asks the server to compact above that many tokens. What is
    in `extra` goes into the request as it is, such as a provider's own context edits. To `resume`
    takes the answer of the thread's background job, whatever has changed since it was begun.
    """

    chain: Literal["durable", "any", "never"] = "durable"
    background: bool = False
    resume: bool = False
    attempts: int = 5
    seconds: float = 300.0
    longest_wait: float = 120.0
    timeout: float = 600.0
    background_seconds: float = 3_600.0
    max_output: int | None = None
    effort: str | None = None
    tool_choice: str = "auto"
    tier: str | None = None
    compact_at: int | None = None
    cache: bool = True
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered: its items as they came, and what they say.

    `stop` is the provider's reason when it stopped early; `replays` counts how often the whole
    history had to be sent because the server had lost it. A cost of None is not known.
    """

    form: Form
    model: str
    id: str
    items: tuple[Mapping[str, object], ...]
    text: str
    calls: tuple[ToolCall, ...]
    status: Status
    stop: str
    usage: Usage | None
    cost: Decimal | None
    state: StateRef | None = None
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[str, ...] = ()
    replays: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer's text, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of the reasoning that a provider shows, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class Calling:
    """A call that is complete; it may be run when the reply is there."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class StreamRestart:
    """What arrived so far is void: the answer begins anew, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The end of a stream."""

    reply: Reply


StreamEvent: TypeAlias = Text | Thinking | Calling | StreamRestart | StreamEnd
