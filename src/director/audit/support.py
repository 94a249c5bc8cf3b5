"""What a recorded next call needs of its history, and whether a managed context still offers it.

Derived from the raw history alone, so that it favours no manager. No model is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from director.audit.recorded_texts import Message, find_word, list_arguments, read_text

PER_MESSAGE = 4
_WORD = re.compile(r"\w{3,}")
_PIECE = re.compile(r"[^\s\"'`,;()<>{}=|]+")
_TELLING = re.compile(r"\d|\w[_./:@-]\w|[a-z][A-Z]")
_NEAR = re.compile(r"\w[\w.:/-]*\w")
# Marks and roles of a page snapshot are its markup, not words that tell what a literal is.
_MARKUP = re.compile(
    r"\[(?:ref|cursor|level|active|checked|expanded|selected|disabled)\b[^\]\n]*\]|/url:"
    r"|^\s*- (?:generic|table|row|rowgroup|cell|columnheader|rowheader|list|listitem|text|paragraph"
    r"|link|button|textbox|combobox|option|heading|term|definition|strong|code|article|main"
    r"|navigation|banner|status)\b",
    re.MULTILINE,
)
# An argument of this name describes the element that `ref` names.
_DESCRIBES = "element"


def count_tokens(messages: Iterable[Message]) -> int:
    """The size of messages, at four characters a token, the same for every manager."""
    return sum(PER_MESSAGE + -(-len(read_text(message)) // 4) for message in messages)


def find_head_end(messages: Sequence[Message]) -> int:
    """Where the head ends: behind the first thing the user said."""
    return next((at + 1 for at, m in enumerate(messages) if m["role"] == "user"), 0)


def compute_budget(messages: Sequence[Message], share: float) -> int:
    """A budget that holds the head and this share of all that follows it."""
    head = count_tokens(messages[: find_head_end(messages)])
    return int(head + share * (count_tokens(messages) - head))


def find_refusing(messages: Sequence[Message]) -> set[str]:
    """The providers that would refuse these messages: «openai», «anthropic», both or none."""
    refusing: set[str] = set()
    roles = [message["role"] for message in messages]
    awaited: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in awaited:
                refusing |= {"openai", "anthropic"}
            awaited.discard(message.get("tool_call_id", ""))
            continue
        if awaited or (message["role"] == "assistant" and not read_text(message).strip()):
            refusing |= {"openai", "anthropic"} if awaited else {"anthropic"}
        awaited = {call["id"] for call in message.get("tool_calls") or ()}
    if awaited or "user" not in roles:
        refusing |= {"openai", "anthropic"}
    talk = [role for role in roles if role != "system"]
    if talk[:1] != ["user"] or "system" in roles[1:]:
        refusing.add("anthropic")
    return refusing


@dataclass(frozen=True)
class CallNeeds:
    """What the next recorded call takes from the history.

    `hard` stands only in its old part: neither in the head nor since the agent last spoke.
    `refs` are references to elements that the newest result offers.
    """

    hard: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()


def find_needs(history: Sequence[Message], action: Message) -> CallNeeds:
    """Derive from the raw history what the next call needs of it."""
    last = _last_spoken(history)
    easy = "\n".join(read_text(m) for m in (*history[: find_head_end(history)], *history[last:]))
    old = "\n".join(read_text(m) for m in history[find_head_end(history) : last])
    newest = read_newest_result(history)
    hard, refs = [], []
    for name, value in list_arguments(action):
        if name in ("ref", _DESCRIBES):
            refs += [value] if f"[ref={value}]" in newest else []
            continue
        hard += [
            literal
            for literal in list_literals(value, old, easy)
            if find_word(literal, easy) < 0 <= find_word(literal, old)
        ]
    return CallNeeds(tuple(dict.fromkeys(hard)), tuple(dict.fromkeys(refs)))


def list_literals(value: str, *texts: str) -> Iterator[str]:
    """What an argument names: itself if it stands in a text, else what in it tells something."""
    whole = "\n" not in value and any(find_word(value, text) >= 0 for text in texts)
    for piece in [value] if whole else _PIECE.findall(value):
        literal = piece.strip(".:-")
        if len(literal) > 2 and (whole or _TELLING.search(literal)):
            yield literal


def _last_spoken(messages: Sequence[Message]) -> int:
    spoken = [at for at, m in enumerate(messages) if m["role"] == "assistant"]
    return spoken[-1] if spoken else find_head_end(messages)


def read_newest_result(messages: Sequence[Message]) -> str:
    """The text of what came since the agent last spoke."""
    spoken = [at for at, m in enumerate(messages) if m["role"] == "assistant"]
    return "\n".join(read_text(m) for m in messages[spoken[-1] + 1 if spoken else 0 :])


def _neighbours(literal: str, text: str, reach: int) -> Iterator[frozenset[str]]:
    at, seen = find_word(literal, text), 0
    while at >= 0 and seen < 24:
        end = at + len(literal)
        left = _NEAR.findall(_MARKUP.sub(" ", text[max(0, at - 40 * reach) : at]))[-reach:]
        right = _NEAR.findall(_MARKUP.sub(" ", text[end : end + 40 * reach]))[:reach]
        yield frozenset(left + right)
        at, seen = find_word(literal, text, end), seen + 1


def is_among_neighbours(literal: str, raw: str, kept: str) -> bool:
    """Whether somewhere half of the words that stood next to a literal still stand near it.

    Near is twice as far as next to, so that a text may be re-ordered a little; a bare list of
    literals keeps none of their words and does not count.
    """
    before = [words for words in _neighbours(literal, raw, 6) if words]
    after = list(_neighbours(literal, kept, 12))
    return bool(after) and (
        not before or any(2 * len(was & now) >= len(was) for was in before for now in after)
    )


def is_ref_kept(ref: str, raw: str, kept: str) -> bool:
    """Whether the newest result still offers an element on a line with half of its label."""
    mark = f"[ref={ref}]"
    was = next(line for line in raw.splitlines() if mark in line)
    label = set(_WORD.findall(was.replace(mark, "")))
    # One line with everything on it offers nothing that can be told apart.
    longest = max(400, 2 * len(was))
    return any(
        2 * len(label & set(_WORD.findall(line))) >= len(label)
        for line in kept.splitlines()
        if mark in line and len(line) <= longest
    )
