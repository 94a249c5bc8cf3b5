"""Records: the things that a run works through one by one, and what is known about each.

What was gathered about a record (`vars`) is never lost by finding the record again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from director.workflow.nearest import hint, listed
from director.workflow.paths import NotThere, Path, follow, is_list, path_text
from director.workflow.templates import Template, resolve, stringified
from director.workflow.values import Config, Json, WorkflowError

Status: TypeAlias = Literal["discovered", "processing", "complete", "failed"]
RECORD_ID = re.compile(r"[a-z][a-z0-9_]*_\w+")
_TYPE = re.compile(r"[a-z][a-z0-9_]*")
_UNFIT = re.compile(r"\W+")
_OWN = ("id", "type", "status")


@dataclass(frozen=True, slots=True)
class Record:
    """One thing: `fields` are what nodes found, by alias; `vars` what was gathered about it."""

    id: str
    type: str
    source: str = ""
    status: Status = "discovered"
    error: str = ""
    retries: int = 0
    fields: Config = field(default_factory=dict)
    vars: Config = field(default_factory=dict)
    targets: Config = field(default_factory=dict)
    history: tuple[Json, ...] = ()


def record_json(record: Record) -> dict[str, Json]:
    """A record as it is stored and exported."""
    return {
        "id": record.id,
        "type": record.type,
        "source": record.source,
        "status": record.status,
        "error": record.error,
        "retries": record.retries,
        "data": {
            "fields": record.fields,
            "vars": record.vars,
            "targets": record.targets,
            "history": list(record.history),
        },
    }


def record_from(stored: Mapping[str, Json]) -> Record:
    """The record that `record_json` wrote."""
    kept = dict(stored)
    inside = kept.pop("data")
    if not isinstance(inside, Mapping):
        raise WorkflowError(f"Record {stored.get('id')!r} has no data object.")
    return Record(**{**kept, **inside, "history": tuple(inside["history"])})  # type: ignore[arg-type]


def look(record: Record, path: Path) -> Json:
    """What a path names in a record: its own members, then `vars`, then what nodes found.

    `current.subject` finds a member of what the nodes found if only one of them has it.
    """
    members = members_of(record)
    head = path[0] if path else ""
    if not path:
        return members
    for inside in (members, record.vars, record.fields):
        if isinstance(head, str) and head in inside:
            return follow(inside[head], path[1:], after=path[:1])
    found = {
        alias: value[head]
        for alias, value in record.fields.items()
        if isinstance(value, Mapping) and isinstance(head, str) and head in value
    }
    if len(found) == 1:
        return follow(next(iter(found.values())), path[1:], after=path[:1])
    if found:
        ways = listed(f"fields.{alias}.{head}" for alias in found)
        raise NotThere(f"{head!r} of {record.id!r} could be any of: {ways}. Write the whole path.")
    raise NotThere(f"{record.id!r} has no {path_text(path)!r}.{hint(str(head), ways_into(record))}")


def members_of(record: Record) -> dict[str, Json]:
    """The members that every record has."""
    own: dict[str, Json] = {name: getattr(record, name) for name in _OWN}
    inside = record_json(record)["data"]
    return {**own, **inside} if isinstance(inside, Mapping) else own


def ways_into(record: Record) -> Iterator[str]:
    """The paths that lead into a record, the short ones first."""
    yield from record.vars
    for alias, value in record.fields.items():
        yield alias
        if isinstance(value, Mapping):
            yield from value
    yield from (*_OWN, "fields", "vars", "targets", "history")


def discovered(
    result: Json, *, kind: str, source: str, pattern: str = "", known: Iterable[Record] = ()
) -> tuple[Record, ...]:
    """The records that a result makes, merged with those that are known by the same id.

    Without a pattern they are numbered from 001 in the order of the result; a pattern such as
    `email_{{sender}}` names each by what it holds, so that the same thing keeps its record.
    """
    if not _TYPE.fullmatch(kind):
        raise WorkflowError(f"A type of records has letters a-z, digits and _: not {kind!r}.")
    old = {record.id: record for record in known}
    made: dict[str, Record] = {}
    for number, item in enumerate(_items(result), 1):
        name = _named(item, kind=kind, number=number, pattern=pattern)
        if name in made:
            raise WorkflowError(
                f"Two records would be called {name!r}: the pattern {pattern!r} must name "
                "something that differs. No record was made."
            )
        found = Record(name, kind, source, fields={source: item})
        made[name] = merged(old[name], found) if name in old else found
    return tuple(made.values())


def _items(result: Json) -> Sequence[Json]:
    if isinstance(result, Mapping):
        inside = result.get("items")
        return inside if is_list(inside) else [result]
    if is_list(result):
        return result
    raise WorkflowError(
        "Records are made of a list, of an object with 'items', or of one object; "
        f"the result is {stringified(result)[:60]}. No record was made."
    )


def _named(item: Json, *, kind: str, number: int, pattern: str) -> str:
    if not pattern:
        return f"{kind}_{number:03}"

    def value(template: Template) -> Json:
        return follow(item, template.path)

    name = _UNFIT.sub("_", stringified(resolve(pattern, value))).strip("_").lower()
    return name if name.startswith(f"{kind}_") else f"{kind}_{name}"


def merged(old: Record, found: Record) -> Record:
    """A record that was found again: the new fields, and everything that was gathered before."""
    return replace(old, fields={**old.fields, **found.fields}, source=found.source or old.source)


def chosen(query: str, records: Iterable[Record]) -> tuple[Record, ...]:
    """The records that a query names, in the order in which they were made.

    `*`, `email_*`, a list with commas, or one id. A pattern may match none; an id must exist.
    """
    known = list(records)
    names = [part.strip() for part in query.split(",")]
    for name in names:
        if "*" not in name and all(record.id != name for record in known):
            ids = [record.id for record in known]
            raise WorkflowError(f"There is no record {name!r}.{hint(name, ids)}")
    return tuple(r for r in known if any(fnmatchcase(r.id, name) for name in names))
