"""The variables section: each on one line, cut short; in full on request. Secrets never.

Their values come from pages, so the section is the web's as soon as it holds one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from director.context.values import Section, Trust
from director.sections.boundary import bounded
from director.sections.words import compact, line, visible
from director.workflow.display import shown
from director.workflow.nearest import hint
from director.workflow.paths import follow, read_path
from director.workflow.selection import place_of
from director.workflow.sensitive import masked
from director.workflow.values import Json, Workflow, WorkflowError
from director.workflow.variables import of_node, variable

NONE = "No variables yet."


def variables_section(variables: Mapping[str, Json]) -> Section:
    """All variables, long ones cut."""
    return _section({name: visible(shown(name, _sorted(v))) for name, v in variables.items()})


def variables_in_full(
    variables: Mapping[str, Json], workflow: Workflow, *, name: str = "", node: str | int = ""
) -> Section:
    """One variable by its name or a path into it, those of a node, or "all", whole."""
    if bool(name) == (node != ""):
        raise WorkflowError('Give either variableName (a name, or "all") or nodeId.')
    if "all" in (name, node):
        return _in_full(variables)
    if node != "":
        alias = workflow.nodes[place_of(node, workflow.nodes)].alias
        return _in_full(of_node(variables, alias))
    path = read_path(name)
    found = (name, ()) if name in variables else variable(variables, path) if path else None
    if found is None:
        raise WorkflowError(f"There is no variable {name!r}.{hint(name, sorted(variables))}")
    key, rest = found
    # Hidden before the path is followed: no path leads past it.
    return _section({name: compact(follow(masked(variables[key], name=key), rest, after=(key,)))})


def _in_full(variables: Mapping[str, Json]) -> Section:
    return _section({name: compact(masked(value, name=name)) for name, value in variables.items()})


def _section(told: Mapping[str, str]) -> Section:
    lines = [f"- {line(name)} = {told[name]}" for name in sorted(told)]
    trust: Trust = "web" if lines else "agent"
    return bounded("variables", "\n".join(lines) or NONE, trust)


def _sorted(value: Json) -> Json:
    """The same value with its keys in order: what is cut must not depend on it."""
    written: Json = json.loads(json.dumps(value, sort_keys=True))
    return written
