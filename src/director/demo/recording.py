"""Recorded agent runs: chat messages from a file, checked once, here.

Nothing else of the demonstration reads files, and a file that cannot be used is refused with a
sentence that says what is wrong with it.
"""

from __future__ import annotations

import gzip
import json
from importlib import resources
from pathlib import Path
from typing import TypeAlias

from director.errors import DirectorError

Message: TypeAlias = dict[str, object]

SHIPPED = "shop.json.gz"


class BadRecordingError(DirectorError):
    """A file that holds no run which could be replayed."""


def load_shipped() -> list[Message]:
    """The run that comes with the package."""
    folder = resources.files("director") / "recordings"
    try:
        return parse((folder / SHIPPED).read_bytes(), SHIPPED)
    except FileNotFoundError as missing:
        raise BadRecordingError(
            f"{SHIPPED!r} is not in this installation; give a recorded run with --run FILE"
        ) from missing


def load(path: Path) -> list[Message]:
    """The run in a file of chat messages, JSON or JSON lines; of several runs, the first."""
    try:
        raw = path.read_bytes()
    except OSError as failed:
        reason = (failed.strerror or str(failed)).lower()
        raise BadRecordingError(f"cannot read {str(path)!r}: {reason}") from failed
    return parse(raw, path.name)


def parse(raw: bytes, name: str) -> list[Message]:
    """The messages in the bytes of a file; `name` is for the sentence if there are none."""
    try:
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
    except (OSError, EOFError, ValueError) as failed:
        raise BadRecordingError(f"{name!r} is neither text nor a whole gzip file") from failed
    messages = [_message(item, at, name) for at, item in enumerate(_items(text, name), 1)]
    if not any(message["role"] == "assistant" for message in messages[1:]):
        raise BadRecordingError(
            f"{name!r} holds no answer of an assistant, so there is no model call to replay"
        )
    return messages


def _message(item: object, number: int, name: str) -> Message:
    if isinstance(item, dict) and isinstance(item.get("role"), str):
        return item
    raise BadRecordingError(
        f"item {number} of {name!r} is not a chat message: "
        'expected an object with a "role", such as {"role": "user", "content": "..."}'
    )


def _items(text: str, name: str) -> list[object]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _lines(text, name)
    if isinstance(whole, list):
        return _first_run(whole)
    if isinstance(whole, dict) and "messages" in whole:
        return _first_run([whole])
    raise BadRecordingError(f'{name!r} is neither a list of messages nor {{"messages": [...]}}')


def _lines(text: str, name: str) -> list[object]:
    items: list[object] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            items.append(json.loads(line))
        except (ValueError, RecursionError) as failed:
            raise BadRecordingError(
                f"line {number} of {name!r} is not JSON; "
                "expected a JSON list of chat messages, or one message a line"
            ) from failed
    return _first_run(items)


def _first_run(items: list[object]) -> list[object]:
    match items:
        case [{"messages": list(messages)}, *_]:
            return messages
    return items
