"""A brain of states for whole runs: each state says its part, and what follows decides the next.

Nothing is remembered: the state is found by walking the context from the start, turn by turn, so
that a replayed request is answered alike. If the history was shortened, the walk starts after the
newest item that names a state as `state=NAME`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from director.models.brains.emits import read_step
from director.models.brains.matching import ALWAYS, When, fill, holes, read_when
from director.models.brains.spot import Spot, listed
from director.models.brains.tape import last_shown
from director.models.brains.turns import turns
from director.models.script import Emit, ScriptError, Seen

FORM = (
    '{"brain": "machine", "start": "ask", "states": '
    '{"ask": {"do": [{"call": "search"}], "next": "tell"}, "tell": {"do": [{"say": "Done"}]}}}'
)
_STATE = '{"do": [{"call": "search"}], "next": [{"when": {"text": "found"}, "to": "tell"}]}'
_NAMED = re.compile(r"(?<![\w.-])state=([\w-]+)")
_NAMING = frozenset({"compaction", "system", "user"})


@dataclass(frozen=True, slots=True)
class Move:
    """To which state a condition leads; without one it always does."""

    to: str
    when: When = ALWAYS


@dataclass(frozen=True, slots=True)
class State:
    """What is said in a state, and where it leads; the first move that fits is made."""

    do: tuple[Emit, ...]
    moves: tuple[Move, ...] = ()


class Machine:
    """States by name; the current one is a function of the context alone."""

    def __init__(self, start: str, states: Mapping[str, State]) -> None:
        self.start = start
        self.states = dict(states)
        leads = {"start": start} | {
            f"{name}, move {number}": move.to
            for name, state in self.states.items()
            for number, move in enumerate(state.moves, 1)
        }
        for place, name in leads.items():
            if name not in self.states:
                raise ScriptError(f'{place}: there is no state "{name}"')

    def __call__(self, seen: Seen) -> Sequence[Emit]:
        """What the state of this context says."""
        last = seen.items[-1].text if seen.items else ""
        return fill(self.states[self.state(seen)].do, {"last": last})

    def state(self, seen: Seen) -> str:
        """The state that this context leads to."""
        start, name = self._from(seen)
        for begin, end in turns(seen.items):
            if begin >= start:
                name = self._next(name, replace(seen, items=seen.items[:end]))
        return name

    def _from(self, seen: Seen) -> tuple[int, str]:
        for place in range(len(seen.items) - 1, -1, -1):
            item = seen.items[place]
            named = _NAMED.findall(item.text) if item.kind in _NAMING else []
            if named and named[-1] in self.states:
                # What was said before the note is part of what it stands for.
                return place + 1, named[-1]
        return 0, self.start

    def _next(self, name: str, seen: Seen) -> str:
        for move in self.states[name].moves:
            if move.when.match(seen) is not None:
                return move.to
        raise ScriptError(
            f'state "{name}" leads nowhere from turn {len(turns(seen.items))}; '
            f"the last thing shown was {last_shown(seen)}"
        )


def read(spot: Spot) -> Machine:
    """The machine that a script file describes."""
    found = spot.fields(("brain", "about", "start", "states"), ("start", "states"), FORM)
    named = found["states"].parts(FORM)
    states = {name: _read_state(each, tuple(named)) for name, each in named.items()}
    return Machine(found["start"].choice(states, "state"), states)


def _read_state(spot: Spot, names: Sequence[str]) -> State:
    found = spot.fields(("do", "next"), ("do",), _STATE)
    do = read_step(found["do"])
    unknown = next((hole for hole in holes(do) if hole != "last"), None)
    if unknown is not None:
        raise found["do"].wrong(f"nothing fills {{{unknown}}}: a state knows only {{last}}")
    moves = found.get("next")
    if moves is None:
        return State(do)
    if isinstance(moves.value, str):
        return State(do, (Move(moves.choice(names, "state")),))
    what = f"a state's name or a list of moves; the states are {listed(names)}"
    return State(do, tuple(_read_move(each, names) for each in moves.all(what)))


def _read_move(spot: Spot, names: Sequence[str]) -> Move:
    found = spot.fields(("when", "to"), ("to",), '{"when": {"text": "found"}, "to": "tell"}')
    when = read_when(found["when"]) if "when" in found else ALWAYS
    return Move(found["to"].choice(names, "state"), when)
