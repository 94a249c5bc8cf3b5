"""Usage: how recently a result was of use, which is when a later call last named its source.

A file that was read long ago and is edited now is in work: its text is needed for the next edit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from director.context.memory import remember
from director.context.units import Unit
from director.context.values import AgentTurn, Turn

# An edit names a text and what replaces it, whatever the tool is called, or is a patch.
_OLD = re.compile(r'"(?:old|search|find|original)\w*"\s*:', re.IGNORECASE)
_NEW = re.compile(r'"(?:new|repl|updated)\w*"\s*:', re.IGNORECASE)
_FILE = re.compile(r'[/"\w-]\.([A-Za-z]\w{0,5})(?:"|\\n|$)', re.MULTILINE)
_PATCH = re.compile(r"\*\*\* Update File|^--- a/|\\n\+\+\+ b/", re.MULTILINE)
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


def units_in_work(parts: Sequence[Unit]) -> list[int]:
    """The units that show files which were edited, the file that was named last first.

    Their text has to be at hand for the next edit; a run without edits has none.
    """
    last: dict[str, int] = {}
    kinds: set[str] = set()
    found: list[tuple[int, int]] = []
    for i, unit in enumerate(parts):
        for turn in unit:
            for call in turn.calls if isinstance(turn, AgentTurn) else ():
                last.update(dict.fromkeys(_paths(call.args), i))
                kinds.update(_kinds_of_edit(call.args))
    for i, unit in enumerate(parts):
        calls = [c for turn in unit if isinstance(turn, AgentTurn) for c in turn.calls]
        paths = [path for call in calls for path in _paths(call.args)]
        # Once one file was edited, others of its kind are read to be edited.
        if any(path.rpartition(".")[2] in kinds for path in paths):
            found.append((max(last[path] for path in paths), i))
    return [i for _, i in sorted(found, reverse=True)]


@remember
def _kinds_of_edit(args: str) -> tuple[str, ...]:
    """The endings of the names of files that a call edits."""
    both = _OLD.search(args) is not None and _NEW.search(args) is not None
    return tuple(_FILE.findall(args)) if both or _PATCH.search(args) is not None else ()


@remember
def _paths(args: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_PATH.findall(args[:20_000])))
