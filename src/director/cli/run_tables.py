"""Runs as a terminal shows them: a table of all, and the timeline of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import cast

from director.cli.outline import columns
from director.runs import Step
from director.runs.branch_choices import read_branch_choices
from director.runs.run_text import (
    get_step_depth,
    write_branch_run_lines,
    write_comparison_run_lines,
    write_evidence_text,
    write_key_text,
    write_seconds_text,
    write_time_text,
)
from director.services.runs import RunHistory, RunRow, list_runs, measure_run_time
from director.services.workspace import Workspace
from director.workflow.display import render_value
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Json

_BAR = 24
_WORDS = {"success": "ok"}


def rows(workspace: Workspace, workflow: str = "", *, limit: int = 20) -> list[dict[str, Json]]:
    """The newest runs, for programs: times in seconds, and why one does not move."""
    return [_row(workspace, row) for row in list_runs(workspace, workflow, limit=limit)]


def _row(workspace: Workspace, row: RunRow) -> dict[str, Json]:
    return {
        "id": row.id,
        "workflow": row.workflow,
        "state": row.state,
        "doubts": row.doubts,
        "steps": row.done,
        "failed": row.failed,
        "took": round(measure_run_time(workspace, row.id), 3),
        "last_sign": row.at,
        "worker": row.busy,
        "why": row.why,
    }


def table(found: list[dict[str, Json]]) -> str:
    """The same rows for people, and below them why some do not move."""
    names = ("id", "workflow", "state", "doubts", "steps", "failed", "took", "last sign")
    shown_rows = [
        [
            *(str(row[name]) for name in names[:6]),
            write_seconds_text(cast("float", row["took"])) if row["took"] else "",
            write_time_text(cast("float", row["last_sign"])),
        ]
        for row in found
    ]
    lines = [f"{row['id']}  {row['why']}" for row in found if row["why"]]
    return "\n".join([columns(names, shown_rows), *([""] if lines else []), *lines])


def history(found: RunHistory) -> str:
    """A run with its timeline: each step with a bar for its time, and what it wrote."""
    return "\n".join(_lines(found))


def _lines(found: RunHistory) -> Iterator[str]:
    run, workflow, steps = found.run, found.workflow, found.steps
    yield f"{workflow.name}  (run {run.id}, version {run.workflow_version})"
    yield f"{run.state}, worker {run.worker or 'none'}, selection {run.selection}"
    if found.why:
        yield found.why
    for name, value in run.inputs.items():
        yield f"  {name} = {render_value(name, value)}"
    if run.error:
        where = write_key_text(str(run.error.get("key", "")), workflow.nodes)
        yield f"{where + ': ' if where else ''}{run.error.get('message', '')}"
    yield from (f"doubt ({each['kind']}): {each['sentence']}" for each in run.doubts)
    yield from (f"compared: {each}" for each in write_comparison_run_lines(run))
    yield from (
        f"branches: {each}"
        for each in write_branch_run_lines(read_branch_choices(run.summary), most=200)
    )
    yield ""
    timed = [step for step in steps if step.began]
    start = min((step.began for step in timed), default=0.0)
    whole = max((step.began + step.took for step in timed), default=0.0) - start
    wide = max((len(_name(step)) for step in steps), default=0)
    for step in steps:
        state = step.status if step.state == "finished" else step.state
        took = write_seconds_text(step.took) if step.state == "finished" and step.began else ""
        bar = _bar(step, start, whole)
        yield f"{_name(step):<{wide}}  {_WORDS.get(state, state):<8} {bar} {took}".rstrip()
        yield from (f"{'':<{wide}}  {each}" for each in _inside(found, step))
    for each in found.questions:
        yield f"? {each.text}  ({'answered' if each.answer else 'no answer yet'})"
    if found.variables:
        yield "\nvariables"
        values = found.variables.items()
        yield from (f"  {name} = {render_value(name, value)}" for name, value in values)


def _name(step: Step) -> str:
    own = f"[{step.key.rpartition('[')[2].rstrip(']')}]" if step.type == "item" else step.alias
    return f"{'  ' * (get_step_depth(step.key) + (step.type == 'item'))}{own}"


def _bar(step: Step, start: float, whole: float) -> str:
    if not step.began or whole <= 0:
        return " " * _BAR
    left = min(_BAR - 1, round(_BAR * (step.began - start) / whole))
    width = max(1, min(_BAR - left, round(_BAR * step.took / whole)))
    return f"{' ' * left}{'█' * width}{' ' * (_BAR - left - width)}"


def _inside(found: RunHistory, step: Step) -> Iterator[str]:
    if step.error and step.type != "item":
        yield f"failed: {step.error}"
    yield from (f"warning: {each}" for each in step.warnings)
    yield from (f"note: {each}" for each in step.notes)
    yield from (f"held: {write_evidence_text(each)}" for each in step.evidence if each.get("holds"))
    for name, value in found.written.get(step.key, ()):
        yield f"{name} = {render_value(name, value)}"


def history_json(found: RunHistory) -> Json:
    """The same for programs, without what is sensitive."""
    steps = [mask_sensitive(asdict(step)) for step in found.steps]
    return {**asdict(found.run), "inputs": mask_sensitive(found.run.inputs), "steps": steps}
