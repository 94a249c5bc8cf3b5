"""Values inside CSS: each is escaped for the place in which it stands.

Inside quotes a value stays a text, elsewhere it stays one name or the number of `:nth-…()`. No
value ends a quoted text, begins another selector or adds a part to one. An exported script carries
these functions as they are.
"""

from __future__ import annotations

import re

# Quotes and backslashes, what no selector may hold (`>>`, a backtick, a comment), control signs.
_UNQUOTED = re.compile(r"""["'`\\<>*{}\x00-\x1f\x7f]|/$""")
_NO_NAME = re.compile(r"[^\w\u0080-\U0010ffff-]", re.ASCII)
_NTH = re.compile(r":nth-[a-z-]+\(\s*$", re.IGNORECASE)
_STEP = re.compile(r"odd|even|[+-]?\d*n\s*(?:[+-]\s*\d+)?|[+-]?\d+")


def find_css_place(before: str) -> str:
    """What a value is that follows a part of a selector; nothing if it follows a backslash."""
    quote, at = "", 0
    while at < len(before):
        sign = before[at]
        if sign == "\\":
            at += 1
            if at == len(before):
                return ""
        elif sign in "\"'" and quote in ("", sign):
            quote = "" if quote else sign
        at += 1
    if quote:
        return "quoted"
    if _NTH.search(before):
        return "nth"
    return "start" if _NO_NAME.fullmatch(before[-1:] or " ") else "name"


def escape_css(said: str, place: str) -> str:
    """A value as it is written in a selector at such a place."""
    if place == "quoted":
        return _UNQUOTED.sub(_escape_sign, said)
    if place == "nth" and _STEP.fullmatch(said):
        return said
    written = _NO_NAME.sub(_escape_sign, said)
    begins = re.match(r"\d|-(?=\d|$)", said) if place != "name" else None
    return f"\\{ord(said[0]):x} {written[1:]}" if begins else written


def _escape_sign(found: re.Match[str]) -> str:
    return f"\\{ord(found[0]):x} "
