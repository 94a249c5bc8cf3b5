"""How a variable is shown to people and models: short, and without what is sensitive."""

from __future__ import annotations

import json
from collections.abc import Mapping

from director.workflow.paths import is_list
from director.workflow.sensitive import HIDDEN, mask_sensitive
from director.workflow.values import Json

LONGEST = 100


def render_value(name: str, value: Json) -> str:
    """The value of a variable in one line.

    Up to 100 characters in full, else the first 100 and "...". A list is its first element and
    how many there are. What is sensitive is hidden before anything is cut.
    """
    if is_list(value) and not value:
        return "[] (empty)"
    if isinstance(value, Mapping) and not value:
        return "{} (empty)"
    safe = mask_sensitive(value, name=name)
    if safe == HIDDEN:
        return HIDDEN
    if isinstance(safe, str):
        return _write_json(safe if len(safe) <= LONGEST else f"{safe[:LONGEST]}...")
    if is_list(safe):
        return _cut(f"[Array of {len(safe)} - first: {_write_json(safe[0])}]")
    return _cut(_write_json(safe))


def _write_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


# Names of one release ago; they go with the next.
shown = render_value
