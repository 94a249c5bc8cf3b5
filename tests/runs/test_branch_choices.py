"""Which items of a loop took which branch is told by name with every run; nothing of it is a doubt."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from director.cli.local_runs import finish, summary
from director.cli.run_tables import history
from director.runs import Run, RunDependencies, run_workflow
from director.runs.branch_choices import BranchChoice, read_branch_choices
from director.runs.run_report import render_run_report
from director.runs.run_text import write_branch_run_lines
from director.services.runs import get_run, read_run_history
from director.services.workspace import make_workspace
from director.store import Store
from director.workflow.values import Json, Workflow
from runs.building import code, flow, node

KNOWN = {"Ada", "Cleo"}
ROUTE = node(
    "decide",
    "route",
    input={"name": "{{current.name}}", "known": sorted(KNOWN)},
    branches=[
        {"name": "skip", "condition": "name in known", "branch": ["leave"]},
        {"name": "enter", "condition": True, "branch": ["add"]},
    ],
)
PARTS = (code("leave", "'left out'"), code("add", "'entered'"))


def people(*names: str, key: str = "name") -> Workflow:
    """A record for each name, gone through by a loop with a route."""
    rows = ", ".join(f"{{'name': {name!r}, 'town': 'Kiel'}}" for name in names)
    wanted: Json = {"type": "person", "key": key} if key else "person"
    find = code("find", f"[{rows}]", create_records=wanted)
    return flow(find, node("each", "iterate", records="person_*", body=["decide"]), ROUTE, *PARTS)


def run_of(store: Store, workflow: Workflow) -> Run:
    """A run of it, without a browser."""
    return asyncio.run(run_workflow(store, workflow, RunDependencies()))


@pytest.mark.parametrize("key", ["name", ""])
def test_what_a_route_skipped_is_told_by_name_everywhere(
    store: Store, capsys: pytest.CaptureFixture[str], *, key: str
) -> None:
    """In the terminal, in the history, the report, on the page and as JSON; the exit code is 0."""
    run = run_of(store, people("Ada", "Ben", "Cleo", key=key))
    line = "decide, 3 items: skip 2 (Ada, Cleo); enter 1 (Ben)"
    assert write_branch_run_lines(read_branch_choices(run.summary)) == [line]
    workspace = make_workspace(store)
    stored = read_run_history(workspace, run.id)
    assert f"\nbranches: {line}" in summary(stored, None)
    assert f"\nbranches: {line}" in history(stored)
    assert line in render_run_report(store, run.id)
    assert get_run(workspace, run.id).branches == (line,)
    assert finish(workspace, run.id, report=None, as_json=True) == 0
    told = json.loads(capsys.readouterr().out)["summary"]["branches"]
    assert [(each["branch"], each["names"]) for each in told] == [
        ("skip", ["Ada", "Cleo"]),
        ("enter", ["Ben"]),
    ]


def test_a_run_that_fails_tells_what_was_entered_before(store: Store) -> None:
    """The item that failed is told with its branch; those that were never reached are not."""
    fails = code("add", "1 / 0 if name == 'Dora' else 1", input={"name": "{{current.name}}"})
    loop = node("each", "iterate", records="person_*", body=["decide"], on_error="stop")
    rows = [{"name": name} for name in ("Ada", "Ben", "Dora", "Cleo")]
    find = code("find", repr(rows), create_records={"type": "person", "key": "name"})
    run = run_of(store, flow(find, loop, ROUTE, PARTS[0], fails))
    assert run.state == "failed"
    assert write_branch_run_lines(read_branch_choices(run.summary)) == [
        "decide, 3 items: skip 1 (Ada); enter 2 (Ben, Dora)"
    ]


@pytest.mark.parametrize(
    ("over", "names"),
    [
        (["Ada", "Ben"], [("skip", ["Ada"]), ("enter", ["Ben"])]),
        ([{"id": 1, "name": "Ada"}, {"id": 2, "name": "Ben"}], [("skip", ["1"]), ("enter", ["2"])]),
        ([["x"], ["y"]], [("enter", ['["x"]', '["y"]'])]),
    ],
)
def test_elements_of_a_list_are_named_by_what_they_hold(
    store: Store, over: Any, names: list[tuple[str, list[str]]]
) -> None:
    """A text is its own name; of an object the field that tells it from the others."""
    name = "{{one}}" if isinstance(over[0], str) else "{{one.name}}"
    given = {"name": name if not isinstance(over[0], list) else "", "known": sorted(KNOWN)}
    route = {**ROUTE, "config": {**ROUTE["config"], "input": given}}
    loop = node("each", "iterate", over=over, variable="one", body=["decide"])
    found = read_branch_choices(run_of(store, flow(loop, route, *PARTS)).summary)
    assert [(each.branch, [*each.names]) for each in found] == names


def test_an_item_that_no_branch_takes_is_told_and_a_route_in_no_loop_is_not(store: Store) -> None:
    """The step of a single route says what it chose."""
    only = [{"name": "known", "condition": "name in known", "branch": ["leave"]}]
    route = {**ROUTE, "config": {**ROUTE["config"], "branches": only}}
    loop = node("each", "iterate", over=["Ada", "Ben"], variable="one", body=["decide"])
    given = {"name": "{{one}}", "known": sorted(KNOWN)}
    inside = {**route, "config": {**route["config"], "input": given}}
    run = run_of(store, flow(loop, inside, PARTS[0]))
    assert write_branch_run_lines(read_branch_choices(run.summary)) == [
        "decide, 2 items: known 1 (Ada); no branch 1 (Ben)"
    ]
    alone = {**ROUTE, "config": {**ROUTE["config"], "input": {"name": "Ada", "known": ["Ada"]}}}
    assert read_branch_choices(run_of(store, flow(alone, *PARTS)).summary) == []


def test_many_names_are_cut_in_a_line_and_secrets_are_hidden() -> None:
    """Ten names by default, all that are stored where there is room."""
    many = BranchChoice("n", "decide", "skip", 12, tuple(str(n) for n in range(12)))
    assert write_branch_run_lines([many])[0].endswith("8, 9, … 2 more)")
    assert write_branch_run_lines([many], most=200)[0].endswith("10, 11)")
    assert read_branch_choices({"branches": [json.loads(json.dumps(many.json()))]}) == [many]
