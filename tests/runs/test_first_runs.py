"""A first run is compared with the tests while building, where these did what the run does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from director.browser import Origins
from director.runs import Run, run_workflow, try_node
from director.runs.run_text import write_comparison_run_lines
from director.store import Store
from director.store.run_variables import get_draft_run_id, set_run_variable
from director.workflow.document import read_workflow_document
from director.workflow.values import Workflow
from runs.answers import file_named, serve_answers
from runs.building import flow, node
from runs.conftest import Live

Rows = list[tuple[str, str, str]]
RIGHT: Rows = [(f"N-{n}", f"{n}.50", f"2026-03-{n + 1:02}") for n in range(1, 27)]
FIELDS = {"number": ".number", "price": ".price", "day": ".day"}


def show(found: Rows) -> str:
    """A table without a count."""
    names = ("number", "price", "day")
    cells = (
        "".join(f"<td class={name}>{text}" for name, text in zip(names, row, strict=True))
        for row in found
    )
    return f"<table><tbody>{''.join(f'<tr>{each}' for each in cells)}</table>"


def change(column: int, texts: Any, rows: range = range(26)) -> Rows:
    """The right rows with other texts in some rows of a column."""
    return [
        (*row[:column], texts(row[column]), *row[column + 1 :]) if at in rows else row  # type: ignore[misc]
        for at, row in enumerate(RIGHT)
    ]


def german(text: str) -> str:
    """A date in another notation."""
    year, month, day = text.split("-")
    return f"{day}.{month}.{year}"


def listing(origin: str, *parts: dict[str, Any], url: str = "/list") -> Workflow:
    """A workflow that opens a list, does something and reads it."""
    opened = node("open", "browser_action", action="navigate", url=f"{origin}{url}")
    asked = {"method": "deterministic_extract", "selector": "tbody tr", "fields": FIELDS}
    read = node("read", "browser_query", **asked, create_records="order")  # type: ignore[arg-type]
    given = {"name": "state", "description": "Which.", "default": "open"}
    return flow(opened, *parts, read, origin=origin, inputs=[given])


def try_all(
    live: Live, store: Store, workflow: Workflow, *aliases: str, files: Path | None = None
) -> Workflow:
    """Test nodes one after the other in one browser; the workflow with the checks it got."""

    async def try_each() -> None:
        async with live.browser.session(Origins(workflow.origins), downloads=files) as session:
            means = live.means(session=session, downloads=files)
            for alias in aliases or [each.alias for each in workflow.nodes]:
                tested = await try_node(store, workflow, alias, means)
                assert tested.state == "done", tested.error

    live.run(try_each())
    newest = store.get("workflow", workflow.id)
    assert newest is not None
    return read_workflow_document(newest.body)  # type: ignore[arg-type]


def run_once(
    live: Live, store: Store, workflow: Workflow, files: Path | None = None, **inputs: str
) -> Run:
    """A run, which must pass."""
    means = live.means(downloads=files)
    run: Run = live.run(run_workflow(store, workflow, means, inputs=inputs))
    assert run.state == "done", run.error
    return run


def kinds(run: Run) -> list[str]:
    """The kinds of doubts."""
    return [str(each["kind"]) for each in run.doubts]


CASES: dict[str, tuple[Rows, list[str]]] = {
    "the same": (RIGHT, []),
    "more rows": ([*RIGHT, ("N-90", "90.50", "2026-04-01")], []),
    "two rows gone": ([*RIGHT[:5], *RIGHT[7:]], []),
    "other rows": ([(f"M-{n}", f"{n}.75", f"2026-05-{n + 1:02}") for n in range(1, 27)], []),
    "cut off": (RIGHT[:20], ["fewer"]),
    "most are gone": (RIGHT[4:12], ["fewer"]),
    "comma": (change(1, lambda text: text.replace(".", ",")), ["format"]),
    "dates": (change(2, german), ["format"]),
    "a third of the dates": (change(2, german, range(18, 26)), ["format"]),
    "cents": (change(1, lambda text: text.replace(".", "")), ["format"]),
    "no price": (change(1, lambda _: ""), ["blank"]),
    "one price gone": (change(1, lambda _: "-", range(4, 5)), ["blank"]),
    "one day for all": (change(2, lambda _: "2026-03-02"), ["constant"]),
    "exchanged": ([(a, c, b) for a, b, c in RIGHT], ["cells"]),
}


@pytest.mark.parametrize(("now", "doubted"), CASES.values(), ids=[*CASES])
def test_a_first_run_that_reads_other_than_its_test_is_doubted(
    live: Live, store: Store, now: Rows, doubted: list[str]
) -> None:
    """As a second run would be; what may honestly change is told and not doubted."""
    with serve_answers() as site:
        site["/list"] = show(RIGHT)
        built = try_all(live, store, listing(site.origin))
        site["/list"] = show(now)
        first = run_once(live, store, built)
    assert sorted(kinds(first)) == doubted
    (line,) = write_comparison_run_lines(first)
    assert "since its test" in line


def test_a_test_of_something_else_is_no_measure(live: Live, store: Store) -> None:
    """Of the list before it was filtered, by another input, or by a node that was changed since."""
    narrow = node("narrow", "browser_action", action="click", selector="#few")
    few = "<button id=few onclick='document.querySelectorAll(\"tr\").forEach((r, n) => n > 5 && r.remove())'>"
    with serve_answers() as site:
        site["/list"] = show(RIGHT) + few
        built = try_all(live, store, listing(site.origin, narrow), "open", "read", "narrow")
        assert kinds(run_once(live, store, built)) == []
        site["/list?state=open"], site["/list?state=done"] = show(RIGHT), show(RIGHT[:4])
        given = replace(listing(site.origin, url="/list?state={{state}}"), id="given")
        set_run_variable(store, get_draft_run_id("given"), "state", "open", "to test with")
        built = try_all(live, store, given)
        assert kinds(run_once(live, store, built, state="done")) == []
        site["/list?state=open"] = show(RIGHT[:4])
        assert kinds(run_once(live, store, built, state="open")) == ["fewer"]


def test_a_first_download_is_compared_with_that_of_its_test(
    live: Live, store: Store, tmp_path: Path
) -> None:
    """The same file is no doubt; a column or notation that is another one is."""
    right = "number;price\n" + "".join(f"N-{n};{n}.50\n" for n in range(1, 27))
    opened = {"action": "navigate", "url": ""}
    with serve_answers() as site:
        site["/list"] = "<a href=/export id=get>Export</a>"
        opened["url"] = f"{site.origin}/list"
        get = node("get", "browser_action", action="click", selector="#get")
        for name, now, doubted in (
            ("same", right, []),
            ("comma", right.replace(".", ","), ["format"]),
            ("column", right.replace("price", "cost"), ["download"]),
        ):
            site["/export"] = file_named("list.csv", right)
            workflow = flow(node("open", "browser_action", **opened), get, origin=site.origin)
            built = try_all(live, store, replace(workflow, id=name), files=tmp_path)
            site["/export"] = file_named("list.csv", now)
            assert kinds(run_once(live, store, built, tmp_path)) == doubted
