"""Doing runs in this program: durably, watched, with questions asked here.

The run is in the store before anything is done. A program that is killed in the middle leaves it to
the workers of that store, or to `director runs resume`; Ctrl-C cancels it, and it can be resumed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from director.agent.subagents.node_models import lend_node_models
from director.cli.run_progress import RunPrinter
from director.cli.run_questions import lines_of_input
from director.runs import Question, Run, RunError
from director.runs.branch_choices import read_branch_choices
from director.runs.download_facts import describe_download_fact, list_downloads
from director.runs.resources import RunOptions, open_resources
from director.runs.run_journal import encode_run
from director.runs.run_text import (
    dismissal_of,
    write_branch_run_lines,
    write_comparison_run_lines,
    write_evidence_text,
    write_key_text,
    write_seconds_text,
)
from director.runs.worker import Worker
from director.services.run_exports import write_exported_report
from director.services.run_service import open_worker
from director.services.runs import RunHistory, cancel_run, read_run_history
from director.services.workspace import Workspace, make_workspace
from director.store import Store, VersionConflict
from director.workflow.display import render_value
from director.workflow.record_types import list_record_types
from director.workflow.references import map_parents
from director.workflow.values import Workflow

_DRIVER = "Connection closed while reading from the driver"
CODES = {"done": 0, "failed": 1, "waiting": 3, "cancelled": 4}
DOUBTED = 3
_VALUES = 20
CODES_TOLD = (
    "Exit codes: 0 done, 1 a node failed, 2 nothing was started because something was given "
    "wrong, 3 it waits for an answer or there are doubts about it, 4 it was cancelled."
)


async def do_here(store: Store, run: str, wishes: RunOptions, *, aside: bool = False) -> Path:
    """Do a run to its end in this program, and write its report; where that is."""
    lines = lines_of_input()
    ends_quietly()
    with RunPrinter(make_workspace(store), run, aside=aside) as watch:

        async def ask(question: Question) -> str:
            if question.run != run or lines is None:
                return await asyncio.Future()
            watch.pause()
            return await lines.ask(question)

        async with open_resources(store, replace(wishes, ask=ask)) as supplies:
            lend_node_models(supplies, store)
            workspace = make_workspace(store, supplies)
            async with open_worker(workspace) as worker:
                with _cancel_on_interrupt(workspace, run):
                    await _do_run(worker, watch, run)
            return write_exported_report(workspace, run)


async def follow_run(store: Store, run: str, *, aside: bool = False) -> None:
    """Follow a run that is done elsewhere, until it ends or is put aside."""
    with RunPrinter(make_workspace(store), run, aside=aside) as watch:
        await watch.wait_end()


async def _do_run(worker: Worker, watch: RunPrinter, run: str) -> None:
    doing, watching = asyncio.create_task(worker.do(run)), asyncio.create_task(watch.wait_end())
    try:
        await asyncio.wait({doing, watching}, return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            doing.result()
        await watching
        await doing
    finally:
        watching.cancel()


def ends_quietly() -> None:
    """Do not complain that the browser's driver ended: Ctrl-C at a terminal ends it with us."""

    def handle_exception(loop: asyncio.AbstractEventLoop, told: dict[str, Any]) -> None:
        if _DRIVER not in str(told.get("exception", "")):
            loop.default_exception_handler(told)

    asyncio.get_running_loop().set_exception_handler(handle_exception)


@contextmanager
def _cancel_on_interrupt(workspace: Workspace, run: str) -> Iterator[None]:
    """Meanwhile the first Ctrl-C cancels the run; the second stops this program at once."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        typer.echo("\nCancelling; once more stops at once.", err=True)
        with contextlib.suppress(RunError, VersionConflict):
            cancel_run(workspace, run, reason="Ctrl-C")

    # Not every system, and no thread but the main one, can listen to signals.
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        loop.add_signal_handler(signal.SIGINT, stop)
    try:
        yield
    finally:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGINT)


def summary(found: RunHistory, report: Path | None) -> str:
    """How a run ended, in a few lines: what was done, what failed and why, what to do next."""
    run, counts = found.run, found.run.summary
    took = counts.get("execution_time")
    names = {"successfully_executed": "steps done", "failed": "failed", "skipped": "skipped"}
    if counts.get("partial"):
        names = {"partial": "in part", **names}
    steps = ", ".join(f"{counts.get(name, 0)} {word}" for name, word in names.items())
    length = write_seconds_text(float(took) if isinstance(took, int | float) else 0)
    lines = [f"{run.state} in {length}: {steps}"]
    lines += [*_list_outcome(found), *_doubts(run), *_list_compared(run)]
    lines += [
        f"branches: {each}" for each in write_branch_run_lines(read_branch_choices(run.summary))
    ]
    if run.state == "failed":
        lines += _failure(found)
    if found.is_parked:
        lines += [f"waits for an answer: {each.text}" for each in found.open_questions]
        lines.append(f"answer it: director runs answer {run.id} TEXT")
    if run.state in ("failed", "cancelled"):
        lines.append(f"go on:  director runs resume {run.id}")
    if report is not None:
        lines.append(f"report: {report}")
    return "\n".join(lines)


def _doubts(run: Run) -> Iterator[str]:
    """What speaks against a run that passed, and what to do about it."""
    for each in run.doubts:
        yield f"doubt ({each['kind']}): {each['sentence']}"
        if each.get("explained"):
            yield f"  dismissed by Director's model, not by you: {each['explained']}"
    for each in run.doubts[:1]:
        name = str(dismissal_of(each).get("field", ""))
        field = f" --field {name}" if name else ""
        yield (
            f"look at it; if it is right as it is: director workflow check {run.workflow} "
            f"{each['alias']} {each['kind']}{field} --dismiss --because WHY"
        )


def _list_compared(run: Run) -> Iterator[str]:
    """What was read beside the last run, and nodes whose fields have nothing to compare with."""
    yield from (f"compared: {each}" for each in write_comparison_run_lines(run))
    names = run.summary.get("not_compared")
    if isinstance(names, list | tuple) and names and run.state == "done":
        yield f"nothing to compare with yet: {', '.join(map(str, names))} (look at its rows once)"


def _list_outcome(found: RunHistory) -> Iterator[str]:
    """What a run set, its records and its files: how many, and what the first ones say."""
    yield from list_context_values(found)
    types = list_record_types(found.records)
    for each in types:
        yield f"records: {each}"
        yield from (f"  {render_value(each.type, dict(row))}" for row in each.rows)
    if types:
        yield f"as a file: director runs data {found.run.id} --format csv -o FILE"
    for file in list_downloads(found.steps):
        yield f"download: {describe_download_fact(file)} by {file['node']}"


def list_context_values(found: RunHistory) -> Iterator[str]:
    """The variables that are the outcome of a run, each in a line.

    They are what its context nodes set, and what code computed for no other node.
    """
    names = dict.fromkeys((*_list_set_names(found.workflow), *_list_unused_names(found)))
    values = [(name, found.variables[name]) for name in names if name in found.variables]
    yield from (f"{name} = {render_value(name, value)}" for name, value in values[:_VALUES])
    if len(values) > _VALUES:
        yield f"all {len(values)}: director runs data {found.run.id} --what variables"


def _list_set_names(workflow: Workflow) -> Iterator[str]:
    for node in workflow.nodes:
        written = node.config.get("variables") if node.type == "context" else None
        yield from written if isinstance(written, Mapping) else ()


def _list_unused_names(found: RunHistory) -> Iterator[str]:
    """What code outside of bodies and branches computed, and no node uses."""
    inside, nodes = map_parents(found.workflow), found.workflow.nodes
    told = json.dumps([(each.config, each.ensures, each.proof) for each in nodes], default=dict)
    for node in nodes:
        is_used = re.search(r"\{\{\s*" + re.escape(node.alias) + r"\b", told)
        if node.type == "transform" and not inside.get(node.id) and not is_used:
            yield from (name for name in found.variables if name.startswith(f"{node.alias}."))


def _failure(found: RunHistory) -> Iterator[str]:
    error = found.run.error or {}
    key = str(error.get("key", ""))
    where = f" at {write_key_text(key, found.workflow.nodes)}" if key else ""
    yield f"failed{where}: {error.get('message', '')}"
    step = next((each for each in found.steps if each.key == key), None)
    for each in step.evidence if step else ():
        yield f"  {'held' if each.get('holds') else 'did not hold'}: {write_evidence_text(each)}"


def finish(
    workspace: Workspace,
    run: str,
    *,
    report: Path | None,
    as_json: bool = False,
    allow_doubts: bool = False,
) -> int:
    """Print how a run ended; the exit code that says the same."""
    found = read_run_history(workspace, run)
    ended = found.run
    if as_json:
        types = list_record_types(found.records)
        body = {
            "id": run,
            **encode_run(ended),
            "report": str(report) if report else None,
            "records": {each.type: each.count for each in types},
            "downloads": list_downloads(found.steps),
        }
        typer.echo(json.dumps(body, ensure_ascii=False))
    else:
        typer.echo(summary(found, report))
    if ended.state == "done" and ended.doubts and not allow_doubts:
        return DOUBTED
    return CODES.get(ended.state, 3)
