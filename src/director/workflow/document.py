"""A workflow as one JSON document: to keep, to review, to hand on. What goes out comes back equal.

A document that is not right is refused with the place; nothing in it is guessed or dropped.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, TypeVar, cast

from director.workflow.bounds import DOCUMENT, check_bounds
from director.workflow.migrations import choose_before_migration
from director.workflow.nearest import write_nearest_hint
from director.workflow.paths import describe_kind, is_list
from director.workflow.references import migrate_reference_order, resolve_references
from director.workflow.types import check_config, get_node_effect
from director.workflow.values import Input, Json, Node, Workflow, WorkflowError
from director.workflow.workflow_checks import check_workflow

VERSION = 3
_LISTS_AS_WRITTEN = 2
_READ = (1, 2, VERSION)
_MOST_NODES = 1_000
T = TypeVar("T", Node, Input, Workflow)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "required": (bool,),
    "sensitive": (bool,),
    "config": (Mapping,),
    "limits": (Mapping,),
    "proof": (Mapping, type(None)),
    "retry": (int, float, type(None)),
}
_LISTS = ("nodes", "inputs", "origins", "requires", "ensures", "checks", "notes")
# Left out where there is nothing to say: documents stay as they were.
_OPTIONAL = ("checks",)
_ANY = ("default",)
_LATER: Mapping[str, Json] = {"type": "any", "sensitive": False}


def write_workflow_document(workflow: Workflow) -> dict[str, Json]:
    """The document of a workflow; it names nodes by their ids."""
    return {"version": VERSION, **_plain(workflow)}


def _plain(value: Node | Input | Workflow) -> dict[str, Json]:
    members = {field.name: getattr(value, field.name) for field in fields(value)}
    plain = {name: _one(one) for name, one in members.items() if one or name not in _OPTIONAL}
    if isinstance(value, Input):
        # As earlier versions wrote it, so that what they stored reads as unchanged.
        return {name: each for name, each in plain.items() if _LATER.get(name, ...) != each}
    return {name: each for name, each in plain.items() if name != "retry" or each is not None}


def _one(value: object) -> Json:
    if isinstance(value, Node | Input):
        return _plain(value)
    if isinstance(value, tuple):
        return [_one(inner) for inner in value]
    return cast("Json", value)


@dataclass(eq=False, slots=True)
class _Stored:
    """A document that is equal to itself alone, so that it can be looked up without reading it."""

    body: Json

    def __hash__(self) -> int:
        return id(self.body)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Stored) and other.body is self.body


@dataclass(frozen=True, slots=True)
class _Alike:
    """A document that is equal to all that say the same."""

    digest: bytes
    body: Json = field(compare=False)


_READING = threading.Lock()  # the parts of a page ask at once: one reads, the others have it then


@lru_cache(maxsize=128)
def _parse(stored: _Stored) -> Workflow:
    try:
        text = json.dumps(stored.body, default=dict)
    except RecursionError:
        return read_workflow_document(stored.body)  # says what is wrong with it
    alike = _Alike(hashlib.sha256(text.encode()).digest(), stored.body)
    with _READING:
        return _parse_alike(alike)


@lru_cache(maxsize=128)
def _parse_alike(alike: _Alike) -> Workflow:
    return read_workflow_document(alike.body)


def parse_stored_document(document: Json) -> Workflow:
    """The workflow of a document that nobody changes any more; what says the same is read once."""
    return _parse(_Stored(document))


def read_workflow_document(document: Json, *, new_id: Callable[[], str] | None = None) -> Workflow:
    """The workflow of a document, checked from end to end.

    One that was written by hand may name nodes by alias or position, leave out what has a
    default, and, if `new_id` is given, the ids. One of an earlier version runs as it ran then, and
    its notes say where that differs from what it says.
    """
    check_bounds(document, what="The document", bounds=DOCUMENT)
    if not isinstance(document, Mapping):
        raise WorkflowError(f"A workflow's document is an object, not {describe_kind(document)}.")
    version = _version(document)
    notes: tuple[str, ...] = ()
    if version != VERSION:
        document, notes = choose_before_migration(document)
    given = {name: value for name, value in document.items() if name != "version"}
    workflow = _read(Workflow, given, "the workflow")
    if len(workflow.nodes) > _MOST_NODES:
        raise WorkflowError(
            f"The workflow has {len(workflow.nodes):,} nodes and may have {_MOST_NODES:,}. Nothing "
            "was read."
        )
    nodes = tuple(
        _node(node, f"nodes[{place}]", new_id) for place, node in enumerate(workflow.nodes)
    )
    inputs = tuple(
        _read(Input, one, f"inputs[{place}]") for place, one in enumerate(workflow.inputs)
    )
    for name in ("origins", "notes"):
        for place, one in enumerate(getattr(workflow, name)):
            if not isinstance(one, str):
                raise WorkflowError(f"{name}[{place}] must be a text, not {describe_kind(one)}.")
    kept = tuple(_with_ids(node, nodes) for node in nodes)
    read = check_workflow(replace(workflow, nodes=kept, inputs=inputs))
    if version < _LISTS_AS_WRITTEN:
        read, lists = migrate_reference_order(read)
        notes = (*notes, *lists)
    return replace(read, notes=(*read.notes, *notes))


def _version(document: Mapping[str, Json]) -> int:
    version = document.get("version")
    if not isinstance(version, int) or version not in _READ or isinstance(version, bool):
        raise WorkflowError(
            f"The document has version {version!r}; this program reads versions 1 to {VERSION}. "
            "Nothing was read."
        )
    return version


def _node(given: object, where: str, new_id: Callable[[], str] | None) -> Node:
    if isinstance(given, Mapping) and "id" not in given and new_id:
        given = {**given, "id": new_id()}
    node = _read(Node, given, where)
    try:
        check_config(node.type, node.config)
    except WorkflowError as problem:
        raise WorkflowError(f"{where} ({node.alias}): {problem}") from None
    if isinstance(given, Mapping) and "effect" not in given:
        return replace(node, effect=get_node_effect(node.type, node.config))
    return node


def _with_ids(node: Node, nodes: tuple[Node, ...]) -> Node:
    try:
        return replace(node, config=resolve_references(node.type, node.config, nodes))
    except WorkflowError as problem:
        raise WorkflowError(f"{node.alias!r}: {problem}") from None


def _read(kind: type[T], given: object, where: str) -> T:
    """One value of the document, its members checked for their type."""
    if not isinstance(given, Mapping):
        raise WorkflowError(f"{where} must be an object, not {describe_kind(given)}.")
    known = [field.name for field in fields(kind)]
    for name in given:
        if name not in known:
            raise WorkflowError(f"{where} has no {name!r}.{write_nearest_hint(str(name), known)}")
    for name in _list_required(kind):
        if name not in given:
            raise WorkflowError(f"{where} needs {name!r}.")
    members = {name: _member(name, value, where) for name, value in given.items()}
    return kind(**cast("dict[str, Any]", members))


def _list_required(kind: type[T]) -> Iterator[str]:
    first = {Node: ("id", "alias", "type", "config"), Input: ("name",), Workflow: ("id", "name")}
    yield from first[kind]


def _member(name: str, value: Json, where: str) -> Json:
    if name in _LISTS:
        if not is_list(value):
            raise WorkflowError(f"{where}: {name!r} must be a list, not {describe_kind(value)}.")
        return tuple(value)
    if name not in _ANY and not isinstance(value, _TYPES.get(name, (str,))):
        raise WorkflowError(f"{where}: {name!r} cannot be {describe_kind(value)}.")
    return value


# Names of one release ago; they go with the next.
to_json = write_workflow_document
from_json = read_workflow_document
