"""Numbers, prices and dates are read as people write them, or refused; never guessed."""

from __future__ import annotations

import asyncio
import datetime as dt
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.runs.sandbox import Sandbox, SandboxError
from director.runs.sandbox_parsing import parse_date, parse_money, parse_number
from director.sections.node_guides import read_node_guide
from director.workflow.expressions import check_expression_code

NUMBERS = {
    "1.234,50 €": 1234.5,
    "1,234.50": 1234.5,
    "1 234,5": 1234.5,
    "CHF 1'234.05": 1234.05,
    "(12.00)": -12.0,
    "12.00-": -12.0,
    "-3": -3,
    "$-5.10": -5.1,
    "82 results": 82,
    "1.234.567": 1234567,
    ".5": 0.5,
    "0,500": 0.5,
    "No.5": 5,
}
DATES = {
    "2026-03-09T10:00:00Z": "2026-03-09",
    "9 March 2026": "2026-03-09",
    "Mar 9, 2026": "2026-03-09",
    "9. März 2026": "2026-03-09",
    "09.03.2026": "2026-03-09",
    "03/14/2026": "2026-03-14",
    "Tue, 17 Nov 2026 17:00:44": "2026-11-17",
    "Sept. 3, 2025, 2 p.m.": "2025-09-03",
    "Sept. 3, 2025, 2:30 p.m.": "2025-09-03",
    "Sept. 3, 2025, noon": "2025-09-03",
    "Jan. 12, 2025, midnight": "2025-01-12",
    "May 3, 2025, 9 a.m.": "2025-05-03",
    "3 Sep 2025 2pm": "2025-09-03",
    "3rd September 2025 at 2.30 pm": "2025-09-03",
    "3 Sept 2025, 2\u202fPM": "2025-09-03",
    "9/13/2025 2 p.m.": "2025-09-13",
    "Wed, 03 Sep 2025 14:00:00 +0000": "2025-09-03",
    "Sep 3, 2025, 14:00 GMT+2": "2025-09-03",
    "2025-09-03T14:00:00.123+02:00": "2025-09-03",
    "3. September 2025, 14 Uhr": "2025-09-03",
    "3 septembre 2025 à 14h30": "2025-09-03",
    "3-Sep-2025": "2025-09-03",
}
NO_DATES = ("3 and 4 Sept. 2025", "Sept. 3, 2025 - Sept. 5, 2025", "Sept. 2025", "3 Sept. 25, noon")
UNSURE = ("1,234", "1.234", "3 12", "3 of 7", "09.03.2026", "1.2.3", "none")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox for all of these."""
    with Sandbox() as opened:
        yield opened


def test_the_sandbox_has_what_the_guide_names(sandbox: Sandbox) -> None:
    """The modules and the functions, and what the guide says that they give."""
    said = read_node_guide("sandbox")
    for module in ("re", "json", "math", "datetime"):
        assert module in said
        check_expression_code(f"{module}\n1", names=())
        assert asyncio.run(sandbox.value(f"import {module}\n{module}\n1", {})) == 1
        assert asyncio.run(sandbox.value(f"def f():\n    return {module}\nf()\n1", {})) == 1
        assert asyncio.run(sandbox.value(module, {module: "mine"})) == "mine"
    code = (
        "[[parse_number(t) for t in numbers], [parse_date(t) for t in dates], parse_money(price)]"
    )
    given_ = {"numbers": list(NUMBERS), "dates": list(DATES), "price": "1.234,50 €"}
    found = asyncio.run(sandbox.value(code, given_))
    money = {"amount": 1234.5, "currency": "EUR"}
    assert found == [list(NUMBERS.values()), list(DATES.values()), money]


@pytest.mark.parametrize("text", UNSURE)
def test_what_can_be_read_in_two_ways_is_refused(text: str, sandbox: Sandbox) -> None:
    """With the argument that settles it, where there is one."""
    with pytest.raises(SandboxError, match="ValueError"):
        asyncio.run(sandbox.value("parse_number(text)", {"text": text}))


@pytest.mark.parametrize("text", NO_DATES)
def test_what_names_no_single_day_is_refused(text: str) -> None:
    """Two days, none, or a year that could be another."""
    with pytest.raises(ValueError, match="Sept"):
        parse_date(text)


@given(
    st.integers(0, 10**9), st.integers(0, 99), st.sampled_from([(",", "."), (".", ","), (" ", ",")])
)
def test_a_number_that_is_written_is_read_back(
    whole: int, cents: int, signs: tuple[str, str]
) -> None:
    """In each notation, with two decimals nothing is unsure."""
    group, decimal = signs
    text = f"{whole:,}".replace(",", group) + f"{decimal}{cents:02}"
    assert parse_number(text) == float(f"{whole}.{cents:02}")
    assert parse_money(f"{text} EUR") == {"amount": parse_number(text), "currency": "EUR"}


@given(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)))
def test_a_date_that_is_written_is_read_back(day: dt.date) -> None:
    """In each notation; where day and month could be exchanged the order must be said."""
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%b %d, %Y"):
        assert parse_date(day.strftime(form)) == day.isoformat()
    text = day.strftime("%d/%m/%Y")
    assert parse_date(text, order="dmy") == day.isoformat()
    if day.day <= 12 and day.day != day.month:
        with pytest.raises(ValueError, match="two ways"):
            parse_date(text)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", parse_date(text, order="dmy"))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "x = 1\n\nparse_number('615,15', decimal='.')",
            (
                "Line 3: ValueError: '615,15' is no number with the decimal sign '.': if ',' is its "
                "decimal sign, write parse_number(x, decimal=',')."
            ),
        ),
        (
            "def read(text):\n    return parse_number(text)\n\nread('1,234')",
            (
                "Line 2: ValueError: '1,234' can be read in two ways: write parse_number(x, "
                "decimal='.') or decimal=','."
            ),
        ),
        ("a = 1\nparse_number('1.2.3')", "Line 2: ValueError: '1.2.3' is no number: the digits"),
    ],
)
def test_what_cannot_be_read_names_the_line_of_the_users_code(code: str, said: str) -> None:
    """And the argument that settles it."""
    with Sandbox() as sandbox, pytest.raises(SandboxError) as problem:
        asyncio.run(sandbox.value(code, {}))
    assert str(problem.value).startswith(said)
