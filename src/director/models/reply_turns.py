"""From a reply to a turn of the history: its items as they came, each call with its result.

A call without a result gets one that says so; no other text is made up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from director.context.values import AgentTurn, UserTurn
from director.context.wire import Parser
from director.context.wire.parse_events import INTERRUPTED, Heard
from director.models.capabilities import Form
from director.models.images import Image, make_image_part
from director.models.values import Reply, ToolCall


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered."""

    text: str
    failed: bool = False
    images: tuple[Image, ...] = ()


def turn_of(reply: Reply, at: int, results: Mapping[str, Result | str] | None = None) -> AgentTurn:
    """The reply as a turn, its calls answered by id; missing ones are marked as interrupted."""
    given = results or {}
    unknown = sorted(set(given) - {call.id for call in reply.calls})
    if unknown:
        asked = ", ".join(call.id for call in reply.calls) or "none"
        what = f"no call has the id {', '.join(unknown)}; the reply asked for: {asked}"
        raise ValueError(what)
    answers = [(call, _result(given.get(call.id))) for call in reply.calls]
    parser = Parser(reply.form, first=max(at, 1))
    parser.extend([*reply.items, *_answers(answers, reply.form)])
    turns = parser.finish().context.turns
    found = turns[0] if turns and isinstance(turns[0], AgentTurn) else AgentTurn(at, reply.text)
    failed = {call.id for call, result in answers if result.failed}
    return _renumber(found, at, failed)


def _renumber(turn: AgentTurn, at: int, failed: set[str]) -> AgentTurn:
    calls = tuple(replace(call, failed=call.id in failed) for call in turn.calls)
    return replace(turn, at=at, calls=calls)


def _result(given: Result | str | None) -> Result:
    if given is None:
        return Result(INTERRUPTED, failed=True)
    return Result(given) if isinstance(given, str) else given


def make_reply_result(call: str, result: Result, form: Form) -> dict[str, object]:
    """The result of a call in a wire form: a message, or for Anthropic a block of one."""
    if form == "responses":
        return {"type": "function_call_output", "call_id": call, "output": _output(result, form)}
    if form == "chat":
        return {"role": "tool", "tool_call_id": call, "content": _render_result(result)}
    return {
        "type": "tool_result",
        "tool_use_id": call,
        "content": _output(result, form),
        **({"is_error": True} if result.failed else {}),
    }


def _answers(answers: Sequence[tuple[ToolCall, Result]], form: Form) -> list[object]:
    found: list[object] = [make_reply_result(call.id, result, form) for call, result in answers]
    return [{"role": "user", "content": found}] if found and form == "anthropic" else found


def _render_result(result: Result) -> str:
    missing = len(result.images)
    note = f"\n[{missing} image(s) that this API cannot carry in a result]" if missing else ""
    return result.text + note


def _output(result: Result, form: Form) -> object:
    if not result.images:
        return result.text
    kind = "input_text" if form == "responses" else "text"
    said = [{"type": kind, "text": result.text}] if result.text else []
    return [*said, *(make_image_part(image, form) for image in result.images)]


def make_user_turn(at: int, text: str, images: Sequence[Image] = ()) -> UserTurn:
    """What a user said, with images that travel to any provider."""
    if not images:
        return UserTurn(at, text)
    parts = [{"type": "input_text", "text": text}] if text else []
    content = [*parts, *(make_image_part(image, "responses") for image in images)]
    message = {"type": "message", "role": "user", "content": content}
    return UserTurn(
        at, text, images=len(images), native=Heard("responses", message, text, len(images))
    )
