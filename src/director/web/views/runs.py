"""The words for runs: how each stands, where its steps lie on a timeline, what it found as text.

Runs are read in `director.services.runs`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from director.runs import Question
from director.runs.nodes import CONTROL
from director.runs.run_report import flatten_report_row
from director.runs.run_text import write_node_text
from director.services.runs import RunDetail, StepRow
from director.web.views.nodes import written
from director.workflow.display import render_value
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Json, Workflow

MARKS = {
    "queued": ("soft", "queued"),
    "running": ("now", "running"),
    "waiting": ("warn", "asks you"),
    "done": ("good", "done"),
    "failed": ("bad", "failed"),
    "cancelled": ("soft", "cancelled"),
    "success": ("good", "green"),
    "partial": ("warn", "in part"),
    "skipped": ("soft", "skipped"),
    "begun": ("now", "running"),
    "open": ("soft", "to do"),
}
_MOST_RECORDS = 200


@dataclass(frozen=True, slots=True)
class StepView:
    """A step on the timeline: what it is called, how it ended, when in the run it ran."""

    step: StepRow
    name: str
    about: str
    kind: str
    result: str
    left: float
    width: float

    @property
    def state(self) -> str:
        """How it ended, or how far it is."""
        return self.step.status if self.step.state == "finished" else self.step.state

    @property
    def mark(self) -> tuple[str, str]:
        """The colour and the word for its state."""
        return MARKS.get(self.state, ("soft", self.state))


@dataclass(frozen=True, slots=True)
class RunView:
    """One run with all that it did."""

    detail: RunDetail
    workflow: Workflow
    steps: tuple[StepView, ...]
    asks: tuple[Question, ...]
    inputs: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    records: tuple[tuple[str, ...], ...]
    more: int


def make_view(found: RunDetail, workflow: Workflow) -> RunView:
    """A run as it is drawn, with the workflow of its version."""
    waits = found.run.state == "waiting"
    table = [flatten_report_row(cast("Mapping[str, Json]", row)) for row in found.records]
    columns = tuple(dict.fromkeys(name for row in table for name in row))
    return RunView(
        found,
        workflow,
        tuple(_steps(found.steps, workflow)),
        tuple(each for each in found.questions if waits and each.answer is None),
        _shown(found.inputs),
        _shown(found.variables),
        columns,
        tuple(
            tuple(_cell(name, row.get(name)) for name in columns) for row in table[:_MOST_RECORDS]
        ),
        max(0, len(found.records) - _MOST_RECORDS),
    )


def _steps(steps: Sequence[StepRow], workflow: Workflow) -> list[StepView]:
    timed = [step for step in steps if step.began]
    start = min((step.began for step in timed), default=0.0)
    whole = max((step.began + step.took for step in timed), default=0.0) - start or 1.0
    does = {node.id: write_node_text(node) for node in workflow.nodes}
    found = []
    for step in steps:
        is_item = step.type == "item"
        left = 100 * (step.began - start) / whole if step.began else 0.0
        width = min(100 - left, max(0.4, 100 * step.took / whole)) if step.began else 0.0
        found.append(
            StepView(
                step,
                step.key.rpartition("[")[2].rstrip("]") if is_item else step.alias,
                step.type if is_item else does.get(step.node, step.type),
                "item" if is_item else "control" if step.type in CONTROL else "",
                written(step.result),
                left,
                width,
            )
        )
    return found


def _cell(name: str, value: object) -> str:
    said = mask_sensitive(cast("Json", value), name=name)
    return "" if said is None else said if isinstance(said, str) else render_value(name, said)


def _shown(values: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple((name, render_value(name, cast("Json", value))) for name, value in values.items())
