"""Results that only point at an earlier one: "file unchanged since your last Read".

A client that saves tokens answers a second read so. If the first read has left what the model
sees, nothing would give it back: then the earlier text stands in place of the pointer. Whether it
has left is found by replaying the history up to that pointer, so that every later request, also
after a restart, decides alike. What fits is never touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from director.context.values import AgentTurn, Call, Context
from director.context.wire import Wire, parse
from director.context.wire.shape import blocks, ident, peek, word
from director.middleware.recall_tool import fill_results

_POINTER = re.compile(
    r"file (?:is )?unchanged since (?:your |the )?last read|refer to that earlier tool_result",
    re.IGNORECASE,
)
_LONGEST = 600  # characters of a result that only points

Replay = Callable[[Sequence[object]], Context]


def restore_unchanged_reads(
    messages: Sequence[object], wire: Wire, replay: Replay, known: dict[str, bool]
) -> Sequence[object]:
    """The history with each pointer whose target the model no longer sees replaced by its target.

    `replay` gives what was sent for the messages up to a result; `known` remembers by call.
    """
    if not any(_POINTER.search(text) for message in messages for text in _list_short(message)):
        return messages
    calls: list[Call] = []
    given = messages
    for turn in parse(messages, wire).context.turns:
        for call in turn.calls if isinstance(turn, AgentTurn) else ():
            target = _find_target(call, calls)
            if target is not None and _has_left(call, target, given, replay, known):
                answers: Mapping[str, str] = {call.id: target.result or ""}
                given = [fill_results(message, answers) for message in given]
            calls.append(call)
    return given


def _list_short(message: object) -> Sequence[str]:
    """The short texts of a message that may be results, on any wire."""
    content = peek(message, "content")
    output = peek(message, "output")
    parts = [peek(part, "content") for part in blocks(content)]
    texts = [*parts, content, output, *(peek(p, "text") for each in parts for p in blocks(each))]
    return [text for text in texts if isinstance(text, str) and len(text) <= _LONGEST]


def _find_target(call: Call, earlier: Sequence[Call]) -> Call | None:
    """The latest earlier call of the same tool with the same arguments that has a text."""
    if not _points(call):
        return None
    given = _canonical(call.args)
    same = (one for one in reversed(earlier) if one.tool == call.tool and not _points(one))
    return next((one for one in same if one.result and _canonical(one.args) == given), None)


def _points(call: Call) -> bool:
    result = call.result or ""
    return len(result) <= _LONGEST and bool(_POINTER.search(result))


def _canonical(args: str) -> str:
    try:
        return json.dumps(json.loads(args), sort_keys=True)
    except ValueError:
        return args


def _has_left(
    call: Call,
    target: Call,
    messages: Sequence[object],
    replay: Replay,
    known: dict[str, bool],
) -> bool:
    """Whether the target was not whole in what the model saw beside the pointer."""
    key = f"{call.id} {target.id}"
    if key not in known:
        turns = replay(messages[: _find_end(messages, call.id)]).turns
        shown = [one for turn in turns if isinstance(turn, AgentTurn) for one in turn.calls]
        known[key] = not any(one.id == target.id and one.result == target.result for one in shown)
    return known[key]


def _find_end(messages: Sequence[object], number: str) -> int:
    """Where the results end that came together with the one of this call."""
    ends = [at for at, each in enumerate(messages) if number in _list_answered(each)]
    end = ends[-1] + 1 if ends else len(messages)
    while end < len(messages) and _list_answered(messages[end]):
        end += 1
    return end


def _list_answered(message: object) -> Sequence[str]:
    """The ids of the calls whose results a message holds, on any wire."""
    if word(message, "type") == "function_call_output":
        return (ident(message, "call_id"),)
    if word(message, "role") == "tool":
        return (ident(message, "tool_call_id"),)
    parts = blocks(peek(message, "content")) if word(message, "role") == "user" else ()
    return [ident(part, "tool_use_id") for part in parts if word(part, "type") == "tool_result"]
