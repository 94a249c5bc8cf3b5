"""What can be read in messages: their text, the values of a call, and where a value stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Message: TypeAlias = dict[str, Any]

_NAME = re.compile(
    r"https?://[^\s\"'<>)]+|[\w.+-]+@[\w-]+\.\w+|(?:[\w.-]*/)+[\w.-]+"
    r"|[A-Za-z_][\w.-]*[\d_.][\w.-]*|\d[\d:.,/-]*\d|[A-Z][a-z]+[A-Z]\w+"
)
_WORDS = re.compile(r"\w+")
RUN, NEAR = 5, 6


def read_text(message: Message) -> str:
    """Everything in a message that a model reads, calls included."""
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "\n".join(part.get("text") or json.dumps(part) for part in content)
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return "\n".join([content, *(f"{c['name']} {c['arguments']}" for c in calls)])


def _wordlike(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def find_word(literal: str, text: str, start: int = 0) -> int:
    """Where a literal stands in a text as a word of its own, or -1."""
    while literal and (at := text.find(literal, start)) >= 0:
        end = at + len(literal)
        before, after = text[at - 1 : at] if at else "", text[end : end + 1]
        glued = (_wordlike(literal[0]) and _wordlike(before)) or (
            _wordlike(literal[-1]) and _wordlike(after)
        )
        if not glued:
            return at
        start = at + 1
    return -1


def _values(node: object, name: str = "") -> Iterator[tuple[str, str]]:
    match node:
        case dict():
            for key, inner in node.items():
                yield from _values(inner, key)
        case list():
            for inner in node:
                yield from _values(inner, name)
        case str() | int() | float() if not isinstance(node, bool):
            yield name, str(node)
        case _:
            return


def list_arguments(message: Message) -> list[tuple[str, str]]:
    """The plain values in the calls of a message, each with the name it was given under."""
    found = []
    for call in message.get("tool_calls") or ():
        try:
            found += list(_values(json.loads(call["function"]["arguments"] or "{}")))
        except ValueError:
            found.append(("", call["function"]["arguments"]))
    return found


@dataclass(frozen=True)
class CallUses:
    """What the next message uses: of the latest result alone, of the five results before it."""

    fresh: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()


def find_uses(history: Sequence[Message], action: Message) -> CallUses:
    """Derive from the raw history which values of the next message stand in one place only."""
    values = {
        value for _, value in list_arguments(action) if "\n" not in value and len(value) <= 60
    }
    said = [action.get("content") or "", *(v for _, v in list_arguments(action) if v not in values)]
    values |= {name.strip(".,:;-") for text in said for name in _NAME.findall(text)}
    wanted = sorted(value for value in values if len(value) > 3)
    spoken = [at for at, message in enumerate(history) if message["role"] == "assistant"]
    if not wanted or not spoken:
        return CallUses()
    last, near = spoken[-1], spoken[-NEAR:][0]
    latest = "\n".join(read_text(m) for m in history[last + 1 :])
    before = "\n".join(read_text(m) for m in history[: last + 1])
    heard = [m for m in history[near : last + 1] if m["role"] in ("tool", "user")]
    observed = "\n".join(map(read_text, heard))
    own = [m for m in history[near : last + 1] if m["role"] == "assistant"]
    rest = "\n".join(map(read_text, [*history[:near], *own]))
    return CallUses(
        tuple(v for v in wanted if find_word(v, before) < 0 <= find_word(v, latest)),
        tuple(
            v
            for v in wanted
            if find_word(v, latest) < 0 and find_word(v, rest) < 0 <= find_word(v, observed)
        ),
    )


def count_kept_words(raw: Sequence[Message], out: Sequence[Message]) -> tuple[int, int]:
    """Of the runs of five words that the user said after the first turn: how many stand, of all."""
    users = [read_text(message) for message in raw if message["role"] == "user"][1:]
    kept = _runs("\n".join(map(read_text, out)))
    said = [run for text in users for run in _runs(text)]
    return sum(run in kept for run in said), len(said)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORDS.findall(text)
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}
