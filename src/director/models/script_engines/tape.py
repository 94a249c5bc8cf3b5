"""A script engine that plays a tape: one step after another, whatever it is shown.

A context that was shown before gets the same step again, so that a retry costs no step. Too few
steps is an error when it happens; too many is one when `check` is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field

from director.models.script_engines.emits import read_step
from director.models.script_engines.spot import Spot
from director.models.script_values import Emit, ScriptError, Seen

FORM = '{"brain": "tape", "steps": [[{"say": "Hello"}]]}'


@dataclass(eq=False, slots=True)
class Places:
    """How many different contexts came before each one; for every run by itself if asked."""

    _: KW_ONLY
    per_run: bool = False
    _places: dict[str, dict[str, int]] = field(default_factory=dict)

    def of(self, seen: Seen) -> int:
        """The place of this context, from 0; the same for the same context."""
        known = self._places.setdefault(seen.run if self.per_run else "", {})
        return known.setdefault(digest_tape_context(seen), len(known))

    def counts(self) -> list[int]:
        """How many contexts were seen, for every run that was."""
        return [len(known) for known in self._places.values()]


class Tape:
    """Steps in order: each new context gets the next one, a known context its own again.

    One tape serves all runs, unless `per_run` gives every run a tape of its own.
    """

    def __init__(self, steps: Sequence[Sequence[Emit]], *, per_run: bool = False) -> None:
        self.steps = tuple(tuple(step) for step in steps)
        self._places = Places(per_run=per_run)

    def __call__(self, seen: Seen) -> Sequence[Emit]:
        """The step of this context."""
        place = self._places.of(seen)
        if place >= len(self.steps):
            raise ScriptError(
                f"the tape has {len(self.steps)} steps and was asked for step {place + 1}; "
                f"the last thing shown was {describe_tape_end(seen)}"
            )
        return self.steps[place]

    @property
    def remaining(self) -> int:
        """How many steps were not played (by the run that played fewest)."""
        return max(0, len(self.steps) - min(self._places.counts(), default=0))

    def check(self) -> None:
        """Fail if the tape was not played to its end."""
        if self.remaining:
            raise ScriptError(
                f"{self.remaining} of the tape's {len(self.steps)} steps were not played"
            )


def digest_tape_context(seen: Seen) -> str:
    """What tells one context from another: all of it but the run it belongs to."""
    parts = (seen.form, seen.model, seen.instructions, seen.tools, seen.items, seen.purpose)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def describe_tape_end(seen: Seen) -> str:
    """The last thing of a context in a few words, for messages."""
    if not seen.items:
        return "nothing"
    last = seen.items[-1]
    tool = f" of {last.tool}" if last.tool else ""
    text = last.text if len(last.text) <= 80 else f"{last.text[:79]}…"
    return f"{last.kind}{tool}: {text!r}"


def read_tape(spot: Spot) -> Tape:
    """The tape that a script file describes."""
    found = spot.fields(("brain", "about", "steps", "per_run"), ("steps",), FORM)
    steps = [read_step(each) for each in found["steps"].all("a list of steps")]
    return Tape(steps, per_run="per_run" in found and found["per_run"].flag())
