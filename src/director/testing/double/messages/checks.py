"""What the Messages API asks of a request before it reads the conversation in it.

In the vendor's order: required fields, unknown ones, types and bounds, the model, and what that
model can do. Whether the messages fit together is no question for here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from director.models.capabilities import Capabilities, read_capabilities
from director.testing.double import refusals
from director.testing.double.exchange import UNHEARD_OF, ParsedRequest, Refusal
from director.testing.double.messages.read import (
    CheckedMessagesRequest,
    Json,
    read_blocks,
    read_number,
)
from director.testing.double.shapes import as_list, as_mapping
from director.testing.double.world import World

CLEARING = "context-management-2025-06-27"
COMPACTING = "compact-2026-01-12"
SUMMARIZING = "compact-2026-09-04"
THREADING = "message-threads-2026-08-12"
BINDING = "thinking-binding-controls-2026-08-01"

GATES: dict[str, tuple[str, ...]] = {
    "context_management": (CLEARING, COMPACTING),
    "compaction": (SUMMARIZING,),
    "thread": (THREADING,),
}
EDIT_GATES = {
    "clear_thinking_20251015": CLEARING,
    "clear_tool_uses_20250919": CLEARING,
    "compact_20260112": COMPACTING,
}
EDIT_FIELDS: dict[str, frozenset[str]] = {
    "clear_thinking_20251015": frozenset("type keep".split()),
    "clear_tool_uses_20250919": frozenset(
        "type trigger keep clear_at_least exclude_tools clear_tool_inputs".split()
    ),
    "compact_20260112": frozenset("type trigger instructions pause_after_compaction".split()),
}
COUNT_FIELDS: dict[str, str] = {
    "model": "string",
    "messages": "list",
    "system": "string or list",
    "tools": "list",
    "tool_choice": "object",
    "thinking": "object",
    "output_config": "object",
    "speed": "string?",
    "cache_control": "object?",
    "context_management": "object?",
    "compaction": "object?",
    "mcp_servers": "list",
}
FIELDS: dict[str, str] = {
    **COUNT_FIELDS,
    "max_tokens": "integer",
    "stream": "boolean",
    "temperature": "number",
    "top_p": "number",
    "top_k": "integer",
    "stop_sequences": "list",
    "metadata": "object",
    "service_tier": "string",
    "container": "any",
    "inference_geo": "string?",
    "diagnostics": "object?",
    "fallbacks": "any",
    "fallback_credit_token": "any",
    "thread": "object?",
}
TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "Input should be a valid string"),
    "integer": ((int,), "Input should be a valid integer"),
    "number": ((int, float), "Input should be a valid number"),
    "boolean": ((bool,), "Input should be a valid boolean"),
    "list": ((list, tuple), "Input should be a valid list"),
    "object": ((Mapping,), "Input should be an object"),
    "string or list": ((str, list, tuple), "Input should be a valid string"),
}
BLOCKS: dict[str, tuple[str, str]] = {
    "text": ("text", "citations cache_control"),
    "image": ("source", "transformations cache_control"),
    "document": ("source", "title context citations cache_control"),
    "search_result": ("source title content", "citations cache_control"),
    "thinking": ("thinking signature", ""),
    "redacted_thinking": ("data", ""),
    "tool_use": ("id name input", "caller toolset_name cache_control"),
    "tool_result": ("tool_use_id", "content is_error toolset_name cache_control"),
    "compaction": ("", "content encrypted_content signature tool_changes cache_control"),
}
HOSTED = re.compile(
    r"server_tool_use|container_upload|fallback|tool_addition|tool_removal"
    r"|mcp_tool_(use|result|listing)|tool_reference|.+_tool_result"
)
TOOL_FIELDS = frozenset(
    "type name description input_schema cache_control strict defer_loading allowed_callers"
    " eager_input_streaming input_examples".split()
)
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
SAMPLING = {"temperature": 1, "top_p": 1, "top_k": None}


def read_messages_betas(asked: ParsedRequest) -> frozenset[str]:
    """The betas that a request asks for."""
    return frozenset(
        name.strip() for name in asked.headers.get("anthropic-beta", "").split(",") if name.strip()
    )


def refuse_extra_field(rule: str, path: str) -> Refusal:
    """The refusal of a field that nobody knows."""
    return refusals.write_anthropic_refusal(rule, f"{path}: Extra inputs are not permitted")


def check_messages_request(
    world: World, asked: ParsedRequest, *, counting: bool = False
) -> CheckedMessagesRequest:
    """The request as a call, when nothing is wrong with its form."""
    strict, betas = world.profile.strict, read_messages_betas(asked)
    provider = "anthropic" if strict else world.profile.name
    body = asked.body if strict else {k: v for k, v in asked.body.items() if k not in GATES}
    _check_required(body, counting=counting)
    fields = COUNT_FIELDS if counting else FIELDS
    if strict:
        _unknown(body, fields, betas)
    _check_types(body, fields)
    if strict:
        _mark("cache_control", body)
        _messages(body, betas)
        _tools(body)
    can = _capabilities(world, str(body["model"]))
    call = CheckedMessagesRequest(body, betas, provider, can)
    if strict:
        _able(call)
    return call


def _capabilities(world: World, model: str) -> Capabilities:
    """What the model can do; a lenient server has a model by any name."""
    found = read_capabilities("anthropic", model)
    if world.profile.strict and not found.known:
        raise refusals.write_anthropic_refusal(
            "M12", f"model: {model}", status=404, kind="not_found_error"
        )
    return found


def _check_required(body: Json, *, counting: bool) -> None:
    for name in ("model", "messages") if counting else ("model", "messages", "max_tokens"):
        if name not in body:
            raise refusals.write_anthropic_refusal("M20", f"{name}: Field required")


def _unknown(body: Json, fields: Mapping[str, str], betas: frozenset[str]) -> None:
    for name, value in body.items():
        if name not in fields:
            raise refuse_extra_field("M12", name)
        if name in GATES and value is not None and not betas & set(GATES[name]):
            raise refuse_extra_field("M14", name)
    thinking = as_mapping(body.get("thinking"))
    if thinking.get("block_binding") is not None and BINDING not in betas:
        raise refuse_extra_field("M14", f"thinking.{thinking.get('type')}.block_binding")
    open_ = [kind for kind, gate in EDIT_GATES.items() if gate in betas]
    edits = as_list(as_mapping(body.get("context_management")).get("edits"))
    for at, edit in enumerate(map(as_mapping, edits)):
        kind = str(edit.get("type"))
        if kind not in open_:
            rule = "M14" if kind in EDIT_GATES else "M12"
            raise _tag(rule, f"context_management.edits.{at}", kind, open_)
        for name in edit.keys() - EDIT_FIELDS[kind]:
            raise refuse_extra_field("M12", f"context_management.edits.{at}.{kind}.{name}")


def _tag(rule: str, path: str, kind: str, expected: list[str]) -> Refusal:
    tags = ", ".join(f"'{tag}'" for tag in expected)
    return refusals.write_anthropic_refusal(
        rule,
        f"{path}: Input tag '{kind}' found using 'type' does not match any of the "
        f"expected tags: {tags}",
    )


def _check_types(body: Json, fields: Mapping[str, str]) -> None:
    for name, value in body.items():
        kind = fields.get(name, "any")
        if kind == "any" or (value is None and kind.endswith("?")):
            continue
        types, words = TYPES[kind.removesuffix("?")]
        if not isinstance(value, types) or (isinstance(value, bool) and kind != "boolean"):
            raise refusals.write_anthropic_refusal("M12", f"{name}: {words}")
    if read_number(body.get("max_tokens"), 0) < 0:
        raise refusals.write_anthropic_refusal(
            "M12", "max_tokens: Input should be greater than or equal to 0"
        )
    messages = as_list(body.get("messages"))
    if not messages and not body.get("compaction"):
        raise refusals.write_anthropic_refusal("M12", "messages: at least one message is required")
    if len(messages) > 100_000:
        raise refusals.write_anthropic_refusal(
            "M12", "messages: at most 100000 messages are allowed"
        )


def _messages(body: Json, betas: frozenset[str]) -> None:
    for at, message in enumerate(map(as_mapping, as_list(body.get("messages")))):
        for name in ("role", "content"):
            if name not in message:
                raise refusals.write_anthropic_refusal(
                    "M20", f"messages.{at}.{name}: Field required"
                )
        if message["role"] not in ("user", "assistant", "system"):
            text = f"messages.{at}.role: Input should be 'user', 'assistant' or 'system'"
            raise refusals.write_anthropic_refusal("M12", text)
        allowed = {"role", "content"}
        if message["role"] == "system":
            allowed |= {"clear_at", "output_config"}
        for name in message.keys() - allowed:
            raise refuse_extra_field("M12", f"messages.{at}.{name}")
        for index, block in enumerate(read_blocks(message["content"])):
            _block(f"messages.{at}.content.{index}", block, betas)
    for index, block in enumerate(read_blocks(body.get("system"))):
        _block(f"system.{index}", block, betas)


def _block(path: str, block: Json, betas: frozenset[str]) -> None:
    kind = str(block.get("type"))
    if kind == UNHEARD_OF or (HOSTED.fullmatch(kind) and kind not in BLOCKS):
        return
    gated = kind == "compaction" and not betas & {COMPACTING, SUMMARIZING}
    if kind not in BLOCKS or gated:
        tags = [name for name in BLOCKS if name != "compaction"]
        raise _tag("M14" if gated else "M12", path, kind, tags)
    required, optional = (names.split() for names in BLOCKS[kind])
    for name in required:
        if name not in block:
            raise refusals.write_anthropic_refusal("M20", f"{path}.{kind}.{name}: Field required")
    for name in block.keys() - {"type", *required, *optional}:
        raise refuse_extra_field("M12", f"{path}.{kind}.{name}")
    _mark(f"{path}.{kind}.cache_control", block)
    if kind == "tool_use" and not isinstance(block["input"], Mapping):
        text = f"{path}.tool_use.input: Input should be a valid dictionary"
        raise refusals.write_anthropic_refusal("M12", text)
    if kind == "tool_result":
        for index, inner in enumerate(read_blocks(block.get("content"))):
            _block(f"{path}.tool_result.content.{index}", inner, betas)


def _mark(path: str, block: Json) -> None:
    """Refuse a cache mark that is none."""
    mark = block.get("cache_control")
    if mark is None:
        return
    given = as_mapping(mark)
    if given.get("type") != "ephemeral":
        raise _tag("M12", path, str(given.get("type")), ["ephemeral"])
    if given.get("ttl") not in (None, "5m", "1h"):
        raise refusals.write_anthropic_refusal(
            "M12", f"{path}.ephemeral.ttl: Input should be '5m' or '1h'"
        )


def _tools(body: Json) -> None:
    names: set[str] = set()
    for at, tool in enumerate(map(as_mapping, as_list(body.get("tools")))):
        name, custom = str(tool.get("name", "")), tool.get("type") in (None, "custom")
        if custom:
            for needed in ("name", "input_schema"):
                if needed not in tool:
                    text = f"tools.{at}.custom.{needed}: Field required"
                    raise refusals.write_anthropic_refusal("M20", text)
            for key in tool.keys() - TOOL_FIELDS:
                raise refuse_extra_field("M12", f"tools.{at}.custom.{key}")
            if not NAME.fullmatch(name):
                text = f"tools.{at}.custom.name: String should match pattern '^{NAME.pattern}$'"
                raise refusals.write_anthropic_refusal("M12", text)
        _mark(f"tools.{at}.custom.cache_control", tool)
        if name and name in names:
            raise refusals.write_anthropic_refusal("M12", "tools: Tool names must be unique.")
        names.add(name)
    choice = as_mapping(body.get("tool_choice"))
    if choice.get("type") == "tool" and choice.get("name") not in names:
        text = f"Tool '{choice.get('name')}' not found in provided tools"
        raise refusals.write_anthropic_refusal("M15", text)


def _able(call: CheckedMessagesRequest) -> None:
    """Refuse what this model cannot do."""
    body, can, asked = call.body, call.can, call.thinking.get("type")
    wanted = read_number(body.get("max_tokens"), 0)
    if wanted > can.max_output:
        text = (
            f"max_tokens: {wanted} > {can.max_output}, which is the maximum allowed number of "
            f"output tokens for {call.model}"
        )
        raise refusals.write_anthropic_refusal("M19", text)
    for name, default in SAMPLING.items():
        if not can.sampling and body.get(name, default) != default:
            raise refusals.write_anthropic_refusal("M15", f"`{name}` is deprecated for this model.")
    if asked == "enabled":
        _budget(call, wanted)
    if asked == "disabled" and not can.forced_tool_choice:
        text = (
            '"thinking.type.disabled" is not supported for this model. Thinking defaults to '
            'adaptive mode when not specified; use "thinking.type.enabled" with '
            '"budget_tokens" for extended thinking.'
        )
        raise refusals.write_anthropic_refusal("M15", text)
    forced = as_mapping(body.get("tool_choice")).get("type") in ("any", "tool")
    if forced and (not can.forced_tool_choice or asked == "enabled"):
        text = "Thinking may not be enabled when tool_choice forces tool use."
        raise refusals.write_anthropic_refusal("M15", text)


def _budget(call: CheckedMessagesRequest, wanted: int) -> None:
    if not call.manual:
        text = (
            '"thinking.type.enabled" is not supported for this model. Use '
            '"thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
        )
        raise refusals.write_anthropic_refusal("M15", text)
    budget = read_number(call.thinking.get("budget_tokens"), 0)
    if budget < 1_024:
        text = "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
        raise refusals.write_anthropic_refusal("M15", text)
    if "max_tokens" in call.body and wanted <= budget:
        text = "`max_tokens` must be greater than `thinking.budget_tokens`."
        raise refusals.write_anthropic_refusal("M15", text)
