"""A context seen as turns: what the model said, and what came after it. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from director.models.script_values import Shown

# A compaction is neither said in a turn nor an answer to one.
_SAID = frozenset({"agent", "thinking", "call"})
_CAME = frozenset({"system", "user", "result", "other"})


def list_context_turns(items: Sequence[Shown]) -> list[tuple[int, int]]:
    """For every turn of the model, where it begins and where the answers to it end."""
    begins: list[int] = []
    said = False
    for place, item in enumerate(items):
        if item.kind in _SAID and not said:
            begins.append(place)
        said = item.kind in _SAID or (said and item.kind not in _CAME)
    return list(zip(begins, [*begins[1:], len(items)], strict=False))


@dataclass(frozen=True, slots=True)
class PlacedCall:
    """A call in the context, and where it stands."""

    tool: str
    args: str
    place: int


def list_context_calls(items: Sequence[Shown]) -> list[PlacedCall]:
    """All calls that are still in the context."""
    return [
        PlacedCall(item.tool, item.text, place)
        for place, item in enumerate(items)
        if item.kind == "call"
    ]
