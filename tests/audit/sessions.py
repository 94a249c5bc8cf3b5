"""Sessions in the forms that Claude Code 2.1 and Codex 0.169 write, small enough to check by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

PORT = (
    "The test database listens on 5433.\n" + "def handler(request): return respond(request)\n" * 40
)
SUMMARY = "We look after checkout-service."


def claude_code(path: Path) -> Path:
    """Two reads, a compaction that drops both, a command with what was lost, and the same read."""
    lines = _Lines()
    lines.said("Fix the tests of checkout-service.")
    lines.call("Read", {"file_path": "/app/db.py"}, PORT, (0, 0, 9_000))
    lines.call("Read", {"file_path": "/app/db.py"}, PORT, (10, 9_000, 600))
    lines.row("system", subtype="compact_boundary", compactMetadata={"preTokens": 9_700})
    lines.row("user", isCompactSummary=True, message={"role": "user", "content": SUMMARY})
    lines.call("Read", {"file_path": "/app/db.py"}, PORT, (10, 0, 8_700))
    lines.call("Bash", {"command": "psql -p 5433"}, "ok", (10, 8_700, 500))
    lines.answer([{"type": "text", "text": "The tests pass."}], (10, 9_200, 60))
    lines.row("assistant", isSidechain=True, message={"role": "assistant", "content": []})
    path.write_text("\n".join(map(json.dumps, lines.rows)) + '\n{"type": "user", "mess')
    return path


class _Lines:
    """The lines of a session of Claude Code."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._number = count(1)

    def row(self, kind: str, **more: Any) -> None:
        """A line with what every line has."""
        number = next(self._number)
        time = f"2026-11-16T09:{number:02}:00.000Z"
        common = {"uuid": f"u{number}", "sessionId": "s1", "cwd": "/srv/checkout-service"}
        self.rows.append({"type": kind, "timestamp": time, **common, **more})

    def said(self, text: str) -> None:
        """Something that the user said."""
        self.row("user", message={"role": "user", "content": text})

    def answer(self, blocks: Sequence[Mapping[str, Any]], usage: tuple[int, int, int]) -> None:
        """An answer of the model: one line for each block, as the client writes them."""
        names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        told = dict(zip(names, usage, strict=True)) | {"output_tokens": 20}
        request = f"req_{next(self._number)}"
        for block in blocks:
            message = {"role": "assistant", "model": "claude-opus-4-8", "content": [block]}
            self.row("assistant", requestId=request, message=message | {"usage": told})

    def call(
        self, tool: str, given: Mapping[str, Any], result: str, usage: tuple[int, int, int]
    ) -> None:
        """A sentence, a call and its result."""
        made = f"toolu_{next(self._number)}"
        use = {"type": "tool_use", "id": made, "name": tool, "input": given}
        self.answer([{"type": "text", "text": "I look."}, use], usage)
        block = {"type": "tool_result", "tool_use_id": made, "content": result}
        self.row("user", message={"role": "user", "content": [block]})


def codex(path: Path) -> Path:
    """The same session as Codex records it."""
    rows: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {"id": "s2", "cwd": "/srv/checkout-service"}),
        ("turn_context", {"model": "gpt-6.1-terra", "cwd": "/srv/checkout-service"}),
        ("response_item", _codex_said("user", "Fix the tests of checkout-service.")),
    ]
    for number, usage in enumerate(((9_000, 0), (9_600, 9_000))):
        rows += _codex_read(number, usage)
    rows.append(("compacted", {"message": SUMMARY}))
    rows += _codex_read(2, (8_710, 0))
    rows += _codex_call(3, '{"cmd": "psql -p 5433"}', "ok", (9_210, 8_700))
    rows.append(("response_item", _codex_said("assistant", "The tests pass.")))
    lines = [
        {"timestamp": f"2026-11-16T09:{at:02}:00Z", "type": kind, "payload": payload}
        for at, (kind, payload) in enumerate(rows)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def _codex_said(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _codex_read(number: int, usage: tuple[int, int]) -> list[tuple[str, dict[str, Any]]]:
    return _codex_call(number, '{"cmd": "cat /app/db.py"}', PORT, usage)


def _codex_call(
    number: int, given: str, result: str, usage: tuple[int, int]
) -> list[tuple[str, dict[str, Any]]]:
    made = f"call_{number}"
    call = {"type": "function_call", "name": "shell", "arguments": given, "call_id": made}
    told = {"input_tokens": usage[0], "cached_input_tokens": usage[1], "output_tokens": 20}
    output = {"type": "function_call_output", "call_id": made, "output": result}
    return [
        ("response_item", call),
        ("event_msg", {"type": "token_count", "info": {"last_token_usage": told}}),
        ("response_item", output),
    ]
