"""The small print of a request's shape: each wrong thing gets its own words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from double.responses_room import HI, MODEL, PLAIN, TOOL, Room, ask, output, room

CALL = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
TYPES = "Supported values are: 'output_text' and 'refusal'."


@pytest.fixture
def here() -> Iterator[Room]:
    """A double of OpenAI with a plain brain."""
    with room() as made:
        yield made


@pytest.mark.parametrize(
    ("rule", "more", "message", "param", "code"),
    [
        (
            "R11",
            {"temperature": 3},
            (
                "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 "
                "instead."
            ),
            "temperature",
            "decimal_above_max_value",
        ),
        (
            "R11",
            {"input": 4},
            (
                "Invalid type for 'input': expected one of a string or an array, but got an integer "
                "instead."
            ),
            "input",
            "invalid_type",
        ),
        (
            "R11",
            {"metadata": {"k" * 65: "v"}},
            (
                "Invalid 'metadata': string too long. Expected a string with maximum length 64, but "
                "got a string with length 65 instead."
            ),
            "metadata",
            "string_above_max_length",
        ),
        (
            "R11",
            {"background": 1},
            "Invalid type for 'background': expected a boolean, but got an integer instead.",
            "background",
            "invalid_type",
        ),
        (
            "R11",
            {"max_output_tokens": True},
            "Invalid type for 'max_output_tokens': expected an integer, but got a boolean instead.",
            "max_output_tokens",
            "invalid_type",
        ),
        (
            "R11",
            {"input": []},
            (
                "Invalid 'input': empty array. Expected an array with minimum length 1, but got an "
                "empty array instead."
            ),
            "input",
            "empty_array",
        ),
        (
            "R11",
            {"input": [{**CALL, "call_id": ""}]},
            (
                "Invalid 'input[0].call_id': empty string. Expected a string with minimum length 1, "
                "but got an empty string instead."
            ),
            "input[0].call_id",
            "empty_string",
        ),
        (
            "R11",
            {"input": ["hi"]},
            "Invalid type for 'input[0]': expected an object, but got a string instead.",
            "input[0]",
            "invalid_type",
        ),
        (
            "R11",
            {"input": [{"type": "function_call", "call_id": "c"}]},
            "Missing required parameter: 'input[0].name'.",
            "input[0].name",
            "missing_required_parameter",
        ),
        (
            "R11",
            {"input": [{"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}]},
            f"Invalid value: 'input_text'. {TYPES}",
            "input[0].content[0]",
            "invalid_value",
        ),
        (
            "R11",
            {"input": [{"role": "user", "content": [{"type": "input_text"}]}]},
            "Missing required parameter: 'input[0].content[0].text'.",
            "input[0].content[0].text",
            "missing_required_parameter",
        ),
        (
            "R11",
            {"input": [{"role": "user", "content": ["x"]}]},
            "Invalid type for 'input[0].content[0]': expected an object, but got a string instead.",
            "input[0].content[0]",
            "invalid_type",
        ),
        (
            "R11",
            {"include": ["bogus"], "model": PLAIN},
            (
                "Invalid value: 'bogus'. Supported values are: 'file_search_call.results', "
                "'web_search_call.results', 'web_search_call.action.sources', "
                "'message.input_image.image_url', 'computer_call_output.output.image_url', "
                "'code_interpreter_call.outputs', 'reasoning.encrypted_content', and "
                "'message.output_text.logprobs'."
            ),
            "include[0]",
            "invalid_value",
        ),
        (
            "R11",
            {"context_management": [{"type": "bogus"}]},
            "Invalid value: 'bogus'. Supported values are: 'compaction'.",
            "context_management[0].type",
            "invalid_value",
        ),
        (
            "R11",
            {"stream_options": {"include_obfuscation": False}},
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            "stream_options",
            None,
        ),
        (
            "R12",
            {"model": PLAIN, "reasoning": {"effort": "low"}},
            "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
            "reasoning.effort",
            "unsupported_parameter",
        ),
        (
            "R7",
            {"input": [{"type": "reasoning", "summary": []}, HI]},
            "Missing required parameter: 'input[0].id'.",
            "input[0].id",
            "missing_required_parameter",
        ),
        (
            "R11",
            {"tools": ["look"]},
            "Invalid type for 'tools[0]': expected an object, but got a string instead.",
            "tools[0]",
            "invalid_type",
        ),
        (
            "R9",
            {"tools": [{**TOOL, "name": "l" * 129}]},
            (
                "Invalid 'tools[0].name': string too long. Expected a string with maximum length 128, "
                "but got a string with length 129 instead."
            ),
            "tools[0].name",
            "string_above_max_length",
        ),
        (
            "R13",
            {"tools": [{**TOOL, "function": {}}]},
            "Unknown parameter: 'tools[0].function'.",
            "tools[0].function",
            "unknown_parameter",
        ),
        (
            "R10",
            {"tool_choice": "bogus"},
            "Invalid value: 'bogus'. Supported values are: 'none', 'auto', and 'required'.",
            "tool_choice",
            "invalid_value",
        ),
        (
            "R10",
            {"tool_choice": "required"},
            "Tool choice 'required' must be specified with 'tools' parameter.",
            "tool_choice",
            None,
        ),
        (
            "R10",
            {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "look"}}},
            "Missing required parameter: 'tool_choice.name'.",
            "tool_choice.name",
            "missing_required_parameter",
        ),
        (
            "R10",
            {
                "tools": [TOOL],
                "tool_choice": {
                    "type": "allowed_tools",
                    "mode": "auto",
                    "tools": [{"type": "function", "name": "leap"}],
                },
            },
            "Tool choice 'leap' not found in 'tools' parameter.",
            "tool_choice",
            None,
        ),
    ],
)
def test_a_wrong_shape_is_refused_in_its_own_words(
    here: Room, *, rule: str, more: dict[str, object], message: str, param: str, code: str | None
) -> None:
    """With the name of the field, wherever it is."""
    here.refused(
        rule,
        lambda: here.post("/responses", {"model": MODEL, "input": "hi", **more}),
        message,
        param=param,
        code=code,
    )


def test_what_codex_adds_is_taken_as_the_provider_takes_it(here: Room) -> None:
    """A field of the request and one of each item, both about the client itself."""
    item = {"role": "user", "content": "hi", "internal_chat_message_metadata_passthrough": {}}
    answer = ask(here, [item], client_metadata={"originator": "codex_exec"})
    assert answer["status"] == "completed"


def test_the_types_of_hosted_tools_are_taken_as_they_are(here: Room) -> None:
    """And can be chosen by their type."""
    body = ask(here, tools=[{"type": "apply_patch"}, TOOL], tool_choice={"type": "apply_patch"})
    assert body["tools"] == [{"type": "apply_patch"}, TOOL]
    assert here.double.generations[-1].seen.tools == ("apply_patch", "look")


def test_an_unheard_of_tool_is_refused(here: Room) -> None:
    """By its type."""
    before = len(here.double.defects)
    with pytest.raises(Exception, match="Invalid value: 'bogus'"):
        ask(here, tools=[{"type": "bogus"}])
    assert here.double.defects[before].rule == "R9"


def test_a_last_item_is_never_dropped(here: Room) -> None:
    """What does not fit alone is over the window, whatever may be dropped."""
    here.refused(
        "R20",
        lambda: ask(here, [HI, {**HI, "content": "x" * 4 * 922_001}], truncation="auto"),
        "Your input exceeds the context window of this model. "
        "Please adjust your input and try again.",
        param="input",
        code="context_length_exceeded",
    )


def test_reasoning_is_followed_by_what_the_model_said(here: Room) -> None:
    """Not by the user's words, even where nobody knows its id."""
    thought, said = output(ask(here, "think"))
    loose = {key: value for key, value in said.items() if key != "id"}
    message = (
        f"Item '{thought['id']}' of type 'reasoning' was provided without its required "
        "following item."
    )
    here.refused("R6", lambda: ask(here, [thought, HI]), message, param="input")
    ask(here, [thought, loose, HI])


def test_a_missed_cache_is_explained(here: Room) -> None:
    """With a reason, or with the news that there is nothing to compare with."""
    long = "x" * 8_000
    first = ask(here, long, prompt_cache_options={"comparison_response_id": "resp_0"})
    second = ask(here, "y" + long, prompt_cache_options={"comparison_response_id": first["id"]})
    assert first["prompt_cache_diagnostics"] == {"type": "comparison_response_not_found"}
    assert second["prompt_cache_diagnostics"] == {
        "type": "cache_miss",
        "reason": "input_changed",
        "cache_missed_tokens": 2_005,
    }
