"""Files with the messages of an agent, in the form of any provider or of LangChain."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from director.audit.recorded_session import RecordedCall, RecordedSession
from director.audit.recorded_texts import Message
from director.context.wire import emit, parse

_LANGCHAIN = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
_SECONDS = 30.0  # between calls where a file tells no times


def read_messages(text: str, rows: Sequence[Mapping[str, Any]], path: str) -> RecordedSession:
    """The session in a JSON list, an object with `messages` or `input`, or a message a line."""
    messages = _find_messages(text, rows)
    plain = [_read_langchain(each) for each in messages]
    history = [cast("Message", each) for each in emit(parse(plain).context, "chat")]
    answers = [at for at, each in enumerate(history) if each.get("role") == "assistant"]
    calls = [RecordedCall(at, number * _SECONDS) for number, at in enumerate(answers)]
    return RecordedSession("messages", Path(path).stem, path, history, calls)


def _find_messages(text: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    try:
        whole: object = json.loads(text)
    except ValueError:
        whole = list(rows)
    if isinstance(whole, Mapping):
        state = whole.get("values", whole.get("channel_values", whole))
        inner = state if isinstance(state, Mapping) else whole
        whole = inner.get("messages", inner.get("input"))
    if not isinstance(whole, list) or not whole:
        raise ValueError("it holds no list of messages")
    wrong = [each for each in whole if not isinstance(each, Mapping)]
    if wrong:
        raise ValueError("not every message is an object")
    return whole


def _read_langchain(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of LangChain as one of Chat Completions; any other as it is."""
    data = message.get("data") or message.get("kwargs") or message
    kind = message.get("type") if "role" not in message else None
    if kind == "constructor":
        kind = str((message.get("id") or [""])[-1]).removesuffix("Message").lower()
    if kind not in _LANGCHAIN:
        return message
    plain: dict[str, Any] = {"role": _LANGCHAIN[str(kind)], "content": data.get("content") or ""}
    if kind == "tool":
        plain["tool_call_id"] = data.get("tool_call_id")
    if calls := data.get("tool_calls"):
        plain["tool_calls"] = [
            {
                "id": call.get("id"),
                "type": "function",
                "function": {
                    "name": call.get("name"),
                    "arguments": json.dumps(call.get("args") or {}, ensure_ascii=False),
                },
            }
            for call in calls
        ]
    return plain
