"""Session files on this machine: where clients keep them, and which client wrote one.

Only reads. Nothing leaves the machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from director.audit import claude_code, codex, message_files
from director.audit.recorded_session import RecordedSession
from director.errors import DirectorError

_LARGEST = 512 * 1024 * 1024


class SessionUnreadable(DirectorError):
    """A file is no session that can be read; says why, and which files can be."""


def list_session_files() -> list[Path]:
    """The session files of Claude Code and Codex, the newest first."""
    home = Path.home()
    claude = Path(os.environ.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"
    own = Path(os.environ.get("CODEX_HOME") or home / ".codex") / "sessions"
    found = [*claude.glob("*/*.jsonl"), *own.glob("**/rollout-*.jsonl")]
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def find_session_file(name: str) -> Path:
    """A file by its path, by the beginning of a session's id, or the newest for `latest`."""
    path = Path(name).expanduser()
    if path.is_file():
        return path
    known = list_session_files()
    if name == "latest" and known:
        return known[0]
    fitting = [each for each in known if name != "latest" and name in each.stem]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise SessionUnreadable(
            f"{len(fitting)} sessions fit {name!r}: give more of the id, or a path. "
            "Nothing was read."
        )
    raise SessionUnreadable(
        f"There is no session {name!r}. `director audit` without a name lists those of Claude Code "
        "and Codex on this machine; any other file is given by its path."
    )


def read_session(path: Path) -> RecordedSession:
    """The session in a file of Claude Code or Codex, or of messages in any provider's form."""
    if path.stat().st_size > _LARGEST:
        raise SessionUnreadable(f"{path} is larger than 512 MB. Nothing was read.")
    text = path.read_text(encoding="utf-8", errors="replace")
    rows = list(_read_rows(text))
    for reader in (claude_code, codex):
        if any(map(reader.is_entry, rows)):
            return _check_session(reader.read_entries(rows, str(path)), path)
    try:
        return _check_session(message_files.read_messages(text, rows, str(path)), path)
    except ValueError as error:
        raise SessionUnreadable(
            f"{path} is no session that can be read: {error}. Known are session files of Claude "
            "Code (~/.claude/projects) and Codex (~/.codex/sessions), and JSON or JSONL with the "
            "messages of Chat Completions, Responses, Anthropic or LangChain."
        ) from None


def _check_session(session: RecordedSession, path: Path) -> RecordedSession:
    if not session.calls:
        raise SessionUnreadable(f"{path} holds no answer of a model: there is nothing to audit.")
    return session


def _read_rows(text: str) -> Iterator[Mapping[str, Any]]:
    """The JSON objects of a file of lines; a line that breaks off is left out."""
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, Mapping):
                yield row
