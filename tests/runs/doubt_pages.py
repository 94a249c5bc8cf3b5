"""Pages with lists for tests of doubts: right ones of many kinds, and ones that hide something."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FIELDS = {"name": ".name", "price": ".price"}


@dataclass(frozen=True, slots=True)
class ListCase:
    """Pages that are read one after another, by one selector."""

    name: str
    pages: tuple[tuple[str, str], ...]
    selector: str = "tbody tr"
    fields: Mapping[str, str] | None = None
    limit: int | None = None
    is_limit_given: bool = False


def rows(first: int, last: int, **cells: str) -> str:
    """Rows of a table, each with a name and a price."""
    return "".join(
        f"<tr><td class=name>Lamp {n}</td><td class=price>{cells.get('price', f'{n}.50')}</td></tr>"
        for n in range(first, last + 1)
    )


def table(first: int, last: int, caption: str = "") -> str:
    """A table with a head."""
    head = "<thead><tr><th>Name<th>Price</tr></thead>"
    said = f"<caption>{caption}</caption>" if caption else ""
    return f"<table>{said}{head}<tbody>{rows(first, last)}</tbody></table>"


def cards(first: int, last: int, kind: str = "card") -> str:
    """A list of cards."""
    inside = "".join(
        f"<div class={kind}><b class=name>Lamp {n}</b> <i class=price>{n}.50</i></div>"
        for n in range(first, last + 1)
    )
    return f"<div class=cards>{inside}</div>"


def pager(current: int, last: int, path: str = "/list") -> str:
    """Numbers with the current one marked, and what leads on."""
    links = "".join(
        f"<span aria-current=page>{n}</span> "
        if n == current
        else f"<a href='{path}?page={n}'>{n}</a> "
        for n in range(1, last + 1)
    )
    more = f"<a rel=next href='{path}?page={current + 1}'>Next</a>" if current < last else ""
    return f"<nav class=pagination aria-label=Pagination>{links}{more}</nav>"


def _paged(total: int, size: int, counter: str) -> tuple[tuple[str, str], ...]:
    last = -(-total // size)
    return tuple(
        (
            f"/list?page={n}",
            (
                f"<p>{counter.format(first=(n - 1) * size + 1, last=min(n * size, total), total=total)}"
                f"</p>{table((n - 1) * size + 1, min(n * size, total))}{pager(n, last)}"
            ),
        )
        for n in range(1, last + 1)
    )


_CALENDAR = (
    "<div class=calendar><button>&lsaquo;</button><button>Next month</button><a href='?m=2'>&rsaquo;</a>"
    "<table class=calendar><tbody>"
    + "".join(
        f"<tr>{''.join(f'<td><a href=?d={7 * w + d}>{7 * w + d}</a></td>' for d in range(1, 8))}</tr>"
        for w in range(4)
    )
    + "</tbody></table></div>"
)

_HEAD = "<tr><th>Name<th>Price</tr>"
_GRID = "<div role=grid>{head}{rows}</div>".format(
    head="<div role=row><b role=columnheader>Name</b><b role=columnheader>Price</b></div>",
    rows="".join(
        f"<div role=row><b role=gridcell class=name>Lamp {n}</b><i role=gridcell class=price>{n}.50</i></div>"
        for n in range(1, 13)
    ),
)
_MARKED = "".join(
    f"<tr class={'odd' if n % 2 else 'even'}><td class=name>Lamp {n}<td class=price>{n}.50"
    for n in range(1, 13)
)
_SKIPPED_HEAD = "the head of a table, skipped by its place"

# What is read of these is right: a doubt about any of them is false.
RIGHT = (
    *(
        ListCase(f"{_SKIPPED_HEAD}: {selector}", (("/list", f"<p>12 rows</p>{shown}"),), selector)
        for shown, selector in (
            (f"<table>{_HEAD}{rows(1, 12)}</table>", "tr:not(:first-child)"),
            (f"<table><tbody>{_HEAD}{rows(1, 12)}</tbody></table>", "tbody tr + tr"),
            (_GRID, "[role=row]:nth-child(n+2)"),
            (f"<table>{rows(1, 12)}<tr><td>Sum<td>78</table>", "tr:not(:last-child)"),
        )
    ),
    *(
        ListCase(
            f"some rows, chosen: {selector}",
            (
                (
                    "/list",
                    f"<p>12 rows</p><table><tbody>{_MARKED}</table><p><a href='?p=2'>Next page</a></p>",
                ),
            ),
            selector,
        )
        for selector in (
            "tr.odd",
            "tr.odd:not(:first-child)",
            "tr[class=even]",
            "tbody tr:first-child",
            "tbody tr:nth-child(-n+5)",
            "tr.odd + tr.even",
        )
    ),
    ListCase("a table that states its length", (("/list", f"<p>12 results</p>{table(1, 12)}"),)),
    ListCase("all pages of a table", _paged(82, 40, "Showing {first}-{last} of {total}")),
    ListCase("all pages, the last first", tuple(reversed(_paged(50, 20, "{total} entries")))),
    ListCase("all pages without a count", _paged(50, 20, "Lamps")),
    ListCase(
        "thousands of rows, stated with a separator",
        (("/list", f"<h2>1,204 rows where price &gt; 0</h2>{table(1, 1204)}"),),
    ),
    ListCase(
        "a filtered table",
        (
            (
                "/list",
                f"<div>Showing 1 to 3 of 3 entries (filtered from 57 total entries)</div>{table(1, 3)}",
            ),
        ),
    ),
    ListCase("nothing found", (("/list", "<p>0 results</p><table><tbody></tbody></table>"),)),
    ListCase("nothing found, in words", (("/list", "<p>No results for lamp</p>"),)),
    ListCase(
        "a list that loads more as one scrolls",
        (("/list", f"<h1>Lamps</h1>{cards(1, 30)}"),),
        ".card",
    ),
    ListCase("a calendar", (("/list", _CALENDAR),), "table.calendar td", {}),
    ListCase("a count of something unread", (("/list", f"<p>3 unread</p>{table(1, 2)}"),)),
    ListCase(
        "page 2 of 7 of a document", (("/list", f"<header>Page 2 of 2</header>{table(1, 5)}"),)
    ),
    ListCase("a cart", (("/list", f"<p>You have <b>12 items</b> in your cart</p>{table(1, 5)}"),)),
    ListCase(
        "a cart at the top",
        (("/list", f"<header><a>Cart: 12 items</a></header><p>12 items in cart</p>{table(1, 5)}"),),
    ),
    ListCase(
        "rows chosen by class",
        (
            (
                "/list",
                "<p>9 results</p><table><tbody>"
                + "".join(
                    f"<tr class='row {'overdue' if n % 3 == 0 else ''}'><td class=name>Lamp {n}<td class=price>{n}"
                    for n in range(9)
                )
                + "</tbody></table>",
            ),
        ),
        "tr.overdue",
    ),
    ListCase(
        "the first five, as asked",
        (("/list", f"<p>82 results</p>{table(1, 40)}{pager(1, 3)}"),),
        limit=5,
        is_limit_given=True,
    ),
    ListCase("one element, as asked", (("/list", f"<p>82 results</p>{table(1, 40)}"),), limit=1),
    ListCase(
        "a limit that is not reached", (("/list", f"<p>9 results</p>{table(1, 9)}"),), limit=9
    ),
    ListCase(
        "two tables with a count each",
        (
            (
                "/list",
                (
                    f"<section><h2>Lamps (4)</h2>{table(1, 4).replace('<table>', '<table id=a>')}</section>"
                    f"<section><h2>Chairs (9)</h2>{table(5, 13).replace('<table>', '<table id=b>')}</section>"
                ),
            ),
        ),
        "#a tbody tr",
    ),
    ListCase(
        "two tables under headings side by side",
        (
            (
                "/list",
                (
                    f"<h2>Lamps</h2><p>4 rows</p>{table(1, 4).replace('<table>', '<table id=a>')}"
                    f"<h2>Chairs</h2><p>9 rows</p>{table(5, 13).replace('<table>', '<table id=b>')}"
                ),
            ),
        ),
        "#a tbody tr",
    ),
    ListCase(
        "the second of two tables",
        (
            (
                "/list",
                (
                    f"<h2>40 lamps</h2>{table(1, 4).replace('<table>', '<table id=a>')}<p>40 rows</p>"
                    f"<h2>9 chairs</h2>{table(5, 13).replace('<table>', '<table id=b>')}"
                ),
            ),
        ),
        "#b tbody tr",
    ),
    ListCase(
        "a size to choose",
        (
            (
                "/list",
                f"<label>Show <select><option>10<option>100</select> entries</label>{table(1, 7)}<p>7 entries</p>",
            ),
        ),
    ),
    ListCase(
        "rows selected", (("/list", f"<span>0 of 40 selected</span>{table(1, 12)}<p>12 lamps</p>"),)
    ),
    ListCase(
        "a count of the other kind",
        (("/list", f"<aside>500 results in the archive</aside>{table(1, 12)}"),),
    ),
    ListCase("a German count", (("/list", f"<p>1.204 Einträge</p>{table(1, 1204)}"),)),
    ListCase("about so many", (("/list", f"<p>About 1,000 results</p>{table(1, 12)}"),)),
    ListCase(
        "a next slide",
        (("/list", f"<div class=carousel><button class=next>Next</button></div>{cards(1, 6)}"),),
        ".card",
    ),
    ListCase(
        "a form with a next step",
        (("/list", f"<form>Step 1 of 3<button>Next</button></form>{table(1, 6)}"),),
    ),
    ListCase(
        "one post and the post after it",
        (("/list", "<article><b class=name>A lamp</b></article><a rel=next href=/b>Next</a>"),),
        "article",
        {"name": ".name"},
    ),
    ListCase(
        "next on the last page is off",
        (
            (
                "/list",
                f"{table(1, 6)}<div class=pager><a>1</a><a>2</a><button disabled>Next</button></div>",
            ),
        ),
    ),
    ListCase(
        "one blank field in one row",
        (
            (
                "/list",
                (
                    "<p>3 results</p><table><tbody><tr><td class=name>A<td class=price>1<tr><td class=name>B<td class=price>"
                    "<tr><td class=name>C<td class=price>3</tbody></table>"
                ),
            ),
        ),
    ),
    ListCase(
        "excerpts that end in dots",
        (
            (
                "/list",
                "<ul>"
                + "".join(
                    f"<li><b class=name>Post {n}</b><p class=excerpt>{'Words ' * (4 + n)}…</p></li>"
                    for n in range(6)
                )
                + "</ul>",
            ),
        ),
        "li",
        {"name": ".name", "excerpt": ".excerpt"},
    ),
)

_CUT = "".join(
    f"<tr><td class=name title='A very long name of lamp number {n}'>A very long name of…</td><td class=price>{n}</td></tr>"
    for n in range(6)
)
_BY_PLACE = (
    "tbody tr:not(:first-child)",
    "tbody tr:nth-child(n+3)",
    "tbody tr:nth-child(2n)",
    "tbody tr + tr",
    "tbody tr:not(:last-child)",
    "tbody > :not(:nth-child(odd))",
    "tbody tr:first-child ~ tr",
)
# Each of these hides something: the doubt that must be raised.
WRONG: tuple[tuple[str, ListCase], ...] = (
    ("total", ListCase("one page of three", (("/list", f"<p>82 results</p>{table(1, 40)}{pager(1, 3)}"),))),
    ("total", ListCase("a range says so", (("/list", f"{table(1, 40)}<div>1–40 of 82</div>"),))),
    ("total", ListCase("rows that are hidden", (
        ("/list", "<p>60 results</p><table><tbody>" + rows(1, 20)
         + rows(21, 60).replace("<tr>", "<tr style='display:none'>") + "</tbody></table>"),))),
    ("total", ListCase("a table that was truncated", (("/list", f"{table(1, 18)}<p>18 of 500 shown</p>"),))),
    ("total", ListCase("one page twice", (
        ("/list?page=1", f"<p>82 results</p>{table(1, 40)}"), ("/list?page=2", f"<p>82 results</p>{table(1, 40)}")))),
    ("total", ListCase("things by their own name", (
        ("/list", (f"<h1>Select supplier to change</h1>{table(1, 40)}<p class=paginator><span class=this-page>1</span>"
                  "<a href='?p=2'>2</a> <a href='?p=3'>3</a> 82 suppliers</p>")),))),
    ("total", ListCase("what the table says of itself", (
        ("/list", f"{table(1, 20).replace('<table>', '<table aria-rowcount=501>')}"),))),
    ("total", ListCase("a caption", (("/list", table(1, 20, "Lamps: 1,500 rows")),))),
    ("next", ListCase("a next page and no count", (("/list", f"{table(1, 40)}<p><a href='?_next=40'>Next page</a></p>"),))),
    ("next", ListCase("numbers and no count", (("/list", f"{table(1, 20)}{pager(1, 3)}"),))),
    ("next", ListCase("a script leads on", (("/list", f"{table(1, 20)}<div class=pager>1 <a>2</a> <a>3</a><button>Next</button></div>"),))),
    ("nothing", ListCase("nothing where there are rows", (("/list", f"<p>82 results</p>{table(1, 40)}"),), "tr.gone")),
    ("blank", ListCase("a field that is nowhere", (("/list", f"<p>12 results</p>{table(1, 12)}"),), "tbody tr",
                       {"name": ".name", "price": ".cost"})),
    ("cut", ListCase("names that the page cut", (("/list", f"<table><tbody>{_CUT}</tbody></table>"),))),
    *(("total", ListCase(f"rows skipped by their place: {selector}", (
        ("/list", f"<p>145 rows</p>{table(1, 145)}"),), selector)) for selector in _BY_PLACE),
    ("total", ListCase("cards skipped by their place", (("/list", f"<p>9 results</p>{cards(1, 9)}"),), ".card + .card")),
    ("total", ListCase("a row skipped beside a head", (
        ("/list", f"<p>12 rows</p><table><tbody>{_HEAD}{rows(1, 12)}</table>"),), "tr:nth-child(n+3)")),
    ("total", ListCase("cells of rows skipped by their place", (
        ("/list", f"<p>12 rows</p>{table(1, 12)}"),), "tbody tr:not(:first-child) td:first-child", {})),
    ("next", ListCase("rows skipped, and a next page", (
        ("/list", f"{table(1, 41)}<p><a href='?_next=41'>Next page</a></p>"),), "tbody tr:not(:first-child)")),
    ("limit", ListCase("a limit that was left", (("/list", f"<p>82 results</p>{table(1, 40)}{pager(1, 3)}"),), limit=3)),
    ("limit", ListCase("a limit without a count", (("/list", table(1, 40)),), limit=3)),
    ("format", ListCase("two notations", (
        ("/list?page=1", f"<table><tbody>{rows(1, 5, price='1,204.50')}</tbody></table>"),
        ("/list?page=2", f"<table><tbody>{rows(6, 9, price='1.204,50')}</tbody></table>")))),
)  # fmt: skip


@contextmanager
def serve_lists() -> Iterator[tuple[str, dict[str, str]]]:
    """A site and its pages by path and query, which the test sets."""
    known: dict[str, str] = {}

    class ListAnswer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in known else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            said = known.get(self.path, "nothing here")
            self.wfile.write(f"<!doctype html><title>Lamps</title><main>{said}</main>".encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), ListAnswer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", known
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
