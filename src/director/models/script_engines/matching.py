"""When a line of a script applies, and how what it says is filled in from what was shown.

Pure: a condition is met or not by the context alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import cast, get_args

from director.models.script_engines.context_turns import list_context_turns
from director.models.script_engines.spot import Spot
from director.models.script_values import (
    Ask,
    Compact,
    Emit,
    Kind,
    Refuse,
    Say,
    ScriptError,
    Seen,
    Think,
)

FORM = '{"last": "result", "tool": "search", "text": "found ([0-9]+)"}'
_HOLE = re.compile(r"\{(last|\d)\}")
_PATTERNS = ("text", "anywhere", "instructions")


@dataclass(frozen=True, slots=True)
class When:
    """A condition on a context; what is not given is not asked.

    `turn` is the number of the turn to be said, from 1; `last` the kind of the last item and
    `tool` the tool it belongs to; `text` is searched for in the last item, `anywhere` in every
    item, `instructions` in the instructions; `offers` names a tool that the request offers.
    """

    turn: int | None = None
    last: Kind | None = None
    tool: str | None = None
    text: str | None = None
    anywhere: str | None = None
    offers: str | None = None
    instructions: str | None = None
    model: str | None = None
    purpose: str | None = None

    def __post_init__(self) -> None:
        for name in _PATTERNS:
            pattern = getattr(self, name)
            try:
                re.compile(pattern or "")
            except re.error as error:
                message = f"{pattern!r} is not a regular expression: {error}"
                raise ScriptError(message) from error

    def groups(self) -> int:
        """How many groups its patterns give, {0} beside them."""
        return sum(re.compile(getattr(self, name) or "").groups for name in _PATTERNS)

    def match(self, seen: Seen) -> dict[str, str] | None:
        """What fills the holes of an answer, or None if the condition is not met."""
        last = seen.items[-1] if seen.items else None
        asked = (
            (self.turn, len(list_context_turns(seen.items)) + 1),
            (self.last, last.kind if last else None),
            (self.tool, last.tool if last else None),
            (self.model, seen.model),
            (self.purpose, seen.purpose),
        )
        if any(wanted is not None and wanted != found for wanted, found in asked):
            return None
        if self.offers is not None and self.offers not in seen.tools:
            return None
        text = last.text if last else ""
        return self._fillings(text, seen)

    def _fillings(self, last: str, seen: Seen) -> dict[str, str] | None:
        searched: list[tuple[str | None, Sequence[str]]] = [
            (self.text, (last,)),
            (self.anywhere, [item.text for item in reversed(seen.items)]),
            (self.instructions, (seen.instructions,)),
        ]
        wholes: list[str] = []
        groups: list[str] = []
        for pattern, texts in searched:
            if pattern is None:
                continue
            found = next((hit for hit in (re.search(pattern, text) for text in texts) if hit), None)
            if found is None:
                return None
            groups += [group or "" for group in found.groups()]
            wholes.append(found[0])
        numbered = enumerate([(wholes or [last])[0], *groups])
        return {"last": last} | {str(number): text for number, text in numbered}


ALWAYS = When()


def find_matching_holes(emits: Sequence[Emit]) -> Iterator[str]:
    """The names of all holes in what is to be said."""
    for emit in emits:
        texts = (emit.args, emit.tool) if isinstance(emit, Ask) else (getattr(emit, "text", ""),)
        for text in texts:
            yield from _HOLE.findall(text)


def fill_matching_holes(emits: Sequence[Emit], fillings: Mapping[str, str]) -> tuple[Emit, ...]:
    """What is said, with each hole filled in that has a name here, such as {last} or {1}."""
    return tuple(_fill(emit, fillings) for emit in emits)


def _fill(emit: Emit, fillings: Mapping[str, str]) -> Emit:
    if isinstance(emit, Ask):
        # Inside arguments the text stands between quotes, so it must be escaped as JSON is.
        quoted = {key: json.dumps(text, ensure_ascii=False)[1:-1] for key, text in fillings.items()}
        return replace(emit, args=_put(emit.args, quoted), tool=_put(emit.tool, fillings))
    if isinstance(emit, Say | Think | Refuse | Compact):
        return replace(emit, text=_put(emit.text, fillings))
    return emit


def _put(text: str, fillings: Mapping[str, str]) -> str:
    names = "|".join(map(re.escape, fillings))
    return re.sub(rf"\{{({names})\}}", lambda hole: fillings[hole[1]], text) if names else text


def read_matching_condition(spot: Spot) -> When:
    """The condition that a script file describes."""
    known = tuple(field.name for field in fields(When))
    found = spot.fields(known, (), FORM)
    if "last" in found:
        found["last"].choice(get_args(Kind), "kind of item")
    if "purpose" in found:
        found["purpose"].choice(("answer", "compact"), "purpose")
    texts = {name: each.text() for name, each in found.items() if name != "turn"}
    turn = found["turn"].count(1) if "turn" in found else None
    try:
        return When(turn, cast("Kind | None", texts.pop("last", None)), **texts)
    except ScriptError as error:
        raise spot.wrong(str(error)) from error
