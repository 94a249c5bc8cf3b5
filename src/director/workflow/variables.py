"""Variables of a run: which ones a node's result becomes, and which one a path means.

Their names are flat: `alias.field` is one name. Whatever a result is, it is kept as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from director.workflow.paths import Path, describe_kind, follow_path, read_path
from director.workflow.values import Json, WorkflowError

WHOLE = "result"


def make_variables(alias: str, store: Json, result: Json) -> dict[str, Json]:
    """The variables that `store` makes of a result.

    `true` keeps the whole as `alias.result`; `"*"` each member of an object; an object names
    sources in the result and their targets. What has no members is kept whole.
    """
    if store is True or (store == "*" and not isinstance(result, Mapping)):
        return {f"{alias}.{WHOLE}": result}
    if store == "*" and isinstance(result, Mapping):
        return {f"{alias}.{name}": value for name, value in result.items()}
    if not isinstance(store, Mapping):
        raise WorkflowError(f"'store' cannot be {describe_kind(store)}.")
    return {f"{alias}.{target}": _source(source, result) for source, target in store.items()}


def _source(source: str, result: Json) -> Json:
    if source == WHOLE and not (isinstance(result, Mapping) and WHOLE in result):
        return result
    path = read_path(source)
    if path is None:
        raise WorkflowError(f"{source!r} is no path into a result, such as items[0].name.")
    return follow_path(result, path)


def split_variable_path(variables: Iterable[str], path: Path) -> tuple[str, Path] | None:
    """The variable that a path begins with, and what is left of the path.

    `a.b` is the variable of that very name if there is one, else the member `b` of `a`.
    """
    known = set(variables)
    for length in range(len(path), 0, -1):
        head = path[:length]
        key = ".".join(str(step) for step in head)
        if key in known and all(isinstance(step, str) for step in head):
            return key, path[length:]
    return None


def list_node_variables(variables: Mapping[str, Json], alias: str) -> dict[str, Json]:
    """The variables that a node made."""
    return {name: value for name, value in variables.items() if name.startswith(f"{alias}.")}
