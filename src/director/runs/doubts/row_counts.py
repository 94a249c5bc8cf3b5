"""Rows that are missing: fewer than the page says there are, or a next page that nobody read.

Visits of one list are taken together, whatever their order. What was read is compared with counts
only where a node reads every row that the page shows, and one claim that agrees with it settles it.
Of a table that a node takes some rows of, the rows that the page shows are compared.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from urllib.parse import parse_qsl, urlencode, urlsplit

from director.runs.doubts.doubt import Doubt, RowReading, RowVisit
from director.runs.doubts.page_claims import (
    Claim,
    pattern_of,
    read_claim,
    read_pages_as_rows,
    says_more,
    says_none,
)
from director.workflow.values import Json

# What a query names to say which part of a list is shown.
_PAGING = re.compile(
    r"^_?(?:p|pg|page|page_?(?:no|num|number|index|id)|paged|seite|offset|start(?:index|at)?|from|"
    r"skip|next|after|before|cursor|since|until|first|start_?with|row|@?:?(?:startwith|pagesize))$"
)
_PATH = re.compile(r"/(?:page|p|seite|pagina)[/-]?\d+(?=/|$)")
_NEARLY = 0.95  # of the rows that a list has room for, which is measured in pixels
_RANK = {"pager": 0, "caption": 0, "heading": 1, "near": 2, "page": 3}


def list_of(url: str, turned_by: Collection[str] = ()) -> str:
    """The address of the list that a page is a part of.

    `turned_by` names what else in a query says which part: what the links of a pager differ in.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    kept = sorted(
        pair
        for pair in parse_qsl(parts.query)
        if pair[0] not in turned_by and not _PAGING.match(pair[0].casefold())
    )
    return f"{parts.netloc}{_PATH.sub('', parts.path)}?{urlencode(kept)}"


def claims_of(visit: RowVisit, counter: str = "") -> list[Claim]:
    """What the page said of the list at a visit, the surest first.

    `counter` is the phrase, without its numbers, that the node's own check names.
    """
    found = []
    said = [(str(each.get("text", "")), str(each.get("place", "near"))) for each in visit.counters]
    pages = {claim.pages for each in said if (claim := read_claim(*each)) and claim.pages}
    for text, place in said:
        pinned = bool(counter) and pattern_of(text) == counter
        where = "pager" if pinned else place
        claim = read_claim(text, where, visit.words) or read_pages_as_rows(text, where, pages)
        if claim is not None:
            found.append((not pinned, claim.first is None, _RANK.get(place, 2), claim))
    found.sort(key=lambda each: each[:3])
    return [each[3] for each in found]


def find_missing_rows(reading: RowReading) -> Iterator[Doubt]:
    """Doubts about the number of rows that a node read in a run."""
    for visits in group_lists(reading.visits):
        if not all(visit.is_whole for visit in visits):
            yield from islice(_find_shorter_tables(reading, visits), 1)
            continue
        read = _count_rows(visits)
        found = [*_find_fewer(reading, visits, read)] or [*_find_no_count(reading, visits, read)]
        found = found or [*_find_more(reading, visits, read)]
        yield from found
        if found:
            continue
        if _is_settled(reading, visits, read):
            yield from _find_beyond(reading, visits, read)
        else:
            yield from [*_find_next(reading, visits)] or _find_skipped(reading, visits)


def group_lists(visits: Iterable[RowVisit]) -> list[list[RowVisit]]:
    """The visits of each list: its pages together, one search apart from another."""
    found: dict[str, list[RowVisit]] = {}
    seen = [*visits]
    keys = {str(visit.pages["key"]) for visit in seen if visit.pages and visit.pages.get("key")}
    for visit in seen:
        found.setdefault(list_of(visit.url, keys), []).append(visit)
    return _join_ranges(found)


def _join_ranges(groups: Mapping[str, list[RowVisit]]) -> list[list[RowVisit]]:
    """Lists of one path whose pages state adjoining parts of one total are the same list.

    A first page that a form led to may have another query than those that a pager leads to.
    """
    joined: dict[object, list[RowVisit]] = {}
    parts: dict[object, list[tuple[int, int]]] = {}
    for address, visits in groups.items():
        ranges = [_range_of(visit) for visit in visits]
        totals = {each[2] for each in ranges if each}
        place = (address.partition("?")[0], *totals) if len(totals) == 1 and all(ranges) else None
        own = [(each[0], each[1]) for each in ranges if each]
        if place is None or _overlap([*parts.get(place, []), *own]):
            joined[address] = visits
            continue
        joined.setdefault(place, []).extend(visits)
        parts.setdefault(place, []).extend(own)
    return list(joined.values())


def _range_of(visit: RowVisit) -> tuple[int, int, int] | None:
    for each in claims_of(visit):
        if each.first is not None and each.last is not None and each.total is not None:
            return each.first, each.last, each.total
    return None


def _overlap(ranges: Sequence[tuple[int, int]]) -> bool:
    return any(one[1] >= other[0] for one, other in pairwise(sorted(ranges)))


def _count_rows(visits: Sequence[RowVisit]) -> int:
    """How many rows were read; the same page read twice counts once."""
    seen: dict[str, int] = {}
    for visit in visits:
        seen[repr(visit.rows)] = len(visit.rows)
    return sum(seen.values())


def _claims(reading: RowReading, visits: Sequence[RowVisit]) -> list[Claim]:
    counter = str(reading.check("total").get("counter", ""))
    return [claim for visit in visits for claim in claims_of(visit, counter)]


def _is_settled(reading: RowReading, visits: Sequence[RowVisit], read: int) -> bool:
    """Whether something on the page says that this is all."""
    claims = [each for each in _claims(reading, visits) if each.total is not None]
    return any(not each.least and each.total == read for each in claims)


def _find_fewer(reading: RowReading, visits: Sequence[RowVisit], read: int) -> Iterator[Doubt]:
    claims = [each for each in _claims(reading, visits) if each.total is not None]
    spare = reading.check("total").get("tolerance")
    enough = read + (spare if isinstance(spare, int) else 0)
    if not claims or any((each.total or 0) <= enough for each in claims):
        return
    # Several lengths for one address are several lists: then none of them is sure.
    said = next(each for each in claims if each.total is not None)
    if len({each.total for each in claims if each.place == said.place}) > 1:
        return
    kind = "nothing" if not read else "total"
    if kind == "nothing" and said.place == "page" and len(claims) > len(visits):
        return
    pages = f" on {len(visits)} pages" if len(visits) > 1 else ""
    yield reading.doubt(
        "nothing" if not read else "total",
        f"{reading.alias} read {_rows(read)}{pages}, and the page says {said.text!r}.",
        read=read,
        said=said.total,
        text=said.text,
        place=said.place,
        url=visits[-1].url,
        visits=len(visits),
    )


def _find_shorter_tables(reading: RowReading, visits: Sequence[RowVisit]) -> Iterator[Doubt]:
    """Tables with fewer rows than the page states for this part, whichever of them were taken."""
    spare = reading.check("total").get("tolerance")
    for visit in visits:
        stated = _state_own_rows(reading, visit)
        enough = visit.own + (spare if isinstance(spare, int) else 0)
        if visit.limited or not visit.own or len({each[0] for each in stated}) != 1:
            continue
        wanted, said = stated[0]
        if wanted > enough:
            yield reading.doubt(
                "total",
                f"{reading.alias} took some rows of a table that shows {_rows(visit.own)}, and the "
                f"page says {said.text!r}.",
                read=visit.own,
                said=wanted,
                text=said.text,
                place=said.place,
                url=visit.url,
                visits=len(visits),
            )


def _state_own_rows(reading: RowReading, visit: RowVisit) -> list[tuple[int, Claim]]:
    """How many rows the page states for the part that it shows: by a range, or as its only page."""
    claims = [each for each in _claims(reading, [visit]) if not each.least]
    ranges = [
        (each.last - each.first + 1, each)
        for each in claims
        if each.first is not None and each.last is not None
    ]
    pages = _page_numbers(visit)
    totals = [(each.total, each) for each in claims if each.total is not None]
    return ranges or (totals if pages and pages[1] == 1 else [])


def _find_more(reading: RowReading, visits: Sequence[RowVisit], read: int) -> Iterator[Doubt]:
    """More rows on one page than its own pager or caption counts: a sum, a head, a copy."""
    claims = [each for each in _claims(reading, visits) if each.total is not None]
    if len(visits) != 1 or not claims or any((each.total or 0) >= read for each in claims):
        return
    said = claims[0]
    sure = said.place in ("pager", "caption") or said.first is not None
    if sure and said.total and not any(each.least for each in claims):
        yield reading.doubt(
            "total",
            f"{reading.alias} read {_rows(read)}, more than the page says: {said.text!r}.",
            read=read,
            said=said.total,
            text=said.text,
            place=said.place,
            url=visits[-1].url,
            visits=1,
        )


def _find_no_count(reading: RowReading, visits: Sequence[RowVisit], read: int) -> Iterator[Doubt]:
    """Nothing was read, and the count that stood by the list is gone: perhaps another page."""
    counter = str(reading.check("total").get("counter", ""))
    seen = [visit for visit in visits if visit.url]
    said = [str(each.get("text", "")) for visit in seen for each in visit.counters]
    if not counter or read or not seen or _is_settled(reading, visits, read):
        return
    words = " ".join((counter, *(visit.words for visit in seen)))
    if any(pattern_of(text) == counter or says_none(text, words) for text in said):
        return
    if reading.has_known_columns(seen):
        # The same list without its count, as where a search finds nothing.
        return
    yield reading.doubt(
        "nothing",
        f"{reading.alias} read 0 rows, and the page no longer says {counter!r}.",
        read=0,
        text=counter,
        url=seen[-1].url,
        visits=len(visits),
    )


def _find_next(reading: RowReading, visits: Sequence[RowVisit]) -> Iterator[Doubt]:
    """A page that follows and was not read."""
    if not any(visit.rows for visit in visits):
        return
    if cut := [*find_undrawn(reading, visits), *_find_cut_off(reading, visits)]:
        yield cut[0]
        return
    numbers = [_page_numbers(visit) for visit in visits]
    known = {pair[0] for pair in numbers if pair}
    last = max((pair[1] for pair in numbers if pair), default=0)
    read = {visit.url.partition("#")[0] for visit in visits}
    if all(numbers) and known >= set(range(1, last + 1)):
        return
    if all(numbers) and last > max(known):
        yield _unread(reading, visits, f"page {last}", {"page": max(known), "last": last})
        return
    following = visits[-1].following
    if not following:
        return
    target = str(following.get("href", "")).partition("#")[0]
    if target and target in read:
        return
    words = str(following.get("text", "")) or "next"
    yield _unread(reading, visits, f"{words!r}", {"next": words, "href": target})


def _find_beyond(reading: RowReading, visits: Sequence[RowVisit], read: int) -> Iterator[Doubt]:
    """A page that the list's own pager leads to and nobody read, although the count agrees.

    Only where none of the counted rows could be on it, so that one of the two is wrong.
    """
    numbers = [_page_numbers(visit) for visit in visits]
    known = {pair[0] for pair in numbers if pair}
    linked = max((_last_linked(visit) for visit in visits), default=0)
    said = [each for each in _claims(reading, visits) if each.total == read and not each.least]
    # A pager that was turned is the list's own; else it must hold the count.
    is_own = len(known) > 1 or any(each.place == "pager" for each in said)
    size = max(visit.of or len(visit.rows) for visit in visits)
    if not all(numbers) or not is_own or linked <= max(known):
        return
    if size and (linked - 1) * size >= read:
        more = f"page {linked}, though it says {said[0].text!r}"
        yield _unread(reading, visits, more, {"page": max(known), "last": linked})


def _last_linked(visit: RowVisit) -> int:
    linked = (visit.pages or {}).get("linked")
    return linked if isinstance(linked, int) else 0


def _find_cut_off(reading: RowReading, visits: Sequence[RowVisit]) -> Iterator[Doubt]:
    """A list of which the page itself says that it goes on."""
    said = [str(each.get("text", "")) for each in visits[-1].counters]
    if cut := next(filter(says_more, said), ""):
        yield _unread(reading, visits, f"{cut!r}", {"text": cut})


def _find_skipped(reading: RowReading, visits: Sequence[RowVisit]) -> Iterator[Doubt]:
    """A page before the first one that was read, or between two of them."""
    visits = [visit for visit in visits if visit.url]
    numbers = [_page_numbers(visit) for visit in visits]
    known = {pair[0] for pair in numbers if pair}
    if all(numbers) and known and (left := sorted({*range(min(known), max(known))} - known)):
        more = f"page {left[0]}, which was not read"
        yield _unread(reading, visits, more, {"page": max(known), "left": left[0]})
        return
    if not visits or not all(visit.preceding and visit.rows for visit in visits):
        return
    first = min(visits, key=lambda visit: (_page_numbers(visit) or (0, 0))[0])
    before = first.preceding or {}
    target = str(before.get("href", "")).partition("#")[0]
    if target not in {visit.url.partition("#")[0] for visit in visits}:
        words = str(before.get("text", ""))
        more = f"{words!r} on the first of them: some sites count their pages from 0"
        yield _unread(reading, visits, more, {"previous": words, "href": target})


def find_undrawn(reading: RowReading, visits: Sequence[RowVisit]) -> Iterator[Doubt]:
    """A list that draws only the rows in sight, of which most were never drawn."""
    room = max((visit.room for visit in visits if not visit.limited), default=0)
    if room and len({repr(row) for visit in visits for row in visit.rows}) < _NEARLY * room:
        more = f"room for about {room} rows: it draws only those in sight, and extract_all scrolls"
        yield _unread(reading, visits, more, {"room": room})


def _page_numbers(visit: RowVisit) -> tuple[int, int] | None:
    if visit.pages:
        current, last = visit.pages.get("current"), visit.pages.get("last")
        if isinstance(current, int) and isinstance(last, int):
            return current, max(current, last)
    for claim in claims_of(visit):
        if claim.page is not None and claim.pages is not None:
            return claim.page, claim.pages
    return None


def _unread(
    reading: RowReading, visits: Sequence[RowVisit], more: str, evidence: dict[str, Json]
) -> Doubt:
    read, verb = _count_rows(visits), "says" if "text" in evidence else "offers"
    unturned = visits[-1].unturned
    why = f" What 'next' names ({unturned}) is not on it, or cannot be used." if unturned else ""
    return reading.doubt(
        "next",
        f"{reading.alias} read {_rows(read)} on {len(visits)} "
        f"{'page' if len(visits) == 1 else 'pages'}, and the page still {verb} {more}.{why}",
        read=read,
        url=visits[-1].url,
        visits=len(visits),
        **({"unturned": unturned} if unturned else {}),
        **evidence,
    )


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
