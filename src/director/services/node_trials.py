"""Trials of nodes from outside a conversation: test one, accept what it could promise, edit checks.

A trial happens in the draft run of the workflow, with a browser of its own; the draft run goes on
where the trial before it left it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from director.runs import Run, Step, list_run_steps, save_run_workflow, try_node
from director.runs.proposed_conditions import NodeProposal, list_proposed_conditions
from director.runs.proposed_conditions import accept_proposals as write_proposals
from director.services import workflows
from director.services.outgoing import redact_result
from director.services.workspace import Workspace
from director.store.run_variables import get_draft_run_id, read_run_variables, set_run_variable
from director.workflow.doubt_checks import get_doubt_check_place
from director.workflow.edit import edit_node
from director.workflow.selection import find_selection_place
from director.workflow.values import Config, Json, Node, Workflow


@dataclass(frozen=True, slots=True)
class NodeTrial:
    """How a test of a node ended, the node as it is now, and what it could promise.

    `step` is None if the node was never come to.
    """

    run: Run
    step: Step | None
    node: Node
    proposals: tuple[NodeProposal, ...]


def _put_inputs(
    workspace: Workspace, workflow: Workflow, given: Mapping[str, Json]
) -> dict[str, Json]:
    """Put inputs into the draft run: those given, and the defaults that are not there yet."""
    store, bench = workspace.store, get_draft_run_id(workflow.id)
    _, hiding = workspace.resources.offline(workflow)
    known = read_run_variables(store, bench)
    defaults = {each.name: each.default for each in workflow.inputs if each.default is not None}
    new = {name: value for name, value in defaults.items() if name not in known}
    for name, value in {**new, **given}.items():
        set_run_variable(store, bench, name, hiding(name, value), "given for a test")
    found = cast("dict[str, Json]", read_run_variables(store, bench))
    return {each.name: found[each.name] for each in workflow.inputs if each.name in found}


@redact_result
async def run_trial(
    workspace: Workspace, workflow: str, node: str, *, inputs: Mapping[str, Json], record: str = ""
) -> NodeTrial:
    """Test one node, by alias or position, in the draft run, where inputs stay."""
    store, resources = workspace.store, workspace.resources
    flow = workflows.load_workflow(workspace, workflow)
    which = flow.nodes[find_selection_place(node, flow.nodes)]
    examples = _put_inputs(workspace, flow, inputs)
    bench = Run(get_draft_run_id(workflow), workflow, save_run_workflow(store, flow))
    means = replace(await resources.means(bench), worker="workbench")
    run = await try_node(store, flow, which.alias, means, record=record)
    steps = [each for each in list_run_steps(store, run.id) if each.alias == which.alias]
    step = steps[-1] if steps else None
    wanted = list_proposed_conditions(which, step, examples) if step else []
    now = workflows.load_workflow(workspace, workflow)
    return NodeTrial(run, step, now.nodes[find_selection_place(which.id, now.nodes)], tuple(wanted))


@redact_result
def accept_proposals(
    workspace: Workspace, workflow: str, node: str, wanted: Sequence[NodeProposal]
) -> list[str]:
    """Write proposed conditions into a workflow as a new version; what changed, in lines."""
    now = workflows.load_workflow(workspace, workflow)
    tested = now.nodes[find_selection_place(node, now.nodes)]
    return workflows.save_workflow_changes(workspace, write_proposals(now, tested, wanted))


@redact_result
def edit_checks(
    workspace: Workspace, workflow: str, node: str, *, said: Mapping[str, object]
) -> tuple[Config, ...]:
    """The checks of a node, with one more if a kind is given; the words of a count stay."""
    found = workflows.load_workflow(workspace, workflow)
    at = find_selection_place(node, found.nodes)
    if said.get("kind"):
        given = cast("Config", {name: value for name, value in said.items() if value})
        place = get_doubt_check_place(given)
        known = [one for one in found.nodes[at].checks if get_doubt_check_place(one) == place]
        kept = {name: one[name] for one in known for name in ("counter",) if name in one}
        found = edit_node(found, node, {"checks": [{**kept, **given}]})
        workflows.save_workflow_changes(workspace, found)
    return found.nodes[at].checks
