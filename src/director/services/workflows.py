"""Workflows: list, make, change, duplicate, delete and restore them; import and export; versions.

What is deleted stays in the store, and so does every version. No origin is approved by an import.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from director.agent import choose_workflow_model, create_workflow
from director.agent.model_choice import KIND as CHOICE
from director.agent.workflow_imports import import_workflow
from director.browser import Origins
from director.models.names import parse_model_name
from director.models.servers import accept_server
from director.runs import save_run_workflow
from director.runs.playwright_script import write_playwright_script
from director.services.errors import NotFound
from director.services.outgoing import Identifier, redact_result, refuse_marks
from director.services.workspace import Workspace
from director.store import Store, VersionConflict, Versioned
from director.store.deleted_workflows import (
    is_workflow_deleted,
    list_deleted_workflows,
    mark_workflow_deleted,
    restore_deleted_workflow,
)
from director.store.export import export_workflow
from director.store.run_variables import is_draft_run_id
from director.workflow.document import (
    parse_stored_document,
    read_workflow_document,
    write_workflow_document,
)
from director.workflow.nearest import write_nearest_hint
from director.workflow.values import Json, Workflow


@dataclass(frozen=True, slots=True)
class WorkflowRow:
    """A workflow in the list: its size, its version, and how its last run ended."""

    id: Identifier
    name: str
    description: str
    nodes: int
    version: int
    changed_at: float
    run: Identifier = ""
    state: Identifier = ""
    ran_at: float = 0.0


@dataclass(frozen=True, slots=True)
class RecordVersion:
    """A version of a stored object, with the reason and what changed since the last."""

    version: int
    at: float
    reason: str
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedDocument:
    """Where a document went: its id here, its version, and the version before it (0: none)."""

    id: Identifier
    version: int
    before: int
    is_renamed: bool


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The model and the profile that a workflow is built with; empty: those of the settings."""

    model: str
    profile: Identifier


@redact_result
def list_workflows(workspace: Workspace, *, deleted: bool = False) -> list[WorkflowRow]:
    """The workflows, the one that was changed last first; or those that are deleted."""
    return _list_rows(workspace.reads, deleted=deleted)


@redact_result
def get_workflow_row(workspace: Workspace, workflow: str) -> WorkflowRow:
    """A workflow as it is in the list."""
    return _get_row(workspace, workflow)


@redact_result
def list_workflow_reach(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    """The origins that each workflow may reach."""
    found = {}
    for one in workspace.reads.newest("workflow"):
        named = one.body.get("origins")
        found[one.id] = tuple(map(str, named)) if isinstance(named, list | tuple) else ()
    return found


def check_workflow(workspace: Workspace, workflow: str) -> None:
    """NotFound if there is no such workflow, or if it was deleted."""
    store = workspace.reads
    if store.get("workflow", workflow) is None or is_workflow_deleted(store, workflow):
        raise _missing(store, workflow)


def load_workflow(workspace: Workspace, workflow: str) -> Workflow:
    """The newest version of a workflow, to work with, deleted or not; NotFound if there is none."""
    return parse_stored_document(cast("Json", _get_stored(workspace, workflow).body))


@redact_result
def get_workflow(workspace: Workspace, workflow: str) -> Workflow:
    """The newest version of a workflow, to be shown."""
    return load_workflow(workspace, workflow)


@redact_result
def get_workflow_version(workspace: Workspace, workflow: str) -> int:
    """The number of the newest version of a workflow."""
    return _get_stored(workspace, workflow).version


@redact_result
def make_workflow(workspace: Workspace, name: str) -> WorkflowRow:
    """Make an empty workflow; its id is its name in small letters, and free."""
    return _get_row(workspace, create_workflow(workspace.store, name))


@redact_result
def ensure_workflow(workspace: Workspace, workflow: str) -> None:
    """Make an empty workflow of this id, unless it is there."""
    if workspace.store.get("workflow", workflow) is None:
        save_run_workflow(workspace.store, Workflow(workflow, workflow))


def parse_workflow_text(document: object, *, as_: str = "") -> Workflow:
    """The workflow of a document, under another id if one is given; nodes without an id get one."""
    if as_ and isinstance(document, Mapping):
        document = {**document, "id": as_}
    return read_workflow_document(
        cast("Json", document), new_id=lambda: f"n_{uuid.uuid4().hex[:8]}"
    )


@redact_result
def import_document(
    workspace: Workspace, document: Workflow, *, replaces: bool = False
) -> ImportedDocument:
    """Take a workflow in, under another id if its own is taken; its origins are asked for."""
    refuse_marks(write_workflow_document(document))
    done = import_workflow(workspace.store, document, replaces=replaces)
    return ImportedDocument(done.id, done.version, done.before, done.is_renamed)


@redact_result
def change_workflow(
    workspace: Workspace,
    workflow: str,
    *,
    name: str | None = None,
    description: str | None = None,
    origins: Sequence[str] | None = None,
) -> WorkflowRow:
    """Rename a workflow, describe it, or say which origins it may reach; the rest stays."""
    found = _get_stored(workspace, workflow)
    now = read_workflow_document(cast("Json", found.body))
    after = replace(
        now,
        name=now.name if name is None else name,
        description=now.description if description is None else description,
        origins=now.origins if origins is None else tuple(map(str, Origins(origins))),
    )
    if after != now:
        reason, version = "changed by hand", found.version
        workspace.store.put(
            "workflow", workflow, write_workflow_document(after), reason, expect=version
        )
    return _get_row(workspace, workflow)


@redact_result
def save_workflow_changes(workspace: Workspace, workflow: Workflow) -> list[str]:
    """Save a workflow that was changed as a whole; what changed, in lines."""
    before = workspace.store.get("workflow", workflow.id)
    save_run_workflow(workspace.store, workflow)
    return describe_workflow_changes(workspace, workflow.id, before.version if before else 0)


@redact_result
def describe_workflow_changes(workspace: Workspace, workflow: str, before: int) -> list[str]:
    """Which version a workflow is, and what changed since the version before (0: it is new)."""
    found = _get_stored(workspace, workflow)
    nodes = read_workflow_document(cast("Json", found.body)).nodes
    said = f"{workflow}: {len(nodes)} nodes, version {found.version}"
    if not before:
        return [said]
    if before == found.version:
        return [f"{said}, as it was already"]
    changes = workspace.store.diff("workflow", workflow, before, found.version)
    return [f"{said}; what changed since version {before}:", *changes]


@redact_result
def duplicate_workflow(workspace: Workspace, workflow: str, name: str) -> WorkflowRow:
    """Make a copy: nodes, inputs and origins, without conversations and runs."""
    copied = load_workflow(workspace, workflow)
    made = create_workflow(workspace.store, name)
    save_run_workflow(
        workspace.store, replace(copied, id=made, name=load_workflow(workspace, made).name)
    )
    return _get_row(workspace, made)


@redact_result
def delete_workflow(workspace: Workspace, workflow: str) -> None:
    """Delete a workflow; all of it stays in the store, and it can be restored."""
    mark_workflow_deleted(workspace.store, workflow)


@redact_result
def restore_workflow(workspace: Workspace, workflow: str) -> WorkflowRow:
    """Restore a deleted workflow."""
    if workspace.store.get("workflow", workflow) is None:
        raise NotFound(f"There is no workflow {workflow!r}, deleted or not.")
    if is_workflow_deleted(workspace.store, workflow):
        restore_deleted_workflow(workspace.store, workflow)
    return _get_row(workspace, workflow)


@redact_result
def export_workflow_document(workspace: Workspace, workflow: str) -> str:
    """A workflow as its JSON document."""
    document = write_workflow_document(load_workflow(workspace, workflow))
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


@redact_result
def export_workflow_script(workspace: Workspace, workflow: str) -> str:
    """A workflow as a Playwright script in Python that stands alone; ExportRefused if it cannot."""
    return write_playwright_script(load_workflow(workspace, workflow))


def export_workflow_archive(workspace: Workspace, workflow: str) -> Iterator[str]:
    """A workflow with its conversations and runs, line by line, as they are stored.

    Nothing is redacted here: the hashes of the archive are of what was stored, which was redacted
    when it was.
    """
    return export_workflow(workspace.store, workflow)


@redact_result
def choose_model_of_workflow(
    workspace: Workspace, workflow: str, *, model: str = "", profile: str = ""
) -> ChosenModel:
    """Choose the model and the profile of a workflow from now on; what is empty stays.

    The server of a model that is named anew is accepted; one that was stored before is not.
    """
    store = workspace.store
    before = store.get(CHOICE, workflow)
    if model and (before is None or before.body.get("model") != model):
        parse_model_name(model)
        accept_server(model)
    choose_workflow_model(store, workflow, profile=profile, model=model)
    found = store.get(CHOICE, workflow)
    chosen = found.body if found else {}
    return ChosenModel(str(chosen.get("model") or ""), str(chosen.get("profile") or ""))


@redact_result
def list_workflow_versions(workspace: Workspace, kind: str, id_: str) -> list[RecordVersion]:
    """The versions of a stored object, the newest first, each with what it changed."""
    store = workspace.reads
    return [
        RecordVersion(
            one.version,
            one.at,
            one.reason,
            tuple(store.diff(kind, id_, one.version - 1, one.version)) if one.version > 1 else (),
        )
        for one in reversed(store.versions(kind, id_))
    ]


@redact_result
def restore_workflow_version(workspace: Workspace, workflow: str, version: int) -> None:
    """Put an older version of a workflow in the place of the newest; every version stays.

    What it may reach is not part of that: approvals stay as they are now.
    """
    store = workspace.store
    old, now = store.get("workflow", workflow, version), store.get("workflow", workflow)
    if old is None or now is None:
        raise NotFound(f"This workflow has no version {version}.")
    restored = {**old.body, "origins": now.body.get("origins", [])}
    store.put("workflow", workflow, restored, f"restored version {version}", expect=now.version)


def _missing(store: Store, workflow: str) -> NotFound:
    return NotFound(
        f"There is no workflow {workflow!r}.{write_nearest_hint(workflow, store.ids('workflow'))}"
    )


def _get_stored(workspace: Workspace, workflow: str) -> Versioned:
    found = workspace.store.get("workflow", workflow)
    if found is None:
        raise _missing(workspace.store, workflow)
    return found


def _get_row(workspace: Workspace, workflow: str) -> WorkflowRow:
    found = next((row for row in _list_rows(workspace.store) if row.id == workflow), None)
    if found is None:
        raise VersionConflict(f"The workflow {workflow!r} was deleted meanwhile.")
    return found


def _list_rows(store: Store, *, deleted: bool = False) -> list[WorkflowRow]:
    gone, ran = list_deleted_workflows(store), _find_last_runs(store)
    rows = [
        _make_row(found, ran.get(found.id))
        for found in store.newest("workflow")
        if (found.id in gone) == deleted
    ]
    return sorted(rows, key=lambda row: max(row.changed_at, row.ran_at), reverse=True)


def _make_row(found: Versioned, last: Versioned | None) -> WorkflowRow:
    nodes = found.body.get("nodes")
    row = WorkflowRow(
        found.id,
        str(found.body.get("name", "")),
        str(found.body.get("description", "")),
        len(nodes) if isinstance(nodes, list | tuple) else 0,
        found.version,
        found.at,
    )
    if last is None:
        return row
    return replace(row, run=last.id, state=str(last.body.get("state", "")), ran_at=last.at)


def _find_last_runs(store: Store) -> dict[str, Versioned]:
    """The run of each workflow that was touched last; draft runs do not count."""
    found: dict[str, Versioned] = {}
    for run in sorted(store.newest("run"), key=lambda one: one.position):
        if not is_draft_run_id(run.id):
            found[str(run.body.get("workflow", ""))] = run
    return found
