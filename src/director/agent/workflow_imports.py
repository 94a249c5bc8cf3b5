"""Workflows that come from a file: never in the place of another, and with no origin approved.

A document of a taken id gets another id, unless the user replaces the one that is here. The origins
that it names are written down as questions; only the user's answer lets it reach them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

from director.agent.permissions.origin_requests import (
    Approval,
    list_origin_approvals,
    normalize_origin,
    request_origin,
)
from director.runs import save_run_workflow
from director.secrets import OriginError
from director.store import Store
from director.store.deleted_workflows import is_workflow_deleted, restore_deleted_workflow
from director.workflow.document import read_workflow_document, write_workflow_document
from director.workflow.values import Json, Workflow, WorkflowError

TOOL = "import"
_WHY = "named by the document that was imported"
_DOCUMENT_ONLY = ("id", "origins")


@dataclass(frozen=True, slots=True)
class ImportedWorkflow:
    """Where a document went: its id here, its version, and the version before it (0: none)."""

    id: str
    version: int
    before: int = 0
    wanted: str = ""

    @property
    def is_renamed(self) -> bool:
        """Whether it got another id than it named, because that is taken."""
        return self.id != self.wanted


def import_workflow(store: Store, found: Workflow, *, replaces: bool = False) -> ImportedWorkflow:
    """Take a document in; what it may reach beyond what is approved here is asked for."""
    if not found.id or "/" in found.id:
        raise WorkflowError(f"A workflow cannot be called {found.id!r}. Nothing was changed.")
    name = found.id if replaces else _free(store, found)
    here = _load_workflow(store, name)
    approved = here.origins if here else ()
    reached = set(map(_spell_once, approved))
    kept = tuple(each for each in found.origins if _spell_once(each) in reached)
    same = here is not None and _body(here) == _body(found)
    before = store.get("workflow", name)
    taken = replace(found, id=name, origins=approved if same else kept)
    version = save_run_workflow(store, taken)
    if is_workflow_deleted(store, name):
        restore_deleted_workflow(store, name)
    ask_for_origins(store, name, [each for each in found.origins if each not in kept])
    return ImportedWorkflow(name, version, before.version if before else 0, found.id)


def ask_for_origins(store: Store, workflow: str, origins: list[str]) -> None:
    """Write down that an import names these origins, for the user to answer; others are none."""
    for origin in origins:
        with suppress(OriginError):
            request_origin(store, workflow, Approval(origin, "asked", TOOL, _WHY))


def list_imported_origins_to_answer(store: Store, workflow: str) -> list[str]:
    """The origins of an imported workflow that the user has not answered yet."""
    found = list_origin_approvals(store, workflow)
    return [one.origin for one in found if one.state == "asked" and one.tool == TOOL]


def _spell_once(origin: str) -> str:
    """An origin in its one spelling; what is none stays as it is."""
    try:
        return normalize_origin(origin)
    except OriginError:
        return origin


def _free(store: Store, found: Workflow) -> str:
    """The document's own id, or the first after it that is free or holds the same document."""
    number = 1
    while True:
        name = found.id if number == 1 else f"{found.id}-{number}"
        here = _load_workflow(store, name)
        if here is None or _body(here) == _body(found):
            return name
        number += 1


def _load_workflow(store: Store, name: str) -> Workflow | None:
    found = store.get("workflow", name)
    return read_workflow_document(cast("Json", found.body)) if found else None


def _body(workflow: Workflow) -> dict[str, Json]:
    body = write_workflow_document(workflow)
    return {name: value for name, value in body.items() if name not in _DOCUMENT_ONLY}
