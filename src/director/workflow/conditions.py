"""Conditions: what must hold before and after a node, and what proves that it happened.

They are checked here when they are saved; the browser finds out whether they hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from director.workflow.config_fields import (
    Field,
    Form,
    any_text,
    as_text,
    at_least_one_of,
    check_form,
    exactly_one_of,
    fill,
    flag,
    text,
    whole,
)
from director.workflow.nearest import hint, join_names
from director.workflow.paths import is_list, kind_of
from director.workflow.patterns import check_pattern
from director.workflow.selectors import selector
from director.workflow.values import Config, Json, WorkflowError

WITHIN = 5000


def _pattern(value: Json) -> None:
    text(value)
    check_pattern(str(value))


_ANYWHERE = {
    "within": Field(whole(0, 600_000), "how long to wait for it, in ms", default=WITHIN),
    "tab": Field(text, "the tab; without it the active one"),
}


def _form(key: str, main: Field, **fields: Field) -> Form:
    return Form({key: main, **fields, **_ANYWHERE}, rule=_RULES.get(key))


_RULES = {
    "count": at_least_one_of("equals", "at_least", "at_most"),
    "status": exactly_one_of("is", "below"),
}
_SELECTOR = Field(selector, "a CSS selector or a bundle", required=True)

CONDITIONS: Mapping[str, Form] = {
    "url": _form("url", Field(text, "the whole address; * is any run", required=True)),
    "url_matches": _form(
        "url_matches",
        Field(_pattern, "a regular expression found in the address", required=True),
    ),
    "element": _form(
        "element",
        _SELECTOR,
        absent=Field(flag, "none may be visible"),
        text=Field(any_text, "text that the first visible one contains"),
        value=Field(any_text, "the value of the first visible one"),
        ignore_case=Field(flag, "true: large and small letters are the same in the text"),
    ),
    "count": _form(
        "count",
        _SELECTOR,
        equals=Field(whole(), "as many as this"),
        at_least=Field(whole(), "this many or more"),
        at_most=Field(whole(), "this many or fewer"),
    ),
    "status": _form(
        "status",
        Field(text, "the addresses of the requests; * is any run", required=True),
        **{
            "is": Field(whole(100, 599), "the status of every response"),
            "below": Field(whole(101, 600), "a bound above it"),
        },
    ),
    "download": _form(
        "download",
        Field(text, "the name of a file that the node downloaded; * is any run", required=True),
        at_least=Field(whole(), "its bytes, this many or more; without it one"),
    ),
    "records": Form(
        {
            "records": Field(text, "which records: a type such as order, order_*", required=True),
            "equals": Field(whole(), "the run has as many as this"),
            "at_least": Field(whole(), "this many or more"),
            "at_most": Field(whole(), "this many or fewer"),
        },
        rule=at_least_one_of("equals", "at_least", "at_most"),
    ),
}


def check_condition(condition: Json) -> None:
    """A condition of one kind, with nothing in it that it does not know."""
    if not isinstance(condition, Mapping):
        raise WorkflowError(f"A condition is an object, not {kind_of(condition)}. {_right()}")
    kinds = [kind for kind in CONDITIONS if kind in condition]
    if not kinds:
        first = next(iter(condition), "")
        raise WorkflowError(f"This condition is of no kind.{hint(first, CONDITIONS)} {_right()}")
    if len(kinds) > 1:
        raise WorkflowError(f"One condition, one kind: take {join_names(kinds)} apart.")
    if condition.get("absent") and ("text" in condition or "value" in condition):
        raise WorkflowError("What is absent has neither 'text' nor 'value'.")
    fill(CONDITIONS[kinds[0]], condition)


def check_proof(proof: Json) -> None:
    """What tells whether a node happened: conditions for both answers."""
    check_form(PROOF)(proof)


def fill_condition(condition: Config) -> dict[str, Json]:
    """A condition whose templates are resolved, with its defaults."""
    kind = next(kind for kind in CONDITIONS if kind in condition)
    fields = CONDITIONS[kind].fields
    given = {
        name: as_text(fields[name], value) if name in fields else value
        for name, value in condition.items()
    }
    return fill(CONDITIONS[kind], given, resolved=True)


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
        "url": Field(text, "the page to look at"),
        "happened": Field(_conditions, "all hold: it happened"),
        "not_happened": Field(_conditions, "all hold: it did not happen"),
    },
    rule=_check_proof,
)


def _right() -> str:
    return 'Write for example {"url": "https://example.org/done*"} or {"element": "#ok"}.'
