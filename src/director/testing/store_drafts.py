"""Drafts for tests of a store: a user, an agent, a result, a short conversation; what refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from director.context.values import Summary
from director.store.values import EntryDraft, StoreError, VersionConflict

AWKWARD = "é漢🦝 \u2028 \x00 \ud800 ' \" \\ %s $1 {} </script>"
LARGE = "".join(f"line {n}: {AWKWARD}\n" for n in range(400))


def draft_user_message(text: str) -> EntryDraft:
    """What a user said, as a draft."""
    return EntryDraft("user", {"text": text})


def draft_agent_message(text: str, calls: Sequence[str] = ()) -> EntryDraft:
    """What an agent said in the chat wire, with calls of these ids."""
    item: dict[str, object] = {"role": "assistant", "content": text}
    if calls:
        look = {"name": "look", "arguments": '{"at": "page"}'}
        item["tool_calls"] = [{"id": call, "type": "function", "function": look} for call in calls]
    return EntryDraft("agent", {"wire": "chat", "items": [item], "text": text})


def draft_call_result(call: str, text: str, *, failed: bool = False) -> EntryDraft:
    """What a call gave back."""
    return EntryDraft("result", {"call": call, "text": text, "failed": failed})


def draft_talk(turns: int, word: str = "word") -> list[EntryDraft]:
    """A conversation of so many exchanges, each with one call and its result."""
    said: list[EntryDraft] = []
    for n in range(turns):
        call = f"call_{word}_{n}"
        said += [
            draft_user_message(
                f"{word} {n}: find the price of mug {n} and say in one sentence how you know it"
            ),
            draft_agent_message(
                f"{word} {n}: I look at the page of mug {n} before I answer", [call]
            ),
            draft_call_result(
                call, f"{word} {n}: the page says that mug {n} costs EUR {n}.50 with taxes"
            ),
        ]
    return said


def draft_summary(covers: Sequence[int], text: str = "Prices were looked up.") -> Summary:
    """A summary of these turns."""
    return Summary(text, tuple(covers))


def encode_draft_body(body: object) -> str:
    """A body as JSON, so that two can be compared to the letter."""
    return json.dumps(body, sort_keys=True, default=dict)


def is_store_conflict(act: Callable[[], object]) -> bool:
    """Whether an act is refused because something has changed since."""
    try:
        act()
    except VersionConflict:
        return True
    return False


def is_store_refused(act: Callable[[], object]) -> bool:
    """Whether an act is refused."""
    try:
        act()
    except StoreError:
        return True
    return False
