"""What a scripted model is shown and what it may say: the values of every script engine.

A script engine has no model in it: it is a function from what is seen to what is said. The scripted
model and the provider double play the same script engines. Nothing here reads a file or a clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from director.errors import DirectorError

Kind: TypeAlias = Literal[
    "system", "user", "agent", "thinking", "call", "result", "compaction", "other"
]
Form: TypeAlias = Literal["responses", "chat", "anthropic"]


@dataclass(frozen=True, slots=True)
class Shown:
    """One thing in a context as the model sees it.

    A call's text is its arguments as JSON, a result's is its output; both carry the call's id.
    """

    kind: Kind
    text: str
    tool: str = ""
    call: str = ""
    images: int = 0


@dataclass(frozen=True, slots=True)
class Seen:
    """All that a model sees at one request; `purpose` is what it is asked for."""

    form: Form
    model: str
    instructions: str = ""
    tools: tuple[str, ...] = ()
    items: tuple[Shown, ...] = ()
    run: str = ""
    purpose: Literal["answer", "compact"] = "answer"


@dataclass(frozen=True, slots=True)
class Say:
    """A message of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """Reasoning; the provider signs or encrypts it."""

    text: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A call of a tool. `args` is JSON text, sent as it is, well-formed or not.

    Without an id the provider makes one.
    """

    tool: str
    args: str = "{}"
    id: str = ""


@dataclass(frozen=True, slots=True)
class Refuse:
    """A refusal in words."""

    text: str


@dataclass(frozen=True, slots=True)
class Compact:
    """A compaction of all that came before, with the text that stands for it."""

    text: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop early; said last, after what was said until then."""

    reason: Literal["max_tokens", "pause_turn", "content_filter", "window"] = "max_tokens"


@dataclass(frozen=True, slots=True)
class Wait:
    """Take this many seconds of the clock before what follows."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Fail:
    """Fail with a provider's error code instead of an answer."""

    code: str
    message: str = "The model failed as its script says."


Emit: TypeAlias = Say | Think | Ask | Refuse | Compact | Stop | Wait | Fail


class ScriptEngine(Protocol):
    """What decides what is said. Shown the same context again, it says the same again."""

    def __call__(self, seen: Seen, /) -> Sequence[Emit]:
        """What is said to what is seen."""


class ScriptError(DirectorError, ValueError):
    """A script that cannot be read, or that has no line for what it was shown."""
