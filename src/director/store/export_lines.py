"""The form of an export: JSON Lines in which every line vouches for itself and those before it.

A line is one object: what it is, its value, and a sum over both and the sum of the line before.
So a line that was altered, moved, left out or cut off is found, and named by its number. The text
is ASCII: no editor or mail program changes it by accident. Nothing here knows a database.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NoReturn, TextIO

from director.store.import_rules import is_deeper
from director.store.values import Json, StoreError

FORMAT = 1
LONGEST = 64 * 1024 * 1024  # characters of one line
_DEEPEST = 200
WHATS = ("director", "thread", "entry", "kept", "record", "end")


@dataclass(frozen=True, slots=True)
class ImportLine:
    """One line that was read: its number (from 1), what it is, and its value."""

    number: int
    what: str
    value: Json


def refuse_export_line(number: int, why: str) -> NoReturn:
    """Say which line is no good; nothing was written."""
    raise StoreError(f"line {number}: {why}; nothing was imported")


def write_export_lines(of: str, name: str, parts: Iterable[tuple[str, Json]]) -> Iterator[str]:
    """The lines of an export, each with its newline: a heading, the parts, an end that counts."""
    before, count = "", 0
    heading: tuple[str, Json] = ("director", {"format": FORMAT, "of": of, "id": name})
    for what, value in chain([heading], parts):
        before, line = _line(what, value, before)
        count += 1
        yield line
    yield _line("end", {"lines": count}, before)[1]


def _line(what: str, value: Json, before: str) -> tuple[str, str]:
    total = _sum(what, value, before)
    return total, json.dumps({what: value, "sum": total}) + "\n"


def _sum(what: str, value: object, before: str) -> str:
    return hashlib.sha256(json.dumps([before, what, value]).encode()).hexdigest()


def split_export_lines(file: TextIO) -> Iterator[str]:
    """The lines of a file, none of them longer than what an import holds in memory."""
    number = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            refuse_export_line(number, f"it is longer than {LONGEST:,} characters")
        yield line


def read_export_lines(lines: Iterable[str]) -> Iterator[ImportLine]:
    """The lines of an export between heading and end; the first that is damaged is refused."""
    before, number, ended = "", 0, False
    for number, text in enumerate(lines, 1):
        if ended and not text.strip():
            continue
        if ended:
            refuse_export_line(number, "there is something after the end of the export")
        what, value, total = _parse_line(number, text)
        if _sum(what, value, before) != total:
            refuse_export_line(number, "it was altered, or a line before it is missing or moved")
        before = total
        if number == 1:
            _check_heading(what, value)
        elif what == "end":
            ended = True
        else:
            yield ImportLine(number, what, value)
    if not ended:
        refuse_export_line(
            number + 1, "the export breaks off here" if number else "the file is empty"
        )


def _parse_line(number: int, text: str) -> tuple[str, dict[str, object], str]:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        refuse_export_line(number, "this is not JSON")
    if is_deeper(found, _DEEPEST):
        refuse_export_line(number, f"it is nested deeper than {_DEEPEST} levels")
    if isinstance(found, Mapping) and len(found) == 2 and isinstance(found.get("sum"), str):
        what = next(name for name in found if name != "sum")
        value = found[what]
        if what in WHATS and isinstance(value, dict):
            return what, value, str(found["sum"])
    refuse_export_line(number, "this is no line of an export of Director")


def _check_heading(what: str, value: Mapping[str, object]) -> None:
    if what != "director":
        refuse_export_line(1, "an export begins with a line that says so")
    if value.get("format") != FORMAT:
        refuse_export_line(
            1, f"format {value.get('format')!r} is not known here (only {FORMAT}); update Director"
        )
