"""Tools that run nodes in the live browser; a green run closes the tasks that name its nodes."""

# ruff: noqa: D417  no model is told of the desk
from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, cast

from director.agent.desk import Desk
from director.agent.effects import ask_at_nodes
from director.models import Result
from director.runs import Means, Run, Step, drive, queue_run, resume, steps_of, try_node
from director.runs.proposing import proposals
from director.runs.serving import waits_for
from director.sections.words import compact, line, visible
from director.store.variables import variables, workbench
from director.workflow.display import shown
from director.workflow.document import to_json
from director.workflow.selection import place_of, select
from director.workflow.sensitive import masked, refuse_sensitive
from director.workflow.values import Json, Workflow

_LONGEST = 4_000
_VARIABLES = 40


async def test_single_node(desk: Desk, node: int | str, record: str = "") -> Result:  # noqa: PT028
    """Run one node where the browser is now; variables stay on the workbench.

    Args:
        node: its alias, id or position
        record: a record to run it for, such as "order_003"

    """
    workflow = desk.now()
    alias = workflow.nodes[place_of(node, workflow.nodes)].alias
    return await _tested(desk, workflow, [alias], record)


async def execute_nodes(
    desk: Desk,
    nodes: str = "all",
    mode: Literal["isolated", "flow"] = "flow",
    inputs: dict[str, object] | None = None,
    record: str = "",
    *,
    keep_browser: bool = False,
) -> Result:
    """Run several nodes in the live browser.

    Args:
        nodes: "all", a range such as "3-5" or "first..last", or aliases
        mode: "flow" makes a run of its own and follows bodies and branches; "isolated" tests each
            node by itself on the workbench
        inputs: what the workflow is given, in flow mode
        record: a record to run for
        keep_browser: a flow from the first node on starts in a fresh browser, as a real run does;
            true keeps the tabs, cookies and logins of earlier tests

    """
    workflow = desk.now()
    chosen = select(nodes, workflow.nodes)
    if mode == "isolated":
        names = [node.alias for node in workflow.nodes if node.id in chosen]
        return await _tested(desk, workflow, names, record)
    call = compact([to_json(workflow), nodes, cast("Json", inputs or {}), record])
    if stopped := desk.stopped.pop(call, ""):
        # What it did before it was stopped is not done again.
        run = await resume(desk.store, stopped, await _means(desk, workflow))
        return await _tell_flow(desk, run, call, workflow, "the browser as it was when it stopped")
    run = _queue_flow(desk, workflow, nodes, cast("dict[str, Json]", inputs or {}), record)
    where = "the browser as earlier tests left it"
    if workflow.nodes[0].id in chosen and not keep_browser:
        await desk.bench.reset()
        where = "a fresh browser"
    run = await drive(desk.store, run.id, await _means(desk, workflow))
    return await _tell_flow(desk, run, call, workflow, where)


def _queue_flow(
    desk: Desk, workflow: Workflow, nodes: str, inputs: dict[str, Json], record: str
) -> Run:
    """Write a run that asks; what a model gives it is never hidden from the user."""
    return queue_run(
        desk.store,
        workflow,
        Means(hide=refuse_sensitive, permit=ask_at_nodes(desk)),
        inputs=inputs,
        selection=nodes,
        record=record,
        id_=f"run-{uuid.uuid4().hex[:10]}",
    )


async def _means(desk: Desk, workflow: Workflow) -> Means:
    """What a model's runs work with: each node that acts once is asked for with its values."""
    return replace(await desk.bench.means(workflow), permit=ask_at_nodes(desk))


async def _tell_flow(desk: Desk, run: Run, call: str, workflow: Workflow, where: str) -> Result:
    """How a flow ended; one that stopped for the user is gone on with by the same call."""
    if desk.effects and run.state == "failed":
        desk.stopped[call] = run.id
    await desk.bench.keep()
    steps = steps_of(desk.store, run.id)
    told = _told(desk, run, [step for step in steps if step.type != "item"], workflow, run.id)
    return replace(told, text=f"{told.text}\nIt ran in {where}.")


async def _tested(desk: Desk, workflow: Workflow, names: list[str], record: str) -> Result:
    """Each node by itself on the workbench, until one fails.

    After one was stopped for the user the same call goes on there: what was done is not done again.
    """
    ids = {node.alias: node.id for node in workflow.nodes}
    done: list[Step] = []
    call = compact(["isolated", to_json(workflow), cast("Json", names), record])
    stopped = desk.stopped.pop(call, "")
    for alias in names[names.index(stopped) if stopped else 0 :]:
        means = await _means(desk, workflow)
        run = await try_node(
            desk.store, workflow, alias, means, record=record, goes_on=alias == stopped
        )
        done += [step for step in steps_of(desk.store, run.id) if step.key == ids[alias]]
        if run.state != "done":
            if desk.effects:
                desk.stopped[call] = alias
            break
    await desk.bench.keep()
    told = _told(desk, run, done, workflow, "")
    return replace(told, text="\n".join([told.text, *_proposed(desk, workflow, done)]))


def _proposed(desk: Desk, workflow: Workflow, done: Iterable[Step]) -> Iterable[str]:
    """What the nodes could promise, in the words of their conditions."""
    nodes = {node.id: node for node in workflow.nodes}
    known = cast("dict[str, Json]", variables(desk.store, workbench(workflow.id)))
    given = {each.name: known[each.name] for each in workflow.inputs if each.name in known}
    for step in done:
        for each in proposals(nodes[step.node], step, given):
            yield f" {step.alias} could say: {each}"


def _told(desk: Desk, run: Run, steps: Iterable[Step], workflow: Workflow, own: str) -> Result:
    lines = [line for step in steps for line in _step(step)]
    if run.state == "waiting":
        desk.questions += [one.id for one in waits_for(desk.store, run.id)]
    if run.state != "done":
        error = run.error or {}
        lines.insert(0, f"{run.state.upper()}: {_inside(str(error.get('message', '')))}")
    if own:
        found = sorted(variables(desk.store, own).items())
        lines += [
            f"- {line(name)} = {visible(shown(name, cast('Json', value)))}"
            for name, value in found[:_VARIABLES]
        ]
        lines.insert(0, f"Run {own} of {len(workflow.nodes)} nodes: {run.state}.")
    closed = desk.saved.close_tasks()
    lines += [f"Completed by this: task {', '.join(closed)}."] if closed else []
    return Result("\n".join(lines), failed=run.state != "done")


def _step(step: Step) -> Iterable[str]:
    yield f"{step.key if '[' in step.key else step.alias}: {step.status} in {step.took:.1f} s"
    if step.error:
        yield f" error: {_inside(step.error)}"
    if step.result is not None:
        told = compact(masked(step.result))
        cut = f"{told[:_LONGEST]}… ({len(told):,} characters)" if len(told) > _LONGEST else told
        yield f" result: {cut}"
    for found in step.evidence:
        holds = "holds" if found.get("holds") else "does not hold"
        yield f" {holds}: {compact(found.get('condition'))}; found {compact(found.get('found'))}"
    if step.records is not None:
        count = step.records
        yield (
            f" records: {count['made']} made, {count['merged']} merged with known ones, "
            f"{count['total']} of the type in all"
        )
    yield from (f" warning: {_inside(warning)}" for warning in step.warnings)


def _inside(text: str) -> str:
    """A text of several lines, of which none can be taken for a line of ours."""
    return "\n  ".join(text.splitlines())
