"""Which records belong to a thread or a workflow: those of its id, those that name it, its runs'.

A run names its workflow; what is of a run (steps, variables, results) has an id that begins with
the id of the run and a slash. Reads only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqlalchemy import Connection, select

from director.store.canonical import encode_canonical
from director.store.run_variables import get_draft_run_id
from director.store.schema import records

_WORKFLOWS = ("workflow", "workflow_id")
_OWNERS = (*_WORKFLOWS, "thread", "run")
_AT_ONCE = 500


def list_owned_records(connection: Connection, own: set[str]) -> set[tuple[str, str]]:
    """The kind and id of each record that belongs to these threads or this workflow."""
    runs = {get_draft_run_id(name) for name in own}
    runs |= {name for kind, name in _find_owned(connection, own, set()) if kind == "run"}
    return set(_find_owned(connection, own | runs, runs))


def list_solely_owned_records(connection: Connection, own: set[str]) -> set[tuple[str, str]]:
    """Those of them that never, in any version, belonged to another workflow."""
    found = list_owned_records(connection, own)
    return {record for record in found if _workflows(connection, *record) <= own}


def _find_owned(connection: Connection, own: set[str], runs: set[str]) -> Iterator[tuple[str, str]]:
    spelled = [encode_canonical(name) for name in own]
    asked = select(records.c.kind, records.c.id, records.c.body)
    for kind, name, body in connection.execute(asked.execution_options(yield_per=_AT_ONCE)):
        named = name in own or name.partition("/")[0] in runs
        # Most bodies name none of them anywhere and need not be read.
        if named or (any(each in body for each in spelled) and own & _read_names(body, _OWNERS)):
            yield kind, name


def _workflows(connection: Connection, kind: str, name: str) -> set[str]:
    asked = select(records.c.body).where(records.c.kind == kind, records.c.id == name)
    bodies = connection.execute(asked).scalars()
    return set().union(*(_read_names(body, _WORKFLOWS) for body in bodies))


def _read_names(body: str, fields: tuple[str, ...]) -> set[str]:
    read = json.loads(body)
    found = (read.get(field) for field in fields)
    return {each for each in found if isinstance(each, str)}
