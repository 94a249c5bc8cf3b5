"""All that one double knows: profile, script engine, clock, ids, books and what was asked of it.

Handlers run one at a time under the lock of the server and may change the world; nothing here
knows a provider or a socket.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from director.models.script_values import Emit, ScriptEngine, Seen
from director.testing.double.exchange import ParsedRequest, ProviderResponse
from director.testing.double.provider_profiles import ServerProfile
from director.testing.double.request_log.usage_log import RequestLog

State = TypeVar("State")


class Clock:
    """Time that moves when told to; one that ticks also moves by itself."""

    def __init__(self, start: float = 1_800_000_000.0, *, ticks: bool = False) -> None:
        self._start = start
        self._since = time.monotonic() if ticks else None

    def now(self) -> float:
        """Seconds since the epoch, as the double sees it."""
        passed = time.monotonic() - self._since if self._since is not None else 0.0
        return self._start + passed

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._start += seconds


class Ids:
    """Ids of the real shape, the same for the same seed."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._made = 0

    def again(self) -> Ids:
        """The same ids from the beginning."""
        return Ids(self._seed)

    def hexes(self, length: int) -> str:
        """The next so many hexadecimal digits."""
        self._made += 1
        made = ""
        while len(made) < length:
            text = f"{self._seed}:{self._made}:{len(made)}"
            made += hashlib.sha256(text.encode()).hexdigest()
        return made[:length]

    def item(self, prefix: str, key: str, at: float) -> str:
        """An OpenAI id: prefix, the response's partition key, and 34 digits of its own."""
        return f"{prefix}_{key}00{int(at):08x}{self.hexes(24)}"

    def call(self) -> str:
        """An OpenAI call id."""
        return f"call_{self.hexes(24)}"

    def anthropic(self, prefix: str) -> str:
        """An Anthropic id such as msg_01… or toolu_01…."""
        return f"{prefix}_01{self.hexes(22)}"


@dataclass(slots=True)
class Exchange:
    """What was asked, when, and what was answered.

    `work` says that the script engine was asked; `finished` that the whole answer was sent;
    `struck` names the faults that struck; `leaks` says which secrets the body held, without
    their text.
    A stream's answer holds only the events that were sent.
    """

    asked: ParsedRequest
    at: float
    answer: ProviderResponse | None = None
    rule: str = ""
    defect: bool = False
    struck: tuple[str, ...] = ()
    finished: bool = False
    work: bool = False
    leaks: tuple[str, ...] = ()


@dataclass(slots=True)
class Generation:
    """What the script engine was shown at one exchange, and what it said."""

    exchange: int
    at: float
    seen: Seen
    said: tuple[Emit, ...]


@dataclass(slots=True)
class World:
    """The state of one double."""

    profile: ServerProfile
    brain: ScriptEngine
    clock: Clock = field(default_factory=Clock)
    ids: Ids = field(default_factory=Ids)
    ledger: RequestLog = field(default_factory=RequestLog)
    exchanges: list[Exchange] = field(default_factory=list)
    generations: list[Generation] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    _states: dict[type, object] = field(default_factory=dict)

    def state(self, kind: type[State]) -> State:
        """The part of the state that one API keeps for itself, made on first use."""
        if kind not in self._states:
            self._states[kind] = kind()
        found = self._states[kind]
        if not isinstance(found, kind):  # pragma: no cover  it was stored under its own type
            raise TypeError(kind)
        return found

    def reset(self) -> None:
        """Forget all that happened; the profile, the script engine and the clock stay."""
        self.ids = self.ids.again()
        self.ledger = RequestLog()
        for kept in (self.exchanges, self.generations, self.failures):
            kept.clear()
        self._states.clear()

    def think(self, asked: ParsedRequest, seen: Seen) -> Sequence[Emit]:
        """Ask the script engine, and remember what it was shown and what it said."""
        said = tuple(self.brain(seen))
        self.generations.append(Generation(asked.number, self.clock.now(), seen, said))
        if self.exchanges and self.exchanges[-1].asked.number == asked.number:
            self.exchanges[-1].work = True
        return said
