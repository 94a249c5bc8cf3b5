"""Tools that run nodes in the live browser; a green run closes the tasks that name its nodes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, cast

from director.agent.agent_session import AgentSession
from director.agent.conversation.step_text import describe_records, describe_steps, indent_step_text
from director.agent.permissions.effect_approval import ask_at_nodes
from director.models import Result
from director.runs import (
    Run,
    RunDependencies,
    Step,
    drive_run,
    list_run_steps,
    queue_run,
    resume_node,
    resume_workflow_run,
    try_node,
)
from director.runs.branch_choices import list_branch_choices, read_branch_choices
from director.runs.earlier_readings import list_never_run
from director.runs.proposed_conditions import list_proposed_conditions
from director.runs.run_execution import list_open_run_questions
from director.runs.run_journal import list_run_records
from director.runs.run_text import (
    dismissal_of,
    write_branch_run_lines,
    write_check_text,
    write_comparison_run_lines,
    write_state_text,
)
from director.sections.value_text import write_compact_value, write_value_line, write_visible_value
from director.store.run_variables import get_draft_run_id, read_run_variables, set_run_variable
from director.workflow.display import render_value
from director.workflow.document import write_workflow_document
from director.workflow.record_types import list_record_types
from director.workflow.selection import find_selection_place, resolve_selection
from director.workflow.sensitive import mask_sensitive, refuse_sensitive
from director.workflow.values import Config, Json, Workflow

_VARIABLES = 40


async def test_single_node(desk: AgentSession, node: int | str, record: str = "") -> Result:
    """Run one node where the browser is now; variables stay on the workbench.

    Args:
        node: its alias, id or position
        record: a record to run it for, such as "order_003"

    """
    workflow = desk.now()
    alias = workflow.nodes[find_selection_place(node, workflow.nodes)].alias
    return await _test_nodes(desk, workflow, [alias], record)


async def execute_nodes(
    desk: AgentSession,
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
        inputs: values for its inputs, in flow mode; what is missing is taken from the variables
            that tests use, then from the defaults
        record: a record to run for
        keep_browser: a flow from the first node on starts in a fresh browser, as a real run does;
            true keeps the tabs, cookies and logins of earlier tests

    """
    workflow = desk.now()
    chosen = resolve_selection(nodes, workflow.nodes)
    if mode == "isolated":
        names = [node.alias for node in workflow.nodes if node.id in chosen]
        return await _test_nodes(desk, workflow, names, record)
    given = _list_given(desk, workflow, cast("dict[str, Json]", inputs or {}))
    call = write_compact_value([write_workflow_document(workflow), nodes, given, record])
    if stopped := desk.stopped.pop(call, ""):
        # What it did before it was stopped is not done again.
        run = await resume_workflow_run(desk.store, stopped, await _means(desk, workflow))
        return await _tell_flow(desk, run, call, workflow, "the browser as it was when it stopped")
    run = _queue_flow(desk, workflow, nodes, given, record)
    where = "the browser as earlier tests left it"
    if workflow.nodes[0].id in chosen and not keep_browser:
        await desk.bench.reset()
        where = "a fresh browser"
    run = await drive_run(desk.store, run.id, await _means(desk, workflow))
    return await _tell_flow(desk, run, call, workflow, where)


def _queue_flow(
    desk: AgentSession, workflow: Workflow, nodes: str, inputs: dict[str, Json], record: str
) -> Run:
    """Write a run that asks; what a model gives it is never hidden from the user."""
    return queue_run(
        desk.store,
        workflow,
        RunDependencies(hide=refuse_sensitive, permit=ask_at_nodes(desk)),
        inputs=inputs,
        selection=nodes,
        record=record,
        id_=f"run-{uuid.uuid4().hex[:10]}",
    )


async def _means(desk: AgentSession, workflow: Workflow) -> RunDependencies:
    """What a model's runs work with: each node that acts once is asked for with its values."""
    return replace(await desk.bench.means(workflow), permit=ask_at_nodes(desk))


async def _tell_flow(
    desk: AgentSession, run: Run, call: str, workflow: Workflow, where: str
) -> Result:
    """How a flow ended; one that stopped for the user is gone on with by the same call."""
    if run.state == "waiting" or (desk.effects and run.state == "failed"):
        desk.stopped[call] = run.id
    await desk.bench.keep()
    steps = list_run_steps(desk.store, run.id)
    told = _describe_run(
        desk, run, [step for step in steps if step.type != "item"], workflow, run.id
    )
    missed = list_never_run(desk.store, workflow) if run.state == "done" else []
    never = (
        f"\nNever run yet: {', '.join(missed)}. Test it with inputs that lead there."
        if missed
        else ""
    )
    with_ = (
        f", given {write_visible_value(write_compact_value(mask_sensitive(dict(run.inputs))))}"
        if run.inputs
        else ""
    )
    return replace(told, text=f"{told.text}\nIt ran in {where}{with_}.{never}")


async def _test_nodes(
    desk: AgentSession, workflow: Workflow, names: list[str], record: str
) -> Result:
    """Each node by itself on the workbench, until one fails.

    After one was stopped for the user the same call goes on there: what was done is not done again.
    """
    _put_examples(desk, workflow)
    ids = {node.alias: node.id for node in workflow.nodes}
    done: list[Step] = []
    inside: list[Step] = []
    doubts: list[Config] = []
    call = write_compact_value(
        ["isolated", write_workflow_document(workflow), cast("Json", names), record]
    )
    stopped = desk.stopped.pop(call, "")
    for alias in names[names.index(stopped) if stopped else 0 :]:
        means = await _means(desk, workflow)
        test = resume_node if alias == stopped else try_node
        run = await test(desk.store, workflow, alias, means, record=record)
        steps = [*list_run_steps(desk.store, run.id)]
        done += [step for step in steps if step.key == ids[alias]]
        inside += [step for step in steps if re.split(r"[.\[(]", step.key)[0] == ids[alias]]
        doubts += run.doubts
        if run.state != "done":
            if desk.effects or run.state == "waiting":
                desk.stopped[call] = alias
            break
    await desk.bench.keep()
    told = _describe_run(desk, replace(run, doubts=tuple(doubts)), done, workflow, "", inside)
    return replace(told, text="\n".join([told.text, *_describe_proposals(desk, workflow, done)]))


def _describe_proposals(
    desk: AgentSession, workflow: Workflow, done: Iterable[Step]
) -> Iterable[str]:
    """What the nodes could promise, in the words of their conditions."""
    nodes = {node.id: node for node in workflow.nodes}
    given = _put_examples(desk, workflow)
    for step in done:
        for each in list_proposed_conditions(nodes[step.node], step, given):
            hint = f" {step.alias} could carry: {each.where} {write_compact_value(each.condition)}"
            if hint not in desk.hinted:
                desk.hinted.add(hint)
                yield hint
    for node in desk.now().nodes:
        kept = [each for each in node.checks if not each.get("dismissed")]
        if kept and any(step.node == node.id for step in done):
            yield f" {node.alias} is checked at each run: {'; '.join(map(write_check_text, kept))}"


def _describe_run(
    desk: AgentSession,
    run: Run,
    steps: Iterable[Step],
    workflow: Workflow,
    own: str,
    visits: Iterable[Step] = (),
) -> Result:
    lines = list(describe_steps(list(steps), workflow.nodes))
    if run.state == "waiting":
        desk.questions += [one.id for one in list_open_run_questions(desk.store, run.id)]
    if run.state != "done":
        error = run.error or {}
        lines.insert(0, f"{run.state.upper()}: {indent_step_text(str(error.get('message', '')))}")
    if own:
        lines += describe_records(list_record_types(list_run_records(desk.store, own)), own)
        found = sorted(read_run_variables(desk.store, own).items())
        lines += [
            f"- {write_value_line(name)} = "
            f"{write_visible_value(render_value(name, cast('Json', value)))}"
            for name, value in found[:_VARIABLES]
        ]
        lines.insert(0, f"Run {own} of {len(workflow.nodes)} nodes: {write_state_text(run)}.")
    lines += write_execution_doubts(run)
    if own:
        lines += [f"Compared: {indent_step_text(each)}" for each in write_comparison_run_lines(run)]
    records = list_run_records(desk.store, run.id)
    taken = read_branch_choices(run.summary) if own else list_branch_choices(visits, records)
    lines += [f"Branches: {indent_step_text(each)}" for each in write_branch_run_lines(taken)]
    closed = desk.saved.close_tasks()
    lines += [f"Completed by this: task {', '.join(closed)}."] if closed else []
    return Result("\n".join(lines), failed=run.state != "done")


def write_execution_doubts(run: Run) -> Iterable[str]:
    """What speaks against a run that passed, and what can be done about it."""
    for each in run.doubts:
        sentence = indent_step_text(str(each["sentence"]))
        yield f"DOUBT ({each['kind']}) about {each['alias']}: {sentence}"
        yield f" seen: {write_compact_value(mask_sensitive(each.get('evidence')))}"
        if each.get("explained"):
            explained = indent_step_text(str(each["explained"]))
            yield f" you say that it is right: {explained}; not confirmed yet"
    paged = [each for each in run.doubts if each["kind"] in ("total", "next")]
    if any("unturned" in cast("Config", each.get("evidence") or {}) for each in paged):
        yield (
            "Let 'next' name what turns the page: `find` shows what there is, and "
            "describe_element gives its selector."
        )
    elif paged:
        yield (
            "To read all pages put the node that reads and the one that turns the page into one "
            "loop: describe_node_type('pagination')."
        )
    for each in run.doubts[:1]:
        change = write_compact_value({"checks": [{**dismissal_of(each), "because": "…"}]})
        yield (
            "All nodes passed, but the result may be wrong. Fix it. If it is right as it is, say "
            f"why: update_node({each['alias']!r}, {change}), and ask the user: it stays a doubt "
            "until the user confirms it beside the run or with `director workflow check`."
        )


def _list_given(desk: AgentSession, workflow: Workflow, inputs: dict[str, Json]) -> dict[str, Json]:
    """What a flow is given: what was said, and for the rest that it needs what tests use."""
    examples = _put_examples(desk, workflow)
    needed = {one.name for one in workflow.inputs if one.required}
    return {**{name: examples[name] for name in needed if name in examples}, **inputs}


def _put_examples(desk: AgentSession, workflow: Workflow) -> dict[str, Json]:
    """What the workflow is given in tests: what is set on the workbench, else the defaults."""
    bench = get_draft_run_id(workflow.id)
    known = cast("dict[str, Json]", read_run_variables(desk.store, bench))
    for one in workflow.inputs:
        if one.name not in known and one.default is not None:
            set_run_variable(desk.store, bench, one.name, one.default, "the default, to test with")
            known[one.name] = one.default
    return {one.name: known[one.name] for one in workflow.inputs if one.name in known}
