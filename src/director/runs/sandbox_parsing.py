"""Numbers, money and dates as people write them, for the code of transform and route.

This file is given to the sandbox and written into exported scripts as it stands, so it uses only
what both have. What can be read in two ways is refused with the argument that settles it: a value
that is guessed wrong would be wrong without anybody noticing.
"""

import datetime as dt
import re

_NUMBER = (
    r"(?:(?<![\w.,])[-+−(]\s*)?"
    r"(?:\d{1,3}(?:[ '’]\d{3}(?!\d))+(?:[.,]\d+)?|\d[\d.,]*|(?<!\w)[.,]\d+)"
)
_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "zł": "PLN"}
_MONTHS = {
    "jan": 1, "january": 1, "januar": 1, "janvier": 1, "enero": 1, "gennaio": 1, "jän": 1,
    "feb": 2, "february": 2, "februar": 2, "février": 2, "fevrier": 2, "febrero": 2, "febbraio": 2,
    "mar": 3, "march": 3, "märz": 3, "maerz": 3, "mär": 3, "mrz": 3, "mars": 3, "marzo": 3,
    "apr": 4, "april": 4, "avril": 4, "abril": 4, "aprile": 4,
    "may": 5, "mai": 5, "mayo": 5, "maggio": 5,
    "jun": 6, "june": 6, "juni": 6, "juin": 6, "junio": 6, "giugno": 6,
    "jul": 7, "july": 7, "juli": 7, "juillet": 7, "julio": 7, "luglio": 7,
    "aug": 8, "august": 8, "août": 8, "aout": 8, "agosto": 8,
    "sep": 9, "sept": 9, "september": 9, "septembre": 9, "septiembre": 9, "settembre": 9,
    "oct": 10, "okt": 10, "october": 10, "oktober": 10, "octobre": 10, "octubre": 10, "ottobre": 10,
    "nov": 11, "november": 11, "novembre": 11, "noviembre": 11,
    "dec": 12, "dez": 12, "december": 12, "dezember": 12, "décembre": 12, "diciembre": 12,
    "dicembre": 12,
}  # fmt: skip
# What is no part of a date: a time of day with what follows it, and an offset.
_TIME = (
    r"(?i)(?<!\d)\d{1,2}(?::\d{2}){1,2}(?:[.,]\d+)?(?:\s*[ap]\.?\s?m\b\.?)?"
    r"(?:\s*[-+][01]\d:?[0-5]\d(?!\d))?"
    r"|(?<!\d)\d{1,2}(?:\.\d{2})?\s*[ap]\.?\s?m\b\.?"
    r"|(?<!\d)\d{1,2}\s?(?:h(?:[0-5]\d)?|hrs?|uhr)\b"
    r"|\b(?:gmt|utc)\s?[-+]\d{1,2}(?::?\d{2})?"
)


def parse_number(text: object, decimal: str | None = None) -> float:
    """The number in a text: "1.234,50", "1,234.50", "1 234,5", "(12.00)" and "-3" are read.

    `decimal` is "." or ","; it is needed only where a text such as "1,234" could mean two numbers.
    """
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        return text
    said = str(text).replace("\u00a0", " ").replace("\u202f", " ").strip()
    found = [each.strip() for each in re.findall(_NUMBER, said)]
    if len(found) != 1:
        raise ValueError(f"{text!r} holds {len(found)} numbers, not one")
    negative = found[0][0] in "-−(" or said.endswith("-")
    digits = re.sub(r"[^\d.,]", "", found[0]).rstrip(".,")
    sign = _decimal_sign(text, digits, decimal)
    whole, part = digits.rsplit(sign, 1) if sign else (digits, "")
    if not re.fullmatch(r"\d*|\d{1,3}([.,]\d{2,3})*[.,]\d{3}", whole):
        other = "," if decimal == "." else "."
        if decimal and other in digits:
            raise ValueError(
                f"{text!r} is no number with the decimal sign {decimal!r}: if {other!r} is its "
                f"decimal sign, write parse_number(x, decimal={other!r})"
            )
        raise ValueError(
            f"{text!r} is no number: the digits between its points and commas are neither "
            "thousands nor decimals"
        )
    plain = re.sub(r"[.,]", "", whole)
    value = float(f"{plain or 0}.{part}") if part else int(plain)
    return -value if negative else value


def _decimal_sign(text: object, digits: str, decimal: str | None) -> str:
    """Which sign parts the decimals of a number; empty if it has none."""
    if decimal is not None:
        if decimal not in (".", ","):
            raise ValueError(f"decimal is '.' or ',', not {decimal!r}")
        return decimal if decimal in digits else ""
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        last = "." if digits.rfind(".") > digits.rfind(",") else ","
        return last if digits.count(last) == 1 else ""
    sign = "." if points else "," if commas else ""
    if not sign or points + commas > 1:
        return ""
    before, after = digits.split(sign)
    if len(after) == 3 and 0 < len(before) <= 3 and before != "0":
        raise ValueError(
            f"{text!r} can be read in two ways: write parse_number(x, decimal='.') or decimal=','"
        )
    return sign


def parse_money(text: object, decimal: str | None = None) -> dict[str, float | str]:
    """The amount and the currency of a price, such as {"amount": 1234.5, "currency": "EUR"}.

    The currency is a code of three letters, or empty if the text names none.
    """
    said = str(text)
    codes = re.findall(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])", said)
    signs = [code for sign, code in _SIGNS.items() if sign in said]
    found = codes or signs
    return {"amount": parse_number(said, decimal), "currency": found[0] if found else ""}


def parse_date(text: object, order: str | None = None) -> str:
    """The date in a text as "2026-03-09": ISO, "Mar. 9, 2026, 2 p.m.", "09.03.2026".

    A time of day is left out. `order` is "dmy" or "mdy"; it is needed only where "03/04/2026"
    could mean two dates.
    """
    said = re.sub(_TIME, " ", str(text).replace("\u00a0", " ").replace("\u202f", " ")).strip()
    if found := re.search(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)", said):
        return _date(text, int(found[1]), int(found[2]), int(found[3]))
    words = [w.lower() for w in re.findall(r"[^\W\d_]+", said) if w.lower() in _MONTHS]
    numbers = [int(each) for each in re.findall(r"\d+", said)]
    if len(words) == 1 and len(numbers) >= 2:
        years = [n for n in numbers if n > 999]
        if len(years) != 1:
            raise ValueError(f"{text!r} does not name one year with four digits")
        days = [n for n in numbers if n <= 31]
        if len(days) != 1:
            raise ValueError(f"{text!r} does not name one day")
        return _date(text, years[0], _MONTHS[words[0]], days[0])
    found = re.search(r"(?<!\d)(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4})(?!\d)", said)
    if not found:
        raise ValueError(f"{text!r} is no date that is known here; take it apart with re")
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    day, month = _day_and_month(text, first, second, "dmy" if found[2] == "." else order)
    return _date(text, year, month, day)


def _day_and_month(text: object, first: int, second: int, order: str | None) -> tuple[int, int]:
    if order == "mdy" or (order is None and second > 12):
        return second, first
    if order == "dmy" or first > 12 or first == second:
        return first, second
    if order is not None:
        raise ValueError(f"order is 'dmy' or 'mdy', not {order!r}")
    raise ValueError(
        f"{text!r} can be read in two ways: write parse_date(x, order='dmy') or order='mdy'"
    )


def _date(text: object, year: int, month: int, day: int) -> str:
    try:
        return dt.date(year, month, day).isoformat()
    except ValueError:
        raise ValueError(f"{text!r} is no day of the calendar") from None
