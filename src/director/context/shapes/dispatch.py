"""Which shape a text has: the first that recognises it; prose takes what no other claims."""

from __future__ import annotations

from types import ModuleType

from director.context.memory import remember
from director.context.shapes import (
    code,
    diff,
    html,
    log,
    prose,
    record,
    search,
    shell,
    snapshot,
    table,
)

SHAPES: tuple[ModuleType, ...] = (
    snapshot,
    html,
    diff,
    search,
    log,
    record,
    table,
    shell,
    code,
    prose,
)
PAGES = (snapshot, html)


@remember
def shape_of(text: str) -> ModuleType:
    """The shape of a text."""
    return next(shape for shape in SHAPES if shape.recognise(text))


@remember
def render_lossless(text: str) -> str:
    """The text in the notation of its shape, with nothing left out: there is no room to mind."""
    smaller: str = shape_of(text).render(text, "low", len(text))
    return smaller
