"""What each node type says about itself: its forms, its effect, a line about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from director.workflow.config_fields import (
    Field,
    Form,
    check_config_form,
    check_flag_field,
    check_text_field,
    make_constant_field_check,
    make_either_field_check,
    make_object_field_check,
)
from director.workflow.values import Config, Effect, Json, NodeType, WorkflowError

Line: TypeAlias = Callable[[Config], str]


@dataclass(frozen=True, slots=True)
class NodeKind:
    """A node type. Where `by` names a field, its value chooses the form and the effect.

    `references` are the fields that name other nodes; `early` are values of `by` of earlier times.
    """

    type: NodeType
    says: str
    forms: Mapping[str, Form]
    effects: Mapping[str, Effect]
    line: Line
    by: str = ""
    early: Mapping[str, str] = field(default_factory=dict)
    references: tuple[str, ...] = ()


def _name_of_field(value: Json) -> None:
    if not isinstance(value, str) or not value.strip():
        raise WorkflowError(
            f"this is the name of one field, not {value!r}: take a field that differs in every "
            "item (an id, a link), or leave the key out."
        )


def _name_of_variable(value: Json) -> None:
    check_text_field(value)
    if str(value).startswith("current."):
        raise WorkflowError(
            "this is the name of a variable; to keep a result with the current record write "
            f'"store_to_record": true and "as": "{str(value).removeprefix("current.")}" beside it.'
        )


_RECORDS = Form(
    {
        "type": Field(check_text_field, "the type of the records, such as email", required=True),
        "key": Field(
            _name_of_field,
            "the field that tells one from another: items of one key are one record",
            templates=False,
        ),
        "id_pattern": Field(
            check_text_field, "names each record, such as email_{{sender}}", templates=False
        ),
    }
)

# On any node that has a result.
PRODUCING: Mapping[str, Field] = {
    "store": Field(
        make_either_field_check(
            make_constant_field_check(right=True),
            make_constant_field_check("*"),
            make_object_field_check(_name_of_variable),
            otherwise='true (the whole result), "*" (each of its fields) or {"source": "target"}',
        ),
        "keeps the result in variables: alias.target",
        templates=False,
    ),
    "strict_store": Field(check_flag_field, "the node fails if its result cannot be kept"),
    "create_records": Field(
        make_either_field_check(
            check_text_field,
            check_config_form(_RECORDS),
            otherwise='a type, or {"type", "key", "id_pattern"}',
        ),
        "makes a record of each item of the result; those of all visits add up",
        templates=False,
    ),
    "store_to_record": Field(check_flag_field, "keeps the result in the current record's vars"),
    "as": Field(check_text_field, "the name for store_to_record; without it the alias"),
}
EARLY: Mapping[str, str] = {
    "store_variable": 'write "store": true',
    "storeVariable": 'write "store": true',
    "output": 'write "store": {"result": "name"}',
}


def make_producing_form(form: Form) -> Form:
    """A form with the fields that every node with a result has."""
    return form.with_fields(PRODUCING, EARLY)
