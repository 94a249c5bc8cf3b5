"""Rows that a selector picks by their place, and pages that a site shows again: no list is short."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from director.browser.row_positions import drop_picks
from director.runs import list_run_steps, run_workflow
from director.runs.doubts.doubt import RowReading, RowVisit
from director.runs.doubts.fewer_rows import find_short_page
from director.store import Store
from runs.answers import Answer, AnsweringSite, serve_answers
from runs.building import flow, node
from runs.conftest import Live
from runs.doubt_pages import pager, table

FOUND = "<h2>{0}</h2><ul class=hits>" + "".join(
    f"<li><b class=name>{{0}} {n}</b><p>about it" for n in range(1, 18)
)


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


def look(live: Live, store: Store, site: AnsweringSite, selector: str) -> list[str]:
    """The kinds of doubts about a run that reads names."""
    opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/list")
    asked = {"method": "deterministic_extract", "selector": selector}
    read = node("read", "browser_query", **asked, fields={"name": "."})  # type: ignore[arg-type]
    run = live.run(run_workflow(store, flow(opened, read, origin=site.origin), live.means()))
    assert run.state == "done", run.error
    return [str(each["kind"]) for each in run.doubts]


@pytest.mark.parametrize(
    ("selector", "doubted"),
    [
        ("ul.hits li:first-child .name", []),
        ("ul.hits li:nth-child(1) .name", []),
        ("ul.hits li .name", ["next"]),
        ("main:first-of-type ul.hits li .name", ["next"]),
    ],
)
def test_the_first_of_each_list_is_not_the_list(
    live: Live, store: Store, site: AnsweringSite, selector: str, doubted: list[str]
) -> None:
    """Of two lists of hits the first ones are picked; who reads them whole is told of the next page."""
    more = "<p class=pager><a rel=next href='/list?page=2'>next 20</a></p>"
    site["/list"] = f"{FOUND.format('Title')}</ul>{FOUND.format('Text')}</ul>{more}"
    assert look(live, store, site, selector) == doubted


def test_a_table_in_a_part_that_is_picked_is_still_a_whole_list(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The place picks the table, not its rows."""
    parts = f"<div>{table(1, 10)}{pager(1, 3)}</div><div>{table(50, 54)}</div>"
    site["/list"] = f"<section>{parts}</section>"
    assert look(live, store, site, "section div:first-child tbody tr") == ["next"]


def test_what_picks_by_place_is_taken_out_of_css() -> None:
    """Not what stands in quotes or skips; what would leave nothing is no CSS."""
    assert drop_picks("ul li:first-child .name") == "ul li .name"
    assert drop_picks("td:nth-child(2)") == "td"
    for plain in (
        "a[title=':first-child']",
        "tr:not(:first-child)",
        "tr:nth-child(2n)",
        "ul > :last-child",
    ):
        assert drop_picks(plain) == ""


def test_a_page_that_is_shown_again_is_no_page_of_the_list() -> None:
    """The short one before it is the last; one in the middle is short all the same."""

    def read(*sizes: int, again: int = 0) -> list[str]:
        visits = [
            RowVisit(
                f"v{at}", f"http://a.test/list?page={at}", tuple(f"{at}.{n}" for n in range(many))
            )
            for at, many in enumerate(sizes)
        ]
        visits += [
            RowVisit(f"w{at}", f"http://a.test/list?page={at + 9}", visits[0].rows)
            for at in range(again)
        ]
        return [each.kind for each in find_short_page(RowReading("n", "read", tuple(visits)))]

    assert read(10, 10, 10, 10, 10, 8, again=5) == []
    assert read(10, 10, 8, 10, 10, 4, again=5) == ["fewer"]


def test_a_click_whose_page_comes_late_was_done(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """What it promises decides; a click that could not be made fails."""
    until = threading.Event()

    def answer(_: dict[str, str]) -> Answer:
        until.wait(7)
        return Answer("<p id=done>Done</p>")

    site["/list"] = "<a id=go href=/late>Go</a><button id=dead disabled>No</button>"
    site["/late"] = answer
    opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/list")
    click = node("click", "browser_action", action="click", selector="#go", timeout=5_000)
    click["ensures"] = [{"element": "#done", "within": 30_000}]
    run = live.run(run_workflow(store, flow(opened, click, origin=site.origin), live.means()))
    assert run.state == "done", run.error
    (told,) = [step.notes for step in list_run_steps(store, run.id) if step.alias == "click"]
    assert told == ("It was clicked, and the page that it led to came late.",)
    dead = node("click", "browser_action", action="click", selector="#dead", timeout=400)
    run = live.run(run_workflow(store, flow(opened, dead, origin=site.origin), live.means()))
    assert run.state == "failed"


def test_a_text_of_several_lines_may_be_shown_as_paragraphs(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A wiki does so; one that keeps only the first of them is doubted."""
    lines = ("The first of two paragraphs.", "Sold for 300.00 EUR")
    area = "<textarea id=text name=text></textarea>"
    site["/list"] = f"<form method=post action=/add>{area}<button id=go>Save</button></form>"
    for shown, doubted in ((lines, []), (lines[:1], ["value"])):
        site["POST /add"] = "".join(f"<p>{each}</p>" for each in shown)
        opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/list")
        text = {"selector": "#text", "text": "\n\n\n".join(lines)}
        typed = node("write", "browser_action", action="type", **text)  # type: ignore[arg-type]
        save = node("save", "browser_action", action="click", selector="#go")
        workflow = flow(
            opened, typed, {**save, "effect": "once"}, origin=site.origin, id=f"w{len(shown)}"
        )
        run = live.run(run_workflow(store, workflow, live.means()))
        assert [each["kind"] for each in run.doubts if each["kind"] == "value"] == doubted


def test_an_element_beside_thousands_of_others_is_found(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """By its role and name: what is known of each is looked up once, not once for each."""
    row = "<li><p><span><a href=#c>2024-01-02</a></span><span>Edeka</span><span>Food</span><span>"
    many = f"<ul>{f'{row}12.00</span></p></li>' * 1500}</ul>"
    site["/list"] = f"<h1>Journal</h1><input role=combobox placeholder=Account>{many}"
    opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/list")
    field = {"role": "combobox", "name": "Account"}
    typed = node("write", "browser_action", action="type", selector=field, text="Food")
    run = live.run(run_workflow(store, flow(opened, typed, origin=site.origin), live.means()))
    assert run.state == "done", run.error
