"""Cells that changed places between two runs: doubted by rows, words, forms, headings and labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from director.cli.local_runs import summary
from director.runs import Run, run_workflow, try_node
from director.runs.doubts import RowReading, find_doubts
from director.runs.doubts.doubt import RowVisit
from director.runs.run_report import render_run_report
from director.services.runs import read_run_history
from director.services.workspace import make_workspace
from director.store import Store
from director.workflow.values import Json, Workflow
from runs.answers import AnsweringSite, serve_answers
from runs.building import flow, node
from runs.conftest import Live

PEOPLE = ("jan", "ann", "kai", "lea", "tim", "eva")
WISHES = ("wish", "bug", "urgent", "wish", "bug", "wish")
NUMBERS = range(1, 7)
BY_PLACE = {"one": ":nth-child(1)", "two": ":nth-child(2)"}


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


def rows(*columns: Any) -> tuple[Json, ...]:
    """Rows of the fields a, b and so on, by their columns."""
    return tuple(
        dict(zip("abc", (str(v) for v in row), strict=False)) for row in zip(*columns, strict=True)
    )


def doubted(now: tuple[Json, ...], before: tuple[Json, ...]) -> list[str]:
    """The fields that are doubted because their cells changed places."""
    visit = RowVisit("n1", "http://a.test/list", now)
    reading = RowReading("n1", "read", (visit,), rows_known=(before,))
    return [each.field_name for each in find_doubts([reading]) if each.kind == "cells"]


SWAPS: dict[str, tuple[list[Any], list[Any]]] = {
    "the same rows": ([PEOPLE, WISHES], [WISHES, PEOPLE]),
    "other rows of the same words": ([PEOPLE, WISHES], [WISHES[::-1], PEOPLE]),
    "two numbers of one range": ([(3, 5, 1, 4), (1, 2, 4, 5)], [(1, 2, 4, 5), (3, 5, 1, 4)]),
    "codes of another form": (
        [[f"LMP-{n:03}" for n in NUMBERS], [f"DE-{n:04}" for n in NUMBERS]],
        [[f"DE-{n + 50:04}" for n in NUMBERS], [f"LMP-{n + 50:03}" for n in NUMBERS]],
    ),
    "amounts and counts": (
        [[f"€ {n}.50" for n in NUMBERS], [*NUMBERS]],
        [[n + 9 for n in NUMBERS], [f"€ {n + 9}.50" for n in NUMBERS]],
    ),
    "numbers of other ranges": (
        [[n * 100 for n in NUMBERS], [*NUMBERS]],
        [[*NUMBERS][::-1], [n * 100 for n in NUMBERS]],
    ),
}
HONEST: dict[str, tuple[list[Any], list[Any]]] = {
    "sorted anew": ([PEOPLE, WISHES], [PEOPLE[::-1], WISHES[::-1]]),
    "other rows": ([PEOPLE, WISHES], [["mia", "tom", "ida"], ["bug", "wish", "bug"]]),
    "wishes of other people": ([PEOPLE, WISHES], [PEOPLE[::-1], WISHES]),
    "scores": ([(3, 5, 1, 4), (1, 2, 4, 5)], [(1, 2, 1, 4), (3, 4, 4, 5)]),
    "one alike and one new": ([PEOPLE, WISHES], [PEOPLE, ["done"] * 6]),
    "to do and done": ([[20, 30, 40], [1, 2, 3]], [[1, 2, 3], [20, 31, 39]]),
    "one value each": ([["low"] * 6, ["high"] * 6], [["high"] * 6, ["low"] * 6]),
}


@pytest.mark.parametrize("name", SWAPS)
def test_fields_that_hold_each_others_values_are_doubted(name: str) -> None:
    """Not the same reading again, and not in a list of one row."""
    before, now = (rows(*columns) for columns in SWAPS[name])
    assert "a" in doubted(now, before)
    assert doubted(now, now) == doubted(before, before) == []
    assert doubted(now[:1], before[:1]) == []


@pytest.mark.parametrize("name", HONEST)
def test_a_list_with_other_values_is_no_doubt(name: str) -> None:
    """What changed in it is not what another field held."""
    before, now = (rows(*columns) for columns in HONEST[name])
    assert doubted(now, before) == []


def test_fields_under_the_same_headings_are_doubted_by_known_rows_only() -> None:
    """Open and closed counts may change so; the same rows turned round may not."""
    headings = {"a": "Open", "b": "Closed"}
    counts, later = rows(range(30, 36), range(6)), rows(range(6), range(30, 36))
    other = rows([3, 1, 5, 4, 0, 2], range(30, 36))
    for now, found in ((other, []), (later, ["a"])):
        visit = RowVisit("n1", "http://a.test/list", now, headings=headings)
        known = RowReading(
            "n1", "read", (visit,), rows_known=(counts,), headings_before={**headings}
        )
        assert [each.field_name for each in find_doubts([known]) if each.kind == "cells"] == found
        assert doubted(now, counts) == ["a"]


def test_three_columns_that_went_round_are_doubted() -> None:
    """Each holds the words of the next."""
    third = ("open", "closed", "open", "closed", "open", "open")
    assert doubted(rows(WISHES, third, PEOPLE), rows(PEOPLE, WISHES, third)) == ["a", "b", "c"]


def test_columns_that_moved_on_by_one_are_doubted_without_any_heading() -> None:
    """A column was put in before them; new rows of the same columns are no doubt."""
    states = ["open", "done", "late", "open", "done", "late"]
    people, wishes = [*PEOPLE][:6], [*WISHES][:6]
    before = rows(people, wishes, states)
    assert doubted(rows([f"x{n}" for n in range(6)], people, wishes), before) == ["b", "c"]
    assert doubted(rows([f"x{n}" for n in range(6)], wishes[::-1], states[::-1]), before) == []


def opening(site: AnsweringSite) -> dict[str, Any]:
    """A node that opens the list."""
    return node("open", "browser_action", action="navigate", url=f"{site.origin}/list")


def reading(alias: str, selector: str, fields: dict[str, Any]) -> dict[str, Any]:
    """A node that reads the cells of a list by their places."""
    config: dict[str, Any] = {"selector": selector, "fields": fields, "create_records": alias}
    return node(alias, "browser_query", method="deterministic_extract", **config)


def run(live: Live, store: Store, workflow: Workflow) -> Run:
    """A run, which must pass."""
    found = live.run(run_workflow(store, workflow, live.means()))
    assert found.state == "done", found.error
    return found


def told(found: Run) -> set[tuple[str, str, str]]:
    """The node, kind and field of each doubt about a run."""
    evidence: list[tuple[Any, Any]] = [(each, each["evidence"]) for each in found.doubts]
    return {(each["alias"], each["kind"], seen.get("field", "")) for each, seen in evidence}


LABELLED: dict[str, tuple[str, str, dict[str, str]]] = {
    "first": ("<table><tr><td>{one}<td>{two}</tr>{rows}</table>", "tr:not(:first-child)", BY_PLACE),
    "thead": (
        "<table><thead><tr><td>{one}<td>{two}</thead><tbody>{rows}</table>",
        "tbody tr",
        BY_PLACE,
    ),
    "inside": ("<ul><li><b>{one}</b><b>{two}</b></li>{items}</ul>", "li + li", BY_PLACE),
    "above": ("<p><b>{one}</b><b>{two}</b></p><ul>{items}</ul>", "li", BY_PLACE),
    "terms": ("{labels}", "dl", {"one": "dd:nth-of-type(1)", "two": "dd:nth-of-type(2)"}),
    "colons": ("<ul>{colons}</ul>", "li", {"one": "b", "two": "b:last-child"}),
    "attributes": ("<ul>{attributes}</ul>", "li", BY_PLACE),
    "prefixed": ("<ul>{prefixed}</ul>", "li", BY_PLACE),
}


def show(one: str, two: str, first: int) -> str:
    """A page of lists, each with six rows of two numbers that nothing but a label tells apart."""
    made = {
        "rows": "<tr><td>{}<td>{}",
        "items": "<li><b>{}</b><b>{}</b>",
        "labels": f"<dl><dt>{one}<dd>{{}}<dt>{two}<dd>{{}}</dl>",
        "colons": f"<li><i>{one}:</i> <b>{{}}</b> <i>{two}:</i> <b>{{}}</b>",
        "attributes": f"<li><b data-label={one}>{{}}</b><b data-label={two}>{{}}</b>",
        "prefixed": f"<li><b>{one}: {{}}</b><b>{two}: {{}}</b>",
    }
    parts = {
        name: "".join(row.format(first + n, first + 7 * n % 11) for n in range(6))
        for name, row in made.items()
    }
    return "".join(
        f"<section id={name}>{page.format(one=one, two=two, **parts)}</section>"
        for name, (page, _, _) in LABELLED.items()
    )


def test_another_heading_or_label_is_doubted(live: Live, store: Store, site: AnsweringSite) -> None:
    """Of any kind; new rows under the same ones are no doubt."""
    looks = [
        reading(name, f"#{name} {selector}", fields)
        for name, (_, selector, fields) in LABELLED.items()
    ]
    workflow = flow(opening(site), *looks, origin=site.origin)
    for first in (1, 40):
        site["/list"] = show("Paid", "Due", first)
        assert told(run(live, store, workflow)) == set()
    site["/list"] = show("Due", "Paid", 90)
    exchanged = {(name, "cells", field) for name in LABELLED for field in BY_PLACE}
    assert told(run(live, store, workflow)) == exchanged


@pytest.mark.parametrize(
    ("heads", "moved"),
    [
        (("", "Id", "Number", "Customer"), {"number", "customer"}),
        (("", "Number", "Customer", "Date"), set()),
        (("", "No.", "Name of the customer", "Date"), set()),
        (("", "Invoice number", "Customer ▲", "Number"), set()),
        (("", "Name", "Number ▼", "Customer"), {"number", "customer"}),
    ],
)
def test_a_field_that_is_read_beside_the_column_of_its_name_is_doubted(
    live: Live, store: Store, site: AnsweringSite, heads: tuple[str, ...], moved: set[str]
) -> None:
    """Off by one; not where its own column has its name too, or none has."""
    names = "".join(f"<th>{each}" for each in heads)
    lines = "".join(f"<tr><td><input type=checkbox><td>{n}<td>N-{n}<td>C {n}" for n in NUMBERS)
    site["/list"] = f"<table><thead><tr>{names}<tbody>{lines}</table>"
    fields = {"number": "td:nth-child(2)", "customer": "td:nth-child(3)"}
    workflow = flow(opening(site), reading("read", "tbody tr", fields), origin=site.origin)
    assert told(run(live, store, workflow)) == {("read", "cells", name) for name in moved}


def test_a_first_run_is_compared_with_the_test_of_its_nodes(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """By rows and headings; where nothing is stored to compare with, the run says so."""
    lines = [*zip(PEOPLE, WISHES, strict=True)]
    right = "".join(f"<tr><td>{a}<td>{b}" for a, b in lines)
    wrong = "".join(f"<tr><td>{b}<td>{a}" for a, b in lines)
    workflow = flow(opening(site), reading("read", "tr", BY_PLACE), origin=site.origin)
    site["/list"] = f"<table>{wrong}</table>"
    unknown = run(live, store, workflow)
    assert (unknown.doubts, unknown.summary["not_compared"]) == ((), ["read"])
    assert "nothing to compare with yet: read" in summary(
        read_run_history(make_workspace(store), unknown.id), None
    )
    assert "Nothing to compare with yet" in render_run_report(store, unknown.id)
    for first, found in ((right, set()), (wrong, {("read", "cells", "one")})):
        tested = replace(workflow, id=f"tested-{len(found)}")
        site["/list"] = f"<table>{right}</table>"
        for alias in ("open", "read"):
            live.run(try_node(store, tested, alias, live.means()))
        site["/list"] = f"<table>{first}</table>"
        ended = run(live, store, tested)
        assert (told(ended), ended.summary["not_compared"]) == (found, [])
        assert "nothing to compare with" not in summary(
            read_run_history(make_workspace(store), ended.id), None
        )
