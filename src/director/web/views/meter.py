"""The context meter: how large the next request is now, by part, against warning and limit.

Each part of the context has one colour, here and in the inspector.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from director.services.context_meter import Meter
from director.services.requests import RequestRow

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
    money: float | None
    cached: float | None


def get_meter_group(place: str, name: str) -> str:
    """The group, and so the colour, of a part."""
    if place == "tools":
        return "tools"
    if name in GROUPS:
        return name
    return "system" if place == "instructions" else _OTHER


def make_meter_slices(parts: Iterable[tuple[str, str, int]], scale: int) -> tuple[Slice, ...]:
    """Parts side by side on a bar that stands for `scale` tokens."""
    found: list[Slice] = []
    at = 0
    for place, name, tokens in parts:
        group = get_meter_group(place, name)
        told = GROUPS.get(group, name)
        width = 100 * tokens / scale
        found.append(Slice(group, told, tokens, 100 * at / scale, width))
        at += tokens
    return tuple(found)


def make_meter_view(now: Meter, made: Sequence[RequestRow]) -> MeterView:
    """The meter of what would be sent now; `made` are the requests of the thread so far."""
    scale = max(now.limit, now.size, 1)
    parts = [(one.place, one.name, one.tokens) for one in now.parts]
    costs = [line.cost for line in made if line.cost is not None]
    whole = sum(line.input or 0 for line in made)
    cached = sum(line.cached or 0 for line in made) / whole if whole else None
    money = sum(costs) if costs else None
    return MeterView(now, scale, make_meter_slices(parts, scale), len(made), money, cached)
