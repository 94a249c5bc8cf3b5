"""Workflows that were deleted and can be brought back: a record each, nothing else is changed."""

from __future__ import annotations

from director.store import Store

KIND = "away"


def mark_workflow_deleted(store: Store, workflow: str) -> None:
    """Take a workflow out of the list; all of it stays in the store."""
    store.put(KIND, workflow, {"workflow": workflow, "away": True}, "deleted")


def restore_deleted_workflow(store: Store, workflow: str) -> None:
    """Put a workflow back into the list."""
    store.put(KIND, workflow, {"workflow": workflow, "away": False}, "brought back")


def is_workflow_deleted(store: Store, workflow: str) -> bool:
    """Whether a workflow was deleted."""
    found = store.get(KIND, workflow)
    return bool(found and found.body.get("away"))


def list_deleted_workflows(store: Store) -> frozenset[str]:
    """The workflows that were deleted."""
    return frozenset(one.id for one in store.newest(KIND) if one.body.get("away"))
