"""The variables section: each on one line, cut short; in full on request. Secrets never.

Their values come from pages, so the section is the web's as soon as it holds one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from director.context.values import Section, Trust
from director.sections.boundary import wrap_section
from director.sections.value_text import write_compact_value, write_value_line, write_visible_value
from director.sections.workflow_state import WorkflowState
from director.workflow.display import render_value
from director.workflow.nearest import write_nearest_hint
from director.workflow.paths import follow_path, read_path
from director.workflow.record_types import list_record_types, record_row
from director.workflow.records import Record, select_records
from director.workflow.selection import find_selection_place
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Json, Workflow, WorkflowError
from director.workflow.variables import list_node_variables, split_variable_path

NONE = "No variables yet."


def list_state_variables(state: WorkflowState) -> Section:
    """All variables, long ones cut; then the inputs that have none, the records and the files."""
    inputs = {one.name: one.default for one in state.workflow.inputs}
    known = {**{name: each for name, each in inputs.items() if each is not None}, **state.variables}
    told = {
        name: write_visible_value(render_value(name, _sort_keys(value)))
        + (" (input)" if name in inputs else "")
        for name, value in known.items()
    }
    without = "(input without a value to test with: set_variable)"
    told |= {name: without for name in inputs if name not in told}
    return _section(
        told, [*_records(state.records), *_downloads(state.downloads), *_files(state.files)]
    )


def _records(records: Sequence[Record]) -> Iterator[str]:
    for each in list_record_types(records, 1):
        first = render_value(each.type, dict(each.rows[0]))
        yield f"records: {each}; first: {write_visible_value(first)}"


def _downloads(files: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    for each in files:
        rows = f", {each['rows']} rows" if "rows" in each else ""
        yield (
            f"download: {write_compact_value(each['name'])} ({each['size']} bytes, {each['type']}"
            f"{rows}) by {each['node']}"
        )


def _files(given: Sequence[str]) -> Iterator[str]:
    for each in given:
        yield f"file to upload: {write_value_line(each)}"


def render_records_in_full(records: Sequence[Record], query: str) -> Section | None:
    """The records that a name such as order_* or order_003 means, a line each; None if none."""
    known = {record.id for record in records}
    types = {f"{record.type}_*" for record in records}
    if query not in known and query not in types and not ("*" in query and records):
        return None
    return _section(
        {
            record.id: write_compact_value(mask_sensitive(record_row(record)))
            for record in select_records(query, records)
        }
    )


def render_variables_in_full(
    variables: Mapping[str, Json], workflow: Workflow, *, name: str = "", node: str | int = ""
) -> Section:
    """One variable by its name or a path into it, those of a node, or "all", whole."""
    if bool(name) == (node != ""):
        raise WorkflowError('Give either variableName (a name, or "all") or nodeId.')
    if "all" in (name, node):
        return _in_full(variables)
    if node != "":
        alias = workflow.nodes[find_selection_place(node, workflow.nodes)].alias
        return _in_full(list_node_variables(variables, alias))
    path = read_path(name)
    found = (
        (name, ()) if name in variables else split_variable_path(variables, path) if path else None
    )
    if found is None:
        raise WorkflowError(
            f"There is no variable {name!r}.{write_nearest_hint(name, sorted(variables))}"
        )
    key, rest = found
    # Hidden before the path is followed: no path leads past it.
    return _section(
        {
            name: write_compact_value(
                follow_path(mask_sensitive(variables[key], name=key), rest, after=(key,))
            )
        }
    )


def _in_full(variables: Mapping[str, Json]) -> Section:
    return _section(
        {
            name: write_compact_value(mask_sensitive(value, name=name))
            for name, value in variables.items()
        }
    )


def _section(told: Mapping[str, str], more: Sequence[str] = ()) -> Section:
    lines = [*(f"- {write_value_line(name)} = {told[name]}" for name in sorted(told)), *more]
    trust: Trust = "web" if lines else "agent"
    return wrap_section("variables", "\n".join(lines) or NONE, trust)


def _sort_keys(value: Json) -> Json:
    """The same value with its keys in order: what is cut must not depend on it."""
    written: Json = json.loads(json.dumps(value, sort_keys=True))
    return written
