"""What a reader finds in a message, and what a turn remembers of the messages it came from.

Frozen values without behaviour. The natives (`Said`, `Heard`, `NativeAnswer`) hold the messages as
they were received and the values that were read from them, so that an edit is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from director.context.values import AgentTurn, Call, Context

Wire: TypeAlias = Literal["chat", "responses", "anthropic", "langchain"]
WIRES: tuple[Wire, ...] = ("chat", "responses", "anthropic", "langchain")

Kind: TypeAlias = Literal[
    "orphan_result",
    "duplicate_result",
    "unanswered_call",
    "duplicate_call",
    "misplaced_result",
    "empty_message",
    "empty_block",
    "unknown_message",
    "duplicate_item",
    "bare_thinking",
    "missing_user",
]
NO_RESULT = "[no result was recorded for this call]"
INTERRUPTED = "[interrupted: this call was not run to its end]"
NO_BEGINNING = "[the beginning of this conversation is not shown]"


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was wrong with a history: what, in which message, and what was done."""

    kind: Kind
    where: int
    ident: str
    action: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A history as a context, what had to be repaired, and the message each turn begins with."""

    context: Context
    repairs: tuple[Repair, ...]
    wire: Wire
    starts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """A call as a model wrote it; one that is not `strict` may stay without an answer."""

    id: str
    tool: str
    args: str
    strict: bool = True
    form: str = ""


@dataclass(frozen=True, slots=True)
class Spoke:
    """A message or item of a model.

    `open` says that what the model says next belongs to the same turn, `refers` that it names
    an item which is not shown and may be a call.
    """

    item: object
    text: str
    uses: tuple[Use, ...] = ()
    thinking: tuple[object, ...] = ()
    open: bool = False
    refers: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A result: the block or message it is, and where that stood if it was a block."""

    id: str
    part: object
    text: str
    images: int = 0
    failed: bool = False
    source: object = None
    place: int = -1
    late: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """A message of a user, or the blocks of one that are no results; native of a UserTurn."""

    wire: Wire
    source: object
    text: str
    images: int = 0
    role: Literal["user", "system", "other"] = "user"
    places: tuple[int, ...] = ()
    parts: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Loose:
    """An opaque item that belongs to what a model said just before, or stands alone."""

    item: object


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something a reader had to repair on its own."""

    kind: Kind
    ident: str
    action: str


Event: TypeAlias = Spoke | Answer | Heard | Loose | Flaw


@dataclass(frozen=True, slots=True)
class Said:
    """Native of an AgentTurn: its messages and which of the calls in them became calls.

    `keys` name the responses whose reasoning is in it, `leans` the one whose reasoning stands
    in an earlier turn; `loose` are opaque answers with their rank among the others.
    """

    wire: Wire
    items: tuple[object, ...]
    text: str
    calls: tuple[int, ...] = ()
    thinks: bool = False
    loose: tuple[tuple[int, object], ...] = ()
    keys: tuple[str, ...] = ()
    leans: str = ""


@dataclass(frozen=True, slots=True)
class NativeAnswer:
    """Native of a Call: which call of its turn it is, its answer if there was one."""

    wire: Wire
    nth: int
    use: Use
    rank: int = 0
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """How the messages of a model have to differ from those received."""

    gone: frozenset[int] = frozenset()
    calls: Mapping[int, Call] = field(default_factory=dict)
    text: str | None = None
    unthink: bool = False
    unnamed: bool = False


class MessageFormat(Protocol):
    """What each wire provides: reading, editing what was read, and building from values."""

    def read(self, message: object) -> Iterator[Event]:
        """What is in a message."""

    def rewrite_turn(self, items: Sequence[object], edit: Edit) -> list[object]:
        """The messages of a model with an edit applied."""

    def rewrite_result(self, part: object, call: Call) -> object:
        """The answer with the id and result of a call."""

    def write_turn(self, turn: AgentTurn) -> list[object]:
        """The messages of a turn that has none."""

    def write_result(self, call: Call, form: str = "") -> object:
        """The answer of a call that has none; `form` is the kind of call, if not the usual."""

    def write_user(self, text: str) -> object:
        """A plain user message."""

    def write_system(self, text: str) -> object:
        """A system message, None where a wire has none."""
