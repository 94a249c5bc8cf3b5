"""`director workflow test` and `check`: one node in the draft run, and what it could promise."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

import typer

from director.cli.command_setup import Files, Url, open_store_or_exit
from director.cli.origin_approvals import need_approvals
from director.cli.workflow import Name, app, get_stored_workflow, save_document
from director.cli.workflow_run import Env, Headed, NoPictures, Set, Wait, make_options
from director.workflow.doubt_checks import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from director.runs import Run, Step
    from director.runs.proposed_conditions import NodeProposal
    from director.runs.resources import RunOptions
    from director.store import Store
    from director.workflow.values import Config, Json, Node, Workflow

TEST = (
    "Try it: `director workflow test order-with-code open --set "
    "site=http://127.0.0.1:8765`, then the next node: the browser goes on where the last test "
    "left it. `--accept` writes the proposed conditions into the workflow as a new version."
)
Accept: TypeAlias = Annotated[
    bool, typer.Option("--accept", help="Write the proposed conditions into the workflow.")
]


@app.command("test", epilog=TEST)
def try_one(
    *,
    workflow: Name,
    node: Annotated[str, typer.Argument(help="The node: alias or position.")],
    record: Annotated[str, typer.Option(help="The current record, such as email_003.")] = "",
    settings: Set = None,
    accept: Accept = False,
    headed: Headed = False,
    no_pictures: NoPictures = False,
    files: Files = None,
    env: Env = None,
    wait: Wait = None,
    store: Url = None,
) -> None:
    """Test one node in the draft run, where variables, records and the browser stay.

    Prints its result, its evidence and its time, and what conditions it could carry.
    """
    from director.cli.local_runs import CODES, DOUBTED, exit_with_error
    from director.runs.proposed_conditions import accept_proposals, proposals
    from director.workflow.selection import place_of

    with open_store_or_exit(store, "workflow test") as opened, exit_with_error("workflow test"):
        need_approvals(opened, workflow, "workflow test")
        found = get_stored_workflow(opened, workflow, "workflow test")
        which = found.nodes[place_of(node, found.nodes)]
        wishes = make_options(headed, no_pictures=no_pictures, files=files, env=env, wait=wait)
        given = _put_inputs(opened, found, settings or [])
        run, step = asyncio.run(_try_node(opened, found, which.alias, wishes, record=record))
        _say(run, step)
        wanted = proposals(which, step, given) if step else []
        now = get_stored_workflow(opened, workflow, "workflow test")
        tested = now.nodes[place_of(which.id, now.nodes)]
        _say_promises(run, tested, wanted)
        if accept and wanted:
            for line in save_document(opened, accept_proposals(now, tested, wanted)):
                typer.echo(line)
    raise typer.Exit(DOUBTED if run.state == "done" and run.doubts else CODES.get(run.state, 3))


def _put_inputs(opened: Store, workflow: Workflow, settings: list[str]) -> dict[str, Json]:
    """Put the inputs into the draft run: those given, and the defaults that are not there yet."""
    from director.cli.inputs import rows_of
    from director.runs.resources import Resources, RunOptions
    from director.store.run_variables import set_variable, variables, workbench

    bench = workbench(workflow.id)
    _, hiding = Resources(opened, RunOptions()).offline(workflow)
    known = variables(opened, bench)
    defaults = {each.name: each.default for each in workflow.inputs if each.default is not None}
    (said,) = rows_of(settings, None, workflow.inputs)
    for name, value in {**{n: v for n, v in defaults.items() if n not in known}, **said}.items():
        set_variable(opened, bench, name, hiding(name, value), "given for a test")
    found = cast("dict[str, Json]", variables(opened, bench))
    return {each.name: found[each.name] for each in workflow.inputs if each.name in found}


async def _try_node(
    opened: Store, workflow: Workflow, node: str, wishes: RunOptions, *, record: str
) -> tuple[Run, Step | None]:
    from director.agent.subagents.node_models import lend
    from director.runs import save_workflow, steps_of, try_node
    from director.runs.resources import open_resources
    from director.runs.values import Run as TheRun
    from director.store.run_variables import workbench

    async with open_resources(opened, wishes) as supplies:
        lend(supplies, opened)
        version = save_workflow(opened, workflow)
        bench = TheRun(workbench(workflow.id), workflow.id, version)
        means = replace(await supplies.means(bench), worker="workbench")
        run = await try_node(opened, workflow, node, means, record=record)
    steps = [each for each in steps_of(opened, run.id) if each.alias == node]
    return run, steps[-1] if steps else None


def _say_promises(run: Run, node: Node, wanted: Sequence[NodeProposal]) -> None:
    from director.runs.run_text import check_text

    for proposal in wanted:
        typer.echo(f"proposed: {proposal}")
    for each in node.checks:
        typer.echo(f"check: {check_text(each)}")
    for doubt in run.doubts:
        typer.echo(f"doubt ({doubt['kind']}): {doubt['sentence']}")


def _say(run: Run, step: Step | None) -> None:
    from director.runs.run_text import evidence_text, seconds_text
    from director.workflow.sensitive import mask_value

    if step is None:
        typer.echo(str((run.error or {}).get("message", "")))
        return
    state = "ok" if step.status == "success" else step.status
    typer.echo(f"{state}  {step.alias}  {seconds_text(step.took)}")
    if step.error:
        typer.echo(step.error)
    for each in step.evidence:
        typer.echo(f"{'held' if each.get('holds') else 'did not hold'}: {evidence_text(each)}")
    for warning in step.warnings:
        typer.echo(f"warning: {warning}")
    if step.status in ("success", "partial"):
        typer.echo(json.dumps(mask_value(step.result), ensure_ascii=False, indent=2)[:4000])


CHECK = (
    "Try it: `director workflow check products read`, "
    "`director workflow check products read next --dismiss --because 'the newest are enough'`, "
    "`director workflow check products read total --tolerance 2`."
)


@app.command("check", epilog=CHECK)
def check_node(
    *,
    workflow: Name,
    node: Annotated[str, typer.Argument(help="The node: alias or position.")],
    kind: Annotated[str, typer.Argument(help=f"Which: {', '.join(KINDS)}.")] = "",
    field: Annotated[str, typer.Option(help="The field of the rows that it is about.")] = "",
    dismiss: Annotated[
        bool, typer.Option("--dismiss", help="Dismiss doubts of this kind for good.")
    ] = False,
    because: Annotated[str, typer.Option(help="Why it is dismissed.")] = "",
    tolerance: Annotated[
        int | None, typer.Option(help="total: how many rows may be missing.", min=0)
    ] = None,
    share: Annotated[
        float | None, typer.Option(help="fewer: the least share of the run before.", min=0, max=1)
    ] = None,
    store: Url = None,
) -> None:
    """Show the checks of a node, add or edit one, or dismiss its doubts for good.

    Without --dismiss a check that was dismissed counts again.
    """
    from director.cli.local_runs import exit_with_error
    from director.runs.run_text import check_text

    said = {
        "kind": kind,
        "field": field,
        "dismissed": dismiss,
        "because": because if dismiss else "",
        "tolerance": tolerance,
        "share": share,
    }
    with open_store_or_exit(store, "workflow check") as opened, exit_with_error("workflow check"):
        checks = _edit_checks(opened, workflow, node, said)
    for each in checks:
        typer.echo(check_text(each))
    if not checks:
        typer.echo("It has no checks of its own; every run is doubted by what its pages state.")


def _edit_checks(
    opened: Store, workflow: str, node: str, said: dict[str, object]
) -> tuple[Config, ...]:
    """The checks of a node, with one more if a kind is given; the words of a count stay."""
    from director.workflow.doubt_checks import place_of_check
    from director.workflow.edit import update
    from director.workflow.selection import place_of

    found = get_stored_workflow(opened, workflow, "workflow check")
    at = place_of(node, found.nodes)
    if said["kind"]:
        given = cast("Config", {name: value for name, value in said.items() if value})
        place = place_of_check(given)
        known = [one for one in found.nodes[at].checks if place_of_check(one) == place]
        kept = {name: one[name] for one in known for name in ("counter",) if name in one}
        found = update(found, node, {"checks": [{**kept, **given}]})
        save_document(opened, found)
    return found.nodes[at].checks
