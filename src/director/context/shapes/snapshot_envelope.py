"""What a browser tool says around a snapshot: the code it ran, errors, tabs, console messages.

Error lines, addresses and tabs survive as they are; only repetition, colour codes and the rest of
a block of code may go.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from director.context.shapes.snapshot_fit import gist
from director.context.values import Level

_COLOUR = re.compile(r"\x1b\[[\d;]*m|(?<!\S)\[\d{1,2}m|\[(?:22|39|0)m(?=\s|$)")
_LOUD = re.compile(r"error|warn|fail|exception|refused|denied", re.IGNORECASE)
FENCE = re.compile(r"^\s*```(\w*)\s*$")


class Part(NamedTuple):
    """A stretch of lines: `tree` says whether it is the snapshot itself."""

    tree: bool
    lines: list[str]


def parts(lines: list[str]) -> list[Part]:
    """The response cut into what is said around and what is in a fenced snapshot."""
    found: list[Part] = []
    current: list[str] = []
    at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at]) if "```" in lines[at] else None
        current.append(lines[at])
        at += 1
        if fence is None or fence[1] not in ("yaml", "yml", "aria"):
            continue
        found.append(Part(tree=False, lines=current))
        start = at
        while at < len(lines) and not _is_fence(lines[at]):
            at += 1
        found.append(Part(tree=True, lines=lines[start:at]))
        current = []
    found.append(Part(tree=False, lines=current))
    return found


def _is_fence(line: str) -> bool:
    return "```" in line and line.lstrip().startswith("```")


def around(lines: list[str], level: Level, room: int) -> list[str]:
    """The lines around a snapshot: without colours, with repeated log lines counted once."""
    out: list[str] = []
    section = ""
    block: list[str] | None = None
    log: dict[str, int] | None = None
    for raw in lines:
        line = _COLOUR.sub("", raw) if "[" in raw else raw
        if line.startswith("### "):
            section = line[4:].lower()
        if log is not None and (not line.strip() or line.startswith("#")):
            _close(out, log)
            log = None
        if log is not None:
            log[line.rstrip()] = log.get(line.rstrip(), 0) + 1
        elif section.startswith("ran ") and "code" in section and level != "low":
            block = _fold_code(out, line, block)
        elif line.strip() == "Call log:":
            out.append(line)
            log = {}
        elif not (_quiet(section, level) and line.startswith("-") and not _LOUD.search(line)):
            out.append(line)
    _close(out, log or {})
    if level == "low":
        return out
    return [gist(line, max(room // 2, 1_000)) for line in _without_gaps(out)]


def _quiet(section: str, level: Level) -> bool:
    return level == "high" and ("console" in section or section.startswith("event"))


def _fold_code(out: list[str], line: str, block: list[str] | None) -> list[str] | None:
    """Keep the first line of a block of code and say how many more there were."""
    if FENCE.match(line):
        if block is None:
            return []
        if len(block) > 1:
            out.append(f"… {len(block) - 1} more lines of code")
        return None
    if block is None or not block:
        out.append(gist(line, 300))
    if block is not None and (block or line.strip()):
        block.append(line)
    return block


def _close(out: list[str], log: dict[str, int]) -> None:
    out.extend(line if count == 1 else f"{line} ×{count}" for line, count in log.items())


def _without_gaps(lines: list[str]) -> list[str]:
    return [
        line
        for index, line in enumerate(lines)
        if line.strip() or (index + 1 < len(lines) and lines[index + 1].startswith("- Page"))
    ]
