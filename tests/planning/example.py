"""The shipped example, and contexts made of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from director.fresh_context import Own, fresh
from director.planning.context_assembly import Fresh
from director.planning.section_format import read_context

BAKERY = Path(__file__).parents[2] / "examples/bakery"
LOG = BAKERY / "log.txt"


def bakery(agent: str, task: str | None = None, **options: object) -> Fresh:
    """A context of the shipped example."""
    return fresh(BAKERY, agent, task, **{"log": LOG, **options})  # type: ignore[arg-type]


def shown(made: Fresh) -> Mapping[str, Mapping[str, str]]:
    """The sections of a context, read back: texts by tag and name."""
    return {tag: dict(texts) for tag, texts in read_context(made.text)}


def source(path: str) -> str:
    """A file of the example."""
    return (BAKERY / ".director" / path).read_bytes().decode()


__all__ = ["BAKERY", "LOG", "Own", "bakery", "shown", "source"]
