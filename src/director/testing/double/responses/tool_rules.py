"""The rules for the tools of a request, and for the choice among them.

Nothing here calls a tool or keeps one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from director.testing.double import refusals, texts
from director.testing.double.exchange import Refusal
from director.testing.double.field_types import (
    refuse_field_length,
    refuse_field_name,
    refuse_field_type,
    refuse_field_value,
    refuse_missing_field,
    refuse_unknown_field,
)

NAME = re.compile(r"[a-zA-Z0-9_-]+")
NAMED = ("function", "custom")
KEYS = {
    "function": frozenset(
        "type name description parameters strict allowed_callers async defer_loading "
        "output_schema".split()
    ),
    "custom": frozenset("type name description format allowed_callers async defer_loading".split()),
}
HOSTED = (
    "file_search computer computer_use_preview web_search web_search_2025_08_26 mcp "
    "code_interpreter programmatic_tool_calling image_generation local_shell shell namespace "
    "tool_search web_search_preview web_search_preview_2025_03_11 apply_patch"
).split()


def list_tool_names(tools: object) -> tuple[str, ...]:
    """The names of tools; a hosted one goes by its type."""
    found = tools if isinstance(tools, list) else []
    return tuple(
        str(tool.get("name") or tool.get("type")) for tool in found if isinstance(tool, dict)
    )


def check_tools(tools: object) -> None:
    """Refuse tools of the wrong shape, with a bad or repeated name, or a loose strict schema."""
    seen: set[str] = set()
    for place, tool in enumerate(tools if isinstance(tools, list) else []):
        where = f"tools[{place}]"
        if not isinstance(tool, dict):
            raise refuse_field_type(where, tool, (dict,))
        kind = str(tool.get("type"))
        if kind in HOSTED:
            continue
        if kind not in NAMED:
            raise refuse_field_value("R9", f"{where}.type", kind, (*NAMED, *HOSTED))
        _check_named(tool, kind, where)
        name = str(tool["name"])
        if name in seen:
            message = f"Invalid 'tools': the tool name '{name}' is used more than once."
            raise refusals.write_openai_refusal(
                "R9", message, param=f"{where}.name", code="invalid_value"
            )
        seen.add(name)


def _check_named(tool: Mapping[str, object], kind: str, where: str) -> None:
    name = tool.get("name")
    if not isinstance(name, str):
        raise refuse_missing_field("R9", f"{where}.name")
    for key in tool:
        if key not in KEYS[kind]:
            raise refuse_unknown_field(f"{where}.{key}")
    if not NAME.fullmatch(name):
        raise refuse_field_name("R9", f"{where}.name")
    if len(name) > 128:
        raise refuse_field_length("R9", f"{where}.name", name, 128)
    schema = tool.get("parameters")
    if isinstance(schema, dict) and tool.get("strict"):
        for fault in _loose(schema, ()):
            raise _bad_schema(name, f"{where}.parameters", fault)


def _bad_schema(name: str, param: str, fault: str) -> Refusal:
    message = f"Invalid schema for function '{name}': {fault}"
    return refusals.write_openai_refusal(
        "R9", message, param=param, code="invalid_function_parameters"
    )


def is_tool_strict(schema: object) -> bool:
    """Whether a schema could be followed to the letter; what an omitted `strict` becomes."""
    return isinstance(schema, dict) and not any(_loose(schema, ()))


def _loose(schema: Mapping[str, object], path: tuple[str, ...]) -> Iterator[str]:
    """What keeps a schema from being strict, outermost first."""
    properties = schema.get("properties")
    if schema.get("type") == "object" or isinstance(properties, dict):
        keys = list(properties) if isinstance(properties, dict) else []
        if schema.get("additionalProperties") is not False:
            yield (
                f"In context={path!r}, 'additionalProperties' is required to be supplied and "
                "to be false."
            )
        required = schema.get("required")
        listed = required if isinstance(required, list) else []
        for key in keys:
            if key not in listed:
                yield (
                    f"In context={path!r}, 'required' is required to be supplied and to be an "
                    f"array including every key in properties. Missing '{key}'."
                )
    for key, each in properties.items() if isinstance(properties, dict) else ():
        if isinstance(each, dict):
            yield from _loose(each, (*path, "properties", str(key)))
    items = schema.get("items")
    if isinstance(items, dict):
        yield from _loose(items, (*path, "items"))


def check_tool_choice(choice: object, tools: object) -> None:
    """Refuse the choice of a tool that is not there."""
    names = list_tool_names(tools)
    if isinstance(choice, str):
        if choice not in ("none", "auto", "required"):
            raise refuse_field_value("R10", "tool_choice", choice, ("none", "auto", "required"))
        if choice == "required" and not names:
            message = "Tool choice 'required' must be specified with 'tools' parameter."
            raise refusals.write_openai_refusal("R10", message, param="tool_choice")
    elif isinstance(choice, dict):
        allowed = choice.get("tools") if choice.get("type") == "allowed_tools" else None
        for each in allowed if isinstance(allowed, list) else [choice]:
            _check_chosen(each, names)


def _check_chosen(choice: Mapping[str, object], names: tuple[str, ...]) -> None:
    kind = str(choice.get("type"))
    name = choice.get("name") if kind in NAMED else kind
    if not isinstance(name, str):
        raise refuse_missing_field("R10", "tool_choice.name")
    if name not in names:
        message = texts.NO_SUCH_TOOL.format(name=name)
        raise refusals.write_openai_refusal("R10", message, param="tool_choice")
