"""A script engine of states for whole runs: each says its part, what follows decides the next.

Nothing is remembered: the state is found by walking the context from the start, turn by turn, so
that a replayed request is answered alike. If the history was shortened, the walk starts after the
newest item that names a state as `state=NAME`, or with the state that the instructions name so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from director.models.script_engines.context_turns import list_context_turns
from director.models.script_engines.emits import read_step
from director.models.script_engines.matching import (
    ALWAYS,
    When,
    fill_matching_holes,
    find_matching_holes,
    read_matching_condition,
)
from director.models.script_engines.spot import Spot, quote_spotted_names
from director.models.script_engines.tape import describe_tape_end
from director.models.script_values import Emit, ScriptError, Seen

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
    """States by name; the current one is a function of the context alone.

    The start may depend on what is asked first. `knows` names texts that are looked up in what is
    seen, each by the first group of a pattern, the newest first; messages that `skip` matches are
    no part of the conversation.
    """

    def __init__(
        self,
        start: str | Sequence[Move],
        states: Mapping[str, State],
        *,
        knows: Mapping[str, str] | None = None,
        skip: str = "",
    ) -> None:
        self.start = (Move(start),) if isinstance(start, str) else tuple(start)
        self.states = dict(states)
        self.knows = {name: _compile(pattern) for name, pattern in (knows or {}).items()}
        self.skip = _compile(skip) if skip else None
        leads = {f"start, move {n}": move.to for n, move in enumerate(self.start, 1)} | {
            f"{name}, move {number}": move.to
            for name, state in self.states.items()
            for number, move in enumerate(state.moves, 1)
        }
        for place, name in leads.items():
            if name not in self.states:
                raise ScriptError(f'{place}: there is no state "{name}"')

    def __call__(self, seen: Seen) -> Sequence[Emit]:
        """What the state of this context says."""
        seen = self._select_conversation(seen)
        last = seen.items[-1].text if seen.items else ""
        return fill_matching_holes(
            self.states[self.state(seen)].do, {"last": last, **self._collect_facts(seen)}
        )

    def state(self, seen: Seen) -> str:
        """The state that this context leads to."""
        seen = self._select_conversation(seen)
        start, name = self._from(seen)
        for begin, end in list_context_turns(seen.items):
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
        named = [name for name in _NAMED.findall(seen.instructions) if name in self.states]
        return 0, named[-1] if named else self._start(seen)

    def _start(self, seen: Seen) -> str:
        spoken = list_context_turns(seen.items)
        asked = replace(seen, items=seen.items[: spoken[0][0]] if spoken else seen.items)
        for move in self.start:
            if move.when.match(asked) is not None:
                return move.to
        raise ScriptError(f"no start fits; the last thing shown was {describe_tape_end(asked)}")

    def _select_conversation(self, seen: Seen) -> Seen:
        """What is seen, without the messages that are no part of the conversation."""
        if self.skip is None:
            return seen
        kept = (one for one in seen.items if one.kind != "user" or not self.skip.search(one.text))
        return replace(seen, items=tuple(kept))

    def _collect_facts(self, seen: Seen) -> dict[str, str]:
        texts = [*(item.text for item in reversed(seen.items)), seen.instructions]
        found: dict[str, str] = {}
        for name, pattern in self.knows.items():
            hits = (hit for text in texts for hit in reversed(list(pattern.finditer(text))))
            found[name] = next((hit[1] for hit in hits), "")
        return found

    def _next(self, name: str, seen: Seen) -> str:
        for move in self.states[name].moves:
            if move.when.match(seen) is not None:
                return move.to
        raise ScriptError(
            f'state "{name}" leads nowhere from turn {len(list_context_turns(seen.items))}; '
            f"the last thing shown was {describe_tape_end(seen)}"
        )


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


def read_machine(spot: Spot) -> Machine:
    """The machine that a script file describes."""
    fields = ("brain", "about", "start", "states", "knows", "skip")
    found = spot.fields(fields, ("start", "states"), FORM)
    named = tuple(found["states"].parts(FORM))
    knows = found["knows"].parts('{"price": "costs ([0-9]+)"}') if "knows" in found else {}
    try:
        return Machine(
            _read_moves(found["start"], named),
            {name: _read_state(each, named) for name, each in found["states"].parts(FORM).items()},
            knows={name: each.text() for name, each in knows.items()},
            skip=found["skip"].text() if "skip" in found else "",
        )
    except re.error as error:
        raise spot.wrong(f"a pattern is not a regular expression: {error}") from error


def _read_state(spot: Spot, names: Sequence[str]) -> State:
    found = spot.fields(("do", "next"), ("do",), _STATE)
    do = read_step(found["do"])
    unknown = next((hole for hole in find_matching_holes(do) if hole != "last"), None)
    if unknown is not None:
        raise found["do"].wrong(f"nothing fills {{{unknown}}}: a state knows only {{last}}")
    moves = found.get("next")
    return State(do, _read_moves(moves, names) if moves is not None else ())


def _read_moves(spot: Spot, names: Sequence[str]) -> tuple[Move, ...]:
    if isinstance(spot.value, str):
        return (Move(spot.choice(names, "state")),)
    what = f"a state's name or a list of moves; the states are {quote_spotted_names(names)}"
    return tuple(_read_move(each, names) for each in spot.all(what))


def _read_move(spot: Spot, names: Sequence[str]) -> Move:
    found = spot.fields(("when", "to"), ("to",), '{"when": {"text": "found"}, "to": "tell"}')
    when = read_matching_condition(found["when"]) if "when" in found else ALWAYS
    return Move(found["to"].choice(names, "state"), when)
