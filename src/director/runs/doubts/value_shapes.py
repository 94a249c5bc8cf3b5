"""The shape of a text: a number and how it is written, an amount and its currency, a date, a link.

A shape is told only where there is no doubt: "1,234" alone may be one thousand or one and a bit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_CODES = "USD|EUR|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|CAD|AUD|INR|CNY|BRL|ZAR"
_CURRENCY = rf"[€$£¥₹₽₩₺₴₿]|(?:{_CODES})\b|(?:kr|zł|Fr)\b\.?"
_SPACE = "\u00a0\u202f "
_AMOUNT = re.compile(
    rf"^[-+\u2212]?\s*({_CURRENCY})?\s*[-+\u2212]?\s*([\d.,'\u2019{_SPACE}]*\d)\s*({_CURRENCY})?$"
)
_POINT = re.compile(
    r"^(?:\d{1,3}(?:[,'\u2019]\d{3})+\.\d+|\d+\.(?:\d{1,2}|\d{4,})|\d{1,3}(?:,\d{3}){2,})$"
)
_COMMA = re.compile(
    rf"^(?:\d{{1,3}}(?:[.'\u2019{_SPACE}]\d{{3}})+,\d+|\d+,(?:\d{{1,2}}|\d{{4,}})|\d{{1,3}}(?:\.\d{{3}}){{2,}})$"
)
_NUMBER = re.compile(r"^\d+$|^\d{1,3}(?:[.,'\u2019\u00a0\u202f ]\d{3})+$")
_DATES = {
    "year-month-day": re.compile(r"^\d{4}-\d{1,2}-\d{1,2}(?:[T ].*)?$"),
    "day.month.year": re.compile(r"^\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}(?: .*)?$"),
    "with slashes": re.compile(r"^\d{1,2}/\d{1,2}/\d{2,4}(?:,? .*)?$"),
    "with a month's name": re.compile(
        r"^(?:\d{1,2}\.?\s)?[^\W\d]{3,9}\.?\s(?:\d{1,2},?\s)?\d{4}(?:,? .*)?$"
    ),
}
# What a number is dressed in: a currency, a percent sign, a unit, thousands as a letter.
_DRESS = re.compile(
    rf"^[-+\u2212(]?\s*({_CURRENCY})?\s*[-+\u2212]?\s*([\d.,'\u2019{_SPACE}]*\d)\s*"
    rf"({_CURRENCY}|[%\u2030kKM]|kg|g|km|cm|mm|m|lb|oz|\u00b0[CF])?\)?$"
)
_GROUPED = re.compile(r"^\d{1,3}([.,'\u2019\u00a0\u202f ])\d{3}(?:\1\d{3})*(?!\d)")
# Numbers with decimals and dates amid a text; what goes on with digits is neither.
_INSIDE = re.compile(
    r"(?<![\d.,])\d{1,3}(?:[.,'\u2019\u00a0\u202f]?\d{3})*([.,])\d{1,2}(?![\d]|[.,]\d)"
)
_DATES_INSIDE = {
    "year-month-day": re.compile(r"(?<!\d)\d{4}-\d{1,2}-\d{1,2}(?!\d)"),
    "day.month.year": re.compile(r"(?<!\d)\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}(?!\d)"),
    "with slashes": re.compile(r"(?<!\d)\d{1,2}/\d{1,2}/\d{2,4}(?!\d)"),
}
_LINK = re.compile(r"^(?:https?://|/)\S+$")
_MAIL = re.compile(r"^[^\s@]+@[^\s@]+\.[^\s@]+$")
_SEVERAL = 3
_ENDS = ("…", "...")


@dataclass(frozen=True, slots=True)
class TextShape:
    """What a text is: `kind` number, date, link, address or text; `form` how it is written."""

    kind: str
    form: str = ""
    currency: str = ""


def compute_value_shape(text: str) -> TextShape:
    """The shape of a text that is not blank."""
    said = " ".join(text.split())
    for form, pattern in _DATES.items():
        if pattern.match(said):
            return TextShape("date", _slashes(said) if form == "with slashes" else form)
    amount = _AMOUNT.match(said)
    if amount:
        digits = amount[2].strip()
        currency = (amount[1] or amount[3] or "").strip(".")
        if _POINT.match(digits):
            return TextShape("number", "point", currency)
        if _COMMA.match(digits):
            return TextShape("number", "comma", currency)
        if _NUMBER.match(digits):
            return TextShape("number", "", currency)
    if _LINK.match(said):
        return TextShape("link")
    return TextShape("address" if _MAIL.match(said) else "text")


def _slashes(text: str) -> str:
    first, second = (int(part) for part in text.split("/")[:2])
    if first > 12:
        return "day/month/year"
    return "month/day/year" if second > 12 else "with slashes"


@dataclass(frozen=True, slots=True)
class ColumnShape:
    """What the values of one field look like together."""

    values: int
    blank: int
    different: int
    kinds: Counter[str]
    forms: Counter[str]
    currencies: frozenset[str]
    cut: int
    example: dict[str, str]
    dress: str | None = None
    gap: str | None = None
    inside: str | None = None

    @property
    def kind(self) -> str:
        """The kind of nearly all values, or nothing."""
        return _most(self.kinds, self.values)


def compute_column_value_shape(texts: Sequence[str]) -> ColumnShape:
    """The shape of the values of one field."""
    said = [text for text in texts if text]
    shapes = [compute_value_shape(text) for text in said]
    forms = Counter(f"{each.kind} {each.form}" for each in shapes if each.form)
    example = {
        f"{s.kind} {s.form}": text for text, s in reversed(list(zip(said, shapes, strict=True)))
    }
    return ColumnShape(
        len(said),
        len(texts) - len(said),
        len(set(said)),
        Counter(each.kind for each in shapes),
        forms,
        frozenset(each.currency for each in shapes if each.currency),
        sum(text.endswith(_ENDS) and len(text) > 8 for text in said),
        example,
        _find_common([_read_dress(text) for text in said]),
        _find_common([gap for gap in map(_read_gap, said) if gap]),
        _find_common([_read_inside(text) for text in said]),
    )


def _read_dress(text: str) -> str | None:
    """What stands before and after the digits of a number: "€ #", "#%"; None if it is none."""
    found = _DRESS.match(" ".join(text.split()))
    return f"{found[1] or ''}#{found[3] or ''}" if found else None


def _read_gap(text: str) -> str | None:
    """What parts the thousands of a number of four digits or more; "none" if nothing does."""
    found = _DRESS.match(" ".join(text.split()))
    digits = found[2].strip() if found else ""
    grouped = _GROUPED.match(digits)
    if grouped:
        return grouped[1]
    return "none" if re.match(r"\d{4,}(?!\d)", digits) else None


def _read_inside(text: str) -> str | None:
    """How the numbers or the dates amid a text are written, if all in one way; else None."""
    if compute_value_shape(text).kind != "text":
        return None
    dates = {form for form, pattern in _DATES_INSIDE.items() if pattern.search(text)}
    signs = {f"numbers with {sign!r}" for sign in _INSIDE.findall(text)}
    found = {f"dates {form}" for form in dates} or signs
    return found.pop() if len(found) == 1 else None


def _find_common(found: Sequence[str | None]) -> str | None:
    """What nearly all of several are, or None."""
    if len(found) < _SEVERAL:
        return None
    value, count = Counter(found).most_common(1)[0]
    return value if count >= 0.9 * len(found) else None


def _most(counts: Counter[str], total: int) -> str:
    if not total:
        return ""
    name, count = counts.most_common(1)[0]
    return name if count >= 0.9 * total else ""
