"""What a chat completions request may be: the rules, in the order in which the vendor applies them.

Every rule refuses with the vendor's own words. Nothing here renders, generates or remembers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from director.models.capabilities import Capabilities, read_capabilities
from director.models.windows import set_window
from director.testing.double import refusals, texts
from director.testing.double.chat.messages import (
    check_chat_message,
    check_chat_message_pairs,
    check_chat_messages,
)
from director.testing.double.field_types import (
    CHAT,
    FieldRule,
    check_field,
    check_metadata,
    expect_field_type,
    refuse_field_name,
    refuse_missing_field,
    refuse_unknown_field,
)
from director.testing.double.provider_profiles import ServerProfile
from director.testing.double.shapes import as_list, as_mapping

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
TIERS = ("auto", "default", "flex", "scale", "priority", "fast")
FIELDS: dict[str, FieldRule] = {
    "messages": FieldRule((list,), low=1),
    "model": FieldRule((str,)),
    "audio": FieldRule((dict,)),
    "frequency_penalty": FieldRule((float,), low=-2, high=2),
    "logit_bias": FieldRule((dict,)),
    "logprobs": FieldRule((bool,)),
    "max_completion_tokens": FieldRule((int,), low=1),
    "max_tokens": FieldRule((int,), low=1),
    "metadata": FieldRule((dict,)),
    "modalities": FieldRule((list,)),
    "moderation": FieldRule((dict,)),
    "n": FieldRule((int,), low=1, high=128),
    "parallel_tool_calls": FieldRule((bool,)),
    "prediction": FieldRule((dict,)),
    "presence_penalty": FieldRule((float,), low=-2, high=2),
    "prompt_cache_key": FieldRule((str,)),
    "prompt_cache_options": FieldRule((dict,)),
    "prompt_cache_retention": FieldRule((str,), values=("in_memory", "24h")),
    "reasoning_effort": FieldRule((str,), values=EFFORTS),
    "response_format": FieldRule((dict,)),
    "safety_identifier": FieldRule((str,), high=64),
    "seed": FieldRule((int,)),
    "service_tier": FieldRule((str,), values=TIERS),
    "stop": FieldRule(),
    "store": FieldRule((bool,)),
    "stream": FieldRule((bool,)),
    "stream_options": FieldRule((dict,)),
    "temperature": FieldRule((float,), low=0, high=2),
    "tool_choice": FieldRule(),
    "tools": FieldRule((list,), low=1, high=128),
    "top_logprobs": FieldRule((int,), low=0, high=20),
    "top_p": FieldRule((float,), low=0, high=1),
    "user": FieldRule((str,)),
    "verbosity": FieldRule((str,), values=("low", "medium", "high")),
    "web_search_options": FieldRule((dict,)),
}
SAMPLING = (
    "temperature",
    "top_p",
    "logprobs",
    "top_logprobs",
    "presence_penalty",
    "frequency_penalty",
    "logit_bias",
)
NAME = re.compile(r"[a-zA-Z0-9_-]+")
KINDS = FieldRule((str,), values=("function", "custom"))


@dataclass(frozen=True, slots=True)
class CheckedChatRequest:
    """A request that kept the rules of its shape, with what its model can do."""

    model: str
    can: Capabilities
    messages: tuple[Mapping[str, object], ...]
    tools: tuple[Mapping[str, object], ...]
    body: Mapping[str, object]


def get_chat_capabilities(profile: ServerProfile, model: str) -> Capabilities:
    """What a model can do at the server that the double plays."""
    try:
        can = read_capabilities(profile.owner, model)
    except KeyError:
        can = read_capabilities("chat", model)
    return set_window(can, profile.window or None, "set")


def check_chat_request(profile: ServerProfile, body: Mapping[str, object]) -> CheckedChatRequest:
    """The request, if it breaks none of the rules; what is left to check is the window."""
    model = body.get("model")
    if not model:
        raise refusals.write_openai_refusal(
            "chat.model_missing", "you must provide a model parameter"
        )
    if "messages" not in body:
        raise refuse_missing_field("chat.required", "messages")
    for key in body if profile.strict else ():
        if key not in FIELDS:
            raise refuse_unknown_field(key, CHAT)
    for key, field in FIELDS.items():
        check_field(key, body.get(key), field, CHAT)
    check_metadata(body.get("metadata"), CHAT)
    messages = check_chat_messages(as_list(body["messages"]), strict=profile.strict)
    tools = _check_tools(as_list(body.get("tools")))
    can = get_chat_capabilities(profile, str(model))
    if profile.strict:
        _check_model(str(model), can)
        _check_abilities(body, can)
    _check_choice(body, tools)
    if profile.strict:
        check_chat_message(messages)
    if profile.pairing:
        check_chat_message_pairs(messages)
    return CheckedChatRequest(str(model), can, messages, tools, body)


def check_chat_window(can: Capabilities, tokens: int) -> None:
    """Refuse a context that is larger than the model takes."""
    if tokens > can.max_input:
        raise refusals.write_openai_refusal(
            "C6",
            texts.CHAT_WINDOW.format(limit=can.max_input, size=tokens),
            param="messages",
            code="context_length_exceeded",
        )


def _check_tools(tools: Sequence[object]) -> tuple[Mapping[str, object], ...]:
    made: list[Mapping[str, object]] = []
    for place, tool in enumerate(tools):
        where = f"tools[{place}]"
        expect_field_type(where, tool, (dict,), CHAT)
        found = as_mapping(tool)
        if "type" not in found:
            raise refuse_missing_field("chat.required", f"{where}.type")
        check_field(f"{where}.type", found["type"], KINDS, CHAT)
        made.append(found)
        if found["type"] == "function":
            _check_function(found, where)
    return tuple(made)


def _check_function(tool: Mapping[str, object], where: str) -> None:
    if "function" not in tool:
        raise refuse_missing_field("C3", f"{where}.function")
    expect_field_type(f"{where}.function", tool["function"], (dict,), CHAT)
    function = as_mapping(tool["function"])
    param = f"{where}.function.name"
    if "name" not in function:
        raise refuse_missing_field("chat.required", param)
    check_field(param, function["name"], FieldRule((str,), 1, 64), CHAT)
    if not NAME.fullmatch(str(function["name"])):
        raise refuse_field_name("chat.tool_name", param)


def _check_model(model: str, can: Capabilities) -> None:
    if not can.known:
        raise refusals.write_openai_refusal(
            "chat.model",
            texts.NO_SUCH_MODEL.format(model=model),
            status=404,
            code="model_not_found",
        )


def _check_abilities(body: Mapping[str, object], can: Capabilities) -> None:
    if can.reasoning and body.get("max_tokens") is not None:
        raise refusals.write_openai_refusal(
            "C5",
            texts.UNSUPPORTED.format(param="max_tokens") + " Use 'max_completion_tokens' instead.",
            param="max_tokens",
            code="unsupported_parameter",
        )
    samples = can.sampling or body.get("reasoning_effort") == "none"
    refused = () if samples else SAMPLING
    for name in refused + (() if can.reasoning else ("reasoning_effort",)):
        if body.get(name) is not None:
            raise refusals.write_openai_refusal(
                "chat.sampling",
                texts.UNSUPPORTED.format(param=name),
                param=name,
                code="unsupported_parameter",
            )
    _check_amount(body, can)
    if body.get("n") not in (None, 1):
        raise refusals.write_openai_refusal(
            "chat.n",
            f"Unsupported value: 'n' does not support {body['n']} with this model."
            " Only the default (1) value is supported.",
            param="n",
            code="unsupported_value",
            defect=False,
        )


def _check_amount(body: Mapping[str, object], can: Capabilities) -> None:
    for name in ("max_completion_tokens", "max_tokens"):
        wanted = body.get(name)
        if isinstance(wanted, int) and wanted > can.max_output:
            raise refusals.write_openai_refusal(
                "chat.max_output",
                f"{name} is too large: {wanted}. This model supports at most {can.max_output}"
                f" completion tokens, whereas you provided {wanted}.",
                param=name,
                code="invalid_value",
            )


def _check_choice(body: Mapping[str, object], tools: Sequence[Mapping[str, object]]) -> None:
    if body.get("stream_options") is not None and body.get("stream") is not True:
        raise refusals.write_openai_refusal(
            "chat.stream_options",
            texts.STREAM_OPTIONS,
            param="stream_options",
        )
    choice = as_mapping(body.get("tool_choice"))
    if choice.get("type") == "function":
        name = as_mapping(choice.get("function")).get("name")
        if name not in {as_mapping(tool.get("function")).get("name") for tool in tools}:
            raise refusals.write_openai_refusal(
                "chat.tool_choice",
                texts.NO_SUCH_TOOL.format(name=name),
                param="tool_choice",
            )
    for key in ("tool_choice", "parallel_tool_calls"):
        if body.get(key) is not None and not tools:
            raise refusals.write_openai_refusal(
                "chat.no_tools",
                f"Invalid value for '{key}': '{key}' is only allowed when 'tools' are specified.",
                param=key,
            )
