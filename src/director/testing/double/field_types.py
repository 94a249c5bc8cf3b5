"""The types and bounds of a request's fields, and OpenAI's words for breaking them.

Tables and the functions that apply them, for both of its APIs; nothing here knows an endpoint or
keeps anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from director.testing.double import refusals
from director.testing.double.exchange import Refusal

NAMES: dict[type, str] = {
    bool: "a boolean",
    int: "an integer",
    float: "a decimal",
    str: "a string",
    dict: "an object",
    list: "an array",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What a field may hold: its types, its bounds (of the value or of the length), its values.

    Without types it may hold anything.
    """

    types: tuple[type, ...] = ()
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ViolationRules:
    """Which rule of an API each sort of wrong value breaks."""

    type: str
    bounds: str
    value: str
    unknown: str


RESPONSES = ViolationRules("R11", "R11", "R11", "R13")
CHAT = ViolationRules("chat.type", "chat.bounds", "chat.value", "chat.unknown")


def refuse_missing_field(rule: str, param: str) -> Refusal:
    """The refusal of a request without a field it needs."""
    message = f"Missing required parameter: '{param}'."
    return refusals.write_openai_refusal(
        rule, message, param=param, code="missing_required_parameter"
    )


def refuse_unknown_field(param: str, rules: ViolationRules = RESPONSES) -> Refusal:
    """The refusal of a field that nobody knows."""
    message = f"Unknown parameter: '{param}'."
    return refusals.write_openai_refusal(
        rules.unknown, message, param=param, code="unknown_parameter"
    )


def refuse_field_value(rule: str, param: str, value: object, values: Sequence[str]) -> Refusal:
    """The refusal of a value outside of a closed list."""
    *most, last = (f"'{each}'" for each in values)
    allowed = f"{', '.join(most)}{',' if len(most) > 1 else ''} and {last}" if most else last
    message = f"Invalid value: '{value}'. Supported values are: {allowed}."
    return refusals.write_openai_refusal(rule, message, param=param, code="invalid_value")


def refuse_field_name(rule: str, param: str) -> Refusal:
    """The refusal of a tool's name with other letters than it may have."""
    message = (
        f"Invalid '{param}': string does not match pattern. "
        "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    )
    return refusals.write_openai_refusal(rule, message, param=param, code="invalid_value")


def refuse_field_type(
    param: str, value: object, types: Sequence[type], rules: ViolationRules = RESPONSES
) -> Refusal:
    """The refusal of a value of another type."""
    wanted = " or ".join(NAMES[each] for each in types)
    if len(types) > 1:
        wanted = f"one of {wanted}"
    got = NAMES.get(type(value), "an object")
    message = f"Invalid type for '{param}': expected {wanted}, but got {got} instead."
    return refusals.write_openai_refusal(rules.type, message, param=param, code="invalid_type")


def refuse_field_length(rule: str, param: str, value: str | list[object], most: float) -> Refusal:
    """The refusal of a string or an array that is too long."""
    sort, name = ("string", "a string") if isinstance(value, str) else ("array", "an array")
    message = (
        f"Invalid '{param}': {sort} too long. Expected {name} with maximum length {int(most)}, "
        f"but got {name} with length {len(value)} instead."
    )
    return refusals.write_openai_refusal(
        rule, message, param=param, code=f"{sort}_above_max_length"
    )


def expect_field_type(
    param: str, value: object, types: tuple[type, ...], rules: ViolationRules = RESPONSES
) -> None:
    """Refuse a value of another type, null among them."""
    of_type = isinstance(value, types) and (not isinstance(value, bool) or bool in types)
    whole = isinstance(value, int) and not isinstance(value, bool) and float in types
    if types and not of_type and not whole:
        raise refuse_field_type(param, value, types, rules)


def check_field(
    param: str, value: object, field: FieldRule, rules: ViolationRules = RESPONSES
) -> None:
    """Refuse a value that its field cannot hold; null stands for its absence."""
    if value is None:
        return
    expect_field_type(param, value, field.types, rules)
    if isinstance(value, str):
        if field.values and value not in field.values:
            raise refuse_field_value(rules.value, param, value, field.values)
        _check_length(param, value, field, rules)
    elif isinstance(value, list):
        for place, each in enumerate(value if field.values else ()):
            if each not in field.values:
                raise refuse_field_value(rules.value, f"{param}[{place}]", each, field.values)
        if str not in field.types:  # where a text may stand as well, the bounds are the text's
            _check_length(param, value, field, rules)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_number(param, value, field, rules)


def check_field_keys(
    param: str, value: Mapping[str, object], fields: Mapping[str, FieldRule]
) -> None:
    """Refuse the first unknown key of an object, then the first value out of bounds."""
    for key in value:
        if key not in fields:
            raise refuse_unknown_field(f"{param}.{key}" if param else key)
    for key, field in fields.items():
        check_field(f"{param}.{key}" if param else key, value.get(key), field)


def check_metadata(metadata: object, rules: ViolationRules = RESPONSES) -> None:
    """Refuse metadata with too many pairs, or with keys or values too long."""
    check_field("metadata", metadata, FieldRule((dict,)), rules)
    if not isinstance(metadata, dict):
        return
    if len(metadata) > 16:
        message = (
            "Invalid 'metadata': too many properties. Expected an object with at most 16 "
            f"properties, but got an object with {len(metadata)} properties instead."
        )
        code = "object_above_max_properties"
        raise refusals.write_openai_refusal(rules.bounds, message, param="metadata", code=code)
    for key, value in metadata.items():
        if len(key) > 64:
            raise refuse_field_length(rules.bounds, "metadata", key, 64)
        check_field(f"metadata.{key}", value, FieldRule((str,), 0, 512), rules)


def _check_number(param: str, value: float, field: FieldRule, rules: ViolationRules) -> None:
    word = "integer" if int in field.types else "decimal"
    if field.low is not None and value < field.low:
        side, sign, bound, code = "below minimum", ">=", field.low, "below_min_value"
    elif field.high is not None and value > field.high:
        side, sign, bound, code = "above maximum", "<=", field.high, "above_max_value"
    else:
        return
    message = (
        f"Invalid '{param}': {word} {side} value. "
        f"Expected a value {sign} {bound:g}, but got {value} instead."
    )
    raise refusals.write_openai_refusal(rules.bounds, message, param=param, code=f"{word}_{code}")


def _check_length(
    param: str, value: str | list[object], field: FieldRule, rules: ViolationRules
) -> None:
    if field.low and len(value) < field.low:
        sort, name = ("string", "a string") if isinstance(value, str) else ("array", "an array")
        message = (
            f"Invalid '{param}': empty {sort}. Expected {name} with minimum length "
            f"{field.low:g}, but got an empty {sort} instead."
        )
        raise refusals.write_openai_refusal(
            rules.bounds, message, param=param, code=f"empty_{sort}"
        )
    if field.high is not None and len(value) > field.high:
        raise refuse_field_length(rules.bounds, param, value, field.high)
