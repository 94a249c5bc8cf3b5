"""Reading back what is no longer shown: archived turns and results that were shortened."""

from __future__ import annotations

from director.context.recall import recall
from director.context.values import Context
from director.store import Store
from director.store.project import view
from director.workflow.values import WorkflowError

LONGEST = 40_000
_TOLD = ("user", "agent", "result")


def recalled(store: Store, thread: str, citation: str) -> str:
    """The original behind a citation, as far as it is not deleted."""
    wanted = citation.strip().strip("[]").removeprefix("turn").strip()
    handle = f"t{wanted}" if wanted.isdigit() and len(wanted) < 8 else wanted
    entries = store.entries(thread)
    # Without what hides them, so that what a summary stands for is there too.
    told = view([entry for entry in entries if entry.kind in _TOLD]).told
    gone = view(entries).deleted
    turns = tuple(turn for one in told if one.seq not in gone for turn in one.turns)
    try:
        found = recall(Context(turns=turns), handle)
    except KeyError as unknown:
        raise WorkflowError(str(unknown.args[0])) from None
    if len(found) <= LONGEST:
        return found
    return f"{found[:LONGEST]}\n… {len(found) - LONGEST:,} more characters."
