"""Runs from the outside: start one, go on with one, try a node, cancel.

Everything about a run is in the store. Whoever calls `drive` takes the run over; whoever held it
before can write no more.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from director.browser import BrowserGone, Origins
from director.runs.branch_choices import list_branch_choices
from director.runs.doubts.doubt import OF_ALL_VISITS
from director.runs.download_facts import keep_late_downloads
from director.runs.engine import FAILURES, Engine
from director.runs.error_pages import add_error_page_doubt
from director.runs.observation import read_back
from director.runs.outcome import count_node_outcomes, make_run_outcome
from director.runs.reopened_steps import open_visit, reopen_failed, reopen_from
from director.runs.run_doubts import compare_run, find_run_doubts, is_doubted_in_loop, keep_checks
from director.runs.run_journal import RunJournal, encode_run, measure_run, parse_run, read_run
from director.runs.values import (
    Cancelled,
    NotPermitted,
    Run,
    RunDependencies,
    RunError,
    RunProgress,
    RunWaiting,
    Step,
    VisitScope,
)
from director.store import RecordDraft, Store, VersionConflict
from director.store.run_variables import KIND as VARIABLE
from director.store.run_variables import get_draft_run_id
from director.workflow.bounds import check_bounds
from director.workflow.document import read_workflow_document, write_workflow_document
from director.workflow.input_types import check_input_value
from director.workflow.nearest import write_nearest_hint
from director.workflow.records import select_records
from director.workflow.references import list_direct_nodes, list_owned_references
from director.workflow.selection import find_selection_place, resolve_selection
from director.workflow.sensitive import is_sensitive
from director.workflow.values import Config, Input, Json, Mode, Workflow

_LOOK = 0.2  # seconds between two looks for a cancellation
_ENDED = ("done", "failed", "cancelled")


async def run_workflow(  # noqa: PLR0913  a run has that many parts
    store: Store,
    workflow: Workflow,
    means: RunDependencies,
    *,
    inputs: Mapping[str, Json] | None = None,
    selection: str = "all",
    mode: Mode = "flow",
    record: str = "",
) -> Run:
    """Run a workflow to its end; a node that fails makes a run that failed, not an exception."""
    made = queue_run(
        store, workflow, means, inputs=inputs, selection=selection, mode=mode, record=record
    )
    return await drive_run(store, made.id, means)


def queue_run(  # noqa: PLR0913  a run has that many parts
    store: Store,
    workflow: Workflow,
    means: RunDependencies,
    *,
    inputs: Mapping[str, Json] | None = None,
    selection: str = "all",
    mode: Mode = "flow",
    record: str = "",
    id_: str = "",
) -> Run:
    """Write a run that is to be done; `drive` does it, here or on another machine."""
    resolve_selection(selection, workflow.nodes)
    given = _check_inputs(workflow, inputs or {}, means)
    run = Run(
        id_ or uuid.uuid4().hex[:12],
        workflow.id,
        save_run_workflow(store, workflow),
        inputs=given,
        selection=selection,
        mode=mode,
        record=record,
        asks=means.permit is not None,
    )
    variables = [
        RecordDraft(VARIABLE, f"{run.id}/{name}", {"value": value}, "given", 0)
        for name, value in given.items()
    ]
    store.put_all([RecordDraft("run", run.id, encode_run(run), "queued", 0), *variables])
    return run


async def drive_run(store: Store, run: str, means: RunDependencies) -> Run:
    """Do a run that is not ended: from its beginning, or from where a dead worker left it."""
    found = read_run(store, run)
    if found.state in _ENDED:
        return found
    ledger = RunJournal(store, found, worker=means.worker)
    ledger.take()
    workflow = load_run_workflow(store, found)

    async def work(engine: Engine) -> None:
        ids = resolve_selection(found.selection, workflow.nodes)
        place = _with_record(ledger, found.record)
        wanted = list(ids) if found.mode == "isolated" else list_direct_nodes(workflow, ids)
        for id_ in wanted:
            await engine.visit(id_, place)

    return await _drive(ledger, workflow, means, work)


async def resume_workflow_run(
    store: Store, run: str, means: RunDependencies, *, node: str = ""
) -> Run:
    """Go on with a run after whatever stopped it; from a node on if one is named."""
    if node or read_run(store, run).state in ("failed", "cancelled"):
        reopen_workflow_run(store, run, node=node)
    return await drive_run(store, run, means)


def reopen_workflow_run(store: Store, run: str, *, node: str = "") -> Run:
    """Make a run that has ended one that is to be done: from a node on, or from where it failed."""
    found = read_run(store, run)
    if found.state == "done" and not node:
        raise RunError(
            f"The run {run!r} is done. To do part of it again, name a node to go back to."
        )
    ledger = RunJournal(store, found, worker="")
    workflow = load_run_workflow(store, found)
    id_ = workflow.nodes[find_selection_place(node, workflow.nodes)].id if node else ""
    ledger.take()
    if id_:
        reopen_from(ledger, id_)
    elif found.state in ("failed", "cancelled"):
        reopen_failed(ledger)
    return ledger.set_run(state="queued", error=None)


async def try_node(
    store: Store, workflow: Workflow, node: str, means: RunDependencies, *, record: str = ""
) -> Run:
    """Try one node in the draft run of its workflow, where variables and records stay."""
    ledger = _hold_workbench(store, workflow, node, means, record)
    id_ = workflow.nodes[find_selection_place(node, workflow.nodes)].id
    open_visit(ledger, id_)
    _drop_other_tests(ledger, workflow, id_)
    return await resume_node(store, workflow, node, means, record=record)


async def resume_node(
    store: Store, workflow: Workflow, node: str, means: RunDependencies, *, record: str = ""
) -> Run:
    """Go on with a try that was stopped: what its parts did before that is not done again."""
    ledger = _hold_workbench(store, workflow, node, means, record)
    id_ = workflow.nodes[find_selection_place(node, workflow.nodes)].id

    async def work(engine: Engine) -> None:
        await engine.visit(id_, _with_record(ledger, record))

    run = await _drive(ledger, workflow, means, work, test=id_)
    if run.state == "done":
        keep_checks(store, workflow, id_, ledger.step(id_))
    return run


def _hold_workbench(
    store: Store, workflow: Workflow, node: str, means: RunDependencies, record: str
) -> RunJournal:
    run = replace(open_workbench(store, workflow), selection=node, record=record)
    ledger = RunJournal(store, run, worker=means.worker)
    ledger.take()
    return ledger


def _drop_other_tests(ledger: RunJournal, workflow: Workflow, id_: str) -> None:
    """Records of the same nodes that an earlier test made elsewhere would count twice."""
    tested = {id_, *list_owned_references(workflow, id_)}
    aliases = {node.alias for node in workflow.nodes if node.id in tested}
    ledger.drop_records(
        record.id
        for record in list(ledger.records.values())
        if record.source in aliases and not _is_of_visit(record.visit, id_)
    )


def _is_of_visit(visit: str, key: str) -> bool:
    return visit.startswith((f"{key}#", f"{key}.", f"{key}[", f"{key}("))


def open_workbench(store: Store, workflow: Workflow) -> Run:
    """The draft run of a workflow, made if there is none yet."""
    bench = get_draft_run_id(workflow.id)
    run = Run(bench, workflow.id, save_run_workflow(store, workflow), mode="isolated")
    if store.get("run", bench) is None:
        store.put("run", bench, encode_run(run), "made", expect=0)
    return run


def cancel_workflow_run(store: Store, run: str, *, reason: str = "") -> Run:
    """Stop a run, wherever it is done; what it has finished stays, and it can be resumed."""
    while True:
        found = store.get("run", run)
        if found is None:
            raise RunError(f"There is no run {run!r}. `director runs list` lists those there are.")
        known = parse_run(found)
        if known.state in _ENDED:
            raise RunError(f"The run {run!r} is {known.state} already: there is nothing to cancel.")
        stopped = replace(known, state="cancelled")
        # Whoever does the run may write it just now: then it is looked at again.
        with contextlib.suppress(VersionConflict):
            store.put("run", run, encode_run(stopped), reason or "cancelled", expect=found.version)
            return stopped


def save_run_workflow(store: Store, workflow: Workflow) -> int:
    """The version under which a workflow is stored; a new one if it has changed."""
    document = write_workflow_document(workflow)
    newest = store.get("workflow", workflow.id)
    if newest is not None and newest.body == document:
        return newest.version
    return store.put("workflow", workflow.id, document, "saved").version


def load_run_workflow(store: Store, run: Run) -> Workflow:
    """The workflow of a run, in the version with which it began, and what it may reach now.

    An approval is of today: an origin that the newest version does not name is not reached, by
    whatever version a run (a resumed or an imported one) began with.
    """
    found = store.get("workflow", run.workflow, run.workflow_version)
    newest = store.get("workflow", run.workflow)
    if found is None or newest is None:
        raise RunError(f"The workflow {run.workflow!r} of the run {run.id!r} is not in the store.")
    workflow = read_workflow_document(found.body)  # type: ignore[arg-type]
    if newest.version == found.version:
        return workflow
    approved = set(Origins(read_workflow_document(newest.body).origins))  # type: ignore[arg-type]
    kept = tuple(each for each in workflow.origins if set(Origins([each])) <= approved)
    return replace(workflow, origins=kept)


async def _drive(
    ledger: RunJournal,
    workflow: Workflow,
    means: RunDependencies,
    work: Callable[[Engine], Awaitable[None]],
    *,
    test: str = "",
) -> Run:
    began = time.monotonic()
    ends: dict[str, Any] = {"state": "done", "error": None}
    ledger.set_run(state="running", error=None, doubts=())
    try:
        engine = Engine(ledger, workflow, means, observes=bool(test))
        async with engine, _watch_for_stop(ledger):
            await work(engine)
            await keep_late_downloads(ledger, engine.stage)
            await add_error_page_doubt(ledger, engine.stage)
            proofs = {} if test else await read_back(engine.stage, ledger.steps())
        ends["doubts"] = _find_doubts(ledger, workflow, proofs, test)
    except (RunWaiting, Cancelled, NotPermitted, *FAILURES) as problem:
        ends = make_run_outcome(problem)
        if isinstance(problem, BrowserGone) and means.outlasts:
            ledger.set_run(**ends | {"state": "running"})
            raise
    # In the draft run each test counts by itself.
    took = time.monotonic() - began if test else measure_run(ledger.store, ledger.run.id)
    summary = count_node_outcomes(ledger.store, ledger.run, took)
    told = list_branch_choices(ledger.steps(), ledger.records.values()) if not test else ()
    summary |= {"branches": [each.json() for each in told]}
    if ends["state"] == "done" and not test:
        summary |= compare_run(ledger.store, ledger.run, workflow)
    try:
        run = ledger.set_run(**ends, summary=summary)
    except Cancelled as cancelled:
        # Somebody cancelled it just as it ended.
        run = ledger.set_run(**make_run_outcome(cancelled), summary=summary)
    _tell_end(means, run)
    return run


def _tell_end(means: RunDependencies, run: Run) -> None:
    if means.progress is not None:
        error = str((run.error or {}).get("message", ""))
        means.progress(RunProgress(run.id, "run", status=run.state, error=error))


def _find_doubts(
    ledger: RunJournal,
    workflow: Workflow,
    proofs: Mapping[str, Config],
    test: str,
) -> tuple[Config, ...]:
    """The doubts about a run whose nodes all passed, as they are stored.

    A test of a node in the body of a loop reads a part of what the loop reads: counts are no doubt.
    """

    def is_of_run(step: Step) -> bool:
        return not test or _is_of_visit(f"{step.key}#", test)

    found = find_run_doubts(ledger.store, ledger.run, workflow, proofs=proofs, is_of_run=is_of_run)
    in_part = bool(test) and is_doubted_in_loop(workflow, test)
    return tuple(each.json() for each in found if not in_part or each.kind not in OF_ALL_VISITS)


@asynccontextmanager
async def _watch_for_stop(ledger: RunJournal) -> AsyncIterator[None]:
    """Meanwhile stop the work if somebody cancels the run or takes it over."""
    working = asyncio.current_task()
    stopped: list[Exception] = []

    async def watch() -> None:
        while True:
            await asyncio.sleep(_LOOK)
            try:
                ledger.check_held()
                ledger.check_cancelled()
            except Exception as problem:  # noqa: BLE001  it is raised where the work is
                stopped.append(problem)
                if working is not None:
                    working.cancel()
                return

    watching = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if not stopped:
            raise
        if working is not None:
            working.uncancel()
        raise stopped[0] from None
    finally:
        watching.cancel()


def _check_inputs(
    workflow: Workflow, inputs: Mapping[str, Json], means: RunDependencies
) -> dict[str, Json]:
    check_bounds(inputs, what="What the run is given")
    declared = {each.name: each for each in workflow.inputs}
    for name in inputs:
        if name not in declared:
            raise RunError(
                f"The workflow has no input {name!r}.{write_nearest_hint(name, declared)}"
            )
        check_input_value(declared[name], inputs[name])
    missing = [each.name for each in workflow.inputs if each.required and each.name not in inputs]
    if missing:
        raise RunError(
            f"The workflow needs the input {missing[0]!r}: {declared[missing[0]].description} "
            f"Give it, as in --set {missing[0]}=… or, in the chat, /run {missing[0]}=…"
        )
    found = {name: inputs.get(name, each.default) for name, each in declared.items()}
    return {
        name: means.hide(_name_for_hiding(declared[name]), value)
        for name, value in found.items()
        if value is not None
    }


def _name_for_hiding(one: Input) -> str:
    """The name to judge an input by: one that is declared a secret has the name of one."""
    return f"{one.name}_secret" if one.sensitive and not is_sensitive(one.name) else one.name


def _with_record(ledger: RunJournal, record: str) -> VisitScope:
    """The place at the top, with a record if one is given for a test."""
    if not record:
        return VisitScope()
    known = list(ledger.records.values())
    (current,) = select_records(record, known)
    same = [each.id for each in known if each.type == current.type]
    at, total = same.index(current.id), len(same)
    local: dict[str, Json] = {
        "index": at,
        "total": total,
        "isFirst": at == 0,
        "isLast": at == total - 1,
    }
    return VisitScope(local=local, record=current.id)
