"""Tools: a Python function as a model sees it, in the three wire forms, and its calls.

A tool's name is what the wire allows, its schema strict where it can be. Nothing here decides
whether a call may be made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from director.errors import DirectorError
from director.models import docstrings
from director.models.arguments import (
    check_argument_value,
    describe_argument_form,
    parse_argument_object,
    read_argument_members,
)
from director.models.schemas import SchemaError, list_schema_members, make_parameters_schema

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SCHEMA_SHOWN = 2_000


class ToolFormError(DirectorError, ValueError):
    """A tool in a wire form that cannot be read."""


class ToolArgumentError(DirectorError, ValueError):
    """Arguments that do not fit; its text is meant for the model that wrote them."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what a model is told of it and, where it is ours, the function that does it.

    `typed` says that the function's own hints are the schema, so arguments are read by them.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    strict: bool = False
    run: Callable[..., object] | None = field(default=None, compare=False, repr=False)
    typed: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ToolFormError(
                f"{self.name!r} is no name for a tool: 1 to 64 letters, digits, '_' and '-'."
            )


def tool(function: Callable[..., object]) -> Tool:
    """A tool from a function with type hints; its docstring is what a model reads."""
    parameters, strict = make_parameters_schema(function)
    name = getattr(function, "__name__", "")
    if not _NAME.fullmatch(name):
        raise SchemaError(f"{function!r} has no name that a tool can have.")
    description, _ = docstrings.parse_docstring(function.__doc__)
    return Tool(name, description, parameters, strict, function, typed=True)


def read_tool_arguments(tool: Tool, args_json: str) -> dict[str, object]:
    """The arguments of a call as values; `ToolArgumentError` says all that is wrong with them."""
    problems: list[str] = []
    given = parse_argument_object(args_json, problems)
    members = list_schema_members(tool.run) if tool.typed and tool.run is not None else None
    read = given
    if not problems and members is not None:
        read = read_argument_members(members, given, "", problems)
    elif not problems:
        check_argument_value(tool.parameters, given, "", problems)
    if problems:
        schema = json.dumps(tool.parameters, ensure_ascii=False)[:_SCHEMA_SHOWN]
        right = describe_argument_form(members) if members is not None else schema
        listed = "\n".join(f"- {problem.removeprefix(': ')}" for problem in problems)
        raise ToolArgumentError(
            f"{tool.name} was not run: its arguments are wrong.\n{listed}\nThe right form: {right}"
        )
    return read


def call_tool(tool: Tool, args_json: str) -> object:
    """Run a tool with the arguments that a model wrote; of an async function, its awaitable."""
    if tool.run is None:
        raise ToolFormError(f"{tool.name} has no function to run.")
    return tool.run(**read_tool_arguments(tool, args_json))


def write_responses_tool(tool: Tool, *, strict_tools: bool = True) -> dict[str, object]:
    """The tool as Responses takes it; a server that knows nothing of strictness is told nothing."""
    return {"type": "function", **_function(tool, strict_tools=strict_tools)}


def write_chat_tool(tool: Tool, *, strict_tools: bool = True) -> dict[str, object]:
    """The tool as Chat Completions takes it."""
    return {"type": "function", "function": _function(tool, strict_tools=strict_tools)}


def write_anthropic_tool(tool: Tool, *, strict_tools: bool = True) -> dict[str, object]:
    """The tool as Anthropic takes it; strictness is said only where it is wanted."""
    said = {"strict": True} if tool.strict and strict_tools else {}
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.parameters),
        **said,
    }


def read_responses_tool(said: Mapping[str, object]) -> Tool:
    """The tool that a Responses request describes."""
    if said.get("type") != "function" or "function" in said:
        raise ToolFormError(f"Not a function tool of Responses: {sorted(said)}.")
    return _read(said, "parameters")


def read_chat_tool(said: Mapping[str, object]) -> Tool:
    """The tool that a Chat Completions request describes."""
    inner = said.get("function")
    if said.get("type") != "function" or not isinstance(inner, Mapping):
        raise ToolFormError(f"Not a function tool of Chat Completions: {sorted(said)}.")
    return _read(inner, "parameters")


def read_anthropic_tool(said: Mapping[str, object]) -> Tool:
    """The tool that a Messages request describes; tools that Anthropic runs are none of ours."""
    if said.get("type", "custom") not in ("custom", None) or "input_schema" not in said:
        raise ToolFormError(f"Not a client's tool of Messages: {sorted(said)}.")
    return _read(said, "input_schema")


def _function(tool: Tool, *, strict_tools: bool) -> dict[str, object]:
    said = {"strict": tool.strict} if strict_tools else {}
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        **said,
    }


def limit_tool_schema_strictness(tool: Tool) -> Tool:
    """The tool, called strict only if its schema is; providers refuse one that only says so."""
    return replace(tool, strict=False) if tool.strict and not _is_closed(tool.parameters) else tool


def _is_closed(schema: object) -> bool:
    """Whether a schema allows no other keys and requires all, at every depth."""
    if isinstance(schema, list | tuple):
        return all(map(_is_closed, schema))
    if not isinstance(schema, Mapping):
        return True
    properties = schema.get("properties")
    keys = properties.keys() if isinstance(properties, Mapping) else ()
    required = schema.get("required")
    if schema.get("type") == "object" or keys:
        if schema.get("additionalProperties") is not False:
            return False
        if not set(keys) <= set(required if isinstance(required, list | tuple) else ()):
            return False
    inner = [schema.get(name) for name in ("items", "anyOf", "oneOf", "allOf")]
    for name in ("properties", "$defs", "definitions"):
        held = schema.get(name)
        inner += held.values() if isinstance(held, Mapping) else ()
    return all(map(_is_closed, inner))


def _read(said: Mapping[str, object], key: str) -> Tool:
    name, parameters = said.get("name"), said.get(key)
    if not isinstance(name, str):
        raise ToolFormError("A tool needs a name.")
    if parameters is None:
        parameters = {"type": "object", "properties": {}}
    if not isinstance(parameters, Mapping):
        raise ToolFormError(f"{name}: its {key} must be a JSON schema.")
    return Tool(name, str(said.get("description") or ""), parameters, said.get("strict") is True)
