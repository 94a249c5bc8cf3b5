"""The variables of runs: records like any other, so every value stays readable with its reason.

A variable belongs to one run; what is tried out while a workflow is being built belongs to its
draft run. A secret has no value here: only its reference may be set.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from director.store.values import RecordDraft, StoreError, Versioned

if TYPE_CHECKING:
    from director.store.store import Store

KIND = "variable"


def get_draft_run_id(workflow: str) -> str:
    """The id of the run in which a workflow is tried out."""
    return f"workbench:{workflow}"


def is_draft_run_id(run: str) -> bool:
    """Whether a run is one in which a workflow is tried out; no worker goes on with it."""
    return run.startswith("workbench:")


def read_run_variables(store: Store, run: str) -> dict[str, object]:
    """What is set in a run, by name."""
    return {
        name: record.body["value"]
        for name, record in _newest(store, run).items()
        if "value" in record.body
    }


def set_run_variable(store: Store, run: str, name: str, value: object, reason: str) -> Versioned:
    """Set a variable of a run to a JSON value."""
    return store.put(KIND, _id(run, name), {"value": value}, reason)


def clear_run_variable(store: Store, run: str, name: str, reason: str) -> Versioned:
    """Clear a variable of a run; what it was stays in its history."""
    known = read_run_variables(store, run)
    if name not in known:
        raise StoreError(_unknown(run, name, sorted(known)))
    return store.put(KIND, _id(run, name), {"cleared": True}, reason)


def clear_all_run_variables(store: Store, run: str, reason: str) -> tuple[Versioned, ...]:
    """Clear every variable of a run that is set, all or none."""
    drafts = [
        RecordDraft(KIND, record.id, {"cleared": True}, reason)
        for record in _newest(store, run).values()
        if "value" in record.body
    ]
    return store.put_all(drafts)


def list_run_variable_history(store: Store, run: str, name: str) -> list[Versioned]:
    """All that a variable was, the oldest first."""
    return store.versions(KIND, _id(run, name))


def _newest(store: Store, run: str) -> dict[str, Versioned]:
    prefix = _of(run)
    return {record.id.removeprefix(prefix): record for record in store.newest(KIND, prefix)}


def _id(run: str, name: str) -> str:
    if not name:
        raise StoreError("A variable needs a name. Nothing was written.")
    return _of(run) + name


def _of(run: str) -> str:
    if not run or "/" in run:
        raise StoreError(f"A run cannot be called {run!r}. Nothing was written. Leave out the '/'.")
    return f"{run}/"


def _unknown(run: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    there = f"It has {', '.join(map(repr, known))}." if known else "It has none."
    meant = f" Did you mean {near[0]!r}?" if near else ""
    return f"The run {run!r} has no variable {name!r}. Nothing was cleared. {there}{meant}"


# Names of one release ago; they go with the next.
workbench = get_draft_run_id
variables = read_run_variables
set_variable = set_run_variable
clear_all_variables = clear_all_run_variables
variable_history = list_run_variable_history
