"""Rows that a run read beside those of an earlier run: how many are gone, new and changed.

A plain fact, told with every run that has an earlier one to compare with. It is never a doubt:
items leave and enter lists for honest reasons. Pure functions over rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import cast

from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Config, Json

_NAMED = 3  # rows that are named of those that are gone
_LONGEST = 60  # characters of a name
_NAMES_MANY = ("id", "number", "no", "name", "title")


@dataclass(frozen=True, slots=True)
class RowComparison:
    """The rows of one node in two runs, told apart by the field `key`, else by all they hold.

    Without a key a row that changed is one that is gone and one that is new. `earlier` is how many
    seconds before this run the other one ended, and `names` are the first rows that are gone. Of a
    node that only counts there are no rows to tell apart.
    """

    node: str
    alias: str
    run: str
    earlier: float
    before: int
    now: int
    gone: int = 0
    new: int = 0
    changed: int = 0
    key: str = ""
    only_counts: bool = False
    names: tuple[str, ...] = ()

    def json(self) -> dict[str, Json]:
        """The comparison as it is stored with its run."""
        return {**asdict(self), "names": [*self.names]}


def parse_row_comparison(stored: Config) -> RowComparison:
    """The comparison that `json` gave; what a later version added to it is left out."""
    known = {name: stored[name] for name in RowComparison.__slots__ if name in stored}
    names = tuple(str(each) for each in cast("Sequence[Json]", known.pop("names", ())))
    return RowComparison(**known, names=names)  # type: ignore[arg-type]  # as it was stored


def list_row_comparisons(summary: Config) -> list[RowComparison]:
    """The comparisons that the summary of a run holds."""
    return [
        parse_row_comparison(each) for each in cast("Sequence[Config]", summary.get("compared", ()))
    ]


def count_row_changes(
    rows: Sequence[Json], earlier: Sequence[Json], key: str = ""
) -> tuple[int, int, int, list[Json]]:
    """How many rows are gone, new and changed, and those that are gone, in their old order."""
    now, before = _group_rows(rows, key), _group_rows(earlier, key)
    changed, new = 0, 0
    for name, found in now.items():
        known = before.get(name, [])
        common = min(len(found), len(known))
        same = Counter(map(_write, found)) & Counter(map(_write, known))
        changed += max(0, common - same.total())
        new += len(found) - common
    left = Counter({name: len(found) for name, found in now.items()})
    gone: list[Json] = []
    for row in earlier:
        if left[name := _identify(row, key)]:
            left[name] -= 1
        else:
            gone.append(row)
    return len(gone), new, changed, gone


def name_compared_rows(
    chosen: Sequence[Json], rows: Sequence[Json], key: str = "", *, most: int = _NAMED
) -> tuple[str, ...]:
    """What the first of some rows are called: by their key, else by what differs most in all."""
    field = key or _find_telling_field(rows)
    return tuple(_name_row(row, field) for row in chosen[:most])


def _group_rows(rows: Sequence[Json], key: str) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for row in rows:
        found.setdefault(_identify(row, key), []).append(row)
    return found


def _identify(row: Json, key: str) -> str:
    """What a row is told by; one without the key by all that it holds."""
    value = row.get(key) if key and isinstance(row, Mapping) else None
    return _write(row) if value in (None, "") else f"{key}={_write(value)}"


def _write(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=dict)


def _find_telling_field(rows: Sequence[Json]) -> str:
    """The field by which most rows can be told apart; of several the one that is named like it."""
    values: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.items() if isinstance(row, Mapping) else ():
            values.setdefault(name, set()).add(_write(value))

    def rank(name: str) -> tuple[int, bool]:
        return len(values[name]), name.casefold() in _NAMES_MANY

    return max(values, key=rank, default="")


def _name_row(row: Json, field: str) -> str:
    value = row.get(field) if isinstance(row, Mapping) else row
    safe = mask_sensitive(row if value in (None, "") else value, name=field)
    text = " ".join((safe if isinstance(safe, str) else _write(safe)).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
