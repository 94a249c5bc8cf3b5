"""One node in full: what went in and came out, its conditions one by one, its versions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import cast

from director.runs import Step, steps_of
from director.runs.run_text import write_check_text, write_condition_text
from director.store import Store
from director.store.run_variables import is_draft_run_id
from director.web.views.nodes import NodeView, WorkflowView
from director.web.views.record_tables import RecordTable, list_record_fields, make_record_table
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Config, Json

_MOST_VERSIONS = 100
_MOST_LINES = 200
_RESTORED = ("description", "config", "requires", "ensures")
_KINDS = (("requires", "before"), ("ensures", "after"), ("checks", "check"))


@dataclass(frozen=True, slots=True)
class SetupField:
    """A field of a config: how it is edited, and its value as text."""

    name: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ConditionLine:
    """A condition of a node, where it stands in its list, and its JSON to edit."""

    kind: str
    word: str
    index: int
    text: str
    json: str


@dataclass(frozen=True, slots=True)
class NodeVersion:
    """A version of the workflow that changed this node: what it changed, what restores it."""

    number: int
    at: float
    reason: str
    changes: tuple[tuple[str, str], ...] = ()
    restores: Config | None = None


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field with what went in and what came out."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class NodeDrawer:
    """A node with all that is known of it, and its neighbours."""

    view: NodeView
    version: int
    following: tuple[str, ...]
    previous: str
    next: str
    fields: tuple[FieldRow, ...]
    table: RecordTable | None
    setup: tuple[SetupField, ...]
    conditions: tuple[ConditionLine, ...]
    versions: tuple[NodeVersion, ...]

    @property
    def is_test(self) -> bool:
        """Whether its result is of a test; else it is of a run."""
        return self.view.tried is not None and is_draft_run_id(self.view.tried.run)


def node_drawer(store: Store, shown: WorkflowView, node: str) -> NodeDrawer | None:
    """A node of a workflow that is shown; None if there is none of this id."""
    ids = [one.row.id for one in shown.nodes]
    if node not in ids:
        return None
    at = ids.index(node)
    view = shown.nodes[at]
    table = make_record_table(view.tried.result) if view.tried else None
    return NodeDrawer(
        view,
        shown.flow.version,
        tuple(
            one.row.alias
            for one in shown.nodes[at:]
            if (one.row.owner, one.row.part) == (view.row.owner, view.row.part)
        ),
        ids[at - 1] if at else "",
        ids[at + 1] if at + 1 < len(ids) else "",
        _fields(store, view, has_table=table is not None),
        table,
        tuple(_setup(name, value) for name, value in view.row.config.items()),
        _conditions(view),
        tuple(_versions(store, shown.flow.workflow, node)),
    )


def _fields(store: Store, view: NodeView, *, has_table: bool) -> tuple[FieldRow, ...]:
    if view.tried is None:
        return ()
    steps = [one for one in steps_of(store, view.tried.run) if one.node == view.row.id]
    ran = max((one for one in steps if one.state == "finished"), key=_position, default=None)
    config = ran.config if ran else {}
    # A node that computes keeps no config of its run: what it names as its input stands for that.
    given = config or cast("Json", view.row.config.get("input"))
    before = dict(list_record_fields(mask_sensitive(given)))
    after = {} if has_table else dict(list_record_fields(view.tried.result))
    names = dict.fromkeys([*before, *after])
    return tuple(FieldRow(name, before.get(name, ""), after.get(name, "")) for name in names)


def _position(step: Step) -> int:
    return step.position


def _setup(name: str, value: object) -> SetupField:
    if isinstance(value, bool):
        return SetupField(name, "switch", "true" if value else "")
    if isinstance(value, int | float):
        return SetupField(name, "number", json.dumps(value))
    if isinstance(value, str):
        kind = "text" if "\n" not in value and len(value) < 80 else "long"
        return SetupField(name, kind, value)
    return SetupField(name, "json", json.dumps(value, indent=1, ensure_ascii=False))


def _conditions(view: NodeView) -> tuple[ConditionLine, ...]:
    found: list[ConditionLine] = []
    for kind, word in _KINDS:
        listed = cast("Sequence[Config]", getattr(view.row, kind))
        for nth, one in enumerate(listed):
            said = write_check_text(one) if kind == "checks" else write_condition_text(one)
            written = json.dumps(one, indent=1, ensure_ascii=False)
            found.append(ConditionLine(kind, word, nth, said, written))
    return tuple(found)


def _versions(store: Store, workflow: str, node: str) -> list[NodeVersion]:
    newest = store.get("workflow", workflow)
    after = max(0, newest.version - _MOST_VERSIONS) if newest else 0
    found: list[NodeVersion] = []
    known: Json = None
    for version in store.versions("workflow", workflow, after=after):
        now = _node_of(cast("Json", version.body), node)
        if isinstance(now, Mapping) and now != known:
            changes = tuple(_difference(known, now)) if known else ()
            number, at, reason = version.version, version.at, version.reason
            found.append(NodeVersion(number, at, reason, changes, _restores(now)))
        known = now
    return found[::-1]


def _difference(before: Json, now: Json) -> Iterator[tuple[str, str]]:
    """The lines that differ, without what is sensitive."""
    old, new = (
        json.dumps(mask_sensitive(one), indent=1, ensure_ascii=False).splitlines()
        for one in (before, now)
    )
    for nth, line in enumerate(unified_diff(old, new, lineterm="", n=1)):
        if 2 <= nth < _MOST_LINES and not line.startswith("@"):
            yield {"+": "added", "-": "gone"}.get(line[:1], "same"), line


def _restores(node: Config) -> Config | None:
    """The changes that make the node what it was; None where something sensitive is in it."""
    changes = {name: node[name] for name in _RESTORED if name in node}
    return changes if mask_sensitive(changes) == changes else None


def _node_of(body: Json, node: str) -> Json:
    nodes = body.get("nodes") if isinstance(body, Mapping) else None
    listed = nodes if isinstance(nodes, list | tuple) else ()
    return next((one for one in listed if isinstance(one, Mapping) and one.get("id") == node), None)
