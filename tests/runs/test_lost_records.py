"""Rows that were read and did not become records, or were read by several nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from director.runs import Run, run_workflow
from director.store import Store
from director.workflow.types import check_config
from director.workflow.values import WorkflowError
from runs.answers import AnsweringSite, serve_answers
from runs.building import flow, node
from runs.conftest import Live


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


def people(*named: tuple[int, str], said: str = "") -> str:
    """A table of people, each with a link of their own."""
    rows = "".join(
        f"<tr><td><a href='/people/{number}'>{number}</a><td class=name>{name}"
        for number, name in named
    )
    return f"<p>{said}</p><table><tbody>{rows}</tbody></table>"


def reading(alias: str, records: Any) -> dict[str, Any]:
    """A node that reads the names."""
    config = {"selector": "tbody tr", "fields": {"name": ".name"}, "create_records": records}
    return node(alias, "browser_query", method="deterministic_extract", **config)


def done(live: Live, store: Store, site: AnsweringSite, *nodes: dict[str, Any]) -> Run:
    """A run of nodes, which passes."""
    run = live.run(run_workflow(store, flow(*nodes, origin=site.origin), live.means()))
    assert run.state == "done", run.error
    return run


def opening(site: AnsweringSite, path: str = "/list", alias: str = "open") -> dict[str, Any]:
    """A node that opens a page."""
    return node(alias, "browser_action", action="navigate", url=f"{site.origin}{path}")


BY_NAME = {"type": "person", "key": "name"}


@pytest.mark.parametrize(
    ("named", "said", "records", "doubted"),
    [
        (((1, "Nora"), (2, "Nora"), (3, "Kai")), "3 rows", BY_NAME, True),
        (((1, "Nora"), (2, "Nora"), (3, "Kai")), "", BY_NAME, True),
        (((1, "Nora"), (2, "Ada"), (3, "Kai")), "3 rows", BY_NAME, False),
        (((1, "Nora"), (1, "Nora"), (3, "Kai")), "", BY_NAME, False),
        (((1, "Nora"), (2, "Nora"), (3, "Kai")), "3 rows", "person", False),
    ],
    ids=["counted", "not counted", "all differ", "the same row twice", "without a key"],
)
def test_rows_that_differ_and_become_one_record_are_doubted(
    live: Live, store: Store, site: AnsweringSite, *, named: Any, said: str, records: Any,
    doubted: bool,
) -> None:  # fmt: skip
    """Also if only the key of them is read; one row that is there twice is one record."""
    site["/list"] = people(*named, said=said)
    run = done(live, store, site, opening(site), reading("read", records))
    assert [each["kind"] for each in run.doubts] == ["merged"] * doubted


@pytest.mark.parametrize("records", [BY_NAME, {"type": "person", "id_pattern": "person_{{name}}"}])
def test_rows_of_other_pages_that_are_lost_to_a_key_are_doubted(
    live: Live, store: Store, site: AnsweringSite, records: Any
) -> None:
    """The page counts four, four were read, and three records are there."""
    loop = node("loop", "iterate", over=[1, 2], variable="page", body=["open", "read"])
    for last, doubted in (("Nora", ["merged"]), ("Ole", [])):
        site["/list?page=1"] = people((1, "Nora"), (2, "Ada"), said="4 rows")
        site["/list?page=2"] = people((3, last), (4, "Kai"), said="4 rows")
        nodes = (loop, opening(site, "/list?page={{page}}"), reading("read", records))
        assert [each["kind"] for each in done(live, store, site, *nodes).doubts] == doubted


def test_pages_that_several_nodes_read_are_counted_together(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """One node for each page: together they have all rows, or they do not."""
    for number, people_of in ((1, ("A", "B")), (2, ("C", "D")), (3, ("E",))):
        named = [(10 * number + at, name) for at, name in enumerate(people_of)]
        more = f"<a rel=next href='/list?page={number + 1}'>Next</a>" if number < 3 else ""
        site[f"/list?page={number}"] = people(*named, said="5 rows") + more
    nodes = [
        each
        for number in (1, 2, 3)
        for each in (
            opening(site, f"/list?page={number}", f"open_{number}"),
            reading(f"read_{number}", "person"),
        )
    ]
    assert done(live, store, site, *nodes).doubts == ()
    (doubt,) = done(live, store, site, *nodes[:4]).doubts
    assert doubt["sentence"] == "read_2 read 4 rows on 2 pages, and the page says '5 rows'."


def test_a_key_of_two_fields_is_refused_with_what_to_write() -> None:
    """The object is right but for its key."""
    config = reading("read", {"type": "person", "key": ["name", "fee"]})["config"]
    with pytest.raises(WorkflowError, match=r"name of one field.*leave the key out"):
        check_config("browser_query", config)


def test_elements_that_hold_nothing_and_become_records_are_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Headings of groups between the rows; a selector that leaves them out is right."""
    group = "<tr><th colspan=2>Critical</th></tr><tr><td><td class=name>"
    site["/list"] = people((1, "Nora"), (2, "Kai")).replace("<tr><td><a", f"{group}<tr><td><a", 1)
    narrow = reading("read", "person")
    narrow["config"]["selector"] = "tbody tr:has(a)"
    for node_, doubted in ((reading("read", "person"), ["blank"]), (narrow, [])):
        run = done(live, store, site, opening(site), node_)
        assert [each["kind"] for each in run.doubts] == doubted


def test_values_of_all_rounds_but_the_last_that_are_lost_are_doubted(
    live: Live, store: Store
) -> None:
    """Unless they are kept with their records, used in the round, or all the same."""
    make = node("make", "transform", input={}, code="[{'n': 1}, {'n': 9}]", create_records="item")
    loop = node("each", "iterate", records="item_*", body=["sort"])
    use = node("use", "transform", input={"x": "{{sort.result}}"}, code="x", store_to_record=True)
    use_after = node("last", "transform", input={"x": "{{sort.result}}"}, code="x", store=True)
    every = '{{get_all_records("sort")}}'
    use_all = node("sums", "transform", input={"x": every}, code="len(x)", store=True)
    both = {**loop, "config": {**loop["config"], "body": ["sort", "use"]}}

    def sort(**more: Any) -> dict[str, Any]:
        code = "{'by': 'truck' if n > 5 else 'hand'}"
        return node("sort", "transform", **{"input": {"n": "{{current.n}}"}, "code": code, **more})

    for nodes, doubted in (
        ((make, loop, sort(store=True)), ["rounds"]),
        ((make, loop, sort(store_to_record=True)), []),
        ((make, loop, sort(store=True, code="'hand'")), []),
        ((make, both, sort(store=True), use), []),
        ((make, loop, sort(store=True, create_records="kind"), use_after), ["rounds"]),
        ((make, loop, sort(create_records="kind"), use_all), []),
    ):
        run = live.run(run_workflow(store, flow(*nodes), live.means()))
        assert run.state == "done", run.error
        assert [each["kind"] for each in run.doubts] == doubted
    with pytest.raises(WorkflowError, match='"store_to_record": true and "as": "kind"'):
        check_config("transform", {"input": {}, "code": "1", "store": {"result": "current.kind"}})
