"""Far fewer rows than in the last run that passed, or full pages that hold fewer than then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from director.runs.doubts.doubt import Doubt, RowReading, RowVisit
from director.runs.doubts.row_counts import claims_of, list_of
from director.workflow.values import Json

_SHARE = 0.5
_LEAST = 5  # rows that may go without being far fewer
_PAGES = 4  # from which on all but one being of one size is no accident
_CUT = 3  # rows that are gone from the end of a list that is otherwise as it was
_CUT_SHARE = 0.1
_LONG = 50  # rows from which on a list that loses most of them is doubted, whatever the page says
_STEADY = 0.05  # by which share a list may differ between earlier runs and still be a steady one


def find_short_page(reading: RowReading) -> Iterator[Doubt]:
    """A doubt about a page in the middle of a list that has fewer rows than all the others."""
    reading = replace(reading, visits=_drop_repeated(reading.visits))
    visits, sizes = reading.visits, reading.page_sizes
    one_list = len({list_of(visit.url) for visit in visits}) == 1
    if len(sizes) < _PAGES or not one_list or not all(map(_is_read_whole, visits)):
        return
    totals = {claim.total for visit in visits for claim in claims_of(visit)}
    if len({visit.url for visit in visits}) < len(visits) or len(reading.rows) in totals:
        return
    size, pages = Counter(sizes).most_common(1)[0]
    short = [at for at in range(1, len(sizes) - 1) if sizes[at] < size]
    if len(short) == 1 and pages >= len(sizes) - 2 and max(sizes) == size and sizes[short[0]]:
        at = short[0]
        url = visits[at].url if len(visits) > 1 else visits[0].url
        where = url if len(visits) > 1 else f"page {at + 1} of {len(sizes)}"
        yield reading.doubt(
            "fewer",
            f"{reading.alias} read {sizes[at]} rows on {where}, and {size} on the other pages "
            "of the list but for the ends: some may be missing.",
            read=sizes[at],
            size=size,
            url=url,
        )


def _drop_repeated(visits: Sequence[RowVisit]) -> tuple[RowVisit, ...]:
    """The visits without those of a page that was read before: some sites show the first again."""
    fresh = {repr(visit.rows): visit for visit in reversed(visits) if visit.rows}
    return tuple(visit for visit in visits if not visit.rows or fresh[repr(visit.rows)] is visit)


def _is_read_whole(visit: RowVisit) -> bool:
    """Whether it was to read every row of the list, on the pages that it turned itself too."""
    return visit.is_whole or (bool(visit.parts) and not visit.limited)


def find_fewer_rows(reading: RowReading, earlier: Sequence[Json]) -> Iterator[Doubt]:
    """A doubt if most of the rows of the run before are gone and nothing on the page says why.

    A page that leaves out rows may count only what it shows: a long list is doubted even so.
    """
    if reading.only_counts and len(reading.visits) != 1:
        # What is counted in each round of a loop adds up to no list.
        return
    rules = (
        _find_shorter_pages(reading),
        _find_cut_end(reading, earlier),
        _find_old_count(reading),
    )
    if cut := [doubt for rule in rules for doubt in rule]:
        yield cut[0]
        return
    now, before = len(reading.rows), len(earlier)
    share = reading.check("fewer").get("share")
    wanted = before * (share if isinstance(share, float) else _SHARE)
    is_stated = _is_stated(reading)
    if before - now < _LEAST or now >= wanted:
        if not is_stated and not share:
            yield from _find_fall(reading)
        return
    if is_stated and before < _LONG and not _is_steady(reading):
        return
    yield reading.doubt(
        "fewer",
        f"{reading.alias} read {now} rows; in {reading.name_before} it read {before}.",
        read=now,
        before=before,
        run_before=reading.run_before,
        url=reading.visits[-1].url if reading.visits else "",
    )


def _is_stated(reading: RowReading) -> bool:
    """Whether a page states what was read; one visit may show a part of what all read together."""
    totals = {claim.total for visit in reading.visits for claim in claims_of(visit)}
    return len(reading.rows) in totals or all(
        len(visit.rows) in {claim.total for claim in claims_of(visit)} for visit in reading.visits
    )


def _find_fall(reading: RowReading) -> Iterator[Doubt]:
    """A list that had as good as the same number of rows in several runs, and now has fewer."""
    now, counts = len(reading.rows), [len(rows) for rows in reading.rows_before]
    least = min(counts, default=0)
    if _is_steady(reading) and least - now >= max(_CUT, _CUT_SHARE * least):
        yield reading.doubt(
            "fewer",
            f"{reading.alias} read {now} rows, and {least} or more in each of the {len(counts)} "
            "runs before it with the same inputs: some may be missing.",
            read=now,
            before=least,
            run_before=reading.run_before,
            url=reading.visits[-1].url if reading.visits else "",
        )


def _is_steady(reading: RowReading) -> bool:
    """Whether several runs before it read as good as the same number of rows."""
    counts = [len(rows) for rows in reading.rows_before]
    return len(counts) > 1 and max(counts) - min(counts) <= _STEADY * min(counts)


def _find_old_count(reading: RowReading) -> Iterator[Doubt]:
    """Fewer rows than before, while the page still states the number that was read then."""
    now, before = len(reading.rows), len(next(iter(reading.rows_before), ()))
    said = [claim for visit in reading.visits for claim in claims_of(visit)]
    text = next((claim.text for claim in said if claim.total == before), "")
    if text and before - now >= _CUT and all(visit.is_whole for visit in reading.visits):
        yield reading.doubt(
            "fewer",
            f"{reading.alias} read {now} rows, and the page still says {text!r}, as many as it "
            f"read in {reading.name_before}: some may be missing.",
            read=now,
            before=before,
            run_before=reading.run_before,
            url=reading.visits[-1].url,
        )


def _find_cut_end(reading: RowReading, earlier: Sequence[Json]) -> Iterator[Doubt]:
    """A list that is the beginning of the one of before, row for row, and then ends."""
    rows, lost = reading.rows, len(earlier) - len(reading.rows)
    share = 0 if _ends_full(reading) else _CUT_SHARE * len(earlier)
    if reading.only_counts or len(rows) < _CUT or lost < max(_CUT, share):
        return
    totals = {claim.total for visit in reading.visits for claim in claims_of(visit)}
    if [*earlier[: len(rows)]] != rows or len(rows) in totals:
        return
    yield reading.doubt(
        "fewer",
        f"{reading.alias} read exactly the first {len(rows)} of the {len(earlier)} rows of "
        f"{reading.name_before}, and none of the rest: the list may be cut off.",
        read=len(rows),
        before=len(earlier),
        run_before=reading.run_before,
        url=reading.visits[-1].url,
    )


def _ends_full(reading: RowReading) -> bool:
    """Whether the last page is as full as all others: then another one may be missing."""
    sizes = reading.page_sizes
    return len(sizes) > 1 and len({*sizes}) == 1


def _find_shorter_pages(reading: RowReading) -> Iterator[Doubt]:
    """Full pages that hold fewer rows than they did."""
    if 0 < reading.page_size < reading.page_size_before:
        # Only the last page of a list grows and shrinks with it.
        yield reading.doubt(
            "fewer",
            f"Each page but the last gave {reading.alias} {reading.page_size} rows, and "
            f"{reading.page_size_before} in {reading.name_before}: some may be missing.",
            read=reading.page_size,
            before=reading.page_size_before,
            run_before=reading.run_before,
            url=reading.visits[0].url,
        )
