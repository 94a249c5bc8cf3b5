"""Functions and types to make tools of."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Annotated, Literal, NewType, NotRequired, TypedDict


class Colour(enum.Enum):
    """Plain values stand for themselves."""

    RED = "red"
    BLUE = "blue"


class Shape(enum.Enum):
    """Values that are no JSON are named."""

    DOT = (0, 0)
    LINE = (0, 1)


@dataclass(frozen=True)
class Point:
    """A point.

    Attributes:
        x: how far right

    """

    x: int
    y: int = 0

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("x must not be negative")


@dataclass
class Line:
    """Two points and a name."""

    start: Point
    end: Point | None = None
    tags: list[str] = field(default_factory=list)


@dataclass
class Tree:
    """A type that never ends."""

    inner: list[Tree]


class Options(TypedDict):
    """Keys that may be left out."""

    depth: int
    mode: NotRequired[Literal["fast", "slow"]]


UserId = NewType("UserId", str)


def search(  # noqa: D417  its last parameter is described by a hint
    query: str,
    limit: int = 10,
    colour: Colour | None = None,
    where: Annotated[str, "the folder to look in"] = ".",
) -> str:
    """Search the files
    for a text.

    More words that the model does not need.

    Args:
        query (str): what to look for,
            as a regular expression
        limit: how many to show
        colour: only of this colour

    Returns:
        limit: not a parameter

    """  # noqa: D205  the first paragraph has two lines
    return f"{query} {limit} {colour} {where}"


def draw(line: Line, at: tuple[int, int], options: Options | None = None) -> object:
    """Draw a line."""
    return line, at, options


def configure(settings: dict[str, int], anything: object = None) -> object:
    """Set what is to be set."""
    return settings, anything
