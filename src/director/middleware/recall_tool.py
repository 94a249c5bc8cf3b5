"""`recall` as a tool: how a model is told of it, and how its calls are answered.

The answer is read from the history that holds the call, which every host sends or keeps whole: so
nothing is stored, a restart forgets nothing, and no conversation reads another's. Never raises for
what a model asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from director.context.recall import recall
from director.context.values import AgentTurn, Call, Context, Turn
from director.context.wire import Wire, parse
from director.context.wire.shape import alter, as_object, blocks, ident, peek, retext, word

NAME = "recall"
ABOUT = (
    "Read the original words behind a notice: what was shortened or left out of this conversation. "
    "Use it when a notice names a reference and you need what it stands for."
)
REFERENCE = "the eight hex digits of a notice, or a turn such as t12"
START = "the character to begin at; 0 is the first"
LENGTH = "how many characters, for a text too long to be shown whole; 0 for all"
SCHEMA: Mapping[str, object] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "reference": {"type": "string", "description": REFERENCE},
            "start": {"type": "integer", "description": START},
            "length": {"type": "integer", "description": LENGTH},
        },
        "required": ["reference"],
        "additionalProperties": False,
    }
)
Resolve = Callable[[str], str]


def recall_tool(wire: Wire) -> dict[str, object]:
    """The tool in the form of an API: "chat", "responses" or "anthropic"."""
    named: dict[str, object] = {"name": NAME, "description": ABOUT}
    if wire == "anthropic":
        return {**named, "input_schema": dict(SCHEMA)}
    described = {**named, "parameters": dict(SCHEMA)}
    if wire == "responses":
        return {"type": "function", **described, "strict": False}
    return {"type": "function", "function": described}


def offer_recall_tool(body: Mapping[str, object], wire: Wire) -> tuple[Mapping[str, object], bool]:
    """The body with the tool among its own, and whether it is there.

    A body without tools is left alone: who sends it does not run any. So is one with a tool of
    that name which is not ours.
    """
    tools = body.get("tools")
    if not isinstance(tools, list | tuple) or not tools:
        return body, False
    named = [tool for tool in tools if get_recall_tool_name(tool) == NAME]
    if named:
        return body, any(is_recall_tool(tool) for tool in named)
    return {**body, "tools": [*tools, recall_tool(wire)]}, True


def get_recall_tool_name(tool: object) -> str:
    """The name of a tool, on any wire or as an object."""
    return word(tool, "name") or word(peek(tool, "function"), "name")


def is_recall_tool(tool: object) -> bool:
    """Whether a tool, on any wire or as an object, is this one."""
    said = word(tool, "description") or word(peek(tool, "function"), "description")
    return get_recall_tool_name(tool) == NAME and said == ABOUT


def read_recalled_turn(messages: Sequence[object], wire: Wire) -> Resolve:
    """A function from a reference to the original, read from a whole history."""
    context = Context(turns=parse(messages, wire).context.turns)
    return lambda reference: recall(context, reference)


def read_recalled(
    resolve: Resolve, reference: object = "", start: object = 0, length: object = 0
) -> str:
    """What a call of the tool is answered; words that a model can act on where nothing is known."""
    try:
        text = resolve(str(reference).strip().strip("[]"))
    except KeyError as unknown:
        return str(unknown.args[0])
    first, most = _number(start), _number(length)
    if text and first >= len(text):
        return f"the text has {len(text):,} characters: start below that"
    return text[first : first + most] if most else text[first:]


def read_recall_call(resolve: Resolve, args: str) -> str:
    """The same from the arguments as a model wrote them."""
    given = as_object(args)
    return read_recalled(
        resolve, *(given.get(name, "") for name in ("reference", "start", "length"))
    )


def _number(value: object) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


def answer_recall_calls(
    messages: Sequence[object], wire: Wire, *, pending: str | None = None
) -> Sequence[object]:
    """The history with every call of the tool answered from itself; without one, the very history.

    Whatever the client answered gives way, since a client need not know the tool; with `pending`
    only answers that say so do.
    """
    if not any(NAME in _tool_names(message) for message in messages):
        return messages
    answers = _answers(parse(messages, wire).context.turns, pending)
    return [fill_results(message, answers) for message in messages] if answers else messages


def _tool_names(message: object) -> Sequence[str]:
    """The names of the tools that a message calls, on any wire but LangChain's."""
    if word(message, "type") == "function_call":
        return (word(message, "name"),)
    calls = [peek(call, "function") for call in blocks(peek(message, "tool_calls"))]
    parts = [part for part in blocks(peek(message, "content")) if word(part, "type") == "tool_use"]
    return [word(call, "name") for call in (*calls, *parts)]


def _answers(turns: Sequence[Turn], pending: str | None) -> dict[str, str]:
    """The answers by the ids of their calls; an id that several calls share is left alone."""
    ids = [call.id for turn in turns if isinstance(turn, AgentTurn) for call in turn.calls]
    found: dict[str, str] = {}
    before: list[Turn] = []

    def answer(call: Call) -> Call:
        if call.tool != NAME or ids.count(call.id) > 1 or pending not in (None, call.result):
            return call
        context = Context(turns=tuple(before))
        found[call.id] = read_recall_call(lambda reference: recall(context, reference), call.args)
        return replace(call, result=found[call.id])

    for turn in turns:
        answered = turn
        if isinstance(turn, AgentTurn) and any(call.tool == NAME for call in turn.calls):
            answered = replace(turn, calls=tuple(map(answer, turn.calls)))
        before.append(answered)
    return found


def fill_results(message: object, answers: Mapping[str, str]) -> object:
    """The message with these texts as results of the calls named; the very one if none is in it."""
    if word(message, "type") == "function_call_output":
        return _fill(message, "call_id", "output", answers)
    if word(message, "role") == "tool":
        return _fill(message, "tool_call_id", "content", answers)
    parts = blocks(peek(message, "content"))
    if word(message, "role") != "user" or not parts:
        return message
    made = [
        _fill(part, "tool_use_id", "content", answers)
        if word(part, "type") == "tool_result"
        else part
        for part in parts
    ]
    same = all(one is other for one, other in zip(made, parts, strict=True))
    return message if same else alter(message, {"content": made})


def _fill(part: object, name: str, field: str, answers: Mapping[str, str]) -> object:
    text = answers.get(ident(part, name))
    if text is None or peek(part, field) == text:
        return part
    content = retext(peek(part, field), text, images=False)
    return alter(part, {field: content}, without=("is_error",))
