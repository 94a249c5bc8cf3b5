"""The ten node types: what their configs may hold, what repeating them does, a line about each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from director.workflow.config_fields import Field, Form, convert_field_to_text, fill_config
from director.workflow.nearest import write_nearest_hint
from director.workflow.paths import describe_kind, is_list
from director.workflow.templates import Lookup, resolve_templates
from director.workflow.types import (
    agent,
    browser_action,
    browser_query,
    cognition,
    context,
    group,
    handle,
    iterate,
    route,
    transform,
)
from director.workflow.types.type_definition import NodeKind
from director.workflow.values import Config, Effect, Json, Node, WorkflowError

_ALL = (browser_action, browser_query, transform, cognition, iterate, route, handle, context)
KINDS: Mapping[str, NodeKind] = MappingProxyType(
    {module.KIND.type: module.KIND for module in (*_ALL, group, agent)}
)
_LATER = {
    "browser_ai_extract": "browser_query with deterministic_extract, then cognition",
    "browser_playwright": "browser_action and browser_query nodes",
    "pipedream_connect": "browser_action nodes",
}
_LINE = 80


def get_node_type(name: str) -> NodeKind:
    """The node type of a name."""
    if name not in KINDS:
        instead = f" Use {_LATER[name]}." if name in _LATER else write_nearest_hint(name, KINDS)
        raise WorkflowError(f"There is no node type {name!r}.{instead}")
    return KINDS[name]


def check_config(type_: str, config: Json, *, resolved: bool = False) -> dict[str, Json]:
    """The config with its defaults, or an error that says everything that is wrong with it.

    A field may hold a template in place of a value of any type; once the templates are resolved,
    check again with `resolved`, for what the values turned out to be.
    """
    kind = get_node_type(type_)
    if type_ == "route" and is_list(config):
        config = {"branches": config}
    if not isinstance(config, Mapping) or not config:
        wrong = "is empty" if config == {} else f"is {describe_kind(config)}"
        raise WorkflowError(f"The config of a {type_} node {wrong}. It has: {_outline(kind)}.")
    form, name = _form(kind, config)
    try:
        return fill_config(form, config, resolved=resolved)
    except WorkflowError as problem:
        where = f"{type_} {name}".strip()
        raise WorkflowError(f"{where}: {problem}") from None


def resolve_config(type_: str, config: Config, lookup: Lookup) -> dict[str, Json]:
    """The config with its templates resolved, its defaults, and checked once more.

    Code, conditions, schemas and references to nodes are left as they are written.
    """
    form, _ = _form(get_node_type(type_), config)
    found = {
        name: _resolve_field(form.fields[name], value, lookup)
        for name, value in config.items()
        if value is not None
    }
    return check_config(type_, found, resolved=True)


def _resolve_field(field: Field, value: Json, lookup: Lookup) -> Json:
    if not field.templates:
        return value
    return convert_field_to_text(field, resolve_templates(value, lookup, within=field.within))


def select_templated(type_: str, config: Config) -> dict[str, Json]:
    """The part of a config in which templates are resolved."""
    form, _ = _form(get_node_type(type_), config)
    return {name: value for name, value in config.items() if form.fields[name].templates}


def get_node_effect(type_: str, config: Config) -> Effect:
    """What repeating a node does, unless its author says otherwise."""
    kind = get_node_type(type_)
    return kind.effects[_form(kind, config)[1]]


def describe_node(node: Node) -> str:
    """One line about a node: its description, or what its config says."""
    said = node.description or f"{node.type}: {KINDS[node.type].line(node.config)}"
    line = " ".join(said.split())
    return line if len(line) <= _LINE else f"{line[: _LINE - 3]}..."


def _form(kind: NodeKind, config: Config) -> tuple[Form, str]:
    if not kind.by:
        return kind.forms[""], ""
    name = config.get(kind.by)
    if isinstance(name, str) and name in kind.forms:
        return kind.forms[name], name
    if isinstance(name, str) and name in kind.early:
        raise WorkflowError(
            f"{kind.type}: {kind.by} {name!r} is an earlier form: {kind.early[name]}."
        )
    says = "is missing" if name is None else f"cannot be {name!r}"
    known = write_nearest_hint(str(name), kind.forms)
    raise WorkflowError(f"{kind.type}: {kind.by!r} {says}.{known}")


def _outline(kind: NodeKind) -> str:
    if kind.by:
        return f"{kind.by} ({', '.join(kind.forms)})"
    return ", ".join(
        f"{name} (required)" if field.required else name
        for name, field in kind.forms[""].fields.items()
    )
