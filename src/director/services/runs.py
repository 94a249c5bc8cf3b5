"""Runs: list them, read one, write one down, answer it, cancel it, open it again.

Everything is read from the store. Nothing is executed here: `RunService` does runs in this program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from director.runs import (
    Question,
    Run,
    RunError,
    Step,
    cancel_workflow_run,
    list_run_questions,
    list_run_records,
    list_run_steps,
    load_run_workflow,
    queue_run,
    read_run,
    reopen_workflow_run,
    run_execution,
)
from director.runs.branch_choices import read_branch_choices
from director.runs.download_facts import list_downloads
from director.runs.run_execution import is_parked, list_open_run_questions
from director.runs.run_journal import measure_run, parse_run
from director.runs.run_report import flatten_report_record, sort_report_steps
from director.runs.run_text import (
    get_step_depth,
    write_branch_run_lines,
    write_comparison_run_lines,
    write_config_text,
    write_key_text,
)
from director.runs.status import RunStatuses, find_run_holder
from director.services.doubts import (
    ConditionResult,
    DoubtRow,
    count_open_doubts,
    list_condition_results,
    list_doubts,
)
from director.services.errors import NotFound
from director.services.outgoing import Identifier, redact_result
from director.services.workflows import load_workflow
from director.services.workspace import Workspace
from director.store import Store
from director.store.run_variables import get_draft_run_id, is_draft_run_id, read_run_variables
from director.workflow.records import Record
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Json, Mode, Workflow


class RunBusy(RunError):
    """A run was not taken over, because a `worker` is doing it."""

    def __init__(self, run: str, worker: str) -> None:
        super().__init__(f"The run is being done by {worker!r}. Nothing was changed.")
        self.run = run
        self.worker = worker


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list; `busy` names who works on it now, `parked` that it waits for an answer.

    `why` says why it does not move. Of its `doubts` nobody has dismissed `open_doubts` by now.
    """

    id: Identifier
    workflow: Identifier
    version: int
    state: Identifier
    busy: str
    parked: bool
    selection: str
    done: int
    failed: int
    skipped: int
    took: float | None
    began: float
    at: float
    error: str
    why: str
    doubts: int
    open_doubts: int = 0


@dataclass(frozen=True, slots=True)
class StepRow:
    """One visit of a node: when, how long, what came of it, the hash of its picture."""

    key: Identifier
    node: Identifier
    name: str
    alias: str
    type: Identifier
    depth: int
    state: Identifier
    status: Identifier
    began: float
    took: float
    error: str
    result: object
    evidence: tuple[ConditionResult, ...]
    warnings: tuple[str, ...]
    picture: Identifier
    attempt: int
    config: str


@dataclass(frozen=True, slots=True)
class RunDetail:
    """A run in full; `where` is the step that it failed at.

    `compared` says of each node what it read beside the last run with the same inputs, `branches`
    which items of a loop took which branch of a route.
    """

    run: RunRow
    where: str
    inputs: Mapping[str, object]
    steps: tuple[StepRow, ...]
    questions: tuple[Question, ...]
    records: tuple[Mapping[str, object], ...]
    variables: Mapping[str, object]
    doubts: tuple[DoubtRow, ...]
    downloads: tuple[Mapping[str, object], ...] = ()
    compared: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunHistory:
    """A run as it is stored, with all that it left; its steps in the order of time.

    `written` are the variables that each step set, by its key.
    """

    run: Run
    workflow: Workflow
    why: str
    steps: tuple[Step, ...]
    questions: tuple[Question, ...]
    records: tuple[Record, ...]
    variables: Mapping[str, Json]
    written: Mapping[str, Sequence[tuple[str, Json]]]

    @property
    def is_parked(self) -> bool:
        """Whether the run was put aside until its question is answered."""
        return is_parked(self.run)

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """What nobody has answered yet."""
        return tuple(each for each in self.questions if each.answer is None)


@dataclass(frozen=True, slots=True)
class QueuedRuns:
    """Runs that were written down; `notes` say what was put into the vault for them."""

    runs: tuple[Identifier, ...]
    notes: tuple[str, ...]


@redact_result
def list_runs(workspace: Workspace, workflow: str = "", *, limit: int = 100) -> list[RunRow]:
    """The runs there are, of one workflow or all, the newest first; no draft runs."""
    store = workspace.reads
    found = [each for each in store.newest("run") if not is_draft_run_id(each.id)]
    own = [each for each in found if not workflow or each.body.get("workflow") == workflow]
    statuses = RunStatuses(store)
    newest = sorted(own, key=lambda each: -each.position)[:limit]
    return [_make_row(statuses, parse_run(each), each.at) for each in newest]


@redact_result
def measure_run_time(workspace: Workspace, run: str) -> float:
    """How many seconds a run was worked on, until it ended or until now."""
    return measure_run(workspace.reads, run)


def check_run(workspace: Workspace, run: str) -> str:
    """The id of a run that is there; NotFound if there is none."""
    if workspace.reads.get("run", run) is None:
        raise NotFound(f"There is no run {run!r}.")
    return run


def find_run(workspace: Workspace, name: str) -> str:
    """The id that is this, or the only one that begins so; NotFound if there is no such run."""
    store = workspace.reads
    if store.get("run", name) is not None:
        return name
    like = [id_ for id_ in store.ids("run") if name and id_.startswith(name)]
    if len(like) != 1:
        raise NotFound(
            f"{len(like)} runs begin with {name!r}" if like else f"there is no run {name!r}"
        )
    return like[0]


@redact_result
def get_run(workspace: Workspace, run: str) -> RunDetail:
    """One run with all its steps; RunError if there is none."""
    return _describe(workspace.store, run)


@redact_result
def read_run_history(workspace: Workspace, run: str) -> RunHistory:
    """One run as it is stored; RunError if there is none."""
    store = workspace.reads
    found = read_run(store, run)
    steps = tuple(sort_report_steps(list_run_steps(store, run)))
    return RunHistory(
        found,
        load_run_workflow(store, found),
        RunStatuses(store).explain(found),
        steps,
        tuple(list_run_questions(store, run)),
        tuple(list_run_records(store, run)),
        dict(read_run_variables(store, run)),  # type: ignore[arg-type]
        {step.key: tuple(_list_written(store, step)) for step in steps if step.wrote},
    )


@redact_result
def get_run_workflow(workspace: Workspace, run: str) -> Workflow:
    """The workflow of a run in the version with which it began."""
    return load_run_workflow(workspace.reads, read_run(workspace.reads, run))


@redact_result
def queue_runs(
    workspace: Workspace,
    workflow: str,
    rows: Sequence[Mapping[str, Json]],
    *,
    selection: str = "all",
    mode: Mode = "flow",
) -> QueuedRuns:
    """Write down a run for each row of inputs; sensitive inputs go into the vault."""
    now = load_workflow(workspace, workflow)
    means, hiding = workspace.resources.offline(now)
    made = [
        queue_run(workspace.store, now, means, inputs=row, selection=selection, mode=mode).id
        for row in rows
    ]
    return QueuedRuns(tuple(made), tuple(dict.fromkeys(hiding.told)))


@redact_result
def answer_question(
    workspace: Workspace, run: str, question: str, *, text: str, go_on: Callable[[str], None]
) -> None:
    """Answer a question of a run; one that was put aside for it is given to `go_on`."""
    if question.partition("/")[0] != run:
        raise RunError(f"The question {question!r} is none of this run's.")
    supplies = workspace.resources
    run_execution.answer_question(
        workspace.store, question, text, go_on=go_on, seal=supplies.seal, vault=supplies.vault
    )


@redact_result
def cancel_run(workspace: Workspace, run: str, *, reason: str) -> None:
    """Stop a run, wherever it is done; what it has finished stays, and it can be resumed."""
    cancel_workflow_run(workspace.store, run, reason=reason)


@redact_result
def reopen_run(workspace: Workspace, run: str, *, node: str = "", take_over: bool = False) -> None:
    """Let a run be done again, from a node on if one is named; RunBusy if somebody does it.

    It may take a few seconds to tell whether a worker that is silent is dead.
    """
    store = workspace.store
    if not take_over and (worker := find_run_holder(store, read_run(store, run))):
        raise RunBusy(run, worker)
    reopen_workflow_run(store, run, node=node)


@redact_result
def get_run_question(workspace: Workspace, question: str) -> Question:
    """A question by its id; NotFound if none was asked under it."""
    run = question.partition("/")[0]
    for each in list_run_questions(workspace.reads, run):
        if each.id == question:
            return each
    raise NotFound(f"There is no question {question!r}.")


@redact_result
def list_open_run_questions_now(workspace: Workspace, workflow: str) -> list[Question]:
    """What runs of this workflow ask a person now."""
    store = workspace.reads
    asking = [
        each.id
        for each in store.newest("run")
        if each.body.get("workflow") == workflow and each.body.get("state") == "waiting"
    ]
    # What a call that is no node asks belongs to the workbench, whose run does not wait for it.
    asking += [run] if (run := get_draft_run_id(workflow)) not in asking else []
    return [question for run in asking for question in list_open_run_questions(store, run)]


def _describe(store: Store, run: str) -> RunDetail:
    found = read_run(store, run)
    newest = store.get("run", run)
    named = load_run_workflow(store, found).nodes
    stored = list_run_steps(store, run)
    steps = tuple(
        _make_step(step, write_key_text(step.key, named)) for step in sort_report_steps(stored)
    )
    values: dict[str, Json] = dict(read_run_variables(store, run))  # type: ignore[arg-type]
    failed_at = str((found.error or {}).get("key") or "")
    return RunDetail(
        _make_row(RunStatuses(store), found, newest.at if newest else 0.0),
        write_key_text(failed_at, named) if failed_at else "",
        {name: mask_sensitive(value, name=name) for name, value in found.inputs.items()},
        steps,
        tuple(list_run_questions(store, run)),
        tuple(flatten_report_record(record) for record in list_run_records(store, run)),
        {name: mask_sensitive(value, name=name) for name, value in values.items()},
        list_doubts(store, found, stored),
        tuple(list_downloads(stored)),
        tuple(write_comparison_run_lines(found)),
        tuple(write_branch_run_lines(read_branch_choices(found.summary), most=200)),
    )


def _make_row(statuses: RunStatuses, run: Run, at: float) -> RunRow:
    first = statuses.store.get("run", run.id, 1)
    took = run.summary.get("execution_time")
    return RunRow(
        run.id,
        run.workflow,
        run.workflow_version,
        run.state,
        statuses.find_worker(run),
        is_parked(run),
        run.selection,
        _count(run, "successfully_executed"),
        _count(run, "failed"),
        _count(run, "skipped"),
        float(took) if isinstance(took, int | float) else None,
        first.at if first else at,
        at,
        str((run.error or {}).get("message", "")),
        statuses.explain(run),
        len(run.doubts),
        count_open_doubts(statuses.store, run.workflow, run.doubts),
    )


def _count(run: Run, name: str) -> int:
    found = run.summary.get(name, 0)
    return found if isinstance(found, int) else 0


def _make_step(step: Step, name: str) -> StepRow:
    return StepRow(
        step.key,
        step.node,
        name,
        step.alias,
        step.type,
        get_step_depth(step.key) + step.key.count("["),
        step.state,
        step.status,
        step.began,
        step.took,
        step.error,
        mask_sensitive(step.result),
        list_condition_results(step),
        step.warnings,
        step.screenshot["$kept"] if step.screenshot else "",
        step.attempt,
        write_config_text(step.config) if step.config else "",
    )


def _list_written(store: Store, step: Step) -> list[tuple[str, Json]]:
    found = []
    for kind, id_, before in step.wrote:
        written = store.get(kind, id_, before + 1)
        if written is not None and kind == "variable":
            found.append((id_.partition("/")[2], written.body.get("value")))
    return found  # type: ignore[return-value]
