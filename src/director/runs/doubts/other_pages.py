"""Rows that were read of another page than the one that was meant, or before they were all there.

A login form, a message that something went wrong, a page without rows amid pages that have them,
rows that came after the look, cells that reach over several rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from director.runs.doubts.doubt import Doubt, RowReading, RowVisit, name_of
from director.runs.doubts.headings import find_misnamed_columns, find_moved_columns
from director.runs.doubts.page_claims import says_none
from director.runs.doubts.row_counts import claims_of, list_of


def find_other_pages(reading: RowReading) -> Iterator[Doubt]:
    """Doubts about which page was read, and when; one of each kind."""
    yield from _first(_find_nothing(reading))
    yield from _first(_find_early(reading))
    yield from _find_cells(reading)
    yield from [*find_moved_columns(reading)] or find_misnamed_columns(reading)


def _first(doubts: Iterator[Doubt]) -> Iterator[Doubt]:
    found = next(doubts, None)
    if found is not None:
        yield found


def _find_nothing(reading: RowReading) -> Iterator[Doubt]:
    for visit in reading.visits:
        if visit.rows or _says_nothing(visit):
            continue
        if visit.asks_login:
            yield _no_rows(reading, visit, "the page asks for a password: has the login expired?")
        elif visit.trouble:
            yield _no_rows(reading, visit, f"the page says {visit.trouble!r}.")
        elif reading.is_one:
            yield _no_rows(reading, visit, "its selector means one element, which is not there.")
    yield from _find_holes(reading)
    yield from _find_empty_lists(reading)


def _says_nothing(visit: RowVisit) -> bool:
    """Whether the page itself says that there is nothing."""
    if any(claim.total == 0 for claim in claims_of(visit)):
        return True
    return any(says_none(str(each.get("text", "")), visit.words) for each in visit.counters)


def _find_holes(reading: RowReading) -> Iterator[Doubt]:
    """A page without rows, after which the same list had some again."""
    for at, visit in enumerate(reading.visits):
        if visit.rows or not visit.url:
            continue
        same = [one for one in reading.visits if list_of(one.url) == list_of(visit.url)]
        before = [one for one in same if one.rows and one in reading.visits[:at]]
        after = [one for one in same if one.rows and one in reading.visits[at + 1 :]]
        if before and after and visit.url not in {one.url for one in (*before, *after)}:
            yield _no_rows(reading, visit, "the pages before and after it have rows.")


def _find_empty_lists(reading: RowReading) -> Iterator[Doubt]:
    """Several pages of one list, all of them without rows: nobody turns the pages of nothing."""
    pages: dict[str, list[RowVisit]] = {}
    for visit in reading.visits:
        pages.setdefault(list_of(visit.url), []).append(visit)
    for visits in pages.values():
        many = len({visit.url for visit in visits})
        if many > 1 and not any(visit.rows for visit in visits):
            yield _no_rows(reading, visits[-1], f"so it was on {many} pages of one list.")


def _no_rows(reading: RowReading, visit: RowVisit, why: str) -> Doubt:
    return reading.doubt(
        "nothing",
        f"{reading.alias} read 0 rows, and {why}",
        read=0,
        text=visit.trouble,
        url=visit.url,
        visits=len(reading.visits),
    )


def _find_early(reading: RowReading) -> Iterator[Doubt]:
    """Rows that were read while others were still to come, or could not come."""
    for visit in reading.visits:
        read = len(visit.rows)
        if visit.limited:
            continue
        if visit.later:
            yield reading.doubt(
                "early",
                f"{reading.alias} read {visit.later['read']} elements, and a moment later the page "
                f"had {visit.later['now']}: it was read while the page was still changing.",
                **visit.later,
                url=visit.url,
            )
        elif read and visit.trouble:
            yield reading.doubt(
                "early",
                f"{reading.alias} read {read} rows, and beside them the page says "
                f"{visit.trouble!r}.",
                read=read,
                text=visit.trouble,
                url=visit.url,
            )


def _find_cells(reading: RowReading) -> Iterator[Doubt]:
    """Fields that another cell covers in some rows: there they are empty, or another column's."""
    counts: dict[str, int] = {}
    for visit in reading.visits:
        for name, many in visit.covered.items():
            counts[name] = counts.get(name, 0) + (many if isinstance(many, int) else 0)
    for name, many in counts.items():
        yield reading.doubt(
            "cells",
            f"In {many} of {len(reading.rows)} rows the {name_of(name)} of {reading.alias} is not "
            "in its column: a cell reaches over several rows or columns there.",
            field=name,
            rows=len(reading.rows),
            covered=many,
            url=reading.visits[-1].url,
        )
