"""Forms: which fields a config may have, and what each may hold. Tables, read by one function.

What does not fit is refused with the right form; nothing is guessed, ignored or repaired.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from director.workflow.nearest import write_nearest_hint
from director.workflow.paths import describe_kind, is_list
from director.workflow.templates import Within, is_template, list_templates
from director.workflow.values import Config, Json, WorkflowError

Check: TypeAlias = Callable[[Json], None]
Rule: TypeAlias = Callable[[Config], None]


@dataclass(frozen=True, slots=True)
class Field:
    """What one field may hold and means.

    Only a field with `templates` has its templates resolved: code, conditions, schemas and
    references to nodes stay as they are written. What a template gives is escaped for
    what the field is `within`, so that it is one value whatever signs it holds.
    """

    check: Check
    says: str
    required: bool = False
    default: Json = None
    templates: bool = True
    within: Within = "text"


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a config; `early` are names of earlier times and what to write instead."""

    fields: Mapping[str, Field]
    early: Mapping[str, str] = field(default_factory=dict)
    rule: Rule | None = None

    def with_fields(self, more: Mapping[str, Field], early: Mapping[str, str]) -> Form:
        """The same form with more fields."""
        return Form({**self.fields, **more}, {**early, **self.early}, self.rule)


def fill_config(form: Form, config: Config, *, resolved: bool = False) -> dict[str, Json]:
    """The config with its defaults, checked; `resolved` says that no template is left to come."""
    problems = list(_problems(form, config, resolved=resolved))
    if problems:
        raise WorkflowError(" ".join(problems))
    defaults = {name: f.default for name, f in form.fields.items() if f.default is not None}
    return {**defaults, **config}


def _problems(form: Form, config: Config, *, resolved: bool) -> Iterator[str]:
    for name in config:
        if name not in form.fields:
            yield _unknown(name, form)
    for name, rule in form.fields.items():
        if config.get(name) is None and (rule.required or name not in config or not resolved):
            if rule.required:
                yield f"{name!r} is missing: {rule.says}."
            continue
        try:
            _check_one(rule, config[name], resolved=resolved)
        except WorkflowError as problem:
            yield f"{name!r}: {problem}"
    # Which fields are there does not change by resolving what they hold.
    if form.rule and not resolved:
        try:
            form.rule(config)
        except WorkflowError as problem:
            yield str(problem)


def _unknown(name: str, form: Form) -> str:
    if name in form.early:
        return f"{name!r} is an earlier form: {form.early[name]}."
    return f"There is no field {name!r}.{write_nearest_hint(name, form.fields)}"


def _check_one(rule: Field, value: Json, *, resolved: bool) -> None:
    if rule.templates and not resolved:
        list(list_templates(value))
        if is_template(value):
            return
    rule.check(value)


def accept_any_field(_: Json) -> None:
    """Any JSON."""


def check_text_field(value: Json) -> None:
    """A text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise WorkflowError(f"this must be a text, not {_describe_value(value)}.")


def check_any_text_field(value: Json) -> None:
    """A text, perhaps empty."""
    if not isinstance(value, str):
        raise WorkflowError(f"this must be a text, not {_describe_value(value)}.")


def convert_field_to_text(field: Field, value: Json) -> Json:
    """A number as a text where only a text fits: it may be typed, or be part of a name."""
    if not isinstance(value, bool | int | float) or _fits(field, value):
        return value
    said = json.dumps(value)
    return said if _fits(field, said) else value


def _fits(field: Field, value: Json) -> bool:
    try:
        field.check(value)
    except WorkflowError:
        return False
    return True


def make_constant_field_check(right: Json) -> Check:
    """One value and no other."""

    def check(value: Json) -> None:
        if value != right or isinstance(value, bool) != isinstance(right, bool):
            raise WorkflowError(f"this must be {json.dumps(right)}, not {_describe_value(value)}.")

    return check


def check_number_field(value: Json) -> None:
    """A number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise WorkflowError(f"this must be a number, not {_describe_value(value)}.")


def check_flag_field(value: Json) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise WorkflowError(f"this must be true or false, not {_describe_value(value)}.")


def make_whole_number_field_check(least: int = 0, most: int = 10**9) -> Check:
    """A whole number within bounds."""

    def check(value: Json) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise WorkflowError(
                f"this must be a whole number from {least} to {most}, not {_describe_value(value)}."
            )

    return check


def make_choice_field_check(*words: str) -> Check:
    """One of a few words."""

    def check(value: Json) -> None:
        if value not in words:
            raise WorkflowError(
                f"this must be one of {', '.join(words)}, not {_describe_value(value)}."
                + write_nearest_hint(str(value), words).split(" There is")[0]
            )

    return check


_SHAPED: set[Check] = set()  # those that ask for an object of a form


def make_list_field_check(check_one: Check, *, least: int = 1) -> Check:
    """A list of things that each pass a check."""

    def check(value: Json) -> None:
        if not is_list(value) or len(value) < least:
            some = "a list" if least == 0 else "a list that is not empty"
            raise WorkflowError(f"this must be {some}, not {_describe_value(value)}.")
        for place, one in enumerate(value):
            _within(check_one, one, f"[{place}]")

    return check


def make_object_field_check(check_one: Check = accept_any_field, *, least: int = 1) -> Check:
    """An object whose members each pass a check."""

    def check(value: Json) -> None:
        if not isinstance(value, Mapping) or len(value) < least:
            some = "an object" if least == 0 else "an object that is not empty"
            raise WorkflowError(f"this must be {some}, not {_describe_value(value)}.")
        for name, one in value.items():
            _within(check_one, one, repr(name))

    if check_one is not accept_any_field:
        _SHAPED.add(check)
    return check


def make_either_field_check(*checks: Check, otherwise: str) -> Check:
    """What passes one of several checks."""

    def check(value: Json) -> None:
        inside: list[WorkflowError] = []
        for one in checks:
            try:
                one(value)
            except WorkflowError as problem:
                # An object of the right kind is told what is wrong inside it.
                inside += [problem] if one in _SHAPED and isinstance(value, Mapping) else []
                continue
            return
        if inside:
            raise inside[0]
        raise WorkflowError(f"this must be {otherwise}, not {_describe_value(value)}.")

    return check


def check_config_form(form: Form) -> Check:
    """An object of a form."""

    def check(value: Json) -> None:
        if not isinstance(value, Mapping):
            raise WorkflowError(f"this must be an object, not {_describe_value(value)}.")
        fill_config(form, value)

    _SHAPED.add(check)
    return check


def require_exactly_one_field(*names: str) -> Rule:
    """A rule between fields: one of them is given, no more."""

    def rule(config: Config) -> None:
        given = [name for name in names if config.get(name) is not None]
        if len(given) != 1:
            have = f"it has {' and '.join(given)}" if given else "it has none of them"
            raise WorkflowError(f"Give exactly one of {', '.join(names)}: {have}.")

    return rule


def require_at_least_one_field(*names: str) -> Rule:
    """A rule between fields: one of them is given, or more."""

    def rule(config: Config) -> None:
        if all(config.get(name) is None for name in names):
            raise WorkflowError(f"Give one of {', '.join(names)}.")

    return rule


def _within(check: Check, value: Json, where: str) -> None:
    if is_template(value):
        return
    try:
        check(value)
    except WorkflowError as problem:
        raise WorkflowError(f"{where}: {problem}") from None


def _describe_value(value: Json) -> str:
    written = repr(value)
    short = written if len(written) <= 60 else f"{written[:57]}..."
    return short if isinstance(value, str | int | float) else f"{describe_kind(value)} ({short})"
