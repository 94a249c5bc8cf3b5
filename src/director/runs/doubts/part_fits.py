"""An item that was left out because its name is a part of another's: "Adler" in "Blumen Adler".

Texts only. A text is the wanted one if nothing else is in it but a number before or after it, the
name of the field before it, or other values that would have been entered beside it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from director.runs.doubts.doubt import Doubt
from director.workflow.values import Json

_SHOWN = 3
_ITEMS = 50
_BEFORE = re.compile(
    r"^(?:[#№]\s*\d+|\d+\s*[.:)\u2013\u2014-]|[^\W\d_][^:]{0,40}:(?=\s))\s*[:.\u2013\u2014-]?\s*"
)
_AFTER = re.compile(r"\s*(?:\(\s*#?\d+\s*\)|\[\s*#?\d+\s*\]|#\d+)$")
_CUT = re.compile(r"(?:\u2026|\.\.\.)$")
_LEAST = 4  # letters of a text that the page cuts off


def find_part_fits(wanted: str, texts: Sequence[str], entered: Sequence[str]) -> tuple[str, ...]:
    """The texts that a wanted one is only a part of; none if one of them is the wanted one.

    `entered` is all that would have been entered of the item.
    """
    asked = normalize_item_text(wanted)
    known = {text: normalize_item_text(text) for text in texts}
    others = [normalize_item_text(text) for text in entered]
    if any(_is_whole(asked, text, others) for text in known.values()):
        return ()
    longer = [text for text, said in known.items() if asked in said]
    return tuple(sorted(longer, key=len)[:_SHOWN])


def normalize_item_text(text: str) -> str:
    """A text without case, marks and signs around it, with single blanks."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.split()).strip("\"'\u201c\u201d\u201e\u00ab\u00bb.,;:!?*\u2022 \u00b7")


def _is_whole(wanted: str, text: str, entered: Sequence[str]) -> bool:
    bare = _AFTER.sub("", _BEFORE.sub("", text))
    if wanted in (text, bare, normalize_item_text(bare)):
        return True
    if _CUT.search(text) and len(stem := _CUT.sub("", text).strip()) >= _LEAST:
        return wanted.startswith(stem)
    if not _cut_out(wanted, text)[1]:
        return False
    left = text
    for each in sorted({wanted, *entered}, key=len, reverse=True):
        left, _ = _cut_out(each, left)
    return not any(map(str.isalnum, left))


def _cut_out(part: str, text: str) -> tuple[str, int]:
    """A text without a part that stands in it as words, and how often it did."""
    before, after = (
        (r"(?<!\w)" if part[:1].isalnum() else ""),
        (r"(?!\w)" if part[-1:].isalnum() else ""),
    )
    return re.subn(f"{before}{re.escape(part)}{after}", " ", text) if part else (text, 0)


def make_part_sentence(alias: str, wanted: str, look: str, fits: Sequence[str]) -> str:
    """What is said of one item that was left out."""
    named = " and ".join(repr(text) for text in fits[:2])
    return (
        f"{alias} left {wanted!r} out, and {look or 'what it compared'} has it only as a part of "
        f"{named}: it may not be there. Compare the whole text, such as "
        "{{current.name}} in a list of what the cells show."
    )


def make_none_sentence(alias: str, wanted: str, look: str, found: Sequence[str]) -> str:
    """What is said of one item that was left out for something that shows nothing of it."""
    named = ", ".join(repr(text) for text in found[:2])
    return (
        f"{alias} left {wanted!r} out, and what {look} found shows nothing of it ({named}): it may "
        "not be there. Compare the whole text, such as {{current.name}} in a list of what the "
        "cells show."
    )


def join_part_doubts(known: Doubt, more: Doubt) -> Doubt:
    """Doubts about several items that one node left out, as one."""
    items = [*cast("Sequence[Json]", known.evidence.get("items") or [_item_of(known)])]
    items = [*items, _item_of(more)][:_ITEMS]
    names = [str(each["looked_for"]) for each in items if isinstance(each, Mapping)]
    first = known.sentence.partition(" The same holds for ")[0]
    told = ", ".join(map(repr, names[1 : _SHOWN + 1])) + (", …" if len(names) > _SHOWN + 1 else "")
    said = f"{first} The same holds for {len(names) - 1} more: {told}."
    return replace(known, sentence=said, evidence={**known.evidence, "items": items})


def _item_of(doubt: Doubt) -> Json:
    return {name: doubt.evidence.get(name) for name in ("looked_for", "fits", "step")}
