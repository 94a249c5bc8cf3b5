"""What runs found, taken out: records and variables as CSV and JSON, the report, the pictures.

All is whole; a secret is a reference here as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from director.home import write_private
from director.runs import Step, list_run_steps
from director.runs.exported_data import (
    export_rows_as_csv,
    export_rows_as_json,
    list_exported_json_columns,
    list_exported_rows,
)
from director.runs.run_report import render_run_report
from director.services.errors import NotFound
from director.services.outgoing import redact_result
from director.services.runs import list_open_run_questions_now
from director.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ExportedRows:
    """Records or variables as text; `json_columns` hold lists of objects, as JSON."""

    text: str
    json_columns: tuple[str, ...]


@redact_result
def export_run_data(
    workspace: Workspace,
    run: str,
    what: Literal["records", "variables"],
    *,
    form: Literal["csv", "json"] = "csv",
    bom: bool = False,
) -> ExportedRows:
    """The records or the variables of a run, whole; `bom` begins a CSV as Excel needs it."""
    rows = list_exported_rows(workspace.reads, run, what)
    if form == "json":
        return ExportedRows(export_rows_as_json(rows), ())
    return ExportedRows(export_rows_as_csv(rows, bom=bom), tuple(list_exported_json_columns(rows)))


@redact_result
def make_exported_report(workspace: Workspace, run: str) -> str:
    """The report of a run: one HTML page with pictures that needs nothing else."""
    return render_run_report(workspace.reads, run)


@redact_result
def write_exported_report(workspace: Workspace, run: str) -> Path:
    """Write the report of a run into its folder."""
    path = workspace.resources.folder(run) / "report.html"
    write_private(path, make_exported_report(workspace, run).encode())
    return path


def get_run_picture(workspace: Workspace, run: str, hash_: str) -> bytes:
    """The picture of a step of a run; secret fields were covered when it was taken."""
    if not _has_picture(list_run_steps(workspace.reads, run), hash_):
        raise NotFound("No step of this run has this picture.")
    return workspace.reads.kept(hash_)


def get_workflow_picture(workspace: Workspace, workflow: str, hash_: str) -> bytes:
    """The picture of a step or a question of any run of a workflow."""
    store = workspace.reads
    runs = [each.id for each in store.newest("run") if each.body.get("workflow") == workflow]
    asked = any(one.picture == hash_ for one in list_open_run_questions_now(workspace, workflow))
    if not asked and not any(_has_picture(list_run_steps(store, run), hash_) for run in runs):
        raise NotFound("There is no such picture.")
    return store.kept(hash_)


def _has_picture(steps: Sequence[Step], hash_: str) -> bool:
    return any((step.screenshot or {}).get("$kept") == hash_ for step in steps)
