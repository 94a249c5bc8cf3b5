"""JSON and Python literals: objects as `key: value`, lists of objects as one header and rows.

The rendering must never drop a key or an identifier while there is room, and must never be longer
than what it replaces.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from director.context.shapes import html, prose
from director.context.values import Level

Json: TypeAlias = object
_OPEN = ("{", "[", "(")
_PLAIN_BREAKERS = frozenset('|\n"')
_INLINE = 160
_FEW_ROWS = 3
_SERIES = 16
_WORD = re.compile(r"[A-Za-z_]{3,}")
_WRONG = re.compile(r"error|fail|denied|invalid|exception|refused|timeout", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Caps:
    """How much of one leaf is kept: characters of a text, rows of a table, items of a list."""

    text: int
    rows: int
    items: int
    named: bool = False


_ALL = _Caps(1 << 40, 1 << 40, 1 << 40)
_SMALLEST, _SMALLEST_HIGH, _LARGEST = 200, 120, 1 << 17


def recognise(text: str) -> bool:
    """Whether the whole text is one JSON document or one Python literal with structure."""
    return text.lstrip()[:1] in _OPEN and _load(text) is not None


def render(text: str, level: Level, room: int) -> str:
    """The same record with less notation; over room, long leaves keep head, tail and outliers."""
    value = _load(text)
    if value is None or level == "none":
        return text
    best = _lines(value, _ALL)
    if level != "low" and len(best) > room:
        least = _SMALLEST if level == "medium" else _SMALLEST_HIGH
        best = _to_room(value, room, least, named=False)
    return best if len(best) < len(text) else text


def _to_room(value: Json, room: int, least: int, *, named: bool) -> str:
    """The fullest rendering within the room, or the smallest there is."""
    low, high = least, _LARGEST
    best = _lines(value, _caps(low, named=named))
    while high > low * 1.1:
        middle = int((low * high) ** 0.5)
        tried = _lines(value, _caps(middle, named=named))
        if len(tried) <= room:
            low, best = middle, tried
        else:
            high = middle
    return best


def _caps(text: int, *, named: bool) -> _Caps:
    return _Caps(text, max(6, text // 24), max(10, text // 8), named=named)


def facts(text: str, room: int) -> list[str]:
    """The record as lines that each make sense alone: a row names its columns."""
    value = _load(text)
    if value is None:
        return []
    best = _lines(value, replace(_ALL, named=True))
    if len(best) > room:
        best = _to_room(value, room, _SMALLEST, named=True)
    return best.splitlines()


def _load(text: str) -> Json | None:
    bare = text.strip()
    if bare[:1] not in _OPEN or bare[-1:] not in ("}", "]", ")"):
        return None
    try:
        value: Json = json.loads(bare)
    except (ValueError, RecursionError):
        try:
            value = _by_line(bare) or ast.literal_eval(bare)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            value = _loose(bare)
    return value if isinstance(value, (dict, list, tuple)) and value else None


def _by_line(bare: str) -> Json:
    """JSON lines as one list; None if not every line is an object."""
    lines = bare.splitlines()
    if len(lines) < _FEW_ROWS or not all(line.startswith("{") for line in lines):
        return None
    try:
        return [json.loads(line) for line in lines]
    except ValueError:
        return None


def _loose(bare: str) -> Json:
    """A flat list that no parser takes, as its items; what is nested stays a text."""
    inner = bare[1:-1]
    if bare[0] != "[" or inner.count(",") < _FEW_ROWS or "[" in inner or "{" in inner:
        return None
    return [item.strip().strip("'\"") for item in inner.split(",")]


def _lines(value: Json, caps: _Caps) -> str:
    try:
        return "\n".join(_render(value, caps, depth=0))
    except RecursionError:
        return json.dumps(value, ensure_ascii=False, default=str, separators=(",", ":"))


def _render(value: Json, caps: _Caps, *, depth: int) -> list[str]:
    if isinstance(value, dict):
        keyed = _make_keyed_rows(value)
        if keyed is not None:
            return _table(keyed, caps)
        return _object(value, caps, depth=depth)
    if isinstance(value, (list, tuple)):
        return _list(list(value), caps, depth=depth)
    return [_scalar(value, caps)]


def _object(value: dict[object, Json], caps: _Caps, *, depth: int) -> list[str]:
    """Short members side by side, long ones on lines of their own."""
    lines: list[str] = []
    run = ""
    for key, member in value.items():
        body = _render(member, caps, depth=depth + 1)
        if len(body) == 1 and len(body[0]) <= _INLINE:
            inner = body[0]
            if isinstance(member, (dict, list, tuple)):
                inner = "{" + inner + "}" if isinstance(member, dict) else "[" + inner + "]"
            piece = f"{key}: {inner}"
            if run and len(run) + len(piece) > _INLINE:
                lines.append(run)
                run = piece
            else:
                run = f"{run}, {piece}" if run else piece
            continue
        if run:
            lines.append(run)
            run = ""
        if len(body) == 1:
            lines.append(f"{key}: {body[0]}")
        else:
            lines += [f"{key}:", *(f" {line}" for line in body)]
    if run:
        lines.append(run)
    return lines or ["{}"]


def _list(items: list[Json], caps: _Caps, *, depth: int) -> list[str]:
    rows = [item for item in items if isinstance(item, dict)]
    if len(rows) == len(items) and len(rows) >= _FEW_ROWS:
        return _table(rows, caps)
    grouped = _group_members(items, caps)
    if grouped is not None:
        return grouped
    if all(not isinstance(item, (dict, list, tuple)) for item in items):
        return [_scalars(items, caps)] if items else ["[]"]
    lines = []
    for item in _keep_ends(items, caps.rows):
        if isinstance(item, _Gap):
            lines.append(f"… {item.count} more")
            continue
        first, *rest = _render(item, caps, depth=depth + 1)
        lines += [f"- {first}", *(f"  {line}" for line in rest)]
    return lines


def _scalars(items: list[Json], caps: _Caps) -> str:
    numbers = [item for item in items if isinstance(item, (int, float))]
    most = caps.items if len(numbers) < len(items) else min(caps.items, _SERIES)
    if len(items) <= max(most, caps.items if caps.text == _ALL.text else most):
        return ", ".join(_scalar(item, caps) for item in items)
    head = ", ".join(_scalar(item, caps) for item in items[: most * 3 // 4])
    tail = ", ".join(_scalar(item, caps) for item in items[-(most // 4) :])
    span = f", min {min(numbers)}, max {max(numbers)}" if len(numbers) == len(items) else ""
    return f"{head}, … ({len(items)} in all{span}) …, {tail}"


def _scalar(value: Json, caps: _Caps) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, default=str)
    if value == "" or value in ("true", "false", "null") or _numeric(value):
        return f'"{value}"'
    if len(value) > caps.text:
        inner = html.render if html.recognise(value) else prose.render
        return inner(value, "medium", caps.text).replace("\n", " ⏎ ")
    if _PLAIN_BREAKERS.isdisjoint(value):
        return value
    return value.replace("|", "¦").replace("\n", " ⏎ ")


def _numeric(value: str) -> bool:
    return value.lstrip("-").replace(".", "", 1).isdigit()


@dataclass(frozen=True, slots=True)
class _Gap:
    count: int


def _keep_ends(items: list[Json], most: int) -> list[Json | _Gap]:
    """Head and tail of a long list, the gap between them counted."""
    if len(items) <= most:
        return list(items)
    head = max(1, most * 2 // 3)
    tail = max(1, most - head)
    return [*items[:head], _Gap(len(items) - head - tail), *items[-tail:]]


def _make_keyed_rows(value: dict[object, Json]) -> list[dict[object, Json]] | None:
    """A dict of alike objects as rows with their key first; an id equal to its key goes."""
    rows: list[dict[object, Json]] = [
        {"key": key} | {k: v for k, v in member.items() if v != key}
        for key, member in value.items()
        if isinstance(member, dict) and member
    ]
    if len(rows) < max(len(value), _FEW_ROWS):
        return None
    columns = set().union(*rows)
    filled = sum(len(row) for row in rows)
    return rows if filled >= 0.6 * len(columns) * len(rows) else None


def _flat(row: dict[object, Json], caps: _Caps) -> dict[str, str]:
    """One row's cells as text; members of nested objects become columns of their own."""
    cells: dict[str, str] = {}
    for key, value in row.items():
        if isinstance(value, dict) and value and len(value) <= 8:
            for name, cell in _flat(value, caps).items():
                cells[f"{key}.{name}"] = cell
        elif isinstance(value, (dict, list, tuple)):
            cells[str(key)] = " ; ".join(_render(value, caps, depth=1))
        else:
            cells[str(key)] = _scalar(value, caps)
    return cells


def _table(rows: list[dict[object, Json]], caps: _Caps) -> list[str]:
    flat = [_flat(row, caps) for row in rows]
    columns = list(dict.fromkeys(name for cells in flat for name in cells))
    if sum(len(cells) for cells in flat) < 0.5 * len(columns) * len(flat):
        return [f"- {_pairs(cells)}" for cells in flat]
    constant = {
        name: flat[0][name]
        for name in columns
        if name in flat[0] and all(cells.get(name) == flat[0][name] for cells in flat)
    }
    varying = [name for name in columns if name not in constant]
    lines = [f"{len(rows)} rows, each {_pairs(constant)}"] if constant else []
    if not varying:
        return lines
    if caps.named:
        named = [_pairs({name: cells[name] for name in varying if name in cells}) for cells in flat]
        return lines + _sample_rows(named, caps.rows)
    lines.append("|".join(varying))
    texts = ["|".join(cells.get(name, "") for name in varying) for cells in flat]
    return lines + _sample_rows(texts, caps.rows)


def _pairs(cells: dict[str, str]) -> str:
    return ", ".join(f"{name}: {cell}" for name, cell in cells.items())


def _sample_rows(rows: list[str], most: int) -> list[str]:
    """Head, tail and the odd rows of a long table; of the others the first cell stays."""
    if len(rows) <= most:
        return rows
    head, tail = max(1, most // 2), max(1, most // 5)
    middle = range(head, len(rows) - tail)
    odd = sorted(sorted(middle, key=_oddness(rows))[: max(0, most - head - tail)])
    keys = [_first_cell(rows[i]) for i in middle if i not in set(odd)]
    named = ", ".join(dict.fromkeys(key for key in keys if len(key) <= 24))
    gap = f"… {len(keys)} more rows: {named}" if len(named) <= 40 * most else f"… {len(keys)} more"
    return [*rows[:head], *(rows[i] for i in odd), gap, *rows[-tail:]]


def _oddness(rows: list[str]) -> Callable[[int], tuple[int, int, int]]:
    """Rows that tell of an error first, then those with words few rows hold, then long ones."""
    words = [set(_WORD.findall(row)) for row in rows]
    held = Counter(word for group in words for word in group)
    rare = [sum(held[word] <= 2 for word in group) for group in words]

    def key(i: int) -> tuple[int, int, int]:
        return (0 if _WRONG.search(rows[i]) else 1, -rare[i], -len(rows[i]))

    return key


def _first_cell(row: str) -> str:
    return row.partition("|")[0].partition(", ")[0].rpartition(": ")[2]


def _group_members(items: list[Json], caps: _Caps) -> list[str] | None:
    """A list of lists of alike objects: each distinct object once, then who belongs together."""
    groups = [list(item) for item in items if isinstance(item, (list, tuple))]
    if len(groups) != len(items) or len(groups) < 2:
        return None
    members = [member for group in groups for member in group]
    if len(members) < _FEW_ROWS or not all(
        isinstance(member, dict) and member for member in members
    ):
        return None
    rows: list[dict[object, Json]] = []
    numbers: dict[str, int] = {}
    written = []
    for group in groups:
        keys = [json.dumps(member, sort_keys=True, default=str) for member in group]
        for key, member in zip(keys, group, strict=True):
            if key not in numbers and isinstance(member, dict):
                numbers[key] = len(numbers) + 1
                row: dict[object, Json] = {"row": numbers[key]}
                rows.append(row | member)
        written.append("+".join(str(numbers[key]) for key in keys))
    return [*_table(rows, caps), "together: " + ", ".join(written)]
