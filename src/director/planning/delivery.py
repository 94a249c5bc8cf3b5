"""Delivering a context below the ceilings of hosts: inline if it fits, else in parts. Pure.

The parts, one behind the other, are the context byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from director.context.values import Counter
from director.planning.markdown import parse_markdown_blocks
from director.planning.section_format import ORDER

# What a host shows of a text before it cuts: characters of a hook's output and of a command's,
# tokens of a tool's result and of a file that is read.
_TOKENS = 25_000


@dataclass(frozen=True, slots=True)
class Host:
    """The ceiling of one way into a host, in characters or in tokens."""

    name: str
    characters: int | None = None
    tokens: int | None = None


HOSTS = {
    "hook": Host("hook", characters=10_000),
    "bash": Host("bash", characters=30_000),
    "mcp": Host("mcp", tokens=_TOKENS),
    "file": Host("file", tokens=_TOKENS),
}
# A file is read with line numbers, and no host counts as we do.
_PART = _TOKENS * 3 // 5


def can_deliver_inline(text: str, host: Host, count: Counter) -> bool:
    """Whether a host shows the whole of a text."""
    if host.characters is not None:
        return len(text) <= host.characters
    return host.tokens is None or count(text) * (1 + count.error) <= host.tokens


def split_for_delivery(text: str, count: Counter, most: int = _PART) -> list[str]:
    """The text in parts of at most so many tokens, cut as high up as possible."""
    found: list[list[str]] = []
    room = 0
    for piece in _pieces(text, count, most):
        # Two texts together never take noticeably more than each by itself.
        size = count(piece) + 1
        if not found or size > room:
            found.append([])
            room = most
        found[-1].append(piece)
        room -= size
    return ["".join(pieces) for pieces in found]


def _pieces(text: str, count: Counter, most: int) -> Iterator[str]:
    """Pieces that fit: sections, else blocks, else lines, else halves of lines."""
    for section in _sections(text):
        if count(section) <= most:
            yield section
            continue
        for block in parse_markdown_blocks(section):
            yield from _lines(section[block.start : block.end], count, most)


def _sections(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        ends = (text.find(f"\n\n<{tag}>\n", start) for tag in ORDER)
        end = min((end + 2 for end in ends if end >= 0), default=len(text))
        yield text[start:end]
        start = end


def _lines(text: str, count: Counter, most: int) -> Iterator[str]:
    if count(text) <= most:
        yield text
        return
    for line in text.splitlines(keepends=True):
        yield from _halves(line, count, most)


def _halves(text: str, count: Counter, most: int) -> Iterator[str]:
    if count(text) <= most or len(text) < 2:
        yield text
        return
    yield from _halves(text[: len(text) // 2], count, most)
    yield from _halves(text[len(text) // 2 :], count, most)
