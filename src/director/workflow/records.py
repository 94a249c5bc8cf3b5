"""Records: the things that a run works through one by one, and what is known about each.

What was gathered about a record (`vars`) is never lost by finding the record again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from director.workflow.nearest import join_names, write_nearest_hint
from director.workflow.paths import Path, PathNotFound, follow_path, is_list, read_path, write_path
from director.workflow.templates import Template, resolve_templates, stringify_template_value
from director.workflow.values import Config, Json, WorkflowError

Status: TypeAlias = Literal["discovered", "processing", "complete", "failed"]
_TYPE = re.compile(r"[a-z][a-z0-9_]*")
_UNFIT = re.compile(r"\W+")
MOST = 5_000  # records that one result makes: each is written by itself
_OWN = ("id", "type", "status")


@dataclass(frozen=True, slots=True)
class Record:
    """One thing: `fields` are what nodes found, by alias; `vars` what was gathered about it.

    `visit` says which visit of a node made it, and of which item; `key` is its value of the key.
    """

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
    visit: str = ""
    key: str = ""


def encode_record(record: Record) -> dict[str, Json]:
    """A record as it is stored and exported."""
    return {
        "id": record.id,
        "type": record.type,
        "source": record.source,
        "status": record.status,
        "error": record.error,
        "retries": record.retries,
        "visit": record.visit,
        "key": record.key,
        "data": {
            "fields": record.fields,
            "vars": record.vars,
            "targets": record.targets,
            "history": list(record.history),
        },
    }


def parse_record(stored: Mapping[str, Json]) -> Record:
    """The record that `record_json` wrote."""
    kept = dict(stored)
    inside = kept.pop("data")
    if not isinstance(inside, Mapping):
        raise WorkflowError(f"Record {stored.get('id')!r} has no data object.")
    return Record(**{**kept, **inside, "history": tuple(inside["history"])})  # type: ignore[arg-type]


def look_up_record_path(record: Record, path: Path) -> Json:
    """What a path names in a record: `vars`, then what nodes found, then its id, type and status.

    `current.subject` finds a member of what the nodes found if only one of them has it. A page's
    own "status" or "id" is what a user means by it.
    """
    members = list_record_members(record)
    head = path[0] if path else ""
    if not path:
        return members
    parts = {name: value for name, value in members.items() if name not in _OWN}
    for inside in (parts, record.vars, record.fields):
        if isinstance(head, str) and head in inside:
            return follow_path(inside[head], path[1:], after=path[:1])
    found = {
        alias: value[head]
        for alias, value in record.fields.items()
        if isinstance(value, Mapping) and isinstance(head, str) and head in value
    }
    if len(found) == 1:
        return follow_path(next(iter(found.values())), path[1:], after=path[:1])
    if found:
        ways = join_names(f"fields.{alias}.{head}" for alias in found)
        raise PathNotFound(
            f"{head!r} of {record.id!r} could be any of: {ways}. Write the whole path."
        )
    if head in _OWN:
        return follow_path(members[str(head)], path[1:], after=path[:1])
    raise PathNotFound(
        f"{record.id!r} has no {write_path(path)!r}."
        f"{write_nearest_hint(str(head), list_record_paths(record))}"
    )


def list_record_members(record: Record) -> dict[str, Json]:
    """The members that every record has."""
    own: dict[str, Json] = {name: getattr(record, name) for name in _OWN}
    inside = encode_record(record)["data"]
    return {**own, **inside} if isinstance(inside, Mapping) else own


def list_record_paths(record: Record) -> Iterator[str]:
    """The paths that lead into a record, the short ones first."""
    yield from record.vars
    for alias, value in record.fields.items():
        yield alias
        if isinstance(value, Mapping):
            yield from value
    yield from (*_OWN, "fields", "vars", "targets", "history")


@dataclass(frozen=True, slots=True)
class RecordsFound:
    """What a visit of a node found: its records, how many are new, how many were known already.

    `dropped` are the ids of records that this visit made before and no longer finds.
    """

    records: tuple[Record, ...]
    made: int
    merged: int
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Naming:
    """How the records of a node are told apart: their type, and a key or a pattern if given."""

    type: str
    key: str = ""
    pattern: str = ""


def find_records(
    result: Json, naming: Naming, *, source: str, visit: str, known: Iterable[Record] = ()
) -> RecordsFound:
    """The records that a result makes at one visit of a node, beside those of other visits.

    Without a key or a pattern each item is a record of its own, numbered on from those that are
    known; the same visit done again finds its own records. With a key, items of the same key are
    one record; a pattern such as `email_{{sender}}` names each by what it holds.
    """
    if not _TYPE.fullmatch(naming.type):
        raise WorkflowError(
            f"A type of records has letters a-z, digits and _: not {naming.type!r}."
        )
    return _Finder(naming, source, visit, list(known)).find(_items(result))


class _Finder:
    """One visit: finds for each item the record that it belongs to, or makes one."""

    def __init__(self, naming: Naming, source: str, visit: str, known: Sequence[Record]) -> None:
        self._naming, self._source, self._visit = naming, source, visit
        self._old = {record.id: record for record in known}
        self._own = {r.visit: r.id for r in known if r.visit.rpartition("#")[0] == visit}
        self._by_key = {r.key: r.id for r in known if r.key and r.type == naming.type}
        self._last = max((_number(r.id, naming.type) for r in known), default=0)

    def find(self, items: Sequence[Json]) -> RecordsFound:
        if len(items) > MOST:
            raise WorkflowError(
                f"The result has {len(items):,} items, and one visit of a node makes at most "
                f"{MOST:,} records. No record was made. Give the node a limit, or take fewer."
            )
        found: dict[str, Record] = {}
        made = 0
        for index, item in enumerate(items):
            place, key = f"{self._visit}#{index}", self._key(item, index)
            name = self._name(item, place, key)
            if name in found and not key:
                raise WorkflowError(
                    f"Two records would be called {name!r}: the pattern {self._naming.pattern!r} "
                    "must name something that differs. No record was made."
                )
            old = found.get(name) or self._old.get(name)
            if old and key and old.key != key:
                raise WorkflowError(
                    f"Two records with the keys {old.key!r} and {key!r} would be called {name!r}: "
                    "the pattern must name something that differs. No record was made."
                )
            fresh = Record(name, self._naming.type, self._source, visit=place, key=key)
            made += name not in found and (old is None or old.visit == place)
            found[name] = merge_record(old or fresh, replace(fresh, fields={self._source: item}))
        dropped = tuple(id_ for id_ in self._own.values() if id_ not in found)
        return RecordsFound(tuple(found.values()), made, len(items) - made, dropped)

    def _key(self, item: Json, index: int) -> str:
        if not self._naming.key:
            return ""
        name = self._naming.key
        plain = isinstance(item, Mapping) and name in item
        path = (name,) if plain else read_path(name)
        value = follow_path(item, path) if path else None
        if value is None or not stringify_template_value(value).strip():
            raise WorkflowError(
                f"Item {index + 1} has no value for the key {self._naming.key!r}: without it "
                "it cannot be told from the others. No record was made."
            )
        return stringify_template_value(value).strip()

    def _name(self, item: Json, place: str, key: str) -> str:
        if key in self._by_key and key:
            return self._by_key[key]
        name = (
            _name_record(item, kind=self._naming.type, pattern=self._naming.pattern)
            if self._naming.pattern
            else self._own.get(place) or self._next()
        )
        if key:
            self._by_key[key] = name
        return name

    def _next(self) -> str:
        self._last += 1
        return f"{self._naming.type}_{self._last:03}"


def _number(id_: str, kind: str) -> int:
    digits = id_.removeprefix(f"{kind}_")
    return int(digits) if digits.isascii() and digits.isdecimal() else 0


def _items(result: Json) -> Sequence[Json]:
    if isinstance(result, Mapping):
        inside = result.get("items")
        return inside if is_list(inside) else [result]
    if is_list(result):
        return result
    raise WorkflowError(
        "Records are made of a list, of an object with 'items', or of one object; "
        f"the result is {stringify_template_value(result)[:60]}. No record was made."
    )


def _name_record(item: Json, *, kind: str, pattern: str) -> str:
    def value(template: Template) -> Json:
        return follow_path(item, template.path)

    name = (
        _UNFIT.sub("_", stringify_template_value(resolve_templates(pattern, value)))
        .strip("_")
        .lower()
    )
    return name if name.startswith(f"{kind}_") else f"{kind}_{name}"


def merge_record(old: Record, found: Record) -> Record:
    """A record that was found again: the new fields, and everything that was gathered before."""
    return replace(old, fields={**old.fields, **found.fields}, source=found.source or old.source)


def select_records(query: str, records: Iterable[Record]) -> tuple[Record, ...]:
    """The records that a query names, in the order in which they were made.

    `*`, `email_*`, a list with commas, or one id. A pattern may match none; an id must exist.
    """
    known = list(records)
    names = [part.strip() for part in query.split(",")]
    for name in names:
        if "*" not in name and all(record.id != name for record in known):
            ids = [record.id for record in known]
            raise WorkflowError(f"There is no record {name!r}.{write_nearest_hint(name, ids)}")
    return tuple(r for r in known if any(fnmatchcase(r.id, name) for name in names))
