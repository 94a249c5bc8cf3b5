"""Conditions: what must hold before and after a node, and what proves that it happened.

They are checked here when they are saved; the browser finds out whether they hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from director.workflow.config_fields import (
    Field,
    Form,
    check_any_text_field,
    check_config_form,
    check_flag_field,
    check_text_field,
    convert_field_to_text,
    fill_config,
    make_whole_number_field_check,
    require_at_least_one_field,
    require_exactly_one_field,
)
from director.workflow.nearest import join_names, write_nearest_hint
from director.workflow.paths import describe_kind, is_list
from director.workflow.patterns import check_pattern
from director.workflow.selectors import check_selector
from director.workflow.values import Config, Json, WorkflowError

WITHIN = 5000


def _pattern(value: Json) -> None:
    check_text_field(value)
    check_pattern(str(value))


_ANYWHERE = {
    "within": Field(
        make_whole_number_field_check(0, 600_000), "how long to wait for it, in ms", default=WITHIN
    ),
    "tab": Field(check_text_field, "the tab; without it the active one"),
}


def _form(key: str, main: Field, **fields: Field) -> Form:
    return Form({key: main, **fields, **_ANYWHERE}, rule=_RULES.get(key))


_RULES = {
    "count": require_at_least_one_field("equals", "at_least", "at_most"),
    "status": require_exactly_one_field("is", "below"),
}
_SELECTOR = Field(check_selector, "a CSS selector or a bundle", required=True)

CONDITIONS: Mapping[str, Form] = {
    "url": _form("url", Field(check_text_field, "the whole address; * is any run", required=True)),
    "url_matches": _form(
        "url_matches",
        Field(_pattern, "a regular expression found in the address", required=True),
    ),
    "element": _form(
        "element",
        _SELECTOR,
        absent=Field(check_flag_field, "none may be visible"),
        text=Field(check_any_text_field, "text that the first visible one contains"),
        value=Field(check_any_text_field, "the value of the first visible one"),
        ignore_case=Field(
            check_flag_field, "true: large and small letters are the same in the text"
        ),
    ),
    "count": _form(
        "count",
        _SELECTOR,
        equals=Field(make_whole_number_field_check(), "as many as this"),
        at_least=Field(make_whole_number_field_check(), "this many or more"),
        at_most=Field(make_whole_number_field_check(), "this many or fewer"),
    ),
    "status": _form(
        "status",
        Field(check_text_field, "the addresses of the requests; * is any run", required=True),
        **{
            "is": Field(make_whole_number_field_check(100, 599), "the status of every response"),
            "below": Field(make_whole_number_field_check(101, 600), "a bound above it"),
        },
    ),
    "download": _form(
        "download",
        Field(
            check_text_field,
            "the name of a file that the node downloaded; * is any run",
            required=True,
        ),
        at_least=Field(
            make_whole_number_field_check(), "its bytes, this many or more; without it one"
        ),
    ),
    "records": Form(
        {
            "records": Field(
                check_text_field, "which records: a type such as order, order_*", required=True
            ),
            "equals": Field(make_whole_number_field_check(), "the run has as many as this"),
            "at_least": Field(make_whole_number_field_check(), "this many or more"),
            "at_most": Field(make_whole_number_field_check(), "this many or fewer"),
        },
        rule=require_at_least_one_field("equals", "at_least", "at_most"),
    ),
}


def check_condition(condition: Json) -> None:
    """A condition of one kind, with nothing in it that it does not know."""
    if not isinstance(condition, Mapping):
        raise WorkflowError(f"A condition is an object, not {describe_kind(condition)}. {_right()}")
    kinds = [kind for kind in CONDITIONS if kind in condition]
    if not kinds:
        first = next(iter(condition), "")
        raise WorkflowError(
            f"This condition is of no kind.{write_nearest_hint(first, CONDITIONS)} {_right()}"
        )
    if len(kinds) > 1:
        raise WorkflowError(f"One condition, one kind: take {join_names(kinds)} apart.")
    if condition.get("absent") and ("text" in condition or "value" in condition):
        raise WorkflowError("What is absent has neither 'text' nor 'value'.")
    fill_config(CONDITIONS[kinds[0]], condition)


def check_proof(proof: Json) -> None:
    """What tells whether a node happened: conditions for both answers."""
    check_config_form(PROOF)(proof)


def fill_condition(condition: Config) -> dict[str, Json]:
    """A condition whose templates are resolved, with its defaults."""
    kind = next(kind for kind in CONDITIONS if kind in condition)
    fields = CONDITIONS[kind].fields
    given = {
        name: convert_field_to_text(fields[name], value) if name in fields else value
        for name, value in condition.items()
    }
    return fill_config(CONDITIONS[kind], given, resolved=True)


def _conditions(value: Json) -> None:
    if not is_list(value) or not value:
        raise WorkflowError("this must be a list of conditions.")
    for one in value:
        check_condition(one)


def _check_proof(proof: Config) -> None:
    if not proof.get("happened") and not proof.get("not_happened"):
        raise WorkflowError("A proof needs 'happened', 'not_happened', or both.")


PROOF = Form(
    {
        "url": Field(check_text_field, "the page to look at"),
        "happened": Field(_conditions, "all hold: it happened"),
        "not_happened": Field(_conditions, "all hold: it did not happen"),
    },
    rule=_check_proof,
)


def _right() -> str:
    return 'Write for example {"url": "https://example.org/done*"} or {"element": "#ok"}.'
