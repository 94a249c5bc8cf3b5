"""Rows that are there too often, or that were lost because their key does not tell them apart."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, permutations
from urllib.parse import parse_qsl, urlsplit

from director.runs.doubts.doubt import Doubt, RowReading, RowVisit, list_doubt_columns
from director.runs.doubts.row_counts import claims_of, group_lists, list_of
from director.workflow.values import Json

# What a query names to say what is searched for.
_SEARCHES = re.compile(
    r"^[qs]$|search|query|filter|(?:^|_)flt|(?:^|_)(?:find|term|keyword)s?(?:$|_)|suche",
    re.IGNORECASE,
)
_FEW = 2
_SOME = 3
_SHOWN = 5
_BETTER_KEY = "Take as key a field that differs in every row (an id, a link), or leave the key out."


def find_repeated_rows(reading: RowReading) -> Iterator[Doubt]:
    """Doubts about rows that a node read twice, or merged although they differ."""
    if reading.makes_records and (reading.key or reading.merges):
        yield from [*_find_merged(reading)] or _find_lost(reading)
    if reading.makes_records:
        yield from _find_empty(reading)
        yield from [*_find_pages_read_twice(reading)] or _find_moved_rows(reading)
    yield from _find_not_unique(reading)
    if not reading.only_counts:
        yield from _find_same_answers(reading)


def _find_merged(reading: RowReading) -> Iterator[Doubt]:
    """Rows of one page that have the same key and are not the same."""
    for visit in reading.visits:
        known: dict[str, str] = {}
        lost: list[str] = []
        for row in visit.rows:
            if not isinstance(row, Mapping) or reading.key not in row:
                continue
            key, whole = str(row[reading.key]).strip(), _text(row)
            if known.setdefault(key, whole) != whole:
                lost.append(key)
        if lost:
            yield reading.doubt(
                "merged",
                f"{reading.alias} read {len(visit.rows)} rows, of which {len(lost)} became part "
                f"of another record: they differ, but have the same {reading.key!r}, such as "
                f"{lost[0]!r}. {_BETTER_KEY}",
                field=reading.key,
                rows=len(visit.rows),
                merged=len(lost),
                values=lost[:_SHOWN],
                url=visit.url,
            )
            return


def _find_empty(reading: RowReading) -> Iterator[Doubt]:
    """Elements without a value in any field that became records: heads, groups, other tables."""
    empty, rows = sum(visit.empty for visit in reading.visits), len(reading.rows)
    if empty and rows:
        yield reading.doubt(
            "blank",
            f"{reading.alias} made records of {empty + rows} elements, of which {empty} have "
            "nothing in any field: they may be headings, or rows of another table. Take a "
            "narrower selector.",
            rows=empty + rows,
            empty=empty,
            url=reading.visits[-1].url,
        )


def _find_lost(reading: RowReading) -> Iterator[Doubt]:
    """Rows that look the same in what was read, became one record, and differ on the page."""
    for visit in reading.visits:
        made = len({str(row.get(reading.key)) for row in visit.rows if isinstance(row, Mapping)})
        if reading.key and made < min(len(visit.rows), visit.distinct):
            many = f"{min(len(visit.rows), visit.distinct)} different rows"
            yield _tell_lost(reading, visit, made, f"{reading.alias} read {many} of one page")
            return
    made = sum(visit.made or 0 for visit in reading.visits)
    read = len(reading.rows)
    if made < read and _is_stated(reading):
        said = f"{reading.alias} read {read} rows, as many as the page states"
        yield _tell_lost(reading, reading.visits[-1], made, said)


def _tell_lost(reading: RowReading, visit: RowVisit, made: int, said: str) -> Doubt:
    by = f"have the same {reading.key!r}" if reading.key else "got the same name"
    return reading.doubt(
        "merged",
        f"{said}, and only {made} records came of them: others {by}. {_BETTER_KEY}",
        field=reading.key,
        rows=len(visit.rows),
        records=made,
        url=visit.url,
    )


def _find_pages_read_twice(reading: RowReading) -> Iterator[Doubt]:
    """Visits that gave the same rows as an earlier one of the same list."""
    seen: dict[tuple[str, str], RowVisit] = {}
    for visit in reading.visits:
        rows = [_text(row) for row in visit.rows]
        if len(rows) < _FEW or len(set(rows)) < len(rows):
            continue
        place = list_of(visit.url), json.dumps(rows)
        if place not in seen:
            seen[place] = visit
            continue
        # Of one page that is read again a key makes the same records.
        if _is_stated(reading) or (reading.key and visit.url == seen[place].url):
            continue
        yield reading.doubt(
            "repeated",
            f"{reading.alias} read the same {len(rows)} rows twice: on {seen[place].url} and "
            f"again on {visit.url}. "
            + ("The second should have others." if reading.key else "Each became a second record."),
            rows=len(rows),
            url=visit.url,
            first_url=seen[place].url,
        )
        return


def _find_moved_rows(reading: RowReading) -> Iterator[Doubt]:
    """Rows of one page that the next one has again: the list moved, and others were missed.

    Only where no page has the same row twice, so that rows are known to differ.
    """
    for one, other in pairwise(reading.visits):
        first, second = ([_text(row) for row in visit.rows] for visit in (one, other))
        same_list = list_of(one.url) == list_of(other.url) and one.url != other.url
        if not same_list or min(len(first), len(second)) < _SOME or _has_copies(reading):
            continue
        again = [row for row in second if row in first]
        moved = [n for n in range(1, len(second)) if first[-n:] == second[:n]]
        if again and (moved or not reading.key):
            shown = ", ".join(str(value) for value in _values(second[second.index(again[0])]))
            yield reading.doubt(
                "repeated",
                f"{reading.alias} read {len(again)} rows of {one.url} again on {other.url}, such "
                f"as {shown!r}: the list may have moved meanwhile, and others were missed.",
                rows=len(again),
                url=other.url,
                first_url=one.url,
            )
            return


def _has_copies(reading: RowReading) -> bool:
    """Whether any page has the same row twice, so that rows that are alike are nothing special."""
    return any(len({_text(row) for row in each.rows}) < len(each.rows) for each in reading.visits)


def _values(row: str) -> list[object]:
    value = json.loads(row)
    return list(value.values()) if isinstance(value, dict) else [value]


def _is_stated(reading: RowReading) -> bool:
    """Whether the page itself counts as many rows as were read."""
    read = len(reading.rows)
    return any(claim.total == read for visit in reading.visits for claim in claims_of(visit))


def _find_not_unique(reading: RowReading) -> Iterator[Doubt]:
    """Values that were all different when the node was built, and are not now in one list.

    Two searches may find the same row.
    """
    lists = [[row for visit in each for row in visit.rows] for each in group_lists(reading.visits)]
    for check in reading.checks:
        name = str(check.get("field", ""))
        for rows in lists if check.get("kind") == "unique" else ():
            columns = list_doubt_columns(rows)
            counts = Counter(value for value in columns.get(name, ()) if value)
            twice = [value for value, count in counts.items() if count > 1]
            if not twice:
                continue
            yield reading.doubt(
                "unique",
                f"{reading.alias} read {len(columns[name])} rows with {len(counts)} different "
                f"values of {name!r}: {twice[0]!r} is there {counts[twice[0]]} times.",
                field=name,
                rows=len(columns[name]),
                different=len(counts),
                values=twice[:_SHOWN],
                url=reading.visits[-1].url,
            )
            break


def _find_same_answers(reading: RowReading) -> Iterator[Doubt]:
    """Searches for different words of which each found the very same rows: they are not heeded."""
    lists = [each for each in group_lists(reading.visits) if any(one.rows for one in each)]
    asked = [_read_search(each[0].url) for each in lists]
    rows = [sorted(_text(row) for visit in each for row in visit.rows) for each in lists]
    if len(lists) < _FEW or len(rows[0]) < _SOME or any(each != rows[0] for each in rows):
        return
    if not all(asked) or any(one in other for one, other in permutations(asked, 2)):
        return
    yield reading.doubt(
        "repeated",
        f"{reading.alias} read the same {len(rows[0])} rows for each of {len(lists)} searches "
        f"({', '.join(map(repr, asked[:_SHOWN]))}): does the page use what is searched for?",
        rows=len(rows[0]),
        searches=len(lists),
        url=lists[-1][-1].url,
    )


def _read_search(url: str) -> str:
    """What an address searches for, by the names of its parameters; else nothing."""
    try:
        query = parse_qsl(urlsplit(url).query)
    except ValueError:
        return ""
    found = [value.strip().casefold() for name, value in query if _SEARCHES.search(name)]
    return " ".join(found)


def _text(row: Json | Mapping[str, Json] | Sequence[Json]) -> str:
    return json.dumps(row, sort_keys=True, ensure_ascii=False)
