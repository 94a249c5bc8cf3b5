"""Approvals: the origins that a workflow asks for, and what the user said to each.

Each is a record bound to one origin, with who asked and why. Approving writes the origin into the
workflow at the same moment; only the user's program calls it, never a tool.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

from director.browser import Origins
from director.store import RecordDraft, Store, Versioned
from director.workflow.document import from_json, to_json
from director.workflow.values import Json, WorkflowError

KIND = "approval"
Answer: TypeAlias = Literal["asked", "approved", "refused"]


@dataclass(frozen=True, slots=True)
class Approval:
    """An origin, whether it is approved, and for what it was asked."""

    origin: str
    state: Answer
    tool: str = ""
    why: str = ""
    thread: str = ""


def ask_for(store: Store, workflow: str, wanted: Approval) -> None:
    """Write down that an origin is asked for, unless the same question is still open."""
    before = store.get(KIND, _id(workflow, wanted.origin))
    if before is None or before.body.get("state") != "asked":
        _put(store, workflow, wanted, before)


def approve(store: Store, workflow: str, origin: str, *, why: str = "by the user") -> None:
    """Let a workflow reach an origin from now on: the user's word, and the workflow, as one."""
    Origins([origin])
    found = store.get("workflow", workflow)
    if found is None:
        raise WorkflowError(f"There is no workflow {workflow!r} in the store.")
    now = from_json(cast("Json", found.body))
    before = store.get(KIND, _id(workflow, origin))
    drafts = [_draft(workflow, Approval(origin, "approved", why=why), before)]
    if origin not in now.origins:
        changed = to_json(replace(now, origins=(*now.origins, origin)))
        reason = f"approved {origin} {why}"
        drafts.append(RecordDraft("workflow", workflow, changed, reason, found.version))
    store.put_all(drafts)


def refuse(store: Store, workflow: str, origin: str) -> None:
    """Say no to an origin; it is asked for again only if a later call names it."""
    before = store.get(KIND, _id(workflow, origin))
    _put(store, workflow, Approval(origin, "refused", why="by the user"), before)


def approvals(store: Store, workflow: str) -> list[Approval]:
    """Every origin that was asked for or approved, with what became of it."""
    return [
        Approval(
            **cast("dict[str, Answer]", {k: v for k, v in one.body.items() if k != "workflow"})
        )
        for one in store.newest(KIND, f"{workflow}/")
    ]


def _put(store: Store, workflow: str, wanted: Approval, before: Versioned | None) -> None:
    store.put_all([_draft(workflow, wanted, before)])


def _draft(workflow: str, wanted: Approval, before: Versioned | None) -> RecordDraft:
    body = {
        "workflow": workflow,
        "origin": wanted.origin,
        "state": wanted.state,
        "tool": wanted.tool,
        "why": wanted.why,
        "thread": wanted.thread,
    }
    version = before.version if before else 0
    return RecordDraft(KIND, _id(workflow, wanted.origin), body, wanted.state, version)


def _id(workflow: str, origin: str) -> str:
    return f"{workflow}/{origin}"
