"""What a run is given on the command line: `--set name=value` and `--inputs FILE`.

A value is JSON if it reads as such, else it is a text, unless the input is declared to be one;
`name=@file` takes what the file holds.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from director.runs import RunError
from director.workflow.values import Input, Json


def rows_of(
    settings: Iterable[str], file: Path | None, inputs: Iterable[Input] = ()
) -> list[dict[str, Json]]:
    """The inputs of each run that is asked for: one, or one for each row of the file."""
    types = {one.name: one.type for one in inputs}
    said = dict(_setting(each, types) for each in settings)
    rows = _rows(file, types) if file else [{}]
    return [{**row, **said} for row in rows]


def _setting(text: str, types: Mapping[str, str]) -> tuple[str, Json]:
    name, found, value = text.partition("=")
    if not found or not name.strip():
        raise RunError(f"--set {text!r}: write name=value, such as --set reference=R-7.")
    if value.startswith("@"):
        value = _read(Path(value[1:])).rstrip("\n")
    return name.strip(), _value(value, types.get(name.strip(), "any"))


def _value(text: str, type_: str) -> Json:
    """A value as its input wants it: what is declared a text stays as it was written."""
    if type_ == "text":
        return text
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found


def _rows(file: Path, types: Mapping[str, str]) -> list[dict[str, Json]]:
    text = _read(file)
    if file.suffix.lower() == ".csv":
        rows = [dict(row) for row in csv.DictReader(io.StringIO(text), strict=True)]
        if not rows or any(None in row or None in row.values() for row in rows):
            raise RunError(
                f"{str(file)!r}: the first line of a CSV names the inputs, and each line below "
                "has as many values."
            )
        # A cell without a declared type stays a text.
        return [
            {name: _value(value, types.get(name, "text")) for name, value in row.items() if value}
            for row in rows
        ]
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{str(file)!r} is not JSON: {error}.") from None
    listed = found if isinstance(found, list) else [found]
    if not listed or not all(isinstance(row, dict) for row in listed):
        raise RunError(f"{str(file)!r} must hold an object of inputs, or a list of them.")
    return listed


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RunError(f"{str(file)!r}: {error.strerror}.") from None
    except UnicodeError:
        raise RunError(f"{str(file)!r} is not text in UTF-8.") from None
