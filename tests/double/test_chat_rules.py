"""What the chat API refuses: each rule broken once, and the same request kept right beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import openai
import pytest

from director.models.script_values import Say
from director.testing.double.double import Double

USER = {"role": "user", "content": "hello"}
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
FLAT = {"type": "function", "name": "look", "parameters": {"type": "object"}}
PLAIN, REASONING = "gpt-4o", "gpt-6.1-terra"


def call(name: str) -> dict[str, object]:
    """A call of a tool."""
    return {"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}}


def calls(*names: str) -> dict[str, object]:
    """An assistant's message that calls a tool under each of these ids."""
    return {"role": "assistant", "content": None, "tool_calls": [call(name) for name in names]}


def result(name: str) -> dict[str, object]:
    """The answer to a call."""
    return {"role": "tool", "tool_call_id": name, "content": "seen"}


def body(*messages: object, model: object = REASONING, **more: object) -> dict[str, object]:
    """A request with these messages."""
    return {"model": model, "messages": list(messages or (USER,)), **more}


@dataclass(frozen=True)
class Rule:
    """A request that breaks a rule, the refusal it gets, and one that keeps the rule."""

    id: str
    wrong: Mapping[str, object]
    text: str
    right: Mapping[str, object] = field(default_factory=body)
    param: str | None = None
    code: str | None = None
    status: int = 400
    defect: bool = True


ORPHAN = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with"
    " 'tool_calls'."
)
UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    " 'tool_call_id'. The following tool_call_ids did not have response messages: "
)
NULL = "Invalid value for 'content': expected a string, got null."
ROLES = "'system', 'assistant', 'user', 'tool', and 'developer'"
ANSWERED = body(USER, calls("call_1", "call_2"), result("call_2"), result("call_1"))


def lacks(param: str, wrong: Mapping[str, object], rule: str = "chat.required") -> Rule:
    """The rule that something is required."""
    text = f"Missing required parameter: '{param}'."
    return Rule(rule, wrong, text, param=param, code="missing_required_parameter")


def bad_type(param: str, value: object, words: str) -> Rule:
    """The rule of a field's type."""
    wrong = body(**{param: value})
    return Rule("chat.type", wrong, f"Invalid type for '{param}': {words} instead.", param=param,
                code="invalid_type")  # fmt: skip


def bound(param: str, value: object, words: str, code: str, model: str = PLAIN) -> Rule:
    """The rule of a field's bounds."""
    wrong = body(model=model, **{param: value})
    text = f"Invalid '{param}': {words} instead."
    return Rule("chat.bounds", wrong, text, param=param, code=code)


def unsupported(param: str, value: object, model: str = REASONING) -> Rule:
    """The rule of what a model can do."""
    return Rule(
        "chat.sampling",
        body(model=model, **{param: value}),
        f"Unsupported parameter: '{param}' is not supported with this model.",
        body(model=PLAIN if model == REASONING else REASONING, **{param: value}),
        param=param,
        code="unsupported_parameter",
    )


PAIRS = [
    Rule("C1", body(USER, result("call_1")), ORPHAN, ANSWERED, "messages.[1].role"),
    Rule("C1", body(result("call_1")), ORPHAN, ANSWERED, "messages.[0].role"),
    Rule(
        "C1",
        body(USER, calls("call_1"), result("call_1"), result("call_9")),
        ORPHAN,
        ANSWERED,
        "messages.[3].role",
    ),
    Rule(
        "C1",
        body(USER, calls("call_1"), result("call_1"), result("call_1")),
        ORPHAN,
        ANSWERED,
        "messages.[3].role",
    ),
    Rule(
        "C1",
        body(USER, calls("call_1"), result("call_1"), USER, result("call_1")),
        ORPHAN,
        ANSWERED,
        "messages.[4].role",
    ),
    Rule(
        "C2",
        body(USER, calls("call_1", "call_2")),
        UNANSWERED + "call_1, call_2",
        ANSWERED,
        "messages",
    ),
    Rule(
        "C2",
        body(USER, calls("call_1", "call_2"), result("call_2"), USER),
        UNANSWERED + "call_1",
        ANSWERED,
        "messages.[3].role",
    ),
    Rule(
        "C2",
        body(USER, calls("call_1"), USER, result("call_1")),
        UNANSWERED + "call_1",
        ANSWERED,
        "messages.[2].role",
    ),
]
SHAPES = [
    lacks("tools[0].function", body(tools=[FLAT]), "C3"),
    lacks("tools[1].function", body(tools=[TOOL, FLAT]), "C3"),
    lacks("tools[0].type", body(tools=[{"function": {"name": "look"}}])),
    lacks("tools[0].function.name", body(tools=[{"type": "function", "function": {}}])),
    lacks("messages", {"model": REASONING}),
    lacks("messages[0].role", body({"content": "hello"})),
    lacks("messages[0].tool_call_id", body({"role": "tool", "content": "seen"})),
    lacks("messages[0].content[0].type", body({"role": "user", "content": [{"text": "hi"}]})),
    lacks("messages[0].content[0].text", body({"role": "user", "content": [{"type": "text"}]})),
    lacks(
        "messages[0].tool_calls[0].id",
        body({"role": "assistant", "tool_calls": [{"type": "function", "function": {}}]}),
    ),
    lacks(
        "messages[0].tool_calls[0].function.name",
        body({"role": "assistant", "tool_calls": [{**call("c"), "function": {}}]}),
    ),
    Rule("chat.model_missing", {"messages": [USER]}, "you must provide a model parameter"),
    Rule(
        "chat.unknown",
        body(input="hello"),
        "Unknown parameter: 'input'.",
        param="input",
        code="unknown_parameter",
    ),
    Rule(
        "chat.unknown",
        body(USER, {"role": "assistant", "content": "hi", "reasoning_content": "hm"}),
        "Unknown parameter: 'messages[1].reasoning_content'.",
        param="messages[1].reasoning_content",
        code="unknown_parameter",
    ),
    Rule(
        "chat.value",
        body({"role": "agent", "content": "hello"}),
        f"Invalid value: 'agent'. Supported values are: {ROLES}.",
        param="messages[0].role",
        code="invalid_value",
    ),
    Rule(
        "chat.value",
        body(verbosity="loud"),
        "Invalid value: 'loud'. Supported values are: 'low', 'medium', and 'high'.",
        body(verbosity="low"),
        param="verbosity",
        code="invalid_value",
    ),
    Rule(
        "chat.tool_name",
        body(tools=[{"type": "function", "function": {"name": "look at"}}]),
        "Invalid 'tools[0].function.name': string does not match pattern."
        " Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        body(tools=[TOOL]),
        param="tools[0].function.name",
        code="invalid_value",
    ),
    bad_type("max_completion_tokens", "9", "expected an integer, but got a string"),
    bad_type("messages", "hello", "expected an array, but got a string"),
    bad_type("temperature", "hot", "expected a decimal, but got a string"),
    bad_type("stream", 1, "expected a boolean, but got an integer"),
    Rule(
        "chat.type",
        body({"role": "user", "content": 7}),
        "Invalid type for 'messages[0].content': expected one of a string or array of objects,"
        " but got an integer instead.",
        param="messages[0].content",
        code="invalid_type",
    ),
    bound("messages", [], "empty array. Expected an array with minimum length 1, but got an empty"
          " array", "empty_array"),
    bound("max_completion_tokens", 0, "integer below minimum value. Expected a value >= 1, but"
          " got 0", "integer_below_min_value"),
    bound("n", 129, "integer above maximum value. Expected a value <= 128, but got 129",
          "integer_above_max_value"),
    bound("temperature", 9, "decimal above maximum value. Expected a value <= 2, but got 9",
          "decimal_above_max_value"),
    bound("top_p", -0.5, "decimal below minimum value. Expected a value >= 0, but got -0.5",
          "decimal_below_min_value"),
    bound("safety_identifier", "x" * 65, "string too long. Expected a string with maximum length"
          " 64, but got a string with length 65", "string_above_max_length"),
    bound("tools", [TOOL] * 129, "array too long. Expected an array with maximum length 128, but"
          " got an array with length 129", "array_above_max_length"),
]  # fmt: skip
MODELS = [
    Rule("C4", body({"role": "user", "content": None}), NULL, param="messages.[0].content"),
    Rule("C4", body(USER, {"role": "user"}), NULL, param="messages.[1].content"),
    Rule("C4", body(USER, {"role": "assistant"}), NULL, ANSWERED, "messages.[1].content"),
    Rule(
        "C5",
        body(max_tokens=100),
        "Unsupported parameter: 'max_tokens' is not supported with this model."
        " Use 'max_completion_tokens' instead.",
        body(max_completion_tokens=100),
        "max_tokens",
        "unsupported_parameter",
    ),
    Rule(
        "C6",
        body({"role": "user", "content": "x" * 520_000}, model=PLAIN),
        "This model's maximum context length is 128000 tokens. However, your messages resulted in"
        " 130006 tokens. Please reduce the length of the messages.",
        body({"role": "user", "content": "x" * 511_979}, model=PLAIN),
        "messages",
        "context_length_exceeded",
    ),
    Rule(
        "chat.model",
        body(model="gpt-0"),
        "The model `gpt-0` does not exist or you do not have access to it.",
        code="model_not_found",
        status=404,
    ),
    Rule(
        "chat.tool_choice",
        body(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "leap"}}),
        "Tool choice 'leap' not found in 'tools' parameter.",
        body(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "look"}}),
        "tool_choice",
    ),
    Rule(
        "chat.no_tools",
        body(tool_choice="required"),
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are"
        " specified.",
        body(tool_choice="required", tools=[TOOL]),
        "tool_choice",
    ),
    Rule(
        "chat.stream_options",
        body(stream_options={"include_usage": True}),
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        param="stream_options",
    ),
    Rule(
        "chat.max_output",
        body(max_tokens=16_385, model=PLAIN),
        "max_tokens is too large: 16385. This model supports at most 16384 completion tokens,"
        " whereas you provided 16385.",
        body(max_tokens=16_384, model=PLAIN),
        "max_tokens",
        "invalid_value",
    ),
    Rule(
        "chat.n",
        body(n=2),
        "Unsupported value: 'n' does not support 2 with this model."
        " Only the default (1) value is supported.",
        body(n=1),
        "n",
        "unsupported_value",
        defect=False,
    ),
    unsupported("temperature", 0.5),
    unsupported("top_p", 0.5),
    unsupported("logprobs", True),  # noqa: FBT003  the value of a field
    unsupported("reasoning_effort", "low", PLAIN),
]
RULES = [*PAIRS, *SHAPES, *MODELS]


def opened(profile: str = "openai") -> Double:
    """A double that answers anything that is allowed."""
    return Double(profile, lambda _: [Say("fine")])


def refused(double: Double, request: Mapping[str, object]) -> openai.APIStatusError | None:
    """Send a request as it is; what it was refused with, if it was."""
    address = double.openai_url
    with openai.OpenAI(base_url=address, api_key="sk-test", max_retries=0) as client:
        try:
            client.post("/chat/completions", cast_to=object, body=dict(request))
        except openai.APIStatusError as error:
            return error
    return None


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.id} {rule.param}")
def test_a_broken_rule_is_refused_and_a_kept_one_is_not(rule: Rule) -> None:
    """The refusal has the vendor's status, fields and words, and counts against the client."""
    with opened() as double:
        error = refused(double, rule.wrong)
        assert error is not None
        assert (error.status_code, error.param, error.code) == (rule.status, rule.param, rule.code)
        assert error.type == "invalid_request_error"
        assert isinstance(error.body, dict)
        assert error.body["message"] == rule.text
        assert [defect.rule for defect in double.defects] == [rule.id] * rule.defect
        assert double.exchanges[0].rule == rule.id
        assert double.ledger.lines == []
        assert refused(double, rule.right) is None
        assert len(double.defects) == rule.defect


ORDER: Sequence[tuple[str, Mapping[str, object]]] = (
    ("chat.model_missing", {"x": 1}),
    ("chat.required", {"model": "gpt-0", "x": 1}),
    ("chat.unknown", body(result("c"), model="gpt-0", n="1", x=1)),
    ("chat.type", body(result("c"), model="gpt-0", n="1")),
    ("chat.model", body(result("c"), model="gpt-0", max_tokens=1)),
    ("C5", body(result("c"), max_tokens=1)),
    ("C1", body(result("c"), {"role": "user", "content": "x" * 4_000_000})),
)


@pytest.mark.parametrize(("first", "request_"), ORDER, ids=[first for first, _ in ORDER])
def test_of_several_faults_the_first_in_the_vendors_order_is_told(
    first: str, request_: Mapping[str, object]
) -> None:
    """Required, unknown, types, model, what the model can do, messages, window."""
    with opened() as double:
        refused(double, request_)
        assert [defect.rule for defect in double.defects] == [first]


def test_sampling_is_allowed_without_reasoning() -> None:
    """A reasoning model told not to reason takes sampling parameters."""
    with opened() as double:
        assert refused(double, body(temperature=0.5, reasoning_effort="none")) is None


@pytest.mark.parametrize("key", ["tool_calls", "refusal"])
def test_an_assistant_may_be_without_content_if_it_speaks_otherwise(key: str) -> None:
    """Calls and refusals stand for content."""
    said = calls("call_1") if key == "tool_calls" else {"role": "assistant", "refusal": "no"}
    rest = [result("call_1")] if key == "tool_calls" else []
    with opened() as double:
        assert refused(double, body(USER, said, *rest, USER)) is None


@pytest.mark.parametrize("profile", ["vllm", "ollama", "llamacpp"])
@pytest.mark.parametrize(
    "request_",
    [
        body(USER, result("call_1")),
        body(USER, calls("call_1", "call_2"), USER),
        body(model="llama", anything=1, max_tokens=5, temperature=0.1),
        body(USER, {"role": "assistant", "content": "hi", "reasoning_content": "hm"}, USER),
    ],
    ids=["orphan", "unanswered", "unknown", "thinking"],
)
def test_local_servers_check_neither_pairs_nor_names(
    profile: str, request_: Mapping[str, object]
) -> None:
    """They take what the vendor refuses, which is why a client must check for itself."""
    with opened(profile) as double:
        assert refused(double, request_) is None
        assert double.defects == []


@pytest.mark.parametrize("profile", ["openai-zdr", "azure"])
def test_the_vendors_other_servers_check_the_same(profile: str) -> None:
    """Pairing is refused wherever the vendor's models run."""
    with opened(profile) as double:
        refused(double, body(USER, result("call_1")))
        assert [defect.rule for defect in double.defects] == ["C1"]
