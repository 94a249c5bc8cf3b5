"""Lists whose pages a node turns itself: a page that hides rows, a last page that is gone.

Beside them searches that find the same for different words, and notations amid texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from director.browser.turned_pages import PageSizes
from director.runs import Run, run_workflow
from director.runs.doubts import RowReading, find_doubts
from director.runs.doubts.doubt import RowVisit
from director.runs.doubts.value_shapes import compute_column_value_shape
from director.store import Store
from director.workflow.values import Json
from runs.answers import AnsweringSite, serve_answers
from runs.building import flow, node
from runs.conftest import Live
from runs.doubt_pages import rows

FULL = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 43))


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


def serve_pages(
    site: AnsweringSite, parts: Sequence[tuple[int, int]], hidden: Sequence[int] = ()
) -> None:
    """Pages with a link to the next one and no count; some rows of theirs are not shown."""
    for number, (first, last) in enumerate(parts, 1):
        on = f"<a href='/list?page={number + 1}'>Older</a>" if number < len(parts) else ""
        shown = "".join(
            rows(n, n).replace("<tr", "<tr style='display: none'") if n in hidden else rows(n, n)
            for n in range(first, last + 1)
        )
        site[f"/list?page={number}"] = f"<table><tbody>{shown}</tbody></table><nav>{on}</nav>"


def read_list(live: Live, store: Store, site: AnsweringSite) -> Run:
    """A run that turns all pages."""
    opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/list?page=1")
    asked = {"method": "extract_all", "selector": "tbody tr", "next": "nav a", "key": "name"}
    read = node("read", "browser_query", **asked, fields={"name": ".name", "price": ".price"})
    run = live.run(run_workflow(store, flow(opened, read, origin=site.origin), live.means()))
    assert run.state == "done", run.error
    return run


def test_a_turned_page_that_hides_rows_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """It is shorter than all others but the last; full pages are not doubted, nor a short last one."""
    serve_pages(site, FULL)
    assert read_list(live, store, site).doubts == ()
    serve_pages(site, FULL, hidden=(14, 15))
    (doubt,) = read_list(live, store, site).doubts
    assert doubt["kind"] == "fewer"
    assert str(doubt["sentence"]).startswith("read read 8 rows on page 2 of 5, and 10 on the other")


def test_a_last_page_that_is_gone_is_doubted(live: Live, store: Store, site: AnsweringSite) -> None:
    """The pager is cut where a page ends: the rows that stay are those of before, and no more."""
    serve_pages(site, FULL)
    assert read_list(live, store, site).doubts == ()
    serve_pages(site, FULL[:-1])
    (doubt,) = read_list(live, store, site).doubts
    assert "exactly the first 40 of the 43 rows" in str(doubt["sentence"])
    serve_pages(site, (*FULL[:-1], (41, 41)))
    assert read_list(live, store, site).doubts == ()


def test_turned_pages_that_are_shorter_than_before_are_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Each of them left out some."""
    serve_pages(site, FULL)
    assert read_list(live, store, site).doubts == ()
    serve_pages(site, FULL, hidden=(3, 13, 23, 33))
    (doubt,) = read_list(live, store, site).doubts
    assert str(doubt["sentence"]).startswith("Each page but the last gave read 9 rows, and 10 in")


@pytest.mark.parametrize(
    ("shown", "sizes"),
    [
        ([["a", "b"], ["c", "d"], ["e"]], [2, 2, 1]),
        ([["a", "b"], ["c", "d"], ["c", "d"]], [2, 2]),
        ([["a", "b"], ["a", "b", "c", "d"]], []),
        ([["a", "b"]], []),
        ([["a", "b"], [], ["c"]], [2, 1]),
    ],
)
def test_the_sizes_of_pages_are_those_of_pages_that_replace_one_another(
    shown: list[list[Json]], sizes: list[int]
) -> None:
    """A list that only grows has no pages."""
    found = PageSizes()
    for each in shown:
        found.note(each)
    assert found.list_sizes() == sizes


def search(word: str, *names: str, page: int = 0) -> RowVisit:
    """A visit of the page that shows what a search found."""
    url = f"http://a.test/list?_flt_2_customer={word}" + (f"&page={page}" if page else "")
    return RowVisit("n1", url, tuple({"name": name} for name in names))


UNIQUE: tuple[dict[str, Json], ...] = ({"kind": "unique", "field": "name"},)
ALL = ("Kimura Bakery", "Novak Dental", "Petrov Motors")


@pytest.mark.parametrize(
    ("visits", "doubted"),
    [
        ([search("Kimura", "Kimura Bakery", "b"), search("Bakery", "Kimura Bakery", "c")], []),
        ([search("Kimura", "a", "b", page=1), search("Kimura", "b", "c", page=2)], ["unique"]),
        ([search("Kimura", "a", "a"), search("Bakery", "b")], ["unique"]),
        ([search("Kimura", *ALL), search("Bakery", *ALL)], ["repeated"]),
        ([search("Kimura", *ALL), search("Bakery", *ALL), search("Zeppelin")], ["repeated"]),
        ([search("Kimura", *ALL), search("kim", *ALL)], []),
        ([search("Kimura", *ALL[:2]), search("Bakery", *ALL[:2])], []),
        ([search("Kimura", *ALL), search("Bakery", *ALL[:2])], []),
    ],
)
def test_searches_are_lists_of_their_own(visits: list[RowVisit], doubted: list[str]) -> None:
    """A row may be found by two of them; not all rows by words that have nothing in common."""
    found = find_doubts([RowReading("n1", "read", tuple(visits), checks=UNIQUE)])
    assert [each.kind for each in found] == doubted


def test_pages_that_are_no_searches_may_show_the_same() -> None:
    """What stands on the page of every product, such as the ways to ship it."""
    shown = tuple({"name": name} for name in ALL)
    visits = tuple(RowVisit("n1", f"http://a.test/{each}", shown) for each in ("p?id=1", "p?id=2"))
    assert find_doubts([RowReading("n1", "read", visits, checks=UNIQUE)]) == []


@pytest.mark.parametrize(
    ("before", "now", "doubted"),
    [
        ("8{n}.47 (21.37 each)", "8{n},47 (21,37 each)", ["format"]),
        ("8{n}.47 (21.37 each)", "9{n}.12 (3.08 each)", []),
        ("1,2{n}4.50 in all", "7{n}.00 in all", []),
        ("added on 2026-10-1{n} by Ada", "added on 10/1{n}/2026 by Ada", ["format"]),
        ("version 2.{n}.1 of May", "version 3.{n}.1 of June", []),
        ("{n}.5 km from Kiel", "{n} km from Kiel", []),
    ],
)
def test_a_notation_amid_texts_that_changed_is_doubted(
    before: str, now: str, doubted: list[str]
) -> None:
    """Numbers with decimals and dates; not what is a version, nor other numbers."""
    texts = [[each.format(n=n) for n in range(1, 7)] for each in (before, now)]
    was, shown = ([{"n": str(n), "v": text} for n, text in enumerate(each)] for each in texts)
    visit = RowVisit("n1", "u", tuple(shown))
    found = find_doubts([RowReading("n1", "read", (visit,))], earlier={"n1": was})
    assert [each.kind for each in found] == doubted


def test_texts_of_several_notations_have_none() -> None:
    """Nothing is said of them."""
    assert compute_column_value_shape(["4.20 each", "4,20 each", "5.10 each"]).inside is None
