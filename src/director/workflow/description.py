"""The description: what a workflow is to do, as the user wants it. The plan says how.

Versions are kept by whoever stores it. A part that is missing is no error: it is suggested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from director.workflow.json_input import FieldReader, parse_json_input
from director.workflow.paths import describe_kind, is_list
from director.workflow.values import Json, WorkflowError

LONGEST = 40_000

# The parts that are worth asking for, and what each should tell.
SUGGESTIONS: Mapping[str, str] = MappingProxyType(
    {
        "goal": "what a run achieves, in one sentence",
        "trigger": "what starts a run, and how often",
        "actors": "the people and sites that take part, and with whose login",
        "happy_path_steps": "the steps when nothing goes wrong",
        "decision_matrix": "which case leads where",
        "key_design_decisions": "what was chosen, and why",
        "data_contracts": "what goes in and comes out, with names and types",
        "business_rules": "what must always or never happen",
        "edge_case_policies": "what to do when something is missing, doubled or late",
        "success_criteria": "how to see that a run did its work",
    }
)


class DescriptionError(WorkflowError):
    """What is wrong with a description, where, and what the right form is."""


@dataclass(frozen=True, slots=True)
class Description:
    """A version of what a workflow is to do; lists hold texts or objects."""

    workflow_name: str
    goal: str = ""
    trigger: str = ""
    actors: tuple[Json, ...] = ()
    happy_path_steps: tuple[Json, ...] = ()
    decision_matrix: tuple[Json, ...] = ()
    key_design_decisions: tuple[Json, ...] = ()
    data_contracts: tuple[Json, ...] = ()
    business_rules: tuple[Json, ...] = ()
    edge_case_policies: tuple[Json, ...] = ()
    success_criteria: tuple[Json, ...] = ()
    revision_history: tuple[Json, ...] = ()


PARTS: tuple[str, ...] = tuple(field.name for field in fields(Description))
_TEXTS = ("workflow_name", "goal", "trigger")


def parse_description(written: Json) -> Description:
    """The description that a model wrote, or an error that says all that is wrong with it."""
    try:
        value = parse_json_input(written, what="description", longest=LONGEST)
    except WorkflowError as problem:
        raise DescriptionError(str(problem)) from None
    reader = FieldReader()
    found = reader.object(value, "", PARTS)
    texts = {name: reader.text(found, name, "", needed=name == "workflow_name") for name in _TEXTS}
    lists = {name: _list(reader, found.get(name), name) for name in PARTS if name not in _TEXTS}
    if reader.problems:
        raise DescriptionError(f"This description cannot be taken. {reader.render_problems()}")
    # Each was read as its part wants it.
    return Description(**texts, **lists)  # type: ignore[arg-type]


def encode_description(description: Description) -> dict[str, Json]:
    """The description as JSON; what is empty is left out."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name in PARTS
        if (value := getattr(description, name))
    }


def list_missing_description_parts(description: Description) -> tuple[str, ...]:
    """The parts that are still empty, in their order."""
    return tuple(name for name in SUGGESTIONS if not getattr(description, name))


def list_description_suggestions(description: Description) -> list[str]:
    """A line for each part that is missing: its name and what it should tell."""
    return [f"{name}: {SUGGESTIONS[name]}" for name in list_missing_description_parts(description)]


def _list(reader: FieldReader, value: Json, name: str) -> tuple[Json, ...]:
    if value is None:
        return ()
    if isinstance(value, Mapping):
        # A table from case to answer, as models like to write it.
        return tuple({case: answer} for case, answer in value.items())
    if not is_list(value):
        reader.wrong(name, f"this must be a list of texts or objects, not {describe_kind(value)}.")
        return ()
    for place, one in enumerate(value):
        if not (isinstance(one, str) and one.strip()) and not (isinstance(one, Mapping) and one):
            reader.wrong(f"{name}[{place}]", "this must be a text or an object that is not empty.")
    return tuple(value)
