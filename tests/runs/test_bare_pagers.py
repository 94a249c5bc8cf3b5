"""Pagers of bare links, and tables that lack rows of which a node takes only some."""

from __future__ import annotations

import re
from collections.abc import Sequence

from director.runs.doubts import find_doubts
from runs.conftest import Live
from runs.doubt_pages import ListCase, rows, serve_lists, table
from runs.test_doubts import kinds, reading, visit
from runs.test_doubts_pages import doubts_of

# A head of plain cells, as database tools draw it: a box for all rows, then the columns.
HEAD = "<thead><tr><td><input type=checkbox> <a href='?modify=1'>Modify</a><th>Price</tr></thead>"
TOTAL = (
    "<fieldset><legend>Whole result</legend><label><input type=checkbox>{} rows</label></fieldset>"
)
MORE = "<p><a href='/list?select=parts&page=1'>Load more data</a></p>"


def links(current: int, last: int, key: str = "page", first: int = 0, step: int = 1) -> str:
    """Numbers that lead to the pages of a list; the current one is plain text."""
    return " ".join(
        str(n) if n == current else f"<a href='/list?select=parts&{key}={step * (n - 1) + first}'>{n}</a>"
        for n in range(1, last + 1)
    )  # fmt: skip


def parts(first: int, last: int, *below: str) -> str:
    """A table under a head of plain cells, with what stands below it."""
    shown = f"<table>{HEAD}<tbody>{rows(first, last)}</tbody></table>"
    return f"<form><div>{shown}</div><div class=footer><div>{''.join(below)}</div></div></form>"


def pages(current: int, last: int, **more: object) -> str:
    """A bare pager in a fieldset."""
    shown = links(current, last, **more)  # type: ignore[arg-type]
    return f"<fieldset><legend><a href='/list?select=parts'>Page</a></legend> {shown}</fieldset>"


def all_pages(key: str, first: int, step: int) -> tuple[tuple[str, str], ...]:
    """Each page of a list of three."""
    return tuple(
        (
            f"/list?select=parts&{key}={step * (n - 1) + first}",
            parts(5 * n - 4, 5 * n, pages(n, 3, key=key, first=first, step=step)),
        )
        for n in (1, 2, 3)
    )


LIST = "/list?select=parts"
DAYS = " ".join("1" if d == 1 else f"<a href='/list?day={d}'>{d}</a>" for d in range(1, 29))
SIZES = "25 <a href='/list?rows=50'>50</a> <a href='/list?rows=100'>100</a>"
YEARS = "2026 <a href='/list?in=2025'>2025</a> <a href='/list?in=2024'>2024</a>"
NOTES = "1 <a href='/list?note=71'>2</a> <a href='/list?note=72'>3</a>"
STARS = "1 <a href='/list?stars=2'>2</a> <a href='/list?stars=3'>3</a>"
GRID = "".join(
    f"<tr>{''.join(f'<td><a href=/list?at={7 * w + d}>{7 * w + d}</a>' for d in range(1, 8))}"
    for w in range(4)
)
TODAY = GRID.replace("<a href=/list?at=1>1</a>", "1")

LEFT: tuple[tuple[str, ListCase], ...] = (
    ("total", ListCase("a total in a label", ((LIST, parts(1, 50, pages(1, 9), TOTAL.format(412))),))),
    ("next", ListCase("a bare pager", ((LIST, parts(1, 50, pages(1, 9))),))),
    ("next", ListCase("two pages", ((LIST, parts(1, 50, pages(1, 2))),))),
    ("next", ListCase("by the first row", ((LIST, parts(1, 50, pages(1, 9, key="o", step=50))),))),
    ("next", ListCase("in a path", ((LIST, f"{table(1, 9)}<p>1 <a href='/list/page/2'>2</a></p>"),))),
    ("next", ListCase("more to load", ((LIST, parts(1, 50, MORE)),))),
    ("next", ListCase("without its last", all_pages("o", 0, 5)[:2])),
    ("next", ListCase("without its second", (all_pages("o", 0, 5)[0], all_pages("o", 0, 5)[2]))),
    ("total", ListCase("a foot of plain cells", (
        (LIST, f"<p>82 rows</p>{table(1, 9).replace('</tbody>', '</tbody><tfoot><tr><td>Sum<td>9</tfoot>')}"),))),
)  # fmt: skip
WHOLE = (
    ListCase("a total in a label that agrees", ((LIST, parts(1, 9, TOTAL.format(9))),)),
    ListCase("all pages from 0", all_pages("page", 0, 1)),
    ListCase("all pages from 1", all_pages("nr", 1, 1)),
    ListCase("all pages by the first row", all_pages("o", 0, 5)),
    *(
        ListCase(name, ((LIST, f"{table(1, 9)}<p>{said}</p>"),))
        for name, said in (
            ("days", DAYS), ("sizes", SIZES), ("years", YEARS), ("notes", NOTES), ("stars", STARS),
            ("more in place", "<a href='#'>Load more data</a>"),
        )
    ),
    ListCase("a calendar", ((LIST, f"{table(1, 9)}<table class=calendar>{GRID}</table>"),),
             "table:not(.calendar) tbody tr"),
    ListCase("days without a name", ((LIST, f"{table(1, 9)}<div><table class=other>{TODAY}</table></div>"),),
             "table:not(.other) tbody tr"),
    ListCase("weeks that are no table", ((LIST, table(1, 9) + "<div>" + "".join(
        f"<div>{line}</div>" for line in re.sub("</?t[dr]>", " ", TODAY.replace("<tr>", "\n")).split("\n")) + "</div>"),)),
    ListCase("numbers in the rows", (
        (LIST, "<table><tbody>" + "".join(
            f"<tr><td class=name>Lamp {n}<td class=price>1 <a href='/list?page=2'>2</a> <a href='/list?page=3'>3</a>"
            for n in range(1, 9)) + "</table>"),)),
)  # fmt: skip


def told(live: Live, cases: Sequence[ListCase]) -> dict[str, list[str]]:
    """The kinds of the doubts about each case."""
    with serve_lists() as lists:
        found = doubts_of(live, lists, [*cases])
    return {case.name: kinds(each) for case, each in zip(cases, found, strict=True)}


def test_a_page_that_a_bare_pager_leads_to_is_doubted(live: Live) -> None:
    """Links that are numbers, a link that loads more, a total in a label under a head of cells."""
    assert told(live, [case for _, case in LEFT]) == {case.name: [kind] for kind, case in LEFT}


def test_numbers_that_turn_no_pages_are_not_doubted(live: Live) -> None:
    """Days, sizes, years, notes and numbers in the rows; nor a pager of which all pages were read."""
    assert told(live, WHOLE) == {case.name: [] for case in WHOLE}


def events(shown: int, over: str, below: str, head: str = "") -> str:
    """A table of events, every third of which is a draft."""
    lines = "".join(
        f"<tr><td class=name>Event {n}<td class=price>{'draft' if n % 3 == 0 else '<a class=live>live</a>'}"
        for n in range(1, shown + 1)
    )
    head = f"<thead><tr><th>{head or 'Name'}<th>State</thead>"
    return f"{over}<table>{head}<tbody>{lines}</table>{below}"


ONE = (
    "<nav class=pagination aria-label=Pagination><p>Page 1 of 1</p><ul><li>"
    "<a href='/list?p=1' aria-current=page>1</a></ul><div>18 pages</div></nav>"
)
LIVE = "tbody tr:has(a.live)"


def chosen(name: str, *shown: str, selector: str = LIVE) -> ListCase:
    """A list of which some rows are taken."""
    paths = [f"/list?p={at}" for at, _ in enumerate(shown, 1)]
    return ListCase(name, tuple(zip(paths, shown, strict=True)), selector)


SHORT = (
    chosen("a range over the table", events(15, "<p>1-18 of 18</p>", "")),
    chosen("a range of pages in the head", events(15, "", ONE, "1-18 of 18 pages")),
    chosen("pages in the pager", events(15, "", ONE)),
    chosen("links of the rows", events(15, "", ONE), selector="tbody tr a.live"),
    chosen("the only page", events(15, "<p>18 results</p>", "<p>Page 1 of 1</p>")),
    chosen("the second of two pages", events(20, "<p>1-20 of 38</p>", ""),
           events(15, "<p>21-38 of 38</p>", "")),
    chosen("all rows of a list of pages", events(15, "", ONE), selector="tbody tr"),
)  # fmt: skip
FULL = (
    chosen("a whole table", events(18, "<p>1-18 of 18</p>", ONE)),
    chosen("a whole list of pages", events(18, "", ONE, "1-18 of 18 pages")),
    chosen("all rows of it", events(18, "", ONE, "1-18 of 18 pages"), selector="tbody tr"),
    chosen("a page of several", events(20, "<p>1-20 of 38</p>", "")),
    chosen("a total of several pages", events(20, "<p>38 results</p>", "<p>Page 1 of 2</p>")),
    chosen("a total without a pager", events(20, "<p>38 results</p>", "")),
    chosen("pages of a pager", events(20, "<p>Page 1 of 18</p>", "<div class=pager>18 pages</div>")),
    chosen("cells of a gallery", "<p>1-18 of 18</p><table><tbody>" + "<tr>" .join(
        "<td><a class=live>a</a><td>b<td><a class=live>c</a>" for _ in range(6)) + "</table>",
        selector="td:has(a)"),
)  # fmt: skip


def test_a_table_that_lacks_rows_is_doubted_whatever_is_taken_of_it(live: Live) -> None:
    """The rows that it shows against the part that the page states."""
    assert told(live, SHORT) == {case.name: ["total"] for case in SHORT}


def test_some_rows_of_a_whole_table_are_not_doubted(live: Live) -> None:
    """Nor is one page of several for the total of all."""
    assert told(live, FULL) == {case.name: [] for case in FULL}


def test_a_limit_or_a_tolerance_allows_for_a_shorter_table() -> None:
    """As it does where all rows are read."""
    short = visit(0, 12, "1-18 of 18", of=15, own=15)
    (doubt,) = find_doubts([reading(short)])
    assert (doubt.kind, doubt.evidence["read"], doubt.evidence["said"]) == ("total", 15, 18)
    spare = ({"kind": "total", "tolerance": 3},)
    assert find_doubts([reading(short, checks=spare)]) == []
    assert find_doubts([reading(visit(0, 12, "1-18 of 18", of=15, own=15, limited=True))]) == []
