"""Reading back what is no longer shown: archived turns and results that were shortened."""

from __future__ import annotations

from director.context.recall import recall
from director.context.values import Context
from director.store import Store
from director.store.context_view import build_thread_view
from director.workflow.values import WorkflowError

LONGEST = 40_000


def recall_archived_turn(store: Store, thread: str, citation: str) -> str:
    """The original behind a citation, as far as it is not deleted."""
    wanted = citation.strip().strip("[]").removeprefix("turn").strip()
    handle = f"t{wanted}" if wanted.isdigit() and len(wanted) < 8 else wanted
    # Without its compressions a thread has everything in view that was not deleted.
    seen = build_thread_view(
        [entry for entry in store.entries(thread) if entry.kind != "checkpoint"]
    )
    turns = tuple(t for one in seen.told if one.seq not in seen.deleted for t in one.turns)
    try:
        found = recall(Context(turns=turns), handle)
    except KeyError as unknown:
        raise WorkflowError(str(unknown.args[0])) from None
    if len(found) <= LONGEST:
        return found
    return f"{found[:LONGEST]}\n… {len(found) - LONGEST:,} more characters."
