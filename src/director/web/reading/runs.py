"""Runs as they are shown: a row each, and one with its steps, questions and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from director.runs import Question, Run, Step, questions, records_of, run_of, steps_of, workflow_of
from director.runs.branch_choices import read_choices
from director.runs.download_facts import list_downloads
from director.runs.run_execution import is_parked
from director.runs.run_journal import run_from
from director.runs.run_report import flat, in_time
from director.runs.run_text import (
    branch_lines,
    comparison_lines,
    config_text,
    depth_of,
    evidence_text,
    key_text,
)
from director.runs.status import RunStatuses
from director.store import Store
from director.store.run_variables import variables
from director.web.reading.doubts import DoubtRow, doubt_rows
from director.web.reading.nodes import ConditionResult
from director.workflow.sensitive import mask_value
from director.workflow.values import Json


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list; `busy` names who works on it now, `parked` that it waits for an answer.

    `why` says why it does not move.
    """

    id: str
    workflow: str
    version: int
    state: str
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


@dataclass(frozen=True, slots=True)
class StepRow:
    """One visit of a node: when, how long, what came of it, the hash of its picture."""

    key: str
    node: str
    name: str
    alias: str
    type: str
    depth: int
    state: str
    status: str
    began: float
    took: float
    error: str
    result: object
    evidence: tuple[ConditionResult, ...]
    warnings: tuple[str, ...]
    picture: str
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


def rows(store: Store, workflow: str = "", *, limit: int = 100) -> list[RunRow]:
    """The runs there are, the newest first."""
    found = [each for each in store.newest("run") if not each.id.startswith("workbench:")]
    own = [each for each in found if not workflow or each.body.get("workflow") == workflow]
    statuses = RunStatuses(store)
    newest = sorted(own, key=lambda each: -each.position)[:limit]
    return [_row(statuses, run_from(each), each.at) for each in newest]


def detail(store: Store, run: str) -> RunDetail:
    """One run with all its steps; RunError if there is none."""
    found = run_of(store, run)
    newest = store.get("run", run)
    named = workflow_of(store, found).nodes
    steps = tuple(_step(step, key_text(step.key, named)) for step in in_time(steps_of(store, run)))
    at = newest.at if newest else 0.0
    values: dict[str, Json] = dict(variables(store, run))  # type: ignore[arg-type]
    failed_at = str((found.error or {}).get("key") or "")
    return RunDetail(
        _row(RunStatuses(store), found, at),
        key_text(failed_at, named) if failed_at else "",
        {name: mask_value(value, name=name) for name, value in found.inputs.items()},
        steps,
        tuple(questions(store, run)),
        tuple(flat(record) for record in records_of(store, run)),
        {name: mask_value(value, name=name) for name, value in values.items()},
        doubt_rows(store, found, steps_of(store, run)),
        tuple(list_downloads(steps_of(store, run))),
        tuple(comparison_lines(found)),
        tuple(branch_lines(read_choices(found.summary), most=200)),
    )


def _row(statuses: RunStatuses, run: Run, at: float) -> RunRow:
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
    )


def _count(run: Run, name: str) -> int:
    found = run.summary.get(name, 0)
    return found if isinstance(found, int) else 0


def _step(step: Step, name: str) -> StepRow:
    evidence = (
        ConditionResult(bool(one.get("holds")), evidence_text(one)) for one in step.evidence
    )
    return StepRow(
        step.key,
        step.node,
        name,
        step.alias,
        step.type,
        depth_of(step.key) + step.key.count("["),
        step.state,
        step.status,
        step.began,
        step.took,
        step.error,
        mask_value(step.result),
        tuple(evidence),
        step.warnings,
        step.screenshot["$kept"] if step.screenshot else "",
        step.attempt,
        config_text(step.config) if step.config else "",
    )
