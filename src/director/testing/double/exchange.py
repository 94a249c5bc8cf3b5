"""One exchange with the double: the request as it was read, and the answer to it.

Values only; nothing here knows a provider.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

# The type of the items that a fault invents; a server takes back what it gave.
UNHEARD_OF = "unheard_of"


@dataclass(frozen=True, slots=True)
class RawRequest:
    """A request as it came over the wire; the names of its headers are in small letters."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong, and where: from the nth call of an endpoint on, so many times.

    `endpoint` is a route's name such as "responses.create" ("" is any of the create endpoints);
    `nth` counts from 1 the calls that fit it since it was laid (0: every call, whatever `times`
    says); `with_` holds what the kind needs, such as {"seconds": 2}.
    """

    kind: str
    endpoint: str = ""
    nth: int = 1
    times: int = 1
    model: str = ""
    run: str = ""
    with_: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A request: `body` is the parsed JSON object ({} when there is none)."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Mapping[str, object]
    endpoint: str = ""
    run: str = ""
    number: int = 0
    faults: tuple[Fault, ...] = ()
    inquired: set[str] = field(default_factory=set, compare=False, repr=False)

    def fault(self, kind: str) -> Fault | None:
        """The fault of that kind which strikes this request, if one does; to ask is to draw it."""
        self.inquired.add(kind)
        return next((fault for fault in self.faults if fault.kind == kind), None)


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event of a stream. Without a name only the data line is sent; a text goes as it is."""

    name: str
    data: Mapping[str, object] | str


@dataclass(frozen=True, slots=True)
class ProviderResponse:
    """An answer: a JSON body, or a stream of events when there are any."""

    body: Mapping[str, object] = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    events: tuple[ServerSentEvent, ...] = ()


def _nothing() -> None:
    """What is done when nobody wants to know that an answer was sent."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How an answer leaves: whole, or not at all (no answer), or broken off.

    `half` sends only half of its last event, or of its body; `ending` is what then becomes of
    the connection; `sent` is called once all of a whole answer was written.
    """

    answer: ProviderResponse | None
    ending: Literal["end", "stall", "reset"] = "end"
    half: bool = False
    sent: Callable[[], None] = _nothing


class Refusal(Exception):
    """What a provider answers to a request that breaks `rule`.

    `defect` says whether a client could have known better; only then is it counted against it.
    """

    def __init__(
        self,
        rule: str,
        status: int,
        body: Mapping[str, object],
        *,
        headers: Mapping[str, str] | None = None,
        defect: bool = True,
    ) -> None:
        super().__init__(rule)
        self.rule = rule
        self.answer = ProviderResponse(body, status, dict(headers or {}))
        self.defect = defect
