"""Approvals: the origins that a workflow asks for, and what the user said to each.

Each is a record bound to one origin, with who asked and why. Approving writes the origin into the
workflow at the same moment, refusing takes it out; only the user's program calls either, never a
tool. A refusal stands until the user approves: no later question replaces it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from director.browser import Origins
from director.browser.approved_origins import get_origin_place
from director.store import RecordDraft, Store, Versioned
from director.workflow.document import parse_stored_document, write_workflow_document
from director.workflow.values import Json, Workflow, WorkflowError

# In the result of a call that was not made because the user is asked first.
ASKED = "The user is asked now"
KIND = "approval"
Answer: TypeAlias = Literal["asked", "approved", "refused"]


@dataclass(frozen=True, slots=True)
class Approval:
    """An origin, whether it is approved, and for what it was asked.

    `named` says that the user wrote it out in a message, `source` the page that it came from.
    Neither approves anything: they are shown with the question.
    """

    origin: str
    state: Answer
    tool: str = ""
    why: str = ""
    thread: str = ""
    named: bool = False
    source: str = ""

    @property
    def hint(self) -> str:
        """Where the address came from, as far as that is known."""
        if self.named:
            return "You named it in a message."
        return f"It came from the page {self.source}." if self.source else ""


def request_origin(store: Store, workflow: str, wanted: Approval) -> None:
    """Write down that an origin is asked for, unless it is asked for or refused already."""
    wanted = replace(wanted, origin=normalize_origin(wanted.origin))
    before = store.get(KIND, _id(workflow, wanted.origin))
    if before is None or before.body.get("state") == "approved":
        store.put_all([_draft(workflow, wanted, before)])


def approve_origin(store: Store, workflow: str, origin: str, *, why: str = "by the user") -> None:
    """Let a workflow reach an origin from now on: the user's word, and the workflow, as one."""
    origin = normalize_origin(origin)
    found, now = _workflow(store, workflow)
    before = store.get(KIND, _id(workflow, origin))
    drafts = [_draft(workflow, Approval(origin, "approved", why=why), before)]
    if origin not in map(normalize_origin, now.origins):
        changed = write_workflow_document(replace(now, origins=(*now.origins, origin)))
        reason = f"approved {origin} {why}"
        drafts.append(RecordDraft("workflow", workflow, changed, reason, found.version))
    store.put_all(drafts)


def refuse_origin(store: Store, workflow: str, origin: str) -> None:
    """Let a workflow reach an origin no more: no tool is asked about it until the user approves."""
    origin = normalize_origin(origin)
    found, now = _workflow(store, workflow)
    left = tuple(one for one in now.origins if normalize_origin(one) != origin)
    if "*" not in origin and Origins(left).allows(get_origin_place(origin)):
        raise WorkflowError(
            f"{origin} is approved by a wildcard among {', '.join(left)}. Nothing was changed: "
            "refuse that one."
        )
    before = store.get(KIND, _id(workflow, origin))
    drafts = [_draft(workflow, Approval(origin, "refused", why="by the user"), before)]
    if left != now.origins:
        changed = write_workflow_document(replace(now, origins=left))
        drafts.append(
            RecordDraft("workflow", workflow, changed, f"refused {origin}", found.version)
        )
    store.put_all(drafts)


def list_origin_approvals(store: Store, workflow: str) -> list[Approval]:
    """Every origin that the workflow may reach, that is asked for, or that was refused."""
    reached = [normalize_origin(one) for one in _workflow(store, workflow)[1].origins]
    said = [
        Approval(**cast("dict[str, Any]", {k: v for k, v in one.body.items() if k != "workflow"}))
        for one in store.newest(KIND, f"{workflow}/")
    ]
    known = {one.origin: one for one in said if one.state != "approved"}
    known |= {one.origin: one for one in said if one.origin in reached}
    for origin in reached:
        before = known.get(origin, Approval(origin, "approved", why="with the workflow"))
        known[origin] = replace(before, state="approved")
    return list(known.values())


def _workflow(store: Store, workflow: str) -> tuple[Versioned, Workflow]:
    found = store.get("workflow", workflow)
    if found is None:
        raise WorkflowError(f"There is no workflow {workflow!r} in the store.")
    return found, parse_stored_document(cast("Json", found.body))


def normalize_origin(origin: str) -> str:
    """The one way to write an origin, so that no other spelling of it is another."""
    return next(iter(Origins([origin])))


def _draft(workflow: str, wanted: Approval, before: Versioned | None) -> RecordDraft:
    body = {
        "workflow": workflow,
        "origin": wanted.origin,
        "state": wanted.state,
        "tool": wanted.tool,
        "why": wanted.why,
        "thread": wanted.thread,
        "named": wanted.named,
        "source": wanted.source,
    }
    version = before.version if before else 0
    return RecordDraft(KIND, _id(workflow, wanted.origin), body, wanted.state, version)


def _id(workflow: str, origin: str) -> str:
    return f"{workflow}/{origin}"
