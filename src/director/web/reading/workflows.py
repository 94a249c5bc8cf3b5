"""The workflows there are, a row each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from director.store import Store, Versioned
from director.store.away import away


@dataclass(frozen=True, slots=True)
class Row:
    """A workflow in the list: its size, its version, and how its last run ended."""

    id: str
    name: str
    description: str
    nodes: int
    version: int
    changed_at: float
    run: str = ""
    state: str = ""
    ran_at: float = 0.0


def listed(store: Store, *, deleted: bool = False) -> list[Row]:
    """The workflows, the one that was changed last first; or those that are deleted."""
    gone = away(store)
    ran = _last_runs(store)
    rows = []
    for found in store.newest("workflow"):
        if (found.id in gone) != deleted:
            continue
        nodes = found.body.get("nodes")
        row = Row(
            found.id,
            str(found.body.get("name", "")),
            str(found.body.get("description", "")),
            len(nodes) if isinstance(nodes, list | tuple) else 0,
            found.version,
            found.at,
        )
        last = ran.get(found.id)
        state = str(last.body.get("state", "")) if last else ""
        rows.append(replace(row, run=last.id, state=state, ran_at=last.at) if last else row)
    return sorted(rows, key=lambda row: max(row.changed_at, row.ran_at), reverse=True)


def _last_runs(store: Store) -> dict[str, Versioned]:
    """The run of each workflow that was touched last; trials on the workbench do not count."""
    found: dict[str, Versioned] = {}
    for run in sorted(store.newest("run"), key=lambda one: one.position):
        if not run.id.startswith("workbench:"):
            found[str(run.body.get("workflow", ""))] = run
    return found
