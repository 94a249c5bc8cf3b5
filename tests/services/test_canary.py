"""A secret that was stored somehow leaves no use case that shows a workflow or its runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from director.agent import open_session
from director.agent.saved_workflow import SavedState
from director.runs import RunDependencies, run_workflow
from director.services import node_trials, nodes, plans, run_exports, runs, variables, workflows
from director.services.outgoing import MarkNotSaved
from director.services.workspace import Workspace, make_workspace
from director.store import Store
from director.store.run_variables import get_draft_run_id, set_run_variable
from director.workflow.description import Description
from director.workflow.plan import Phase, Plan, Task
from director.workflow.values import Input, Node, Workflow

CANARY = "Correct-horse-9-battery"
CODE = f"[{{'name': '{CANARY}'}}]"
FLOW = Workflow(
    "w",
    f"Prices {CANARY}",
    (
        Node("n1", "find", "transform", {"code": CODE, "create_records": "item"}, CANARY),
        Node("n2", "stop", "transform", {"input": {"said": CANARY}, "code": "int(said)"}),
    ),
    inputs=(Input("place", CANARY, CANARY),),
    description=CANARY,
)


@pytest.fixture
def workspace(store: Store) -> Workspace:
    """A workflow that was run before its secret came into the vault: it stands everywhere."""
    run = asyncio.run(run_workflow(store, FLOW, RunDependencies()))
    assert CANARY in str(run.inputs)
    set_run_variable(store, get_draft_run_id("w"), "found", CANARY, f"because of {CANARY}")
    saved = SavedState(store, "w")
    task = Task("1", f"Type {CANARY}", notes=CANARY)
    saved.save_plan(Plan(CANARY, "Look", (Phase("Look", tasks=(task,)),)), CANARY)
    saved.save_description(Description(CANARY, goal=CANARY), CANARY)
    made = make_workspace(store)
    made.resources.vault.put("shop", CANARY, "https://shop.example")
    return made


def _run_of(workspace: Workspace) -> str:
    return runs.list_runs(workspace, "w")[0].id


SHOWN: tuple[Callable[[Workspace], object], ...] = (
    runs.list_runs,
    lambda given: runs.get_run(given, _run_of(given)),
    lambda given: runs.read_run_history(given, _run_of(given)),
    lambda given: runs.get_run_workflow(given, _run_of(given)),
    lambda given: run_exports.export_run_data(given, _run_of(given), "records"),
    lambda given: run_exports.export_run_data(given, _run_of(given), "variables", form="json"),
    lambda given: run_exports.make_exported_report(given, _run_of(given)),
    lambda given: run_exports.write_exported_report(given, _run_of(given)).read_text(),
    workflows.list_workflows,
    lambda given: workflows.get_workflow_row(given, "w"),
    lambda given: workflows.get_workflow(given, "w"),
    lambda given: workflows.export_workflow_document(given, "w"),
    lambda given: workflows.export_workflow_script(given, "w"),
    lambda given: workflows.duplicate_workflow(given, "w", "Other"),
    lambda given: workflows.list_workflow_versions(given, "plan", "w"),
    lambda given: nodes.list_nodes(given, "w"),
    lambda given: node_trials.edit_checks(given, "w", "find", said={}),
    lambda given: plans.get_plan_body(given, "plan", "w"),
    lambda given: plans.get_plan(given, "w"),
    lambda given: plans.get_description(given, "w"),
    lambda given: variables.list_variables(given, "w"),
    lambda given: variables.list_variable_lines(given, "w"),
    lambda given: variables.get_variable_history(given, "w", "found"),
)


@pytest.mark.parametrize("show", SHOWN, ids=map(str, range(len(SHOWN))))
def test_no_use_case_shows_a_secret_that_was_stored(
    workspace: Workspace, show: Callable[[Workspace], object]
) -> None:
    """Whatever it returns is without it, and says so by a mark."""
    found = str(show(workspace))
    assert CANARY not in found
    assert json.dumps(CANARY)[1:-1] not in found


def test_what_was_shown_redacted_cannot_be_saved_in_the_place_of_the_value(
    workspace: Workspace,
) -> None:
    """A node that is read, edited and saved, or a document that comes back, would lose its value."""
    shown = workflows.get_workflow(workspace, "w")
    config = dict(shown.nodes[0].config)
    assert "[redacted]" in str(config)
    before = workspace.store.get("workflow", "w")

    changes: dict[str, object] = {"config": config}
    draft = {"type": "transform", "alias": "more", "config": config}

    async def save() -> None:
        async with open_session(workspace.store, "w", workspace.resources) as session:
            target = nodes.NodeTarget(session, "find", None)
            with pytest.raises(MarkNotSaved, match="secret:NAME"):
                await nodes.change_node(workspace, target, changes=changes, merge="replace")
            with pytest.raises(MarkNotSaved):
                await nodes.add_node(workspace, session, draft, seen=None)

    asyncio.run(save())
    exported = json.loads(workflows.export_workflow_document(workspace, "w"))
    with pytest.raises(MarkNotSaved):
        workflows.import_document(workspace, workflows.parse_workflow_text(exported), replaces=True)
    assert workspace.store.get("workflow", "w") == before
