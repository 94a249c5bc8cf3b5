"""How values are written in a section: on one line each, as few tokens as it takes, no ambiguity.

Compact JSON and plain lines take a third of the tokens of indented JSON. Keys are sorted, because
their order means nothing and must not change the bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from director.workflow.values import Json


def write_value_line(text: str) -> str:
    """A text on one line: as it is, or as a JSON string if it holds what cannot be seen."""
    return text if text.isprintable() else write_compact_value(text)


def write_compact_value(value: Json) -> str:
    """A value as JSON on one line, in which nothing is invisible."""
    return write_visible_value(
        json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    )


def write_visible_value(written: str) -> str:
    """JSON with everything escaped that cannot be seen."""
    if written.isprintable():
        return written
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in written)


def render_text(value: Json) -> str:
    """A text on one line as it is, anything else as JSON."""
    return write_value_line(value) if isinstance(value, str) else write_compact_value(value)


def write_value_field(name: str, value: Json) -> Iterator[str]:
    """A line for a field, none if it is empty."""
    if value:
        yield f"{name}: {render_text(value)}"


def write_value_bullets(name: str, values: Iterable[Json]) -> Iterator[str]:
    """A list with its name above it, nothing if it is empty."""
    shown = [f"- {render_text(value)}" for value in values]
    if shown:
        yield f"{name}:"
        yield from shown
