"""What a client's compactions lost and the agent needed again, and what it read more than once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from director.audit.recorded_session import ClientCompaction, RecordedSession
from director.audit.recorded_texts import Message, find_word, list_arguments, read_text
from director.audit.support import count_tokens, list_literals

_LONGEST = 200  # characters of an argument that is still named as one fact


@dataclass(frozen=True, slots=True)
class LostFact:
    """A name or value that a compaction dropped and a later call used.

    `call` counts from 1, as the calls of the session do. `found` says where it came from again;
    nowhere that the file shows means that the model remembered, guessed, or had it in its system
    prompt. `tokens` is the size of what brought it back.
    """

    text: str
    compaction: int
    stood: str
    call: int
    used_in: str
    found: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class RepeatedRead:
    """A result that came more than once, word for word, for the same call."""

    tool: str
    what: str
    times: int
    tokens: int


def list_lost_facts(session: RecordedSession) -> list[LostFact]:
    """Each fact once, where it was first needed after the compaction that dropped it."""
    found: dict[str, LostFact] = {}
    for number, compaction in enumerate(session.compactions, start=1):
        found |= {
            fact.text: fact
            for fact in _list_lost_by(session, number, compaction)
            if fact.text not in found
        }
    return list(found.values())


def _list_lost_by(
    session: RecordedSession, number: int, compaction: ClientCompaction
) -> Iterator[LostFact]:
    following = [each.at for each in session.compactions if each.at > compaction.at]
    end = min(following, default=len(session.history))
    history, named = session.history, _name_results(session.history)
    dropped = [place for place in range(compaction.at) if place not in compaction.keeps]
    texts = {place: read_text(history[place]) for place in dropped}
    gone = "\n".join(texts.values())
    kept = "\n".join([compaction.summary, *(read_text(history[at]) for at in compaction.keeps)])
    seen: set[str] = set()
    for order, call in enumerate(session.calls, start=1):
        if not compaction.at <= call.at < end:
            continue
        for tool, literal in _list_used(history[call.at], gone):
            if literal in seen or find_word(literal, kept) >= 0 or find_word(literal, gone) < 0:
                continue
            seen.add(literal)
            stood = next(at for at, text in texts.items() if find_word(literal, text) >= 0)
            back = next(
                (
                    at
                    for at in range(compaction.at, call.at)
                    if history[at]["role"] != "assistant"
                    and find_word(literal, read_text(history[at])) >= 0
                ),
                None,
            )
            yield LostFact(
                literal,
                number,
                _say_place(history, stood, named),
                order,
                tool,
                "" if back is None else _say_place(history, back, named),
                0 if back is None else count_tokens([history[back]]),
            )


def _list_used(action: Message, gone: str) -> Iterator[tuple[str, str]]:
    for call in action.get("tool_calls") or ():
        for _, value in list_arguments({"tool_calls": [call]}):
            if len(value) <= _LONGEST or "\n" in value:
                for literal in list_literals(value, gone):
                    yield call["function"]["name"], literal


def _name_results(history: Sequence[Message]) -> Mapping[str, str]:
    return {
        call["id"]: call["function"]["name"]
        for message in history
        for call in message.get("tool_calls") or ()
    }


def _say_place(history: Sequence[Message], at: int, named: Mapping[str, str]) -> str:
    message = history[at]
    match message["role"]:
        case "tool":
            return f"a result of {named.get(message.get('tool_call_id', ''), 'a tool')}"
        case "assistant":
            return "what the agent had said or done"
        case "system":
            return "the instructions"
        case _:
            return "what the user said"


def list_repeated_reads(session: RecordedSession) -> list[RepeatedRead]:
    """Results that came again word for word for the same call, the most expensive first."""
    calls = {
        call["id"]: call["function"]
        for message in session.history
        for call in message.get("tool_calls") or ()
    }
    came: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for message in session.history:
        function = calls.get(message.get("tool_call_id", ""))
        if message["role"] == "tool" and function is not None:
            key = (function["name"], _canonical(function["arguments"]), read_text(message))
            came[key].append(count_tokens([message]))
    again = [
        RepeatedRead(tool, _say_target(given), len(sizes), sum(sizes[1:]))
        for (tool, given, _), sizes in came.items()
        if len(sizes) > 1
    ]
    return sorted(again, key=lambda each: -each.tokens)


def _canonical(given: str) -> str:
    try:
        return json.dumps(json.loads(given), sort_keys=True, ensure_ascii=False)
    except ValueError:
        return given


def _say_target(given: str) -> str:
    """The longest plain value of the arguments: mostly a path, an address or a command."""
    try:
        values: Any = json.loads(given)
    except ValueError:
        return given[:_LONGEST]
    plain = [str(each) for each in values.values()] if isinstance(values, dict) else []
    return max(plain, key=len, default=given)[:_LONGEST]
