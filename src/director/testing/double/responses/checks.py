"""What a request to the Responses API must be before anything is looked up.

In OpenAI's order: what is required, unknown keys, types and bounds, the model, what it can do.
The tables are the API's own; nothing here keeps or renders anything.
"""

from __future__ import annotations

from collections.abc import Mapping

from director.models.capabilities import Capabilities, read_capabilities
from director.models.windows import set_window
from director.testing.double import refusals, texts
from director.testing.double.exchange import UNHEARD_OF, Refusal
from director.testing.double.field_types import (
    FieldRule,
    check_field,
    check_field_keys,
    check_metadata,
    refuse_field_type,
    refuse_field_value,
    refuse_missing_field,
    refuse_unknown_field,
)
from director.testing.double.responses.tool_rules import check_tool_choice, check_tools
from director.testing.double.world import World

FLAG = FieldRule((bool,))
TEXT = FieldRule((str,))
OBJECT = FieldRule((dict,))
ARRAY = FieldRule((list,))
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
SUMMARIES = ("auto", "concise", "detailed")
INCLUDES = (
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
)
TIERS = ("auto", "default", "flex", "scale", "priority", "fast", "ultrafast")

CREATE: dict[str, FieldRule] = {
    "model": TEXT,
    "input": FieldRule((str, list)),
    "access_programs": OBJECT,
    "background": FLAG,
    "context_management": ARRAY,
    "conversation": FieldRule((str, dict)),
    "image": OBJECT,
    "include": FieldRule((list,), values=INCLUDES),
    "instructions": TEXT,
    "max_output_tokens": FieldRule((int,), 16),
    "max_tool_calls": FieldRule((int,), 1),
    "metadata": OBJECT,
    "moderation": OBJECT,
    "parallel_tool_calls": FLAG,
    "previous_response_id": TEXT,
    "prompt": OBJECT,
    "prompt_cache_key": FieldRule((str,), 0, 64),
    "prompt_cache_options": OBJECT,
    "prompt_cache_retention": FieldRule((str,), values=("in_memory", "24h")),
    "reasoning": OBJECT,
    "safety_identifier": FieldRule((str,), 0, 128),
    "service_tier": FieldRule((str,), values=TIERS),
    "store": FLAG,
    "stream": FLAG,
    "stream_options": OBJECT,
    "temperature": FieldRule((float,), 0, 2),
    "text": OBJECT,
    "tool_choice": FieldRule((str, dict)),
    "tools": ARRAY,
    "top_logprobs": FieldRule((int,), 0, 20),
    "top_p": FieldRule((float,), 0, 1),
    "truncation": FieldRule((str,), values=("auto", "disabled")),
    "user": TEXT,
}
COMPACT = {
    key: CREATE[key]
    for key in (
        "model input image instructions previous_response_id prompt_cache_key "
        "prompt_cache_options prompt_cache_retention service_tier"
    ).split()
}
COUNT = {
    key: CREATE[key]
    for key in (
        "model input conversation instructions parallel_tool_calls previous_response_id "
        "reasoning text tool_choice tools truncation"
    ).split()
} | {"personality": TEXT}

NESTED: dict[str, dict[str, FieldRule]] = {
    "reasoning": {
        "effort": FieldRule((str,), values=EFFORTS),
        "summary": FieldRule((str,), values=SUMMARIES),
        "generate_summary": FieldRule((str,), values=SUMMARIES),
        "context": FieldRule((str,), values=("auto", "current_turn", "all_turns")),
        "mode": TEXT,
    },
    "text": {
        "format": OBJECT,
        "verbosity": FieldRule((str,), values=("low", "medium", "high")),
    },
    "prompt_cache_options": {
        "mode": FieldRule((str,), values=("implicit", "explicit")),
        "ttl": FieldRule((str,), values=("30m", "12h")),
        "comparison_response_id": TEXT,
        "prewarm": FLAG,
    },
    "stream_options": {"include_obfuscation": FLAG},
}
MANAGEMENT = {"type": TEXT, "compact_threshold": FieldRule((int,), 1000)}

CALL = FieldRule((str,), 1, 64)
STATUS = FieldRule((str,), values=("in_progress", "completed", "incomplete"))
OUTPUT = FieldRule((str, list), 0, 10_485_760)
PHASE = FieldRule((str,), values=("commentary", "final_answer"))
ROLES = ("user", "system", "developer", "assistant")
OF_CALLS: dict[str, FieldRule] = {
    "id": TEXT,
    "call_id": CALL,
    "caller": OBJECT,
    "namespace": TEXT,
    "status": STATUS,
    "type": TEXT,
}

ITEMS: dict[str, dict[str, FieldRule]] = {
    "message": {
        "role": FieldRule((str,), values=ROLES),
        "content": FieldRule((str, list)),
        "id": TEXT,
        "phase": PHASE,
        "status": STATUS,
        "type": TEXT,
    },
    "function_call": OF_CALLS | {"name": TEXT, "arguments": TEXT, "async": FLAG},
    "function_call_output": OF_CALLS | {"name": TEXT, "output": OUTPUT},
    "custom_tool_call": OF_CALLS | {"name": TEXT, "input": TEXT, "async": FLAG},
    "custom_tool_call_output": OF_CALLS | {"output": OUTPUT},
    "reasoning": {
        "id": TEXT,
        "summary": ARRAY,
        "content": ARRAY,
        "encrypted_content": TEXT,
        "status": STATUS,
        "type": TEXT,
    },
    "compaction": {"id": TEXT, "encrypted_content": TEXT, "type": TEXT},
    "compaction_trigger": {"id": TEXT, "type": TEXT},
    "item_reference": {"id": TEXT, "type": TEXT},
}
# What the provider's own client adds to requests and to any item, beyond the documented fields.
ADDED: dict[str, FieldRule] = {"client_metadata": OBJECT}
ADDED_TO_ITEMS: dict[str, FieldRule] = {"internal_chat_message_metadata_passthrough": OBJECT}
ITEMS = {kind: {**fields, **ADDED_TO_ITEMS} for kind, fields in ITEMS.items()}
NEEDED: dict[str, tuple[str, ...]] = {
    "message": ("role", "content"),
    "function_call": ("call_id", "name", "arguments"),
    "function_call_output": ("call_id", "output"),
    "custom_tool_call": ("call_id", "name", "input"),
    "custom_tool_call_output": ("call_id", "output"),
    "reasoning": ("summary",),
    "compaction": ("encrypted_content",),
    "item_reference": ("id",),
}
HOSTED = (
    "file_search_call computer_call computer_call_output web_search_call tool_search_call "
    "tool_search_output additional_tools configuration_update image_generation_call "
    "code_interpreter_call local_shell_call local_shell_call_output shell_call shell_call_output "
    "apply_patch_call apply_patch_call_output mcp_list_tools mcp_approval_request "
    "mcp_approval_response mcp_call program program_output"
).split()
SAID = ("output_text", "refusal")
GIVEN = ("input_text", "input_image", "input_file")
SAMPLING = ("temperature", "top_p", "top_logprobs")


def get_responses_capabilities(world: World, model: str) -> Capabilities:
    """What the model can do, on the kind of server that the double plays."""
    return set_window(
        read_capabilities(get_responses_provider(world), model), world.profile.window or None, "set"
    )


def get_responses_provider(world: World) -> str:
    """Under which name the catalogue and the price list know this kind of server."""
    return world.profile.owner if world.profile.owner in ("openai", "azure") else "responses"


def check_responses_request(
    world: World, body: Mapping[str, object], fields: Mapping[str, FieldRule]
) -> Capabilities:
    """Refuse what can be refused without looking anything up, in OpenAI's order."""
    _check_required(body, fields)
    fields = {**fields, **ADDED}
    if world.profile.strict:
        for key in body:
            if key not in fields:
                raise refuse_unknown_field(key)
    check_field_keys("", {key: body[key] for key in body if key in fields}, fields)
    _check_nested(body)
    check_responses_items(body.get("input"), "input", strict=world.profile.strict)
    if world.profile.strict:
        check_tools(body.get("tools"))
        check_tool_choice(body.get("tool_choice"), body.get("tools"))
    _check_together(body)
    return _check_model(world, body)


def _check_required(body: Mapping[str, object], fields: Mapping[str, FieldRule]) -> None:
    if body.get("model") is None and body.get("prompt") is None and fields is not COUNT:
        raise refuse_missing_field("required", "model")
    starts = ("input", "previous_response_id", "conversation", "prompt")
    if all(body.get(key) is None for key in starts):
        raise refuse_missing_field("required", "input")
    if body.get("input") == [] and all(body.get(key) is None for key in starts[1:]):
        check_field("input", [], FieldRule((list,), 1))


def _check_nested(body: Mapping[str, object]) -> None:
    for key, fields in NESTED.items():
        found = body.get(key)
        if isinstance(found, dict):
            check_field_keys(key, found, fields)
    check_metadata(body.get("metadata"))
    managed = body.get("context_management")
    for place, each in enumerate(managed if isinstance(managed, list) else []):
        param = f"context_management[{place}]"
        check_field(param, each, OBJECT)
        if each.get("type") != "compaction":
            raise refuse_field_value("R11", f"{param}.type", each.get("type"), ("compaction",))
        check_field_keys(param, each, MANAGEMENT)


def check_responses_items(items: object, param: str, *, strict: bool = True) -> None:
    """Refuse items of an unknown type, and those with a wrong, missing or unknown field."""
    for place, item in enumerate(items if isinstance(items, list) else []):
        where = f"{param}[{place}]"
        if not isinstance(item, dict):
            raise refuse_field_type(where, item, (dict,))
        kind = get_responses_item_kind(item)
        if kind in (*HOSTED, UNHEARD_OF) or (not strict and kind not in ITEMS):
            continue
        if kind not in ITEMS:
            raise refuse_field_value("R11", f"{where}.type", kind, (*ITEMS, *HOSTED))
        for key in NEEDED.get(kind, ()):
            if item.get(key) is None:
                raise refuse_missing_field("R11", f"{where}.{key}")
        known = {key: value for key, value in item.items() if strict or key in ITEMS[kind]}
        check_field_keys(where, known, ITEMS[kind])
        if strict:
            allowed = SAID if item.get("role") == "assistant" else GIVEN
            for key in ("content", "output"):
                if kind != "reasoning":
                    _check_parts(item.get(key), f"{where}.{key}", allowed)


def get_responses_item_kind(item: Mapping[str, object]) -> str:
    """The type of an item; a message and a reference may leave it out."""
    if item.get("type") is None:
        return "message" if "role" in item else "item_reference"
    return str(item["type"])


def _check_parts(parts: object, where: str, allowed: tuple[str, ...]) -> None:
    for place, part in enumerate(parts if isinstance(parts, list) else []):
        param = f"{where}[{place}]"
        if not isinstance(part, dict):
            raise refuse_field_type(param, part, (dict,))
        if part.get("type") not in allowed:
            raise refuse_field_value("R11", param, part.get("type"), allowed)
        key = "refusal" if part["type"] == "refusal" else "text"
        if part["type"] in ("input_text", *SAID) and not isinstance(part.get(key), str):
            raise refuse_missing_field("R11", f"{param}.{key}")


def _check_together(body: Mapping[str, object]) -> None:
    if body.get("conversation") is not None and body.get("previous_response_id") is not None:
        raise refusals.write_openai_refusal(
            "R2",
            "Mutually exclusive parameters: 'conversation' and 'previous_response_id'. Ensure "
            "you are only providing one of: 'previous_response_id' or 'conversation'.",
        )
    if body.get("stream_options") is not None and not body.get("stream"):
        raise refusals.write_openai_refusal("R11", texts.STREAM_OPTIONS, param="stream_options")


def _check_model(world: World, body: Mapping[str, object]) -> Capabilities:
    model = str(body.get("model") or "")
    can = get_responses_capabilities(world, model)
    if world.profile.strict and model and not can.known:
        message = f"The requested model '{model}' does not exist."
        raise refusals.write_openai_refusal("model", message, param="model", code="model_not_found")
    if not world.profile.strict:
        return can
    reasoning = body.get("reasoning")
    effort = reasoning.get("effort") if isinstance(reasoning, dict) else None
    if not can.sampling and effort != "none":
        for key in SAMPLING:
            if body.get(key) is not None:
                raise _refuse_unsupported(key)
    if effort is not None and not can.reasoning:
        raise _refuse_unsupported("reasoning.effort")
    return can


def _refuse_unsupported(param: str) -> Refusal:
    message = texts.UNSUPPORTED.format(param=param)
    return refusals.write_openai_refusal("R12", message, param=param, code="unsupported_parameter")
