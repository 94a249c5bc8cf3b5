"""Usage: how recently a result was of use, which is when a later call last named its source.

A file that was read long ago and is edited now is in work: its text is needed for the next edit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from director.context.memory import remembered
from director.context.values import AgentTurn, Turn

_PATH = re.compile(r"(?:[\w.~-]*/)+[\w.-]+|[\w-]+\.[A-Za-z]\w{0,5}\b")


def turns_by_use(turns: Sequence[Turn]) -> list[int]:
    """The turns that hold results, those whose source was named longest ago first."""
    last: dict[str, int] = {}
    found: list[tuple[int, int]] = []
    for i, turn in enumerate(turns):
        if isinstance(turn, AgentTurn):
            for call in turn.calls:
                last.update(dict.fromkeys(_paths(call.args), i))
    for i, turn in enumerate(turns):
        if isinstance(turn, AgentTurn) and turn.calls:
            named = [path for call in turn.calls for path in _paths(call.args)]
            found.append((max([i, *(last[path] for path in named)]), i))
    return [i for _, i in sorted(found)]


@remembered
def _paths(args: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_PATH.findall(args[:20_000])))
