"""The managers under comparison, each as `make() -> manage(messages, budget) -> messages`.

Libraries are called as their documentation says; rules of products that are no library are
written here from their published description. None is tuned for the recordings.
"""

from __future__ import annotations

import copy
import importlib
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from director.audit.recorded_texts import Message
from director.audit.support import PER_MESSAGE, count_tokens, find_head_end
from director.audit.support_replay import Manage

PAGE_STATE = "### Page state"


def raw() -> Manage:
    """Send everything."""
    return lambda messages, _: messages


def floor() -> Manage:
    """Send the head and the latest turn: what any measure gives away for nothing."""

    def manage(messages: list[Message], _: int) -> list[Message]:
        head = find_head_end(messages)
        spoken = [at for at, m in enumerate(messages) if m["role"] == "assistant" and at >= head]
        return messages[:head] + (messages[spoken[-1] :] if spoken else messages[head:])

    return manage


def _older_results(
    messages: list[Message], newest: int, rewrite: Callable[[str], str]
) -> list[Message]:
    """Rewrite all results but the newest few."""
    results = [at for at, message in enumerate(messages) if message["role"] == "tool"]
    older = frozenset(results[:-newest])
    return [
        message | {"content": rewrite(message["content"])} if at in older else message
        for at, message in enumerate(messages)
    ]


def masking(newest: int) -> Callable[[], Manage]:
    """Observation masking: older results become a fixed placeholder."""
    return lambda: (
        lambda messages, _: _older_results(messages, newest, lambda _text: "[result omitted]")
    )


def browser_use() -> Manage:
    """browser-use's rule: only the newest page is sent; of older ones the action's word stays."""

    def strip(text: str) -> str:
        return text.split(PAGE_STATE, 1)[0].strip() or "Done."

    return lambda messages, _: _older_results(messages, 1, strip)


def _weigh(messages: Iterable[Any]) -> int:
    """The measure's own size of LangChain's messages, so that budgets mean the same."""
    from langchain_core.messages import convert_to_openai_messages  # noqa: PLC0415

    total = 0
    for message in messages:
        if getattr(message, "tool_calls", None):
            total += count_tokens([convert_to_openai_messages(message)])
        else:
            total += PER_MESSAGE + -(-len(message.content) // 4)
    return total


def _plain(kept: Iterable[Any], given: Iterable[Message]) -> list[Message]:
    """LangChain's messages as chat messages, with arguments spelt as they were given."""
    from langchain_core.messages import convert_to_openai_messages  # noqa: PLC0415

    spelt = {call["id"]: call for message in given for call in message.get("tool_calls") or ()}
    out = []
    for message in convert_to_openai_messages(list(kept)):
        calls = [spelt.get(call["id"], call) for call in message.get("tool_calls") or ()]
        same = message | {"content": message.get("content") or ""}
        out.append(same | {"tool_calls": calls} if calls else same)
    return out


def langchain_trim(**options: Any) -> Callable[[], Manage]:
    """LangChain's trim_messages, keeping the last messages and the system prompt."""

    def make() -> Manage:
        from langchain_core.messages import trim_messages  # noqa: PLC0415

        def manage(messages: list[Message], budget: int) -> list[Message]:
            fixed = {"strategy": "last", "include_system": True, "token_counter": _weigh}
            kept = trim_messages(messages, max_tokens=budget, **fixed, **options)
            return _plain(kept, messages)

        return manage

    return make


# As the documentation of trim_messages shows it for a history that a chat model must accept.
DOCUMENTED = {"start_on": "human", "end_on": ("human", "tool")}


def langchain_clear() -> Manage:
    """LangChain's ClearToolUsesEdit, started by the budget, keeping three results."""
    from langchain.agents.middleware import ClearToolUsesEdit  # noqa: PLC0415
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415

    def manage(messages: list[Message], budget: int) -> list[Message]:
        edited = convert_to_messages(messages)
        ClearToolUsesEdit(trigger=budget, keep=3).apply(edited, count_tokens=_weigh)
        return _plain(edited, messages)

    return manage


def headroom() -> Manage:
    """Headroom's rules without its model, told that the window is the budget."""
    os.environ.setdefault("HEADROOM_OFFLINE", "1")
    logging.getLogger("headroom").setLevel(logging.ERROR)
    from headroom import compress  # noqa: PLC0415

    def manage(messages: list[Message], budget: int) -> list[Message]:
        own = copy.deepcopy(messages)
        done = compress(own, model="gpt-4o", model_limit=budget, kompress_model="disabled")
        return list(done.messages)

    return manage


def director(*, thrift: bool = False) -> Manage:
    """The project's own engine, as it is by default or with `thrift`."""
    made: Manage = importlib.import_module("director.testing.replay").make(thrift=thrift)
    return made


def director_thrift() -> Manage:
    """The project's own engine, results shrunk on ingest."""
    return director(thrift=True)


@dataclass(frozen=True)
class Peer:
    """A manager under comparison: its name, how it is made, and what it can be used on."""

    key: str
    name: str
    make: Callable[[], Manage]
    follows_budget: bool = True
    only: frozenset[str] = frozenset()


OURS = "director"
PEERS = (
    Peer("raw", "everything (raw)", raw, follows_budget=False),
    Peer("floor", "head + latest turn", floor, follows_budget=False),
    Peer("trim", "LangChain trim_messages", langchain_trim(**DOCUMENTED)),
    Peer("trim_bare", "trim_messages, no start_on", langchain_trim()),
    Peer("clear", "LangChain ClearToolUses, 3 kept", langchain_clear),
    Peer("mask3", "observation masking, 3 kept", masking(3), follows_budget=False),
    Peer("mask10", "observation masking, 10 kept", masking(10), follows_budget=False),
    Peer("headroom", "Headroom, rules", headroom),
    Peer(
        "browser_use",
        "browser-use's rule",
        browser_use,
        follows_budget=False,
        only=frozenset({"browser"}),
    ),
    Peer(OURS, "Director", director),
    Peer("thrift", "Director, thrift", director_thrift),
)
