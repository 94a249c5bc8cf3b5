"""Unified diffs: what changed stays, what surrounds it goes first.

Hunks of lock files and generated files are told by their size. Never shows a changed line as
unchanged, and never drops the name of a changed file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from director.context.shapes import log
from director.context.shapes.prose import clip, tidy
from director.context.values import Level

_MADE = re.compile(
    r"(?:^|[/\s])(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock"
    r"|uv\.lock|Pipfile\.lock|Cargo\.lock|Gemfile\.lock|composer\.lock|go\.sum|flake\.lock)"
    r"|\.min\.(?:js|css)|\.map\b|\.snap\b|_pb2\.py|\.pb\.go|/(?:dist|vendor|node_modules|generated)/"
)
_DEFINES = re.compile(
    r"[+-]\s*(?:export |public |private |static |async |pub )*(?:def|class|fn|func|function|import"
    r"|from|interface|struct|type|const|enum)\b"
)


def recognise(text: str) -> bool:
    """Whether the text holds a hunk of a unified diff."""
    head = text[:40_000]
    hunk = re.search(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", head, re.MULTILINE)
    named = re.search(r"^(?:diff --git |--- \S)", head, re.MULTILINE)
    return hunk is not None and named is not None


def render(text: str, level: Level, room: int) -> str:
    """The diff at a level, in about `room` characters from "medium" on."""
    if level == "none":
        return text
    lines = _drop_repeated_headers(_clean(text))
    compact = "\n".join(lines)
    if level != "low" and len(compact) > room:
        told = [line for line in lines if not line.startswith(("index ", "similarity "))]
        compact = _reduce(told, level, room)
    return compact if len(compact) < len(text) else text


def _clean(text: str) -> list[str]:
    """The lines without escape codes; blanks at the end of a changed line may be the change."""
    plain = tidy(text) if "\x1b" in text else text
    lines = plain.split("\n")
    return [line if line[:1] in "+-" else line.rstrip() for line in lines]


def _drop_repeated_headers(lines: Sequence[str]) -> list[str]:
    """The lines without a `diff --git` that the two lines naming the file repeat."""
    shown: list[str] = []
    for at, line in enumerate(lines):
        if line.startswith("diff --git a/"):
            below = lines[at + 1 : at + 6]
            old = next((each[6:] for each in below if each.startswith("--- a/")), None)
            new = next((each[6:] for each in below if each.startswith("+++ b/")), None)
            if old and new and line == f"diff --git a/{old} b/{new}":
                continue
        shown.append(line)
    return shown


def _reduce(lines: Sequence[str], level: Level, room: int) -> str:
    ranks, made = _ranks(lines)
    wide = max(160, room // 4)
    shown = [line if len(line) <= wide else clip(line, wide) for line in lines]

    def label(start: int, end: int) -> str:
        gone = lines[start:end]
        plus = sum(1 for line in gone if line.startswith("+"))
        minus = sum(1 for line in gone if line.startswith("-"))
        if not plus and not minus:
            return f" … {end - start} unchanged"
        what = "generated lines" if made[start] and made[end - 1] else "lines"
        return f" … {end - start} {what} (+{plus} -{minus})"

    changed = sum(len(s) + 1 for s, rank in zip(shown, ranks, strict=True) if rank <= 3)
    # Changes are what a diff is for: at medium they may pass the wish, if not by much.
    wanted = max(room, min(changed + changed // 8, room * 3 // 2)) if level == "medium" else room
    text = log.fit(shown, ranks, level, wanted, label)
    return clip(text, room) if level == "high" else text


def _ranks(lines: Sequence[str]) -> tuple[list[int], list[bool]]:
    """Names 0, hunk heads 1, changes 2 and 3, context by its distance; made files never."""
    ranks: list[int] = []
    flags: list[bool] = []
    made = inside = False
    for at, line in enumerate(lines):
        # Within a hunk "--- x" may be a removed line: it names a file only before a "+++ ".
        old = (
            line.startswith("--- ") and lines[at + 1 : at + 2] and lines[at + 1].startswith("+++ ")
        )
        if old or line.startswith(("diff ", "Index: ")) or (not inside and line.startswith("+++ ")):
            made = (made and line == "+++ /dev/null") or _MADE.search(line) is not None
            inside = False
        elif line.startswith("@@"):
            inside = True
        flags.append(made and inside)
        ranks.append(log.NEVER if made and inside else _rank(line) if inside else 0)
    _context(lines, ranks)
    return ranks, flags


def _rank(line: str) -> int:
    if line.startswith("@@"):
        return 1
    if line.startswith(("… ", " … ")):
        return 0
    if line[:1] in ("+", "-"):
        if not line[1:].strip():
            return 4
        return 2 if _DEFINES.match(line) or log.BAD.search(line[:400]) else 3
    return 8


def _context(lines: Sequence[str], ranks: list[int]) -> None:
    """A line of context beside a change outlives the others."""
    changed = [rank in (2, 3) for rank in ranks]
    for at in range(len(lines)):
        if ranks[at] == 8 and (changed[max(0, at - 1)] or changed[min(len(lines) - 1, at + 1)]):
            ranks[at] = 5
