"""The workflows there are, a row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from director.store import Store, Versioned
from director.store.deleted_workflows import away

_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class WorkflowRow:
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


@dataclass(frozen=True, slots=True)
class RowPage:
    """Some of the workflows: which page it is, of how many, and how many workflows there are."""

    rows: tuple[WorkflowRow, ...]
    number: int
    pages: int
    count: int


def page_rows(rows: Sequence[WorkflowRow], number: int, words: str = "") -> RowPage:
    """A page of these workflows, of those whose name or description has the words."""
    wanted = words.casefold().split()
    found = [
        row
        for row in rows
        if all(word in f"{row.name} {row.description}".casefold() for word in wanted)
    ]
    pages = max(1, -(-len(found) // _AT_ONCE))
    number = min(number, pages)
    shown = found[(number - 1) * _AT_ONCE : number * _AT_ONCE]
    return RowPage(tuple(shown), number, pages, len(found))


def listed(store: Store, *, deleted: bool = False) -> list[WorkflowRow]:
    """The workflows, the one that was changed last first; or those that are deleted."""
    gone = away(store)
    ran = _last_runs(store)
    rows = []
    for found in store.newest("workflow"):
        if (found.id in gone) != deleted:
            continue
        nodes = found.body.get("nodes")
        row = WorkflowRow(
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
