"""Markdown as blocks that may not be torn, and as sections. Pure; every character is accounted for.

A cut is only ever made between two blocks. Where readers of Markdown differ (is an indented fence
a fence?), a place counts as a boundary only if it is one to all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)")
_STRICT = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_FIELD = re.compile(r"\*\*([^*\n]+?):\*\*[ \t]*(.*)")


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A stretch of a text that stays whole: from character `start` to `end`."""

    start: int
    end: int
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside of fences: its level, its words, where its line is and ends."""

    level: int
    words: str
    start: int
    end: int


def parse_markdown_blocks(text: str) -> list[MarkdownBlock]:
    """The text as blocks, one behind the other, none left out.

    Fences, tables, lists, quotes, comments and frontmatter are one block each; blank lines belong
    to the block ahead of them.
    """
    found: list[MarkdownBlock] = []
    start, kind, blank = 0, "", False
    for line, at, closed in _lines(text):
        now = _kind(line)
        if now == "blank":
            blank = True
            continue
        if closed and at > start and _begins_block(kind, now, blank=blank):
            found.append(MarkdownBlock(start, at, kind == "heading"))
            start, kind = at, now
        # A list that follows its introduction makes one block with it.
        kind = now if closed and kind != "list" and now != "indented" else kind
        blank = False
    if start < len(text):
        found.append(MarkdownBlock(start, len(text), kind == "heading"))
    return found


@lru_cache(64)
def list_markdown_headings(text: str) -> tuple[Heading, ...]:
    """The headings of a text, in order; what stands in a fence or a comment is none."""
    return tuple(
        Heading(len(found[1]), (found[2] or "").strip(), at, at + len(line))
        for line, at, closed in _lines(text)
        if closed and "#" in line and (found := _HEADING.match(_bare(line)))
    )


def find_markdown_part(text: str, words: str, level: int = 2) -> tuple[int, int] | None:
    """Where the section under a heading stands, without the heading; None if there is none."""
    wanted = words.casefold()
    there = list_markdown_headings(text)
    for place, heading in enumerate(there):
        if heading.level == level and heading.words.casefold().rstrip(":") == wanted:
            ends = (one.start for one in there[place + 1 :] if one.level <= level)
            return heading.end, next(ends, len(text))
    return None


def read_markdown_section(text: str, words: str, level: int = 2) -> str:
    """The text under a heading, or nothing."""
    found = find_markdown_part(text, words, level)
    return text[found[0] : found[1]] if found else ""


def read_markdown_title(text: str) -> str:
    """The words of the first heading of the first level, or nothing."""
    return next((one.words for one in list_markdown_headings(text) if one.level == 1), "")


def read_markdown_fields(text: str) -> dict[str, str]:
    """The `**Name:** value` lines of a text, by the name in lower case; the first one wins."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if match := _FIELD.match(line.strip().removeprefix("- ")):
            found.setdefault(match[1].strip().casefold(), match[2].strip())
    return found


def _lines(text: str) -> Iterator[tuple[str, int, bool]]:
    """Each line, where it begins, and whether it begins outside of everything that is open."""
    front = find_frontmatter_end(text)
    loose = strict = ""
    comment = False
    at = 0
    for line in _LINE.findall(text):
        closed = not loose and not strict and not comment and (at == 0 or at >= front)
        yield line, at, closed
        inside = bool(loose or strict)
        # Most lines of a long file can open and close nothing.
        if "```" in line or "~~~" in line:
            bare = _bare(line)
            loose, strict = _fence(bare, loose, _FENCE), _fence(bare, strict, _STRICT)
        if not inside and (comment or "<!--" in line):
            comment = _comment(line, comment=comment)
        at += len(line)


def find_markdown_fences(text: str) -> list[tuple[int, int]]:
    """The lines that are in a fence, or open or close one, to any reader of Markdown."""
    found: list[tuple[int, int]] = []
    loose = strict = ""
    at = 0
    for line in _LINE.findall(text):
        inside = loose or strict
        loose, strict = _fence(_bare(line), loose, _FENCE), _fence(_bare(line), strict, _STRICT)
        if inside or loose or strict:
            found.append((at, at + len(line)))
        at += len(line)
    return found


def find_frontmatter_end(text: str) -> int:
    """Where the frontmatter of a text ends; 0 without any."""
    found = re.match(r"\ufeff?---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", text)
    return found.end() if found else 0


def _fence(line: str, fence: str, form: re.Pattern[str]) -> str:
    """The fence that is open behind a line, or nothing."""
    found = form.match(line)
    if not fence:
        opens = found and not (found[1][0] == "`" and "`" in found[2])
        return found[1] if found and opens else ""
    closes = found and found[1].startswith(fence) and not found[2].strip()
    return "" if closes else fence


def _comment(line: str, *, comment: bool) -> bool:
    """Whether a comment is open behind a line."""
    return line.rfind("<!--") > line.rfind("-->") or (comment and "-->" not in line)


def _bare(line: str) -> str:
    """A line without its end, and without the mark that some editors put ahead of a file."""
    return line.rstrip("\r\n").removeprefix("\ufeff")


def _kind(line: str) -> str:
    bare = _bare(line).strip()
    if not bare:
        return "blank"
    if _HEADING.match(_bare(line)):
        return "heading"
    if _ITEM.match(line):
        return "list"
    if bare.startswith("|") or (bare.count("|") > 1):
        return "table"
    if bare.startswith(">"):
        return "quote"
    return "indented" if line.startswith((" ", "\t")) else "text"


def _begins_block(kind: str, now: str, *, blank: bool) -> bool:
    """Whether a new block begins here, given the block so far and a blank line between."""
    if "heading" in (now, kind):
        return True
    if kind == "list":
        return blank and now not in ("list", "indented")
    return blank and now != "indented"
