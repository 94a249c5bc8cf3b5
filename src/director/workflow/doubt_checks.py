"""The form of a node's checks: what its runs are doubted by, and which doubts are dismissed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from director.workflow.config_fields import (
    Check,
    Field,
    Form,
    check_any_text_field,
    check_flag_field,
    check_text_field,
    fill_config,
    make_choice_field_check,
    make_whole_number_field_check,
)
from director.workflow.values import Config, Json, WorkflowError

DoubtKind: TypeAlias = Literal[
    "total",
    "next",
    "nothing",
    "merged",
    "repeated",
    "unique",
    "blank",
    "constant",
    "format",
    "cut",
    "fewer",
    "limit",
    "twice",
    "refused",
    "gone",
    "rounds",
    "status",
    "rule",
    "download",
    "cells",
    "early",
    "value",
    "unproven",
    "already",
    "part",
    "input",
    "several",
    "focus",
]
KINDS: tuple[str, ...] = get_args(DoubtKind)
AUTHORS = ("model", "person")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = 3
_PROPOSED = ("kind", "field", "heading", "input", "counter")
_WEAKENS = ("dismissed", "tolerance", "share")


def _share(value: Json) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise WorkflowError("this must be a number from 0 to 1.")


def _field(check: Check, says: str, *, required: bool = False) -> Field:
    return Field(check, says, required=required, templates=False)


CHECK = Form(
    {
        "kind": _field(
            make_choice_field_check(*KINDS), f"one of {', '.join(KINDS)}", required=True
        ),
        "field": _field(check_any_text_field, "the field of the rows that it is about"),
        "input": _field(check_text_field, "the input that all values of the field equal"),
        "heading": _field(
            check_text_field, "the heading over the column that the field is read from"
        ),
        "counter": _field(
            check_text_field, "the words of the page's count, with # for each number"
        ),
        "tolerance": _field(make_whole_number_field_check(), "how many rows may be missing"),
        "share": _field(_share, "below which share of the run before the rows are too few"),
        "dismissed": _field(check_flag_field, "true if such a doubt is right as it is"),
        "because": _field(check_any_text_field, "why it was dismissed"),
        "by": _field(
            make_choice_field_check(*AUTHORS), "who said so; what a model says changes no doubt"
        ),
    }
)


def check_doubt_check(check: Config) -> None:
    """A check that runs can use; an error that says what is wrong with it otherwise."""
    try:
        fill_config(CHECK, check)
    except WorkflowError as problem:
        raise WorkflowError(f"'checks': {problem}") from None


def is_doubt_check_by_model(check: Config) -> bool:
    """Whether a check is only what a model thinks: a person has not said it."""
    return check.get("by") == "model"


def sign_doubt_checks(checks: Sequence[Config], known: Sequence[Config] = ()) -> tuple[Config, ...]:
    """Checks as a model may set them: what would silence a doubt is marked as the model's.

    One that a person has set, and that stays as it is, stays the person's. A doubt is only
    explained in words.
    """
    for each in checks:
        if each.get("dismissed") and len(_LETTER.findall(str(each.get("because", "")))) < _WORD:
            raise WorkflowError("'checks': 'because' must say in words why it is right as it is.")
    return tuple(each if each in known else _sign(each) for each in checks)


def _sign(check: Config) -> Config:
    plain = {name: value for name, value in check.items() if name != "by"}
    return {**plain, "by": "model"} if any(check.get(name) for name in _WEAKENS) else plain


def merge_doubt_checks(known: Sequence[Config], more: Sequence[Config]) -> tuple[Config, ...]:
    """Checks with others added; one of the same kind and field is replaced."""
    found = {get_doubt_check_place(each): each for each in known}
    return tuple({**found, **{get_doubt_check_place(each): each for each in more}}.values())


def drop_outdated_checks(checks: Sequence[Config], old: Config, new: Config) -> tuple[Config, ...]:
    """Checks without those that a test proposed of what a changed config reads otherwise.

    What somebody dismissed, or set to a tolerance, stays.
    """
    if any(old.get(name) != new.get(name) for name in ("method", "selector")):
        return tuple(each for each in checks if not _is_proposed(each))
    was, now = (_as_fields(config.get("fields")) for config in (old, new))
    return tuple(
        each
        for each in checks
        if not _is_proposed(each)
        or was.get(str(each.get("field"))) == now.get(str(each.get("field")))
    )


def _is_proposed(check: Config) -> bool:
    return all(name in _PROPOSED for name in check)


def _as_fields(fields: Json) -> Config:
    return fields if isinstance(fields, Mapping) else {}


def get_doubt_check_place(check: Config) -> tuple[Json, Json]:
    """What tells a check of a node from its others."""
    return check.get("kind"), check.get("field") or ""
