"""Tables: Markdown, CSV and TSV, psql output and columns aligned with blanks.

Rows become `a|b|c` under one header and columns that never vary are told once. Too large a table
keeps its head, its tail and its odd rows, and lists the ids of the rest. Never reorders rows, and
never renames a column.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from director.context.shapes import log
from director.context.shapes.prose import clip, join_repeats, squeeze, tidy
from director.context.values import Level

_RULED = re.compile(r"--|==|──|━━")
_DONE = re.compile(r"… \d+ rows?\b", re.MULTILINE)
_COLUMN = re.compile(r"\S+(?: \S+)*")
_NUMERIC = re.compile(r"[-+]?[$€£]?\d[\d,_]*(?:\.\d+)?(?:[eE][-+]?\d+)?%?$")
_CONSTANT = "all rows: "
_FEWEST = 3

Row = list[str]


class _Table(NamedTuple):
    """A table inside a text: the lines before it, its header, its rows, the lines after it."""

    before: list[str]
    header: Row
    rows: list[Row]
    after: list[str]


def recognise(text: str) -> bool:
    """Whether most lines of the text are the rows of one table."""
    lines = tidy(text[:40_000]).split("\n")[:400]
    table = _parse(lines)
    return table is not None and (len(table.rows) + 2) * 2 >= sum(1 for each in lines if each)


def render(text: str, level: Level, room: int) -> str:
    """The table at a level, in about `room` characters from "medium" on."""
    if level == "none":
        return text
    plain = tidy(text)
    table = None if _DONE.search(plain) else _parse(plain.split("\n"))
    if table is None:
        return _lines(text, plain, level, room)
    constant, names, rows = _hoist_constants(table)
    compact = "\n".join([*table.before, *constant, *names, *rows, *table.after])
    if level != "low" and len(compact) > room:
        compact = _reduce(table, (constant, names, rows), level, room)
    return compact if len(compact) < len(text) else text


def _lines(text: str, plain: str, level: Level, room: int) -> str:
    lines = join_repeats(plain.split("\n"))
    compact = "\n".join(lines)
    if level != "low" and len(compact) > room:
        compact = log.fold(lines, log.rank_lines(lines, [None] * len(lines)), level, room)
    return compact if len(compact) < len(text) else text


def _parse(lines: list[str]) -> _Table | None:
    """The longest run of rows with equal cells, in the reading that finds most of them."""
    best: tuple[int, int, list[Row]] | None = None
    for cut in (
        _read_barred,
        _cut_at(","),
        _cut_at("\t"),
        _cut_at(";"),
        _read_aligned,
        _read_worded,
    ):
        found = _longest(cut(lines))
        if found and (best is None or len(found[2]) > len(best[2])):
            best = found
    if best is None or any("|" in cell for row in best[2] for cell in row):
        return None
    start, end, run = best
    rows = [row for row in run if row]
    # A number, or a value seen below, is no name: then the table has no header.
    named = zip(rows[0], zip(*rows[1:], strict=True), strict=True)
    if any(_NUMERIC.match(cell) or (cell and cell in below[:50]) for cell, below in named):
        return _Table(lines[:start], [], rows, lines[end:])
    return _Table(lines[:start], rows[0], rows[1:], lines[end:])


def _longest(cells: list[Row | None]) -> tuple[int, int, list[Row]] | None:
    """The longest run of rows of one width; an empty row is a rule and belongs to any run."""
    best: tuple[int, int, list[Row]] | None = None
    at = 0
    while at < len(cells):
        first = cells[at]
        if not first or len(first) < 2:
            at += 1
            continue
        run: list[Row] = []
        end = at
        while end < len(cells) and (row := cells[end]) is not None and len(row) in (0, len(first)):
            run.append(row)
            end += 1
        if best is None or len(run) > len(best[2]):
            best = (at, end, run)
        at = end
    return best if best and sum(1 for row in best[2] if row) > _FEWEST else None


def _is_rule(line: str) -> bool:
    return not line.strip(" \t|+:=─━┼├┤-") and _RULED.search(line) is not None


def _read_barred(lines: list[str]) -> list[Row | None]:
    return [_bars(line) for line in lines]


def _bars(line: str) -> Row | None:
    if _is_rule(line):
        return []
    if "|" not in line and "│" not in line:
        return None
    inner = line.replace("│", "|").strip()
    inner = inner[1:] if inner.startswith("|") and inner.endswith("|") else inner
    inner = inner[:-1] if inner.endswith("|") and line.lstrip()[:1] in "|│" else inner
    return [cell.strip() for cell in inner.split("|")]


def _cut_at(mark: str) -> Callable[[list[str]], list[Row | None]]:
    def cut(lines: list[str]) -> list[Row | None]:
        return [_fields(line, mark) for line in lines]

    return cut


def _fields(line: str, mark: str) -> Row | None:
    # Prose has commas too, but blanks after them; a separator is followed by its value.
    if mark not in line or (mark != "\t" and line.count(mark + " ") * 2 > line.count(mark)):
        return None
    if '"' not in line:
        return [cell.strip() for cell in line.split(mark)]
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=mark))]
    except (csv.Error, StopIteration):
        return None


def _read_aligned(lines: list[str]) -> list[Row | None]:
    """Columns set apart by two or more blanks, with as many cells as the line above."""
    cells: list[Row | None] = []
    for line in lines:
        rule = _is_rule(line)
        found = [] if rule else _COLUMN.findall(line)
        cells.append(found if rule or len(found) >= 3 else None)
    return cells


def _read_worded(lines: list[str]) -> list[Row | None]:
    """Columns under one word each, as `ps` and `df` print them: the last one takes the rest."""
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    width = len(lines[first].split())
    cells: list[Row | None] = [None] * len(lines)
    if not 3 <= width <= 30:
        return cells
    for at in range(first, len(lines)):
        found = lines[at].split(None, width - 1)
        cells[at] = found if len(found) == width else None
    body = [row for row in cells[first + 1 :] if row]
    numeric = [
        all(_NUMERIC.match(cell) for cell in column[:200]) for column in zip(*body, strict=True)
    ]
    return cells if any(numeric[:-1]) else [None] * len(lines)


def _hoist_constants(table: _Table) -> tuple[list[str], list[str], list[str]]:
    """The constant columns as one line, then the header and the rows without them."""
    columns = range(len(table.rows[0]))
    if not table.header:
        return [], [], ["|".join(row) for row in table.rows]
    same = [at for at in columns if len({row[at] for row in table.rows}) == 1]
    same = [at for at in same if table.header[at] and len(table.rows) >= _FEWEST]
    told = ", ".join(f"{table.header[at]}={table.rows[0][at]}" for at in same)
    saved = sum(len(table.rows[0][at]) + 1 for at in same) * len(table.rows)
    if len(same) == len(table.header) or saved <= len(told) + len(_CONSTANT):
        same, told = [], ""
    left = [at for at in columns if at not in same]
    lines = ["|".join(row[at] for at in left) for row in (table.header, *table.rows)]
    return [_CONSTANT + told] if told else [], lines[:1], lines[1:]


def _reduce(
    table: _Table, parts: tuple[list[str], list[str], list[str]], level: Level, room: int
) -> str:
    constant, names, rows = parts
    before, after = (_near(each, room // 6) for each in (table.before, table.after))
    fixed = [*before, *constant, *names]
    left = room - sum(len(line) + 1 for line in (*fixed, *after))
    wide = max(120, left // 4)
    shown = [row if len(row) <= wide else clip(row, wide) for row in rows]
    ids = _ids(table.rows)
    ranks = _ranks(table.rows)

    def count_gap(start: int, end: int) -> str:
        return f"… {end - start} row{'s' if end - start > 1 else ''}"

    def list_gap(start: int, end: int) -> str:
        return f"{count_gap(start, end)}: {', '.join(_ranges(ids[start:end]))}"

    whole = sum(len(each) + 2 for each in _ranges(ids))
    label = list_gap if ids and level == "medium" and whole <= left * 0.6 else count_gap
    spare = left if label is count_gap else max(0, left - whole)
    body = log.fit(shown, ranks, level, spare, count_gap)
    if label is list_gap:
        body = "\n".join(_relabel(shown, body, list_gap))
    text = "\n".join([*fixed, body, *after])
    return clip(text, room) if level == "high" else text


def _relabel(rows: Sequence[str], body: str, label: Callable[[int, int], str]) -> list[str]:
    """The body with each count of rows replaced by a list of their ids."""
    lines: list[str] = []
    at = 0
    for line in body.split("\n"):
        gap = re.match(r"… (\d+) rows?$", line)
        size = int(gap[1]) if gap else 1
        lines.append(label(at, at + size) if gap else line)
        at += size
    return lines if at == len(rows) else body.split("\n")


def _near(lines: list[str], room: int) -> list[str]:
    text = "\n".join(lines)
    return squeeze(text, max(room, 80)).split("\n") if lines else []


def _ids(rows: list[Row]) -> list[str]:
    """The values of the first column that tells every row apart, if they are short."""
    for column in zip(*rows, strict=True):
        if len(set(column)) == len(column) and all(column) and max(map(len, column)) <= 60:
            return list(column)
    return []


def _ranges(ids: list[str]) -> list[str]:
    """The ids with runs of consecutive numbers as `4-9`."""
    shown: list[str] = []
    at = 0
    while at < len(ids):
        end = at + 1
        while end < len(ids) and _follows(ids[end - 1], ids[end]):
            end += 1
        shown += [f"{ids[at]}-{ids[end - 1]}"] if end - at > 2 else ids[at:end]
        at = end
    return shown


def _follows(one: str, other: str) -> bool:
    plain = one.isascii() and other.isascii() and one.isdigit() and other.isdigit()
    return plain and len(one) < 16 and len(other) < 17 and int(one) + 1 == int(other)


def _ranks(rows: list[Row]) -> list[int]:
    """Odd rows first: bad words, rare values, extremes; then both ends; then all others."""
    ranks = [5] * len(rows)
    for at, row in enumerate(rows):
        if log.BAD.search(" ".join(row)[:1_000]):
            ranks[at] = 1
    for column in zip(*rows, strict=True):
        for at in _outliers(column):
            ranks[at] = min(ranks[at], 1)
    if sum(1 for rank in ranks if rank == 1) * 3 > len(rows):
        # What marks a third of the rows marks nothing.
        ranks = [min(rank + 1, 5) for rank in ranks]
    for at in (*range(min(3, len(rows))), *range(max(0, len(rows) - 2), len(rows))):
        ranks[at] = 0
    return ranks


def _outliers(column: tuple[str, ...]) -> set[int]:
    if len(column) < 8:
        return set()
    counts = Counter(column)
    if len(counts) * 5 <= len(column):
        return {at for at, cell in enumerate(column) if counts[cell] <= max(2, len(column) // 100)}
    if not all(_NUMERIC.match(cell) for cell in column if cell):
        return set()
    numbers = {at: _value(cell) for at, cell in enumerate(column) if cell}
    steps = sorted(numbers.values())
    if len(steps) < 8 or steps == list(numbers.values()):
        return set()
    return {min(numbers, key=lambda at: numbers[at]), max(numbers, key=lambda at: numbers[at])}


def _value(cell: str) -> float:
    try:
        return float(re.sub(r"[^\d.eE+-]", "", cell))
    except ValueError:
        return 0.0
