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
from runs.answers import Answer, AnsweringSite, serve_answers
from runs.building import flow, node, result
from runs.conftest import Live
from runs.doubt_pages import rows

FULL = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 43))


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


def serve_pages(
    site: AnsweringSite,
    parts: Sequence[tuple[int, int]],
    hidden: Sequence[int] = (),
    *,
    above: bool = False,
    says: str = "Older",
) -> None:
    """Pages with a link to the next one and no count; some rows of theirs are not shown."""
    for number, (first, last) in enumerate(parts, 1):
        on = f"<a href='/list?page={number + 1}'>{says}</a>" if number < len(parts) else ""
        shown = "".join(
            rows(n, n).replace("<tr", "<tr style='display: none'") if n in hidden else rows(n, n)
            for n in range(first, last + 1)
        )
        leads_on = f"<nav>{on}</nav>"
        site[f"/list?page={number}"] = (
            f"{leads_on * above}<table><tbody>{shown}</tbody></table>{leads_on}"
        )


def read_list(live: Live, store: Store, site: AnsweringSite, leads_on: str = "nav a") -> Run:
    """A run that turns all pages by what leads on."""
    run = try_list(live, store, site, next=leads_on)
    assert run.state == "done", run.error
    return run


def try_list(live: Live, store: Store, site: AnsweringSite, **more: Json) -> Run:
    """A run that may fail."""
    opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/list?page=1")
    asked: dict[str, Json] = {"method": "extract_all", "selector": "tbody tr", "next": "nav a"}
    asked |= {"key": "name", "fields": {"name": ".name", "price": ".price"}, **more}
    workflow = flow(opened, node("read", "browser_query", **asked), origin=site.origin)
    return live.run(run_workflow(store, workflow, live.means()))


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


def test_what_should_turn_the_pages_and_fits_nothing_is_named(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Beside the page that was not read; a list of one page has nothing that turns it."""
    serve_pages(site, FULL, says="Next")
    (doubt,) = read_list(live, store, site, "a[rel=next]").doubts
    assert (doubt["kind"], doubt["evidence"]["unturned"]) == ("next", "a[rel=next]")  # type: ignore[index, call-overload]
    assert "'next' names (a[rel=next]) is not on it" in str(doubt["sentence"])
    serve_pages(site, FULL[:1])
    assert read_list(live, store, site, "a[rel=next]").doubts == ()


def test_a_pager_above_and_below_the_list_leads_to_one_page(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Then the first of its links is followed; links to several pages are refused with their names."""
    serve_pages(site, FULL, above=True)
    run = read_list(live, store, site)
    assert (run.doubts, len(result(store, run, "read")["items"])) == ((), 43)
    site["/list?page=1"] = f"{site.answers['GET /list?page=1']}<nav><a href=/other>Other</a></nav>"
    refused = try_list(live, store, site)
    assert "matches 3 elements" in str(refused.error)


def test_a_key_that_no_item_of_the_first_page_has_is_refused_there(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """With the first item, before any page is turned; the key of its records too."""
    serve_pages(site, FULL)
    site["/list?page=2"] = Answer("this page was to be left alone", 500)
    for config in ({"key": "id"}, {"create_records": {"type": "lamp", "key": "id"}}):
        fields = {"id": ".none", "name": ".name"}
        refused = try_list(live, store, site, fields=fields, **config)
        assert refused.state == "failed"
        said = str((refused.error or {}).get("message"))
        assert "'id' has no value in any of the 10 items" in said
        assert "Lamp 1" in said


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
