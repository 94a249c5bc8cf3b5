"""Reading JSON that a model wrote: everything that is wrong with it, each with its place.

What is wrong is collected, so that one answer says it all. Nothing is guessed or repaired.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from director.workflow.bounds import DOCUMENT, check_bounds
from director.workflow.nearest import write_nearest_hint
from director.workflow.paths import describe_kind, is_list
from director.workflow.values import Json, WorkflowError

_MOST = 12


@dataclass(eq=False, slots=True)
class FieldReader:
    """Reads fields of objects and remembers what did not fit."""

    problems: list[str] = field(default_factory=list)

    def wrong(self, where: str, says: str) -> None:
        """Remember a problem and its place."""
        self.problems.append(f"{where}: {says}" if where else says)

    def object(self, value: Json, where: str, fields: Iterable[str]) -> Mapping[str, Json]:
        """An object that has no other fields than these; an empty one if it is none."""
        if not isinstance(value, Mapping):
            self.wrong(where, f"this must be an object, not {describe_kind(value)}.")
            return {}
        known = tuple(fields)
        for name in value:
            if name not in known:
                self.wrong(where, f"there is no field {name!r}.{write_nearest_hint(name, known)}")
        return value

    def text(self, of: Mapping[str, Json], name: str, where: str, *, needed: bool = False) -> str:
        """A text; an empty one if it is not there."""
        value = of.get(name)
        if value is None and not needed:
            return ""
        if not isinstance(value, str):
            what = "is missing" if value is None else f"must be a text, not {describe_kind(value)}"
            self.wrong(where, f"{name!r} {what}.")
            return ""
        if needed and not value.strip():
            self.wrong(where, f"{name!r} is empty.")
        return value

    def items(
        self, of: Mapping[str, Json], name: str, where: str, *, needed: bool = False
    ) -> Sequence[Json]:
        """A list; an empty one if it is not there."""
        value = of.get(name)
        if value is None and not needed:
            return ()
        if not is_list(value):
            what = "is missing" if value is None else f"must be a list, not {describe_kind(value)}"
            self.wrong(where, f"{name!r} {what}.")
            return ()
        return value

    def texts(self, of: Mapping[str, Json], name: str, where: str) -> tuple[str, ...]:
        """A list of texts; an empty one if it is not there."""
        found: list[str] = []
        for place, value in enumerate(self.items(of, name, where)):
            if isinstance(value, str) and value.strip():
                found.append(value)
            else:
                shown = "an empty one" if isinstance(value, str) else describe_kind(value)
                self.wrong(
                    write_element_place(where, name, place), f"this must be a text, not {shown}."
                )
        return tuple(found)

    def number(self, of: Mapping[str, Json], name: str, where: str) -> int:
        """A whole number from 0; 0 if it is not there."""
        value = of.get(name)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.wrong(where, f"{name!r} must be a whole number from 0.")
            return 0
        return value

    def render_problems(self) -> str:
        """The problems in one text, the first dozen and how many more."""
        more = len(self.problems) - _MOST
        rest = f" There are {more} more problems." if more > 0 else ""
        return " ".join(self.problems[:_MOST]) + rest


def write_element_place(where: str, name: str, place: int) -> str:
    """The place of an element of a list."""
    return f"{where}.{name}[{place}]" if where else f"{name}[{place}]"


def parse_json_input(written: Json, *, what: str, longest: int) -> Json:
    """JSON as an object, also where a model sent it as a text; refused if it is too long."""
    value = written
    if isinstance(written, str):
        try:
            value = json.loads(written)
        except (ValueError, RecursionError) as problem:
            raise WorkflowError(f"The {what} is not JSON: {problem}. Give an object.") from None
    check_bounds(value, what=f"The {what}", bounds=DOCUMENT)
    size = len(json.dumps(value, ensure_ascii=False))
    if size > longest:
        raise WorkflowError(
            f"The {what} has {size:,} characters and may have {longest:,}: it is shown at every "
            "turn. Shorten its notes; details belong to the nodes."
        )
    return value
