"""Source code: what is defined, imported, named and flagged stays; long bodies are folded.

Line numbers printed before the code are kept with their lines. Never reformats code: each line
shown is a line of the input, and what is left out is counted where it stood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from director.context.shapes import log
from director.context.shapes.prose import clip
from director.context.values import Level

_NUMBERED = re.compile(r"\s{0,8}\d{1,7}(?:\t|→|: |\| ?|  )")
_DEFINES = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub"
    r"(?:\(\w+\))?|unsafe|override|virtual|inline|extern|declare|const|open|data|sealed)\s+){0,6}"
    r"(?:def|class|function\*?|func|fn|interface|struct|enum|trait|impl|type|namespace|module|package"
    r"|object|fun|sub|record|union|macro_rules!|template|CREATE|create)\b"
)
_SIGNED = re.compile(
    r"\s{0,8}[\w<>\[\],:*&~ ]{2,80}\([^;{}]{0,200}\)\s*(?:const\s*)?(?:throws .*)?\{$"
)
_ARROW = re.compile(
    r"\s*(?:export\s+)?(?:const|let|var)\s+\w+\s*(?::[^=]{1,80})?=\s*(?:async\s*)?\("
)
_IMPORTS = re.compile(
    r"\s*(?:import\b|from \S+ import\b|#include\b|use [\w:]+|using \w|require\b"
    r"|(?:const|let|var) .{1,80}= require\(|package \w|extern crate|@import|load\()"
)
_FLAGGED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK|BUG|NOTE|WARNING|DEPRECATED|SAFETY)\b")
_FAILS = re.compile(r"\b(?:raise|throw|panic!?|unwrap|assert|abort|reject|errors?\.New|Errorf)\b")
_NAMED = re.compile(
    r"\s*(?:export |pub |static |final |const |let |var )*[A-Z][A-Z0-9_]{2,}\b[^=]{0,60}="
)
_QUOTED = re.compile(r"[\"'`][^\"'`\n]{5,}[\"'`]|https?://")
_DECORATES = re.compile(r"\s*(?:@\w|#\[\w)")
_LOOKS = re.compile(
    r".*[;{}]$|\s*[)\]}]+[,;)]*$|\s*(?:if|for|while|return|else|elif|try|except|catch|switch|case|with"
    r"|let|const|var|self\.\w+ =|this\.\w)\b.*[:;{(\[,)=]|\s*(?://|/\*|\* )|\s*#(?!#|\s*\w+:)\s?\w"
    r"|\s*[\w.\[\]]+\s*(?::\s*\w[\w\[\], |.]*)?(?:[-+*/|]?=)\s*\S|\s*[\w.]+\(.*\)[,:]?$"
)
_CONTROLS = re.compile(r"\s*(?:\}\s*)?(?:if|for|while|switch|catch|else|do|try|return|match)\b")
_CLOSES = re.compile(r"\s*[)\]}]+[,;)]*$")
_TAG = re.compile(r"\s*</?[a-zA-Z!]")


def recognise(text: str) -> bool:
    """Whether most lines read as source code, numbered or not, and something is defined."""
    bare = (_bare(line)[:400] for line in text[:40_000].split("\n"))
    lines = [line.rstrip() for line in bare if line.strip()][:300]
    if len(lines) < 5 or sum(1 for line in lines if _TAG.match(line)) * 3 > len(lines):
        return False
    defined = sum(1 for line in lines if _is_head(line))
    looking = sum(1 for line in lines if _is_head(line) or _LOOKS.match(line))
    return defined >= 1 and looking * 2 >= len(lines)


def render(text: str, level: Level, room: int) -> str:
    """The code at a level, in about `room` characters from "medium" on."""
    if level == "none":
        return text
    lines = [line.rstrip() for line in text.split("\n")]
    compact = "\n".join(lines)
    if level != "low" and len(compact) > room:
        wide = max(160, room // 4)
        shown = [line if len(line) <= wide else clip(line, wide) for line in lines]
        compact = log.fit(shown, _ranks(lines), level, room, _describe_gap)
    return compact if len(compact) < len(text) else text


def _describe_gap(start: int, end: int) -> str:
    return f"… {end - start} line{'s' if end - start > 1 else ''}"


def _bare(line: str) -> str:
    """The line without a number printed before it."""
    found = _NUMBERED.match(line)
    return line[found.end() :] if found else line


def _is_head(line: str) -> bool:
    return any(kind.match(line) for kind in (_DEFINES, _ARROW, _IMPORTS)) or (
        line.endswith("{") and not _CONTROLS.match(line) and _SIGNED.match(line) is not None
    )


def _ranks(lines: Sequence[str]) -> list[int]:
    """Signatures first, then names and flags, then imports, failures and strings, then bodies."""
    ranks: list[int] = []
    # A signature may run over several lines, until its bracket closes.
    unclosed = 0
    quoted = ""
    for line in lines:
        bare = _bare(line)[:600]
        inside, quoted = quoted, _still_quoted(bare, quoted)
        rank = _rank(bare) if not inside else 6
        if unclosed > 0 and not inside:
            rank = 0
            unclosed = unclosed - 1 if bare.count(")") <= bare.count("(") else 0
        elif rank == 0 and bare.count("(") > bare.count(")"):
            unclosed = 20
        ranks.append(rank)
    return ranks


def _still_quoted(line: str, quote: str) -> str:
    """The triple quote that is open at the end of the line, if any."""
    for mark in (quote,) if quote else ('"""', "'''"):
        if mark in line and line.count(mark) % 2:
            return "" if quote else mark
    return quote


def _rank(line: str) -> int:
    if not line.strip() or _CLOSES.match(line):
        return 8
    if _is_head(line):
        return 2 if _IMPORTS.match(line) else 0
    if _FLAGGED.search(line) or _NAMED.match(line):
        return 1
    if _FAILS.search(line):
        return 3
    return 4 if _DECORATES.match(line) or _QUOTED.search(line) else 5
