"""The strict double: a provider on loopback that refuses what the real one refuses.

It has no model in it: a script engine says what is said. It breaks when told to, keeps books, and
judges the client that spoke to it. It must never reach beyond loopback.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias

from director.models.script_engines import Tape, load_script_engine
from director.models.script_values import Emit, ScriptEngine
from director.testing.double import control
from director.testing.double.api_keys import Limiter, RateLimits
from director.testing.double.conformance_report import ConformanceFinding, find_notes, run_finders
from director.testing.double.endpoint import EndpointRoute
from director.testing.double.exchange import Delivery, Fault, RawRequest
from director.testing.double.faults import Faults
from director.testing.double.provider_profiles import PROFILES, ServerProfile
from director.testing.double.request_log.usage_log import RequestLog
from director.testing.double.request_pipeline import DoubleGateway
from director.testing.double.routes import ROUTES
from director.testing.double.server import DoubleServer
from director.testing.double.world import Clock, Exchange, Generation, Ids, World

Script: TypeAlias = ScriptEngine | Sequence[Sequence[Emit]] | str | Path


@dataclass(frozen=True, slots=True)
class Defect:
    """A rule that the client broke."""

    exchange: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"#{self.exchange} {self.rule}: {self.message}"


class Double:
    """A provider to test against: `with Double("openai", brain) as double: …`.

    `brain` is a script engine, the list of what is said at each request, or the path of a script.
    Faults may be given here or struck later. A script engine that fails fails the `with` block.
    """

    def __init__(  # noqa: PLR0913  each is a choice of its own
        self,
        profile: str | ServerProfile = "openai",
        brain: Script = (),
        *,
        clock: Literal["virtual", "real"] = "virtual",
        seed: int = 0,
        keys: Collection[str] | None = None,
        faults: Iterable[Fault] = (),
        limits: RateLimits | None = None,
        routes: Sequence[EndpointRoute] = ROUTES,
        port: int = 0,
    ) -> None:
        self._real = clock == "real"
        make = _rewinding(brain)
        self.world = World(
            profile=_profile(profile),
            brain=make(),
            clock=Clock(time.time(), ticks=True) if self._real else Clock(),
            ids=Ids(seed),
        )
        self._desk = DoubleGateway(
            self.world,
            routes,
            keys,
            Limiter(limits or RateLimits()),
            Faults(route.endpoint for route in routes),
            rewind=make,
        )
        self._desk.faults.lay(faults)
        self._server = DoubleServer(self._respond, port)

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if kind is None and self.world.failures:
            raise self.world.failures[0]

    def open(self) -> None:
        """Begin to listen."""
        self._server.open()

    def close(self) -> None:
        """Drop every connection and stop."""
        self._server.close()

    @property
    def url(self) -> str:
        """The address of the double."""
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def openai_url(self) -> str:
        """What OpenAI's client takes as its base address."""
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        """What Anthropic's client takes as its base address."""
        return self.url

    @property
    def exchanges(self) -> list[Exchange]:
        """The journal."""
        return self.world.exchanges

    @property
    def generations(self) -> list[Generation]:
        """What the script engine was shown and what it said."""
        return self.world.generations

    @property
    def ledger(self) -> RequestLog:
        """The books."""
        return self.world.ledger

    @property
    def failures(self) -> list[Exception]:
        """What went wrong in the script engine or the double; clear it if it was meant to."""
        return self.world.failures

    @property
    def defects(self) -> list[Defect]:
        """The rules that the client broke, in order."""
        return list_double_defects(self.exchanges)

    @property
    def pending_faults(self) -> list[Fault]:
        """The faults that have yet to strike."""
        return self._desk.faults.pending()

    def now(self) -> float:
        """The time of the clock."""
        return self.world.clock.now()

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.world.clock.advance(seconds)

    async def sleep(self, seconds: float) -> None:
        """Wait on the double's clock; on a virtual one it costs no time."""
        if not self._real:
            self.advance(seconds)
        await asyncio.sleep(seconds if self._real else 0)

    def strike(self, *faults: Fault) -> None:
        """Lay more faults; they count calls from now on."""
        with self._desk.lock:
            self._desk.faults.lay(faults)

    def clear_faults(self) -> None:
        """Take all faults away."""
        with self._desk.lock:
            self._desk.faults.clear()

    def script(self, brain: Script) -> None:
        """Let another script engine speak."""
        self.script_anew(_rewinding(brain))

    def script_anew(self, make: Callable[[], ScriptEngine]) -> None:
        """Let the script engine speak that this makes; it is made again at every reset."""
        with self._desk.lock:
            self._desk.rewind = make
            self.world.brain = make()

    def reset(self) -> None:
        """Begin again: no journal, no state, no faults, and the script from its start."""
        self._desk.reset()

    def verdict(self) -> list[ConformanceFinding]:
        """What the client did wrong over all exchanges; a clean one leaves nothing."""
        with self._desk.lock:
            return run_finders(self.exchanges)

    def notes(self) -> list[ConformanceFinding]:
        """What is worth knowing but not wrong, such as work that may have been paid twice."""
        with self._desk.lock:
            return find_notes(self.exchanges)

    def _respond(self, request: RawRequest) -> Delivery:
        if request.target.startswith(control.PREFIX):
            return control.answer_control_request(self, request)
        return self._desk.reply(request)


def list_double_defects(exchanges: Iterable[Exchange]) -> list[Defect]:
    """The rules that were broken in these exchanges, with what was answered to each."""
    return [
        Defect(exchange.asked.number, exchange.rule, _message(exchange))
        for exchange in exchanges
        if exchange.defect
    ]


def _message(exchange: Exchange) -> str:
    error = exchange.answer.body.get("error") if exchange.answer else None
    return str(error.get("message", "")) if isinstance(error, Mapping) else ""


def _profile(given: str | ServerProfile) -> ServerProfile:
    if isinstance(given, ServerProfile):
        return given
    if given not in PROFILES:
        raise ValueError(f"no such profile: {given}; there is {', '.join(PROFILES)}")
    return PROFILES[given]


def _rewinding(script: Script) -> Callable[[], ScriptEngine]:
    """What makes the script engine of a script, from its start each time."""
    if callable(script):
        return lambda: script
    if isinstance(script, str | Path):
        return lambda: load_script_engine(script)
    return lambda: Tape(script)
