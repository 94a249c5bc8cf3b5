"""The rules about a request by itself: its fields, tools, model and window, and their order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from double.responses_room import (
    HI,
    PLAIN,
    TOOL,
    Room,
    ask,
    asking,
    output,
    result,
    room,
)


@pytest.fixture
def here() -> Iterator[Room]:
    """A double of OpenAI with a plain brain."""
    with room() as made:
        yield made


def test_r9_a_tool_of_the_chat_api_is_refused(here: Room) -> None:
    """R9: in this API a tool is flat."""
    nested = {"type": "function", "function": {"name": "look", "parameters": {}}}
    here.refused(
        "R9",
        asking(here, tools=[nested]),
        "Missing required parameter: 'tools[0].name'.",
        param="tools[0].name",
        code="missing_required_parameter",
    )
    ask(here, tools=[TOOL])


def test_r9_a_tools_name_is_plain_and_its_own(here: Room) -> None:
    """R9: letters, digits, dashes; and each once."""
    here.refused(
        "R9",
        asking(here, tools=[{**TOOL, "name": "look at"}]),
        "Invalid 'tools[0].name': string does not match pattern. "
        "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        param="tools[0].name",
        code="invalid_value",
    )
    here.refused(
        "R9",
        asking(here, tools=[TOOL, TOOL]),
        "Invalid 'tools': the tool name 'look' is used more than once.",
        param="tools[1].name",
        code="invalid_value",
    )


def test_r9_a_strict_schema_is_closed_and_complete(here: Room) -> None:
    """R9: no other keys, and all of them required, at every depth."""
    loose = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
    here.refused(
        "R9",
        asking(here, tools=[{**TOOL, "parameters": loose}]),
        "Invalid schema for function 'look': In context=(), 'additionalProperties' is required "
        "to be supplied and to be false.",
        param="tools[0].parameters",
        code="invalid_function_parameters",
    )
    inner = {
        "type": "object",
        "properties": {"at": {**loose, "required": [], "additionalProperties": False}},
        "required": ["at"],
        "additionalProperties": False,
    }
    here.refused(
        "R9",
        asking(here, tools=[{**TOOL, "parameters": inner}]),
        "Invalid schema for function 'look': In context=('properties', 'at'), 'required' is "
        "required to be supplied and to be an array including every key in properties. "
        "Missing 'at'.",
        param="tools[0].parameters",
        code="invalid_function_parameters",
    )
    ask(here, tools=[{**TOOL, "parameters": loose, "strict": False}])


def test_r10_a_chosen_tool_is_among_the_tools(here: Room) -> None:
    """R10: one cannot choose what is not there."""
    choice = {"type": "function", "name": "leap"}
    here.refused(
        "R10",
        asking(here, tools=[TOOL], tool_choice=choice),
        "Tool choice 'leap' not found in 'tools' parameter.",
        param="tool_choice",
    )
    ask(here, tools=[TOOL], tool_choice={"type": "function", "name": "look"})


@pytest.mark.parametrize(
    ("more", "message", "param", "code"),
    [
        (
            {"max_output_tokens": 1},
            (
                "Invalid 'max_output_tokens': integer below minimum value. "
                "Expected a value >= 16, but got 1 instead."
            ),
            "max_output_tokens",
            "integer_below_min_value",
        ),
        (
            {"max_output_tokens": "20"},
            "Invalid type for 'max_output_tokens': expected an integer, but got a string instead.",
            "max_output_tokens",
            "invalid_type",
        ),
        (
            {"truncation": "bogus"},
            "Invalid value: 'bogus'. Supported values are: 'auto' and 'disabled'.",
            "truncation",
            "invalid_value",
        ),
        (
            {"text": {"verbosity": "bogus"}},
            "Invalid value: 'bogus'. Supported values are: 'low', 'medium', and 'high'.",
            "text.verbosity",
            "invalid_value",
        ),
        (
            {"metadata": {str(n): "" for n in range(17)}},
            (
                "Invalid 'metadata': too many properties. Expected an object with at most 16 "
                "properties, but got an object with 17 properties instead."
            ),
            "metadata",
            "object_above_max_properties",
        ),
        (
            {"metadata": {"k": "v" * 513}},
            (
                "Invalid 'metadata.k': string too long. Expected a string with maximum length 512, "
                "but got a string with length 513 instead."
            ),
            "metadata.k",
            "string_above_max_length",
        ),
        (
            {"context_management": [{"type": "compaction", "compact_threshold": 999}]},
            (
                "Invalid 'context_management[0].compact_threshold': integer below minimum value. "
                "Expected a value >= 1000, but got 999 instead."
            ),
            "context_management[0].compact_threshold",
            "integer_below_min_value",
        ),
    ],
)
def test_r11_a_value_has_its_type_and_bounds(
    here: Room, more: dict[str, object], message: str, param: str, code: str
) -> None:
    """R11: types, minimums, lengths and closed lists."""
    here.refused("R11", asking(here, **more), message, param=param, code=code)


def test_r11_what_is_within_bounds_passes(here: Room) -> None:
    """R11: the bounds themselves are allowed."""
    metadata = {str(n): "v" * 512 for n in range(16)}
    ask(here, max_output_tokens=16, metadata=metadata, truncation="auto")
    assert here.clean()


def test_r11_a_call_id_is_not_too_long(here: Room) -> None:
    """R11: at most 64, and not empty."""
    call = {"type": "function_call", "call_id": "c" * 65, "name": "look", "arguments": "{}"}
    here.refused(
        "R11",
        asking(here, [call]),
        "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64, "
        "but got a string with length 65 instead.",
        param="input[0].call_id",
        code="string_above_max_length",
    )
    short = {**call, "call_id": "c" * 64}
    ask(here, [short, result(short)])


def test_r12_sampling_is_not_for_models_that_reason(here: Room) -> None:
    """R12: unless they are told not to reason."""
    for param, value in (("temperature", 0.5), ("top_p", 0.5), ("top_logprobs", 1)):
        here.refused(
            "R12",
            asking(here, **{param: value}),
            f"Unsupported parameter: '{param}' is not supported with this model.",
            param=param,
            code="unsupported_parameter",
        )
    ask(here, temperature=0.5, reasoning={"effort": "none"})
    here.post("/responses", {"model": PLAIN, "input": "hi", "temperature": 0.5})


def test_r13_an_unknown_field_is_refused(here: Room) -> None:
    """R13: at the top and within items; other servers take anything."""
    here.refused(
        "R13",
        asking(here, messages=[]),
        "Unknown parameter: 'messages'.",
        param="messages",
        code="unknown_parameter",
    )
    here.refused(
        "R13",
        asking(here, [{**HI, "name": "me"}]),
        "Unknown parameter: 'input[0].name'.",
        param="input[0].name",
        code="unknown_parameter",
    )
    with room(profile="vllm") as lenient:
        ask(lenient, [{**HI, "name": "me"}], messages=[])
        assert lenient.clean()


def test_r15_a_compaction_trigger_comes_last(here: Room) -> None:
    """R15: and then the answer is the compaction alone."""
    trigger = {"type": "compaction_trigger"}
    here.refused(
        "R15",
        asking(here, [trigger, HI]),
        "Invalid 'input': 'compaction_trigger' must be the last input item.",
        param="input",
        code="invalid_value",
    )
    assert [item["type"] for item in output(ask(here, [HI, trigger]))] == ["compaction"]


def test_r20_what_is_over_the_window_is_refused(here: Room) -> None:
    """R20: unless the server may drop from the start."""
    long = [{"role": "user", "content": "x" * 4 * 500_000}] * 2
    here.refused(
        "R20",
        asking(here, long),
        "Your input exceeds the context window of this model. "
        "Please adjust your input and try again.",
        param="input",
        code="context_length_exceeded",
    )
    ask(here, long, truncation="auto")
    assert here.double.ledger.lines[-1].dropped == 500_004
    assert len(here.double.generations[-1].seen.items) == 1


def test_r20_a_call_is_dropped_with_its_output(here: Room) -> None:
    """R20: no half of a pair is left behind."""
    call = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
    last = {"role": "user", "content": "y" * 4 * 500_000}
    ask(here, [call, result(call, "x" * 4 * 500_000), HI, last], truncation="auto")
    assert [item.kind for item in here.double.generations[-1].seen.items] == ["user", "user"]
    assert here.clean()


def test_r21_instructions_and_tools_are_not_inherited(here: Room) -> None:
    """R21: the brain sees what this request sent, and the items of the chain."""
    first = ask(here, instructions="Be kind.", tools=[TOOL])
    ask(here, previous_response_id=first["id"])
    before, after = (generation.seen for generation in here.double.generations)
    assert (before.instructions, before.tools) == ("Be kind.", ("look",))
    assert (after.instructions, after.tools) == ("", ())
    assert [item.text for item in after.items] == ["hi", "Here is the answer.", "hi"]


def test_what_is_required_comes_before_what_is_unknown(here: Room) -> None:
    """The model, then the input, then unknown keys, then types, then the model's own rules."""
    bodies: list[tuple[str, dict[str, object], str]] = [
        ("required", {"bogus": 1}, "Missing required parameter: 'model'."),
        ("required", {"model": "no", "bogus": 1}, "Missing required parameter: 'input'."),
        ("R13", {"model": "no", "input": 1, "bogus": 1}, "Unknown parameter: 'bogus'."),
    ]
    for rule, body, message in bodies:
        param = message.split("'")[1]
        code = "unknown_parameter" if rule == "R13" else "missing_required_parameter"
        here.refused(
            rule, lambda body=body: here.post("/responses", body), message, param=param, code=code
        )
    here.refused(
        "model",
        lambda: here.post("/responses", {"model": "no", "input": "hi", "temperature": 1}),
        "The requested model 'no' does not exist.",
        param="model",
        code="model_not_found",
    )
