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
from director.web.views.nodes import write_node_result
from director.workflow.display import render_value
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Json, Workflow

MARKS = {
    "queued": ("new", "Queued"),
    "running": ("run", "Running"),
    "waiting": ("wait", "Waits for you"),
    "done": ("ok", "Passed"),
    "failed": ("bad", "Failed"),
    "cancelled": ("skp", "Cancelled"),
    "success": ("ok", "Passed"),
    "partial": ("warn", "In part"),
    "skipped": ("skp", "Skipped"),
    "begun": ("run", "Running"),
    "open": ("new", "To do"),
}
_MOST_RECORDS = 200
_HEADLINE = 400


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
        return MARKS.get(self.state, ("new", self.state))


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
    effects: tuple[tuple[str, float], ...] = ()

    @property
    def failure_node(self) -> str:
        """The node that the run failed at; empty if it did not."""
        failed = (
            view.step.node for view in self.steps if view.state == "failed" and view.step.node
        )
        return next(failed, "") if self.detail.run.state == "failed" else ""

    @property
    def headline(self) -> str:
        """What happens now, or what came of it, in one sentence."""
        state = self.detail.run.state
        if state == "running":
            now = [view.name for view in self.steps if view.state == "begun"]
            return f"Running {now[-1]}" if now else "Between two steps"
        if state == "done":
            return self._result()
        failed = f"Failed at {self.detail.where}" if self.detail.where else "Failed"
        words = {"queued": "Queued", "waiting": "Waits for your answer", "cancelled": "Cancelled"}
        return words.get(state, failed)

    def _result(self) -> str:
        """The text that the last node gave, else how many records there are."""
        top = [view.step for view in self.steps if not view.step.depth]
        last = top[-1].result if top else None
        if isinstance(last, str) and 0 < len(last) <= _HEADLINE:
            return last
        count = len(self.records) + self.more
        return (f"{count} record{'' if count == 1 else 's'}") if count else "Passed"


def make_run_view(found: RunDetail, workflow: Workflow) -> RunView:
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
        tuple(_effects(found.steps, workflow)),
    )


def _effects(steps: Sequence[StepRow], workflow: Workflow) -> list[tuple[str, float]]:
    """What was done that happens once, and when."""
    once = {node.id: node for node in workflow.nodes if node.effect == "once"}
    return [
        (
            once[step.node].description or write_node_text(once[step.node], 80),
            step.began + step.took,
        )
        for step in steps
        if step.node in once and step.type != "item" and step.status == "success" and step.began
    ]


def _steps(steps: Sequence[StepRow], workflow: Workflow) -> list[StepView]:
    timed = [step for step in steps if step.began]
    start = min((step.began for step in timed), default=0.0)
    whole = max((step.began + step.took for step in timed), default=0.0) - start or 1.0
    does = {node.id: write_node_text(node) for node in workflow.nodes}
    follows = _next_begins(steps)
    found = []
    for step in steps:
        is_item = step.type == "item"
        end = min(step.began + step.took, follows.get(step.key, start + whole))
        left = 100 * (step.began - start) / whole if step.began else 0.0
        width = min(100 - left, max(0.3, 100 * (end - step.began) / whole)) if step.began else 0.0
        found.append(
            StepView(
                step,
                step.key.rpartition("[")[2].rstrip("]") if is_item else step.alias,
                step.type if is_item else does.get(step.node, step.type),
                "item" if is_item else "control" if step.type in CONTROL else "",
                write_node_result(step.result),
                left,
                width,
            )
        )
    return found


def _next_begins(steps: Sequence[StepRow]) -> dict[str, float]:
    """When the step after each began, of those as deep: no bar reaches into the next one."""
    found: dict[str, float] = {}
    last: dict[int, StepRow] = {}
    for step in sorted((one for one in steps if one.began), key=lambda one: one.began):
        before = last.get(step.depth)
        if before is not None:
            found[before.key] = step.began
        last[step.depth] = step
    return found


def _cell(name: str, value: object) -> str:
    said = mask_sensitive(cast("Json", value), name=name)
    return "" if said is None else said if isinstance(said, str) else render_value(name, said)


def _shown(values: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple((name, render_value(name, cast("Json", value))) for name, value in values.items())
