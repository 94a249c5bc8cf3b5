"""Generated chat histories, and the rules of a provider's wire written without the engine.

The rules know nothing of turns: they read what would be sent, as a provider does.
"""

from __future__ import annotations

import json
from typing import TypeAlias

from hypothesis import strategies as st

Message: TypeAlias = dict[str, object]

_WORDS = st.text(
    alphabet=st.sampled_from("abcdefghij KLM 0123 .,:-_/ äöß 中文 😀\n"), min_size=1, max_size=60
)
_PAGE = st.builds(
    lambda rows, name: "\n".join(
        f'- link "{name} {n}" [ref=e{n}]: EUR {n * 7 % 90}.50, in stock' for n in range(rows)
    ),
    st.integers(0, 120),
    _WORDS,
)
_RECORDS = st.builds(
    lambda rows, name: json.dumps([{"id": n, "name": name, "ok": n % 3 > 0} for n in range(rows)]),
    st.integers(0, 60),
    _WORDS,
)
_LOG = st.builds(
    lambda rows: "\n".join(f"INFO request {n} took {n * 13 % 400} ms" for n in range(rows)),
    st.integers(0, 150),
)
_RESULT = st.one_of(_WORDS, _PAGE, _RECORDS, _LOG)


@st.composite
def chats(draw: st.DrawFn) -> list[Message]:
    """A history as an agent makes it: every call answered, in order, ending before a reply."""
    messages: list[Message] = [{"role": "system", "content": "You help. " + draw(_WORDS)}]
    number = 0
    for _ in range(draw(st.integers(1, 4))):
        messages.append({"role": "user", "content": draw(_WORDS)})
        for _ in range(draw(st.integers(0, 6))):
            results = draw(st.lists(_RESULT, min_size=1, max_size=3))
            ids = [f"call_{number + n}" for n in range(len(results))]
            number += len(results)
            messages.append(_asking(draw(_WORDS), ids))
            messages.extend(
                {"role": "tool", "tool_call_id": id_, "content": text}
                for id_, text in zip(ids, results, strict=True)
            )
        if draw(st.booleans()):
            messages.append({"role": "assistant", "content": draw(_WORDS)})
    messages.append({"role": "user", "content": "And now: " + draw(_WORDS)})
    return messages


def _asking(text: str, ids: list[str]) -> Message:
    called = [
        {"id": id_, "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
        for id_ in ids
    ]
    return {"role": "assistant", "content": text, "tool_calls": called}


def faults(messages: list[Message]) -> list[str]:
    """What a strict provider would refuse in a chat history; empty if nothing."""
    found: list[str] = []
    waiting: list[str] = []
    seen: set[str] = set()
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            answered = str(message.get("tool_call_id"))
            if answered not in waiting:
                found.append(f"message {at} answers {answered!r}, which is not open")
            else:
                waiting.remove(answered)
            continue
        found += [f"message {at} comes before the answer to {id_!r}" for id_ in waiting]
        waiting = _ids(message)
        found += [f"message {at} asks {id_!r} a second time" for id_ in waiting if id_ in seen]
        seen.update(waiting)
    return found + [f"{id_!r} is never answered" for id_ in waiting]


def _ids(message: Message) -> list[str]:
    called = message.get("tool_calls")
    return [str(call["id"]) for call in called] if isinstance(called, list) else []


def requests(messages: list[Message]) -> list[list[Message]]:
    """What an agent would send, call by call, while the history grows."""
    ends = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    return [messages[:end] for end in [*ends, len(messages)] if end]
