"""The context meter: how large the next request is now, by part, against warning and limit.

Each part of the context has one colour, here and in the inspector.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from director.store import Versioned
from director.store.values import Json
from director.web.reading.meter import Meter

# The order and the colours of the parts: whatever is shown by part is shown so.
GROUPS: Mapping[str, str] = {
    "system": "System prompt",
    "tools": "Tools",
    "plan": "Plan",
    "description": "Description",
    "workflow": "Workflow",
    "variables": "Variables",
    "browser": "Browser",
    "summary": "Summary",
    "user": "Your messages",
    "agent": "Director's words",
    "calls": "Calls",
    "results": "Results",
}
_OTHER = "other"


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a bar: its group (its colour), its name, its tokens, where it begins and ends."""

    group: str
    name: str
    tokens: int
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class MeterView:
    """The size now as a bar that stands for `scale` tokens; what the requests so far cost."""

    now: Meter
    scale: int
    slices: tuple[Slice, ...]
    requests: int
    money: Decimal | None
    cached: float | None


def group_of(place: str, name: str) -> str:
    """The group, and so the colour, of a part."""
    if place == "tools":
        return "tools"
    if name in GROUPS:
        return name
    return "system" if place == "instructions" else _OTHER


def slices(parts: Iterable[tuple[str, str, int]], scale: int) -> tuple[Slice, ...]:
    """Parts side by side on a bar that stands for `scale` tokens."""
    found: list[Slice] = []
    at = 0
    for place, name, tokens in parts:
        group = group_of(place, name)
        told = GROUPS.get(group, name)
        width = 100 * tokens / scale
        found.append(Slice(group, told, tokens, 100 * at / scale, width))
        at += tokens
    return tuple(found)


def meter_view(now: Meter, made: Sequence[Versioned]) -> MeterView:
    """The meter of what would be sent now; `made` are the requests of the thread so far."""
    scale = max(now.limit, now.size, 1)
    parts = [(one.place, one.name, one.tokens) for one in now.parts]
    money, cached = spent(made)
    return MeterView(now, scale, slices(parts, scale), len(made), money, cached)


def spent(made: Sequence[Versioned]) -> tuple[Decimal | None, float | None]:
    """What requests cost together, and the share of their input that came from a cache."""
    costs = [Decimal(cost) for one in made if isinstance(cost := one.body.get("cost"), str)]
    used = [usage for one in made if isinstance(usage := one.body.get("usage"), Mapping)]
    read = sum(cast("int", usage["read"]) for usage in used)
    whole = sum(input_of(usage) for usage in used)
    return (sum(costs, Decimal(0)) if costs else None), (read / whole if whole else None)


def input_of(usage: Json) -> int:
    """The input tokens of a kept usage."""
    writes = cast("Mapping[str, int]", usage["writes"])
    return cast("int", usage["uncached"]) + cast("int", usage["read"]) + sum(writes.values())
