"""`director workflow test` and `check`: one node in the draft run, and what it could promise."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from director.cli.command_setup import Files, Url, open_store_or_exit
from director.cli.origin_approvals import need_approvals
from director.cli.workflow import Name, app, get_stored_workflow
from director.cli.workflow_run import Env, Headed, NoPictures, Set, Wait, make_options
from director.workflow.doubt_checks import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director.runs import Run, Step
    from director.runs.resources import RunOptions
    from director.services.node_trials import NodeTrial
    from director.store import Store
    from director.workflow.values import Config, Json

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
    from director.cli.inputs import rows_of
    from director.cli.local_runs import CODES, DOUBTED
    from director.services.node_trials import accept_proposals
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "workflow test") as opened:
        need_approvals(opened, workflow, "workflow test")
        found = get_stored_workflow(opened, workflow, "workflow test")
        wishes = make_options(headed, no_pictures=no_pictures, files=files, env=env, wait=wait)
        (given,) = rows_of(settings or [], None, found.inputs)
        tested = asyncio.run(
            _run_trial(opened, workflow, node, wishes, inputs=given, record=record)
        )
        _say(tested.run, tested.step)
        _say_promises(tested)
        if accept and tested.proposals:
            workspace, wanted = make_workspace(opened), tested.proposals
            for line in accept_proposals(workspace, workflow, tested.node.id, wanted):
                typer.echo(line)
    run = tested.run
    raise typer.Exit(DOUBTED if run.state == "done" and run.doubts else CODES.get(run.state, 3))


async def _run_trial(
    opened: Store,
    workflow: str,
    node: str,
    wishes: RunOptions,
    *,
    inputs: Mapping[str, Json],
    record: str,
) -> NodeTrial:
    from director.agent.subagents.node_models import lend_node_models
    from director.runs.resources import open_resources
    from director.services.node_trials import run_trial
    from director.services.workspace import make_workspace

    async with open_resources(opened, wishes) as supplies:
        lend_node_models(supplies, opened)
        workspace = make_workspace(opened, supplies)
        return await run_trial(workspace, workflow, node, inputs=inputs, record=record)


def _say_promises(tested: NodeTrial) -> None:
    from director.runs.run_text import write_check_text

    for proposal in tested.proposals:
        typer.echo(f"proposed: {proposal}")
    for each in tested.node.checks:
        typer.echo(f"check: {write_check_text(each)}")
    for doubt in tested.run.doubts:
        typer.echo(f"doubt ({doubt['kind']}): {doubt['sentence']}")


def _say(run: Run, step: Step | None) -> None:
    from director.runs.run_text import write_evidence_text, write_seconds_text
    from director.workflow.sensitive import mask_sensitive

    if step is None:
        typer.echo(str((run.error or {}).get("message", "")))
        return
    state = "ok" if step.status == "success" else step.status
    typer.echo(f"{state}  {step.alias}  {write_seconds_text(step.took)}")
    if step.error:
        typer.echo(step.error)
    for each in step.evidence:
        typer.echo(
            f"{'held' if each.get('holds') else 'did not hold'}: {write_evidence_text(each)}"
        )
    for warning in step.warnings:
        typer.echo(f"warning: {warning}")
    if step.status in ("success", "partial"):
        typer.echo(json.dumps(mask_sensitive(step.result), ensure_ascii=False, indent=2)[:4000])


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
    from director.services.node_trials import edit_checks
    from director.services.workspace import make_workspace

    said = {
        "kind": kind,
        "field": field,
        "dismissed": dismiss,
        "because": because if dismiss else "",
        "tolerance": tolerance,
        "share": share,
    }
    with open_store_or_exit(store, "workflow check") as opened:
        get_stored_workflow(opened, workflow, "workflow check")
        _show_checks(edit_checks(make_workspace(opened), workflow, node, said=said))


def _show_checks(checks: Sequence[Config]) -> None:
    from director.runs.run_text import write_check_text

    for each in checks:
        typer.echo(write_check_text(each))
    if not checks:
        typer.echo("It has no checks of its own; every run is doubted by what its pages state.")
