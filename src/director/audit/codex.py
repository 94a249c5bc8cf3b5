"""Sessions as Codex records them: `rollout-*.jsonl` under `~/.codex/sessions`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from director.audit.message_texts import read_result, read_time
from director.audit.recorded_session import (
    ClientCompaction,
    RecordedCall,
    RecordedSession,
)
from director.audit.recorded_texts import Message
from director.models.values import Usage

_KINDS = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")
_RESULTS = ("function_call_output", "custom_tool_call_output")


def is_entry(row: Mapping[str, Any]) -> bool:
    """Whether a line is of Codex."""
    return row.get("type") in _KINDS and isinstance(row.get("payload"), Mapping)


class _Reading:
    """The session as far as it was read. What a model puts out in a row is one message."""

    def __init__(self) -> None:
        self.history: list[Message] = []
        self.calls: list[RecordedCall] = []
        self.compactions: list[ClientCompaction] = []
        self.skipped: Counter[str] = Counter()
        self.model, self.project = "", ""
        self._answering = False

    def read(self, row: Mapping[str, Any]) -> None:
        """Take in one line."""
        payload = row["payload"]
        self.project = self.project or str(payload.get("cwd") or "")
        match row["type"]:
            case "turn_context":
                self.model = str(payload.get("model") or self.model)
            case "compacted":
                self._answering = False
                summary = str(payload.get("message") or "")
                self.compactions.append(ClientCompaction(len(self.history), summary))
            case "event_msg" if payload.get("type") == "token_count":
                self._count(payload)
            case "response_item":
                self._read_item(payload, read_time(row.get("timestamp")))

    def _read_item(self, item: Mapping[str, Any], time: float) -> None:
        kind = item.get("type")
        if kind == "message" and item.get("role") != "assistant":
            self._answering = False
            role = "system" if item.get("role") in ("system", "developer") else "user"
            self.history.append({"role": role, "content": read_result(item.get("content"))})
        elif kind in _RESULTS:
            self._answering = False
            output = item.get("output")
            text = output if isinstance(output, str) else read_result(output)
            self.history.append(
                {"role": "tool", "tool_call_id": str(item.get("call_id")), "content": text}
            )
        elif kind == "message":
            answer = self._answer(time)
            said = read_result(item.get("content"))
            answer["content"] = "\n".join(filter(None, (answer["content"], said)))
        elif kind in _CALLS:
            given = item.get("arguments", item.get("input", item.get("action")))
            function = {
                "name": str(item.get("name") or kind),
                "arguments": given if isinstance(given, str) else read_result(given),
            }
            call = {"id": str(item.get("call_id")), "type": "function", "function": function}
            self._answer(time).setdefault("tool_calls", []).append(call)

    def _answer(self, time: float) -> Message:
        if not self._answering:
            self._answering = True
            self.calls.append(RecordedCall(len(self.history), time, self.model))
            self.history.append({"role": "assistant", "content": ""})
        return self.history[-1]

    def _count(self, payload: Mapping[str, Any]) -> None:
        told = (payload.get("info") or {}).get("last_token_usage") or {}
        if not self.calls or not isinstance(told.get("input_tokens"), int):
            return
        read = int(told.get("cached_input_tokens") or 0)
        last, output = self.calls[-1], int(told.get("output_tokens") or 0)
        usage = Usage(max(0, told["input_tokens"] - read), read, output=output)
        self.calls[-1] = RecordedCall(last.at, last.time, last.model, usage)
        self._answering = False


def read_entries(rows: Iterable[Mapping[str, Any]], path: str) -> RecordedSession:
    """The session that these lines record."""
    reading = _Reading()
    for row in filter(is_entry, rows):
        reading.read(row)
    name = Path(reading.project).name or Path(path).stem
    return RecordedSession(
        "Codex", name, path, reading.history, reading.calls, reading.compactions, reading.skipped
    )
