"""A selector that fits rows of other tables as well; and fields of every form: the page still counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from director.store import Store
from runs.answers import AnsweringSite, serve_answers
from runs.building import flow
from runs.conftest import Live
from runs.doubt_pages import pager, rows
from runs.test_silent_wrongs import go, kinds, read

# Beside the list stands what a site has on every page: a menu made of tables.
MENU = "<div><table><tbody><tr><th>Shop<td><a href=/new>Add</a><tr><th>Staff<td><a href=/s>Add</a></table></div>"
LIST = "<div><p>{count} rows</p><table id=list><thead><tr><th>Name<th>Price</thead><tbody>{rows}</table>{pager}</div>"
# Rows between which headings stand, and a foot that holds a table of its own.
GROUPED = """<table><tbody><tr><th>Name<th>Price<tr><th colspan=2>Bulbs{one}<tr><th colspan=2>Tubes{two}
<tr><th colspan=2><table><tbody><tr><td><a href='?p=1'>&lt;&lt; previous</a><td>{said}<td></table></table>"""
BY_PLACE = {"name": "td:nth-child(1)", "price": "td:nth-child(2)"}


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


@pytest.mark.parametrize(
    ("count", "pages", "doubted"), [("5", 1, []), ("26", 1, ["total"]), ("Some", 6, ["next"])]
)
def test_rows_of_a_menu_do_not_hide_what_the_page_says_of_its_list(  # noqa: PLR0917  fixtures
    live: Live, store: Store, site: AnsweringSite, count: str, pages: int, doubted: list[str]
) -> None:
    """Though `next` fits nothing, and the selector the menu as well."""
    numbers = pager(1, pages).replace("rel=next ", "").replace(">Next<", "><") if pages > 1 else ""
    site["/list"] = MENU + LIST.format(count=count, rows=rows(1, 5), pager=numbers)
    wanted = {"method": "extract_all", "selector": "table tbody tr", "next": "a[rel=next]"}
    kept = {"create_records": {"type": "lamp", "key": "name"}, "fields": {"name": ".name"}}
    workflow = flow(go("open", f"{site.origin}/list"), read(**wanted, **kept), origin=site.origin)
    found = kinds(live, store, workflow)
    assert [each for each in found if each in ("total", "next")] == doubted


@pytest.mark.parametrize(
    "rule",
    [
        ".name",
        "td:nth-child(1)",
        ".name@class",
        "img@alt",
        "@data-no",
        "@data-no~a",
        ".",
        "td ~ td",
    ],
)
def test_a_field_of_any_form_leaves_the_doubts_of_its_list(
    live: Live, store: Store, site: AnsweringSite, rule: str
) -> None:
    """An attribute of a part is no CSS."""
    lamps = (
        rows(1, 5).replace("<tr>", "<tr data-no=a>").replace("</td></tr>", "<img alt=x></td></tr>")
    )
    for count, doubted in ((5, []), (26, ["total"])):
        site["/list"] = LIST.format(count=count, rows=lamps, pager="")
        look = read(fields={"name": ".name", "own": rule})
        workflow = flow(go("open", f"{site.origin}/list"), look, origin=site.origin)
        found = kinds(live, store, workflow)
        assert [each for each in found if each == "total"] == doubted


def test_headings_between_rows_and_a_foot_with_a_table_are_not_in_the_way(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """They have no cell of a field; a row whose cells moved is still told."""
    two = "<tr><td>Lamp 3<td>3.50<tr><td>Lamp 4<td>4.50"
    for one, doubted in (
        ("<tr><td>Lamp 1<td>1.50<tr><td>Lamp 2<td>2.50", []),
        ("<tr><td rowspan=2>Lamp 1<td>1.50<tr><td>2.50", ["cells", "cells"]),
    ):
        site["/list"] = GROUPED.format(one=one, two=two, said="1..4 out of 4")
        look = read(fields=BY_PLACE, selector="tbody tr")
        look["config"].pop("create_records")
        workflow = flow(go("open", f"{site.origin}/list"), look, origin=site.origin)
        assert kinds(live, store, workflow) == doubted


def test_a_search_that_finds_nothing_in_the_known_table_is_no_doubt(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The pager is gone with the rows; another page without rows is told."""
    head = "<table><tbody><tr><th>Name<th>Price"
    look = read(fields=BY_PLACE, selector="tbody tr")
    look["config"].pop("create_records")
    look["checks"] = [
        {"kind": "total", "counter": "#..# out of #"},
        {"kind": "cells", "field": "name", "heading": "Name"},
        {"kind": "cells", "field": "price", "heading": "Price"},
    ]
    workflow = flow(go("open", f"{site.origin}/list"), look, origin=site.origin)
    for said, doubted in (
        (f"{head}{rows(1, 5)}</table><p>1..5 out of 5</p>", []),
        (f"{head}</table>", []),
        (f"<table><thead>{head[14:]}</thead></table>", []),
        ("<table><tbody><tr><th>Nothing<th>else</table>", ["nothing"]),
        ("<p>Welcome</p>", ["nothing"]),
    ):
        site["/list"] = said
        found = kinds(live, store, workflow)
        assert [each for each in found if each == "nothing"] == doubted, said
