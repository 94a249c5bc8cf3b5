"""The rows that a selector would match if it did not skip some by their place alone.

`tr:not(:first-child)`, `tr:nth-child(2n)` and `tr + tr` leave out rows that nothing but their place
tells from the others. A class or an attribute is a choice and stays, and so does a place that picks
some rows: `tr:first-child`, `tr:nth-child(-n+5)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from director.workflow.values import Json

_TEXT = r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'"
_GROUP = rf"\((?:{_TEXT}|\\.|[^()\"'\\])*\)"
_GROUP = rf"\((?:{_TEXT}|\\.|[^()\"'\\]|{_GROUP})*\)"
_COMPOUND = rf"(?:{_TEXT}|\\.|\[(?:{_TEXT}|[^\]\"'])*\]|{_GROUP}|[^\s>+~,()\[\]\"'\\])+"
_TOKEN = re.compile(rf"\s*(?P<sign>[>+~,])\s*|(?P<gap>\s+)|(?P<compound>{_COMPOUND})")
_NTH = r":nth-(?:last-)?(?:child|of-type)"
_REST = r"\s*(?:[+-]\s*\d+\s*)?"
_PICK = (
    r":(?:first|last)-(?:child|of-type)|"
    rf"{_NTH}\(\s*(?:\+?\d+\s*|-\d*n\s*\+\s*\d+\s*)\)"
)
_ALTERNATE = rf"{_NTH}\(\s*(?:even\s*|odd\s*|\+?(?:[2-9]|\d\d+)n{_REST})\)"
_ONWARD = rf"{_NTH}\(\s*\+?1?n{_REST}\)"
_LEFT_OUT = rf"[\w*-]*(?:{_PICK}|{_ALTERNATE})"
_SKIPS = rf"{_ALTERNATE}|{_ONWARD}|:not\(\s*{_LEFT_OUT}(?:\s*,\s*{_LEFT_OUT})*\s*\)"
# What stands in other parentheses or in quotes is left as it is.
_PART = re.compile(
    rf"(?P<skips>{_SKIPS}|:visible\b)|:[\w-]+{_GROUP}|\[(?:{_TEXT}|[^\]\"'])*\]", re.IGNORECASE
)
_PICKED = re.compile(
    rf"(?P<picks>{_PICK})|:[\w-]+{_GROUP}|\[(?:{_TEXT}|[^\]\"'])*\]", re.IGNORECASE
)
_PICKS = re.compile(_PICK, re.IGNORECASE)


def drop_picks(selector: Json) -> str:
    """The CSS of a selector without what picks by place; "" if nothing in it does."""
    css = _read_css(selector)
    rest = _PICKED.sub(lambda part: "" if part["picks"] else part[0], css)
    return rest if rest != css and not re.search(r"(?:^|[\s>+~,])(?:$|[>+~,])", rest) else ""


def _read_css(selector: Json) -> str:
    if isinstance(selector, Mapping):
        selector = selector.get("css") if set(selector) == {"css"} else None
    return selector.strip() if isinstance(selector, str) else ""


def widen_positions(selector: Json) -> str:
    """The CSS of a selector without what skips rows by their place; "" if nothing in it does."""
    css = _read_css(selector)
    tokens = list(_TOKEN.finditer(css))
    if "".join(token[0] for token in tokens) != css:
        return ""
    chain: list[tuple[str, str]] = []
    sign, skips = "", False
    for token in tokens:
        if token["compound"] is None:
            sign = token["sign"] or " "
            continue
        wide = _PART.sub(lambda part: "" if part["skips"] else part[0], token["compound"]) or "*"
        skips = skips or wide != token["compound"]
        if chain and _is_among_siblings(chain[-1][1], sign, wide):
            sign, skips = chain.pop()[0], True
        chain.append((sign, wide))
    return "".join(f"{sign}{wide}" for sign, wide in chain) if skips else ""


def _is_among_siblings(left: str, sign: str, right: str) -> bool:
    """Whether `left + right` says no more of the right one than that it is not the first."""
    if sign == "~":
        left = _PICKS.sub("", left) or "*"
    tag = re.match(r"[\w-]*", right)
    return sign in ("+", "~") and left in ("*", right, tag and tag[0])
