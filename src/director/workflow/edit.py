"""Changing a workflow: adding, updating, moving and deleting nodes. Each gives a new workflow.

A change is made whole or refused: what comes out has been checked from end to end, and what
referred to a node before refers to the same node after.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast, get_args

from director.workflow.config_fields import (
    Check,
    Field,
    Form,
    accept_any_field,
    check_any_text_field,
    check_text_field,
    fill_config,
    make_choice_field_check,
    make_list_field_check,
    make_object_field_check,
    make_whole_number_field_check,
)
from director.workflow.doubt_checks import drop_outdated_checks, merge_doubt_checks
from director.workflow.nearest import join_names
from director.workflow.paths import is_list
from director.workflow.references import (
    insert_neighbour_references,
    list_referring_nodes,
    map_parents,
    remove_references,
    reorder_references,
    resolve_references,
)
from director.workflow.selection import find_selection_place, resolve_selection
from director.workflow.templates import list_templates, rename_templates
from director.workflow.types import check_config, get_node_effect, select_templated
from director.workflow.values import Config, Effect, Json, Node, NodeType, Workflow, WorkflowError
from director.workflow.workflow_checks import check_workflow, check_workflow_alias

Merge: TypeAlias = Literal["update", "replace"]
_LISTS = ("requires", "ensures", "checks")
_CLEARED = ("proof", "retry")


@dataclass(frozen=True, slots=True)
class NodeDraft:
    """A node that is to be, as its author gives it: it has no id yet, and perhaps no effect."""

    type: str
    alias: str
    config: Json
    description: str = ""
    effect: Effect | None = None
    requires: tuple[Config, ...] = ()
    ensures: tuple[Config, ...] = ()
    proof: Config | None = None
    retry: float | None = None
    checks: tuple[Config, ...] = ()


def _field(check: Check, says: str, *, required: bool = False) -> Field:
    return Field(check, says, required=required, templates=False)


# What may be said of a node; its config and conditions are checked with the whole workflow.
_CHANGES = Form(
    {
        "type": _field(check_text_field, "one of the ten types"),
        "alias": _field(check_text_field, "its name"),
        "config": _field(accept_any_field, "what its type wants"),
        "description": _field(check_any_text_field, "what it is for"),
        "effect": _field(make_choice_field_check(*get_args(Effect)), "what repeating it does"),
        "requires": _field(
            make_list_field_check(make_object_field_check(), least=0), "conditions before it"
        ),
        "ensures": _field(
            make_list_field_check(make_object_field_check(), least=0), "conditions after it"
        ),
        "proof": _field(make_object_field_check(), "what tells that it happened"),
        "retry": _field(
            make_whole_number_field_check(0, 3600), "seconds to try again while its site is away"
        ),
        "checks": _field(
            make_list_field_check(make_object_field_check(), least=0),
            "what its runs are doubted by",
        ),
    }
)
_NEEDED = ("type", "alias", "config")
_NODE = Form(
    {name: replace(one, required=name in _NEEDED) for name, one in _CHANGES.fields.items()}
)


def parse_edit_draft(given: Mapping[str, Json]) -> NodeDraft:
    """A draft from an object, such as the arguments of a tool."""
    return NodeDraft(**_read_given(_NODE, given))


def _read_given(form: Form, given: Mapping[str, Json]) -> dict[str, Any]:
    found = fill_config(form, given)
    said: dict[str, Any] = {
        # A proof and a time to retry can be removed; for all else null is as good as unsaid.
        name: value
        for name, value in found.items()
        if value is not None or (name in _CLEARED and name in given)
    }
    return {**said, **{name: tuple(said[name]) for name in _LISTS if name in said}}


def add_nodes(
    workflow: Workflow,
    drafts: Sequence[NodeDraft],
    *,
    new_id: Callable[[], str],
    at: str | int = "end",
) -> Workflow:
    """Add nodes at the end, or where a position or an alias says; that node moves behind them.

    They may refer to one another; a position in a reference is one after the change. Nodes that
    are put between two neighbours of a body or branch belong to it too.
    """
    place = len(workflow.nodes) if at in ("end", len(workflow.nodes) + 1) else _place(at, workflow)
    new = tuple(_make_node(draft, new_id()) for draft in drafts)
    after = (*workflow.nodes[:place], *new, *workflow.nodes[place:])
    _check_names(after)
    made = {node.id for node in new}
    nodes = tuple(_keep_references(node, after) if node.id in made else node for node in after)
    return check_workflow(_insert_nodes(replace(workflow, nodes=nodes), new, place))


def _place(at: str | int, workflow: Workflow) -> int:
    return find_selection_place(at, workflow.nodes)


def _make_node(draft: NodeDraft, id_: str) -> Node:
    config = _as_object(draft.type, draft.config)
    effect = draft.effect or get_node_effect(draft.type, config)
    return Node(
        id_,
        draft.alias,
        cast("NodeType", draft.type),
        config,
        description=draft.description,
        effect=effect,
        requires=draft.requires,
        ensures=draft.ensures,
        proof=draft.proof,
        retry=draft.retry,
        checks=draft.checks,
    )


def _as_object(type_: str, config: Json) -> Config:
    check_config(type_, config)
    return {"branches": config} if is_list(config) else cast("Config", config)


def _keep_references(node: Node, nodes: Sequence[Node]) -> Node:
    try:
        return replace(node, config=resolve_references(node.type, node.config, nodes))
    except WorkflowError as problem:
        raise WorkflowError(f"{node.alias!r}: {problem} Create what it refers to first.") from None


def _insert_nodes(workflow: Workflow, new: Sequence[Node], place: int) -> Workflow:
    behind = place + len(new)
    if not place > 0 or behind >= len(workflow.nodes):
        return workflow
    before, after = workflow.nodes[place - 1].id, workflow.nodes[behind].id
    made = {node.id for node in new}
    inside = map_parents(workflow)
    loose = [
        node.id for node in new if all(part.owner not in made for part in inside.get(node.id, ()))
    ]
    nodes = tuple(
        node if node.id in made else insert_neighbour_references(node, before, loose, after=after)
        for node in workflow.nodes
    )
    return replace(workflow, nodes=nodes)


def edit_node(
    workflow: Workflow,
    which: str | int,
    changes: Mapping[str, Json],
    *,
    merge: Merge = "update",
) -> Workflow:
    """Change a node. Its config is merged field by field (null takes one out), or replaced.

    A new alias is carried into the templates of the other nodes. The effect follows the config
    unless its author had said otherwise.
    """
    old = workflow.nodes[find_selection_place(which, workflow.nodes)]
    new = _update_node(old, _read_given(_CHANGES, changes), merge=merge, nodes=workflow.nodes)
    nodes = tuple(new if node.id == old.id else node for node in workflow.nodes)
    if new.alias != old.alias:
        nodes = tuple(_rename_in_node(node, old.alias, new.alias) for node in nodes)
    _check_names(nodes)
    return check_workflow(replace(workflow, nodes=nodes))


def _update_node(
    old: Node, said: Mapping[str, Any], *, merge: Merge, nodes: Sequence[Node]
) -> Node:
    type_ = said.get("type", old.type)
    config = old.config
    if "config" in said:
        given = said["config"]
        if merge == "update" and isinstance(given, Mapping):
            both = {**old.config, **given}
            given = {name: value for name, value in both.items() if value is not None}
        config = resolve_references(type_, _as_object(type_, given), nodes)
    if merge == "update" or "checks" not in said:
        still = drop_outdated_checks(old.checks, old.config, config)
        said = {**said, "checks": merge_doubt_checks(still, said.get("checks", ()))}
    chosen = old.effect != get_node_effect(old.type, old.config)
    effect = old.effect if chosen else get_node_effect(type_, config)
    return replace(old, **{"effect": effect, **said, "config": config})


def _rename_in_node(node: Node, old: str, new: str) -> Node:
    def change(value: Json) -> Json:
        return rename_templates(value, old, new)

    code = {"code": node.config["code"]} if "code" in node.config else {}
    return replace(
        node,
        config=cast("Config", {**cast("Config", change(node.config)), **code}),
        requires=tuple(cast("Config", change(one)) for one in node.requires),
        ensures=tuple(cast("Config", change(one)) for one in node.ensures),
        proof=cast("Config | None", change(node.proof)),
    )


def delete_nodes(
    workflow: Workflow, which: str | int, *, handle_dependencies: bool = False
) -> Workflow:
    """Delete the nodes of a selection; refused while others refer to them.

    With `handle_dependencies` they are taken out of the bodies and branches that name them.
    """
    gone = set(resolve_selection(which, workflow.nodes))
    left = [node for node in workflow.nodes if node.id not in gone]
    if not handle_dependencies:
        _check_unused(workflow, gone)
    return check_workflow(
        replace(workflow, nodes=tuple(remove_references(node, gone) for node in left))
    )


def _check_unused(workflow: Workflow, gone: set[str]) -> None:
    for node in workflow.nodes:
        if node.id not in gone:
            continue
        owners = [
            one.alias for one in list_referring_nodes(workflow, node.id) if one.id not in gone
        ]
        readers = [
            one.alias for one in list_node_readers(workflow, node.alias) if one.id not in gone
        ]
        if owners or readers:
            raise WorkflowError(
                f"{node.alias!r} cannot be deleted: {join_names(dict.fromkeys(owners + readers))} "
                "refers to it. Nothing was changed. Change that first, delete both, or delete "
                "with handle_dependencies."
            )


def list_node_readers(workflow: Workflow, alias: str) -> tuple[Node, ...]:
    """The nodes whose templates name a node's results."""
    return tuple(
        node
        for node in workflow.nodes
        if any(
            template.path[:1] == (alias,)
            for template in list_templates(
                [select_templated(node.type, node.config), *_conditions_of(node)]
            )
        )
    )


def _conditions_of(node: Node) -> list[Json]:
    branches = node.config.get("branches") if node.type == "route" else ()
    written = [
        branch.get("condition")
        for branch in (branches if is_list(branches) else ())
        if isinstance(branch, Mapping)
    ]
    return [*written, *node.requires, *node.ensures, node.proof]


def move_nodes(workflow: Workflow, which: str | int, *, to: str | int) -> Workflow:
    """Move the nodes of a selection, in their order, so that the first has the place of `to`."""
    chosen = set(resolve_selection(which, workflow.nodes))
    moving = [node for node in workflow.nodes if node.id in chosen]
    rest = [node for node in workflow.nodes if node.id not in chosen]
    place = len(rest) if to == "end" else min(_place(to, workflow), len(rest))
    moved = replace(workflow, nodes=(*rest[:place], *moving, *rest[place:]))
    return check_workflow(reorder_references(moved, workflow.nodes))


def _check_names(nodes: Sequence[Node]) -> None:
    seen: dict[str, int] = {}
    for place, node in enumerate(nodes, 1):
        check_workflow_alias(node.alias)
        for name in (node.alias, node.id):
            if name in seen:
                raise WorkflowError(
                    f"Nodes {seen[name]} and {place} would both be called {name!r}. "
                    "Give one another alias. Nothing was changed."
                )
        seen[node.alias] = seen[node.id] = place


# Names of one release ago; they go with the next.
Draft = NodeDraft
add = add_nodes
update = edit_node
move = move_nodes
