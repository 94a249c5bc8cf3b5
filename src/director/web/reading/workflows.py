"""The workflows there are, a row each."""

from __future__ import annotations

from dataclasses import dataclass

from director.runs.ledger import run_from
from director.store import Store
from director.web.away import away


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
    talked_at: float = 0.0


def listed(store: Store, *, deleted: bool = False) -> list[Row]:
    """The workflows, the one that was changed last first; or those that are deleted."""
    gone = away(store)
    runs = {}
    for each in store.newest("run"):
        if each.id.startswith("workbench:"):
            continue
        run = run_from(each)
        if run.workflow not in runs or runs[run.workflow][1].position < each.position:
            runs[run.workflow] = run, each
    rows = []
    for found in store.newest("workflow"):
        if (found.id in gone) != deleted:
            continue
        nodes = found.body.get("nodes")
        run, at = runs.get(found.id, (None, None))
        rows.append(
            Row(
                found.id,
                str(found.body.get("name", "")),
                str(found.body.get("description", "")),
                len(nodes) if isinstance(nodes, list | tuple) else 0,
                found.version,
                found.at,
                run.id if run else "",
                run.state if run else "",
                at.at if at else 0.0,
            )
        )
    return sorted(rows, key=lambda row: max(row.changed_at, row.ran_at), reverse=True)
