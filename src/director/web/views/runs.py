"""Runs as a person follows them: the list, one with its timeline, what waits for an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from director.runs import Question, Run, questions, records_of, run_of, steps_of, workflow_of
from director.runs.ledger import run_from
from director.runs.nodes import CONTROL
from director.runs.report import flat, in_time
from director.runs.serving import waits_for
from director.runs.telling import config_text, depth_of, key_text, node_text, seconds_text
from director.runs.values import Step
from director.store import Store, Versioned
from director.store.variables import variables
from director.web.views.nodes import Tried, tried_of
from director.workflow.display import shown
from director.workflow.sensitive import masked
from director.workflow.values import Json, Workflow

MARKS = {
    "queued": ("soft", "queued"),
    "running": ("now", "running"),
    "waiting": ("warn", "asks you"),
    "done": ("good", "done"),
    "failed": ("bad", "failed"),
    "cancelled": ("soft", "cancelled"),
    "success": ("good", "green"),
    "skipped": ("soft", "skipped"),
    "begun": ("now", "running"),
    "open": ("soft", "to do"),
}
_MOST_RECORDS = 200


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in the list."""

    run: Run
    at: float
    took: str
    steps: int
    failed: int

    @property
    def mark(self) -> tuple[str, str]:
        """The colour and the word for its state."""
        return MARKS[self.run.state]


@dataclass(frozen=True, slots=True)
class StepView:
    """A step on the timeline: where it is, how it ended, when in the run it ran."""

    key: str
    name: str
    about: str
    depth: int
    kind: str
    state: str
    tried: Tried
    config: str
    left: float
    width: float
    attempt: int

    @property
    def mark(self) -> tuple[str, str]:
        """The colour and the word for its state."""
        return MARKS.get(self.state, ("soft", self.state))


@dataclass(frozen=True, slots=True)
class RunView:
    """One run with all that it did."""

    row: RunRow
    workflow: Workflow
    steps: tuple[StepView, ...]
    asks: tuple[Question, ...]
    answered: tuple[Question, ...]
    inputs: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    records: tuple[tuple[str, ...], ...]
    more: int
    where: str
    error: str


def rows(store: Store, workflow: str) -> list[RunRow]:
    """The runs of a workflow, the newest first; its workbench is none of them."""
    found = [
        each
        for each in store.newest("run")
        if not each.id.startswith("workbench:") and each.body.get("workflow") == workflow
    ]
    found.sort(key=lambda each: _began(store, each), reverse=True)
    return [_row(each) for each in found]


def waiting(store: Store, workflow: str) -> list[Question]:
    """What runs of this workflow ask a person now."""
    asking = [row.run.id for row in rows(store, workflow) if row.run.state == "waiting"]
    return [question for run in asking for question in waits_for(store, run)]


def one(store: Store, run: str) -> RunView:
    """A run; RunError if there is none of this id."""
    found = run_of(store, run)
    kept = cast("Versioned", store.get("run", run))
    workflow = workflow_of(store, found)
    steps = in_time(steps_of(store, run))
    asked = questions(store, run)
    columns, records, more = _records(store, run)
    error = found.error or {}
    return RunView(
        _row(kept),
        workflow,
        _steps(steps, workflow),
        tuple(each for each in asked if each.answer is None and found.state == "waiting"),
        tuple(each for each in asked if each.answer is not None),
        _shown(found.inputs),
        _shown(cast("Mapping[str, Json]", variables(store, run))),
        columns,
        records,
        more,
        key_text(str(error.get("key", "")), workflow.nodes) if error.get("key") else "",
        str(error.get("message", "")),
    )


def pictured(store: Store, workflow: str, hash_: str) -> bool:
    """Whether a picture belongs to a step of a run of this workflow."""
    runs = [each.id for each in store.newest("run") if each.body.get("workflow") == workflow]
    return any(
        (step.screenshot or {}).get("$kept") == hash_
        for run in runs
        for step in steps_of(store, run)
    )


def _began(store: Store, each: Versioned) -> int:
    first = store.get("run", each.id, 1)
    return first.position if first else each.position


def _row(kept: Versioned) -> RunRow:
    run = run_from(kept)
    took = run.summary.get("execution_time")
    return RunRow(
        run,
        kept.at,
        seconds_text(float(took)) if isinstance(took, int | float) else "",
        _number(run.summary.get("successfully_executed")),
        _number(run.summary.get("failed")),
    )


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _steps(steps: list[Step], workflow: Workflow) -> tuple[StepView, ...]:
    timed = [step for step in steps if step.began]
    start = min((step.began for step in timed), default=0.0)
    whole = max((step.began + step.took for step in timed), default=0.0) - start or 1.0
    nodes = {node.id: node for node in workflow.nodes}
    found = []
    for step in steps:
        node = nodes.get(step.node)
        kind = "item" if step.type == "item" else "control" if step.type in CONTROL else ""
        name = step.alias
        if kind == "item":
            name = step.key.rpartition("[")[2].rstrip("]")
        left = 100 * (step.began - start) / whole if step.began else 0.0
        width = min(100 - left, max(0.4, 100 * step.took / whole)) if step.began else 0.0
        found.append(
            StepView(
                step.key,
                name,
                node_text(node) if node and kind != "item" else step.type,
                min(6, depth_of(step.key) + step.key.count("[")),
                kind,
                step.status if step.state == "finished" else step.state,
                tried_of(step),
                config_text(step.config) if step.config else "",
                left,
                width,
                step.attempt,
            )
        )
    return tuple(found)


def _records(store: Store, run: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], int]:
    every = records_of(store, run)
    found = [flat(record) for record in every[:_MOST_RECORDS]]
    names = tuple(dict.fromkeys(name for row in found for name in row))
    cells = tuple(tuple(_cell(name, row.get(name)) for name in names) for row in found)
    return names, cells, max(0, len(every) - _MOST_RECORDS)


def _cell(name: str, value: Json) -> str:
    said = masked(value, name=name)
    return "" if said is None else said if isinstance(said, str) else shown(name, said)


def _shown(values: Mapping[str, Json]) -> tuple[tuple[str, str], ...]:
    return tuple((name, shown(name, value)) for name, value in values.items())
