"""What a run is given on the command line: `--set name=value` and `--inputs FILE`.

A value is JSON if it reads as such, else it is a text, unless the input is declared to be one;
`name=@file` takes what the file holds, and of a CSV file its rows if the input is a list. In the
chat a value may have spaces, and quotes around it make it a text.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from director.runs import RunError
from director.workflow.values import Input, Json

# name=value, "name=value" or name="value"; a value ends where the next name begins.
_TYPED = re.compile(
    r"""\s*(?:
    (?P<around>["'])(?P<outer>[^\s="']+)=(?P<all>.*?)(?P=around)(?=\s|$)
    |(?P<name>[^\s="']+)=(?:
        (?P<quote>["'])(?P<text>.*?)(?P=quote)(?=\s|$)
        |(?P<plain>\S*(?:\s+(?!["']?\w+=)\S+)*)
    ))\s*""",
    re.VERBOSE | re.DOTALL,
)


def rows_of(
    settings: Iterable[str], file: Path | None, inputs: Iterable[Input] = ()
) -> list[dict[str, Json]]:
    """The inputs of each run that is asked for: one, or one for each row of the file."""
    types = {one.name: one.type for one in inputs}
    said = dict(_setting(each, types) for each in settings)
    rows = _rows(file, types) if file else [{}]
    return [{**row, **said} for row in rows]


def read_typed(text: str, inputs: Iterable[Input] = ()) -> dict[str, Json]:
    """The inputs that a line of the chat gives: `branch=Mill Lane limit=7`."""
    types = {one.name: one.type for one in inputs}
    given: dict[str, Json] = {}
    at = 0
    while at < len(text):
        found = _TYPED.match(text, at)
        if found is None:
            raise RunError(
                f"/run {text[at:].strip()!r}: write name=value, such as /run reference=R-7 "
                'branch="Mill Lane".'
            )
        name = found["name"] or found["outer"]
        is_text = found["text"] is not None and types.get(name, "any") in ("any", "text")
        value = found["text"] or found["plain"] or found["all"] or ""
        given[name] = value if is_text else _read_input(name, value, types)
        at = found.end()
    return given


def _setting(text: str, types: Mapping[str, str]) -> tuple[str, Json]:
    name, found, value = text.partition("=")
    if not found or not name.strip():
        raise RunError(f"--set {text!r}: write name=value, such as --set reference=R-7.")
    return name.strip(), _read_input(name.strip(), value, types)


def _read_input(name: str, value: str, types: Mapping[str, str]) -> Json:
    if value.startswith("@"):
        if types.get(name) == "list" and value.lower().endswith(".csv"):
            return [dict(row) for row in _table(Path(value[1:]), "fields")]
        value = _read(Path(value[1:])).rstrip("\n")
    return _value(value, types.get(name, "any"))


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
    if file.suffix.lower() == ".csv":
        # A cell without a declared type stays a text.
        return [
            {name: _value(value, types.get(name, "text")) for name, value in row.items() if value}
            for row in _table(file, "inputs")
        ]
    try:
        found = json.loads(_read(file))
    except (ValueError, RecursionError) as error:
        raise RunError(f"{str(file)!r} is not JSON: {error}.") from None
    listed = found if isinstance(found, list) else [found]
    if not listed or not all(isinstance(row, dict) for row in listed):
        raise RunError(f"{str(file)!r} must hold an object of inputs, or a list of them.")
    return listed


def _table(file: Path, columns: str) -> list[dict[str, str]]:
    """The rows of a CSV file, each by the names in its first line."""
    rows = [dict(row) for row in csv.DictReader(io.StringIO(_read(file)), strict=True)]
    if not rows or any(None in row or None in row.values() for row in rows):
        raise RunError(
            f"{str(file)!r}: the first line of a CSV names the {columns}, and each line below "
            "has as many values."
        )
    return rows


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RunError(f"{str(file)!r}: {error.strerror}.") from None
    except UnicodeError:
        raise RunError(f"{str(file)!r} is not text in UTF-8.") from None
