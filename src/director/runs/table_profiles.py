"""What is kept of a downloaded table, so that the next run can compare its own with it.

The first rows of the file and others from all over it, and whether values and whole rows of it are
there twice.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from director.workflow.templates import defuse_templates
from director.workflow.values import Json

TABLES = {".csv": ",", ".tsv": "\t"}
_KEPT = 500  # rows
_ROOM = 50_000  # characters of all the rows that are kept
_CELL = 200  # characters of one cell
_COUNTED = 100_000  # rows that are looked through for what is there twice


def read_table(path: Path) -> Iterator[list[str]]:
    """The rows of a table, its head first; a blank line is no row."""
    separator = find_separator(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from (row for row in csv.reader(file, delimiter=separator) if row)


def find_separator(path: Path) -> str:
    """What parts the cells: a semicolon where a comma is the sign of decimals."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return max((TABLES[path.suffix.lower()], ";"), key=file.readline().count)


def profile_table(path: Path, clean: Callable[[str], str]) -> dict[str, Json]:
    """What is kept of a table; `clean` takes secrets out of it.

    `twice` has a value for each column in which one is blank or there twice, `repeated` counts the
    rows that are there as a whole before, `different` the others.
    """

    def tell(text: str) -> str:
        # Cleaned before it is cut: half a secret would not be known for one.
        return str(defuse_templates(clean(text)))[:_CELL]

    rows = read_table(path)
    head = next(rows, [])
    names = [tell(name) for name in head]
    twice, repeated, different = _find_twice(len(head), islice(rows, _COUNTED))
    many = min(_COUNTED, len(repeated) + different)
    kept = [[tell(text) for text in row] for row in _pick_rows(path, many, _KEPT)]
    sizes = [sum(map(len, (*names, *cells))) for cells in kept]
    if sum(sizes) > _ROOM:
        few = max(1, int(0.9 * len(kept) * _ROOM / sum(sizes)))
        kept = [[tell(text) for text in row] for row in _pick_rows(path, many, few)]
    return {
        "name": path.name,
        "separator": find_separator(path),
        "columns": [*names],
        "rows": [dict(zip(names, cells, strict=False)) for cells in _fit(kept, names)],
        "twice": {names[place]: tell(text) for place, text in twice.items()},
        "repeated": len(repeated),
        "different": different,
        "example": [tell(text) for row in repeated[:1] for text in row],
    }


def _pick_rows(path: Path, many: int, most: int) -> Iterator[list[str]]:
    """The first rows of a table, and of the others as many that are evenly spread; all if few."""
    first = most if many <= most else most - most // 2
    left, spread = many - first, most - first
    wanted = {*range(first), *(first + left * at // spread for at in range(spread) if left > 0)}
    every = enumerate(islice(read_table(path), 1, many + 1))
    return (row for at, row in every if at in wanted)


def _fit(rows: Sequence[list[str]], names: Sequence[str]) -> Iterator[list[str]]:
    """The rows that there is room for."""
    room = _ROOM
    for cells in rows:
        room -= sum(map(len, (*names, *cells)))
        if room < 0:
            return
        yield cells


def _find_twice(
    width: int, rows: Iterable[Sequence[str]]
) -> tuple[dict[int, str], list[Sequence[str]], int]:
    """By column the first value that is blank or there twice; rows that repeat; different rows."""
    twice: dict[int, str] = {}
    repeated: list[Sequence[str]] = []
    values: list[set[int]] = [set() for _ in range(width)]
    wholes: set[int] = set()
    for row in rows:
        for place in range(width):
            if place in twice:
                continue
            text = row[place].strip() if place < len(row) else ""
            if not text or hash(text) in values[place]:
                twice[place] = text
                values[place].clear()
            else:
                values[place].add(hash(text))
        whole = hash(tuple(row))
        if whole in wholes:
            repeated.append(row)
        wholes.add(whole)
    return twice, repeated, len(wholes)
