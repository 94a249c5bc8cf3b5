"""Doubts in plain words: what each kind means, what was expected, what a person can do about it.

The sentence of a doubt says what was seen; nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from director.services.doubts import DoubtRow


class DoubtWords(NamedTuple):
    """A kind of doubt for somebody who does not program: a title, what was expected, what to do."""

    title: str
    expected: str
    advice: str


_ROWS = "Open the page and count. If rows are missing or too many, ask Director to fix the step."
_VALUES = "Compare a few rows with the page. If they are wrong, ask Director to fix the step."
_SENT = "Look on the site whether it is there, once. If not, ask Director to fix the step."
_OTHER = DoubtWords("Something looks wrong", "The step does what it says.", _VALUES)
_WORDS: Mapping[str, DoubtWords] = {
    "total": DoubtWords(
        "Rows may be missing or too many", "As many rows as the page has or states.", _ROWS
    ),
    "next": DoubtWords(
        "There may be more pages", "Every page of the list is read to its end.", _ROWS
    ),
    "nothing": DoubtWords(
        "Nothing was read",
        "At least one row, unless the page itself says that there is none.",
        "Open the page. If you have to log in, or the list is there, ask Director to fix the step.",
    ),
    "early": DoubtWords(
        "The page may not have been ready",
        "The page has loaded everything before it is read.",
        "Run again. If it happens again, ask Director to let the step wait longer.",
    ),
    "cells": DoubtWords(
        "Values may come from the wrong column", "Each field holds the values of its own column.",
        _VALUES,
    ),
    "input": DoubtWords(
        "The list may not be filtered", "Every row fits the input that you gave.",
        "Look whether these rows belong here. If not, ask Director to fix the filter.",
    ),
    "merged": DoubtWords(
        "Different rows became one record", "One record for each row.",
        "Ask Director to tell the rows apart by another field.",
    ),
    "repeated": DoubtWords(
        "The same rows were read twice", "Each row is read once, and none is missed.", _ROWS
    ),
    "unique": DoubtWords(
        "A value that was unique occurs twice", "Each row has a value of its own, as before.",
        _VALUES,
    ),
    "blank": DoubtWords("Values are missing", "Every row holds what it is read for.", _VALUES),
    "constant": DoubtWords(
        "A field is the same in every row", "Values that differ, as they did before.", _VALUES
    ),
    "format": DoubtWords(
        "Numbers, dates or units are written differently",
        "One way of writing, the same as before.",
        "Look whether the values still mean the same. A program that reads them may not know it.",
    ),
    "cut": DoubtWords("Texts are cut off", "The whole text of each field.", _VALUES),
    "fewer": DoubtWords(
        "Fewer rows than before", "About as many rows as in the run that this is compared with.",
        _ROWS,
    ),
    "limit": DoubtWords(
        "The step stopped at its limit", "Everything is handled, unless you want only a part.",
        "If you want all of it, ask Director to remove the limit.",
    ),
    "twice": DoubtWords(
        "It may have been done twice", "Something that is done once is there once.",
        "Look on the site. If it is there twice, remove one, and ask Director to check first.",
    ),
    "refused": DoubtWords("The site did not accept it", "The site takes what is sent.", _SENT),
    "gone": DoubtWords(
        "What was done is not there", "What was sent can be seen on the site afterwards.", _SENT
    ),
    "unproven": DoubtWords(
        "Nothing shows that it worked", "A page shows afterwards what was done.", _SENT
    ),
    "already": DoubtWords(
        "It was there already, so it was skipped", "It is not there before it is done.",
        "Look on the site whether what is there is what you wanted.",
    ),
    "value": DoubtWords(
        "A value is not what it should be", "The page keeps and shows what was typed or chosen.",
        "Compare the two values on the site. If they are wrong, ask Director to fix the step.",
    ),
    "rounds": DoubtWords(
        "Some items were not handled", "Every item of the loop is handled and kept.",
        "Read the reason. Ask Director to fix the step, or handle these items yourself.",
    ),
    "rule": DoubtWords("A rule of the page does not hold", "The page fits the rule.", _VALUES),
    "status": DoubtWords(
        "The site answered with an error", "The next page opens without an error.",
        "Run again. If it happens again, look at the site yourself.",
    ),
    "download": DoubtWords(
        "A downloaded file looks wrong", "A file that is complete and of the kind it is named.",
        "Open the file. If it is wrong, ask Director to fix the step.",
    ),
}  # fmt: skip
_NAMES: Mapping[str, str] = {
    "url": "page",
    "first_url": "first page",
    "read": "rows read",
    "rows": "rows",
    "rows_before": "rows before",
    "said": "the page states",
    "text": "the page says",
    "of": "of",
    "visits": "pages read",
    "hidden": "hidden rows",
    "covered": "rows not in their column",
    "run_before": "compared with",
    "example_before": "example before",
    "held_before": "true before",
    "sent_to": "sent to",
    "separator_before": "separator before",
    "filled_before": "filled before",
    "last": "last page",
    "left": "left out",
    "typed": "was typed",
    "shown": "is shown",
    "looked": "looked for",
    "where": "looked on",
    "times": "how often",
    "sent": "was sent",
    "notices": "rows that are no items",
}
_HIDDEN = ("step",)


def get_doubt_words(doubt: DoubtRow) -> DoubtWords:
    """What a doubt of this kind means."""
    return _WORDS.get(doubt.kind, _OTHER)


def list_doubt_facts(doubt: DoubtRow) -> list[tuple[str, str]]:
    """What was seen, by names that people read."""
    return [
        (_NAMES.get(name, name.replace("_", " ")), value)
        for name, value in doubt.evidence.items()
        if name not in _HIDDEN
    ]


def write_doubt_request(doubt: DoubtRow) -> str:
    """What a person would ask Director to do about a doubt."""
    return f"Look into this doubt about {doubt.alias} and fix it if it is right: {doubt.sentence}"
