"""What an import may bring: documents and history, never a decision of the user. Pure.

A choice of model, an approval, a question with its answer, a deletion and the state of a program
that runs are held back and listed. The origins of an imported workflow are asked for. What belongs
to a workflow that is here already comes only if the user says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from director.store.run_variables import get_draft_run_id
from director.store.values import Json

# Records of these kinds are decisions made on the machine they come from, or belong to a program
# that runs there.
HELD_BACK = frozenset(
    "choice approval effect secret_use secret_request secret_leak model_window question away turn "
    "lease bench rehearsal".split()
)
_NAMES = ("workflow", "workflow_id", "thread", "run")


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A record that was not taken over: the newest version in the file."""

    kind: str
    id: str
    body: Json


@dataclass(frozen=True, slots=True)
class OriginAsked:
    """An origin that an imported workflow names, for the user to approve."""

    workflow: str
    origin: str


def list_import_owners(name: str, body: Mapping[str, object]) -> set[str]:
    """The workflows, threads and runs that a record may belong to, by its id or by its body."""
    start = name.partition("/")[0]
    named = {value for each in _NAMES if isinstance(value := body.get(each), str)}
    return {name, start, start.removeprefix(get_draft_run_id("")), *named}


def remove_imported_origins(
    workflow: str, body: Mapping[str, object], approved: Collection[str]
) -> tuple[Json, list[OriginAsked]]:
    """A workflow's document with the origins that were approved here, and the others."""
    named = list_imported_origins(body)
    kept = [each for each in named if each in approved]
    asked = [OriginAsked(workflow, each) for each in named if each not in approved]
    return {**body, "origins": kept}, asked


def list_imported_origins(body: Mapping[str, object]) -> list[str]:
    """The origins that a stored workflow may reach."""
    return [each for each in _inside(body.get("origins")) if isinstance(each, str)]


def is_deeper(value: object, most: int) -> bool:
    """Whether a value is nested deeper than so many levels, found without recursion."""
    level = [value]
    for _ in range(most):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()
