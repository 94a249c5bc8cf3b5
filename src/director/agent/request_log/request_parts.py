"""What a request is made of, by name and size: each section, the tools, the history by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from director.context.report import by_kind
from director.context.sizes import section_size, turn_size
from director.context.values import Context, Counter, Turn, UserTurn
from director.models import Tool
from director.sections.boundary import read_sections


@dataclass(frozen=True, slots=True)
class RequestPart:
    """A part of a request: where it stands, its name, its tokens."""

    place: str
    name: str
    tokens: int


def measure_tools_part(tools: Iterable[Tool], counter: Counter) -> int:
    """Tokens of the tools as a model reads them."""
    return sum(counter(f"{one.name}{one.description}{one.parameters}") for one in tools)


def list_request_parts(
    context: Context,
    tools: Sequence[Tool],
    counter: Counter,
    *,
    count: Callable[[Context, Counter], Mapping[str, int]] = by_kind,
) -> tuple[RequestPart, ...]:
    """The parts of a request in their order; their sizes add up to its size.

    `count` counts the history by kind.
    """
    found = [
        RequestPart("instructions", one.name, section_size(one, counter))
        for one in context.sections
    ]
    if tools:
        found.append(
            RequestPart("tools", f"{len(tools)} tools", measure_tools_part(tools, counter))
        )
    ahead, history, behind = split_request(context.turns)
    found += _block("first", ahead, counter)
    kinds = count(Context((), history, context.summary), counter)
    found += [RequestPart("history", name, size) for name, size in kinds.items() if size]
    found += _block("last", behind, counter)
    return tuple(found)


def split_request(
    turns: tuple[Turn, ...],
) -> tuple[tuple[Turn, ...], tuple[Turn, ...], tuple[Turn, ...]]:
    """The block ahead of the history, the history, and the block behind it."""
    start = 1 if turns and _names(turns[0]) else 0
    end = len(turns) - (1 if len(turns) > start and _names(turns[-1]) else 0)
    return turns[:start], turns[start:end], turns[end:]


def _names(turn: Turn) -> list[str]:
    """The sections that a turn is made of, if it is such a block."""
    if not isinstance(turn, UserTurn) or not turn.pinned or not turn.text.startswith("<"):
        return []
    try:
        return [one.name for one in read_sections(turn.text)]
    except ValueError:
        return []


def _block(place: str, turns: Sequence[Turn], counter: Counter) -> list[RequestPart]:
    found: list[RequestPart] = []
    for turn in turns:
        names = _names(turn)
        texts = turn.text.split("\n\n<")
        if len(texts) != len(names):
            found.append(RequestPart(place, " and ".join(names), turn_size(turn, counter)))
            continue
        sizes = [counter(text) for text in texts]
        sizes[0] += turn_size(turn, counter) - sum(sizes)
        found += [RequestPart(place, name, size) for name, size in zip(names, sizes, strict=True)]
    return found
