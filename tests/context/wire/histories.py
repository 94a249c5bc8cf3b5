"""Generated histories that a provider accepts, one strategy for each wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

WORDS = st.text(alphabet="abc XYZ 012 .,:/äß中😀\n", min_size=1, max_size=30)
NAMES = st.sampled_from(["read", "click", "search"])
ARGS = st.dictionaries(st.sampled_from(["url", "n", "ü"]), st.integers() | WORDS, max_size=2)
SPICE = st.dictionaries(st.sampled_from(["name", "x_unknown", "phase"]), WORDS, max_size=1)
DRAW = Callable[[st.SearchStrategy[Any]], Any]
MARK = {"type": "ephemeral"}


def chance(draw: DRAW) -> bool:
    """A coin."""
    return bool(draw(st.booleans()))


def _order(draw: DRAW, items: list[Any]) -> list[Any]:
    return list(draw(st.permutations(items)))


def _chat_content(draw: DRAW) -> Any:
    text = draw(WORDS)
    if chance(draw):
        return text
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    block = {"type": "text", "text": text, "cache_control": MARK}
    return _order(draw, [block, image, {"type": "text", "text": "more"}])


def _chat_step(draw: DRAW, number: int) -> list[Any]:
    words, old = draw(WORDS), {"name": "old", "arguments": "{}"}
    plain: dict[str, list[Any]] = {
        "user": [{"role": "user", "content": _chat_content(draw), **draw(SPICE)}],
        "system": [{"role": draw(st.sampled_from(["system", "developer"])), "content": words}],
        "refuse": [{"role": "assistant", "content": None, "refusal": words}],
        "audio": [{"role": "assistant", "audio": {"id": "audio_1"}}],
        "old": [
            {"role": "assistant", "content": None, "function_call": old},
            {"role": "function", "name": "old", "content": words},
        ],
    }
    kind = draw(st.sampled_from(["say", "call", "call", *plain]))
    if kind in plain:
        return plain[kind]
    said = {"role": "assistant", "content": _chat_content(draw), **draw(SPICE)}
    if chance(draw):
        said["reasoning_content"] = "because"
    if kind == "say":
        return [said]
    ids = [f"call_{number}_{n}" for n in range(draw(st.integers(1, 3)))]
    said["tool_calls"] = [_chat_call(draw, one) for one in ids]
    said["content"] = draw(st.sampled_from([None, "", "I look."]))
    results = [
        {"role": "tool", "tool_call_id": one, "content": _chat_content(draw), **draw(SPICE)}
        for one in _order(draw, ids)
    ]
    return [said, *results]


def _chat_call(draw: DRAW, one: str) -> Any:
    if chance(draw):
        return {"id": one, "type": "custom", "custom": {"name": draw(NAMES), "input": "x = 1"}}
    inner = {"name": draw(NAMES), "arguments": json.dumps(draw(ARGS))}
    return {"id": one, "type": "function", "function": inner, **draw(SPICE)}


def _anthropic_content(draw: DRAW) -> Any:
    if chance(draw):
        return draw(WORDS)
    image = {"type": "image", "source": {"type": "base64", "data": "", "media_type": "image/png"}}
    text = {"type": "text", "text": draw(WORDS), "cache_control": MARK}
    return _order(draw, [text, image, {"type": "text", "text": "more", "citations": []}])


def _anthropic_step(draw: DRAW, number: int) -> list[Any]:
    kind = draw(st.sampled_from(["user", "say", "call", "call", "split"]))
    if kind == "user":
        return [{"role": "user", "content": _anthropic_content(draw)}]
    if kind == "say":
        return [{"role": "assistant", "content": _anthropic_content(draw)}]
    ids = [f"toolu_{number}_{n}" for n in range(draw(st.integers(1, 3)))]
    uses = [
        {"type": "tool_use", "id": one, "name": draw(NAMES), "input": draw(ARGS)} for one in ids
    ]
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    hidden = {"type": "redacted_thinking", "data": "zz"}
    compaction = {"type": "compaction", "content": "earlier"}
    served = {"type": "server_tool_use", "id": f"srv_{number}", "name": "web", "input": {}}
    ahead = [one for one in (thought, hidden, compaction, served) if chance(draw)]
    if chance(draw):
        ahead.append({"type": "text", "text": draw(WORDS)})
    results = [_anthropic_result(draw, one) for one in _order(draw, ids)]
    rest = {"type": "text", "text": draw(WORDS)}
    if kind == "split":
        said = [{"role": "assistant", "content": [use]} for use in uses]
        if ahead:
            said.insert(0, {"role": "assistant", "content": ahead})
        return [*said, *({"role": "user", "content": [result]} for result in results)]
    answer = [*results, rest] if chance(draw) else results
    return [{"role": "assistant", "content": [*ahead, *uses]}, {"role": "user", "content": answer}]


def _anthropic_result(draw: DRAW, one: str) -> Any:
    block = {"type": "tool_result", "tool_use_id": one, "content": _anthropic_content(draw)}
    extras: list[dict[str, Any]] = [{}, {"is_error": True}, {"cache_control": MARK}]
    return {**block, **draw(st.sampled_from(extras))}


def _item_id(prefix: str, number: int, n: int) -> str:
    return f"{prefix}_{number:016x}00{n:032x}"


def _responses_step(draw: DRAW, number: int) -> list[Any]:
    words, image = draw(WORDS), {"type": "input_image", "image_url": "data:,"}
    content = _order(draw, [{"type": "input_text", "text": words}, image])
    plain: dict[str, list[Any]] = {
        "user": [{"type": "message", "role": "user", "content": content, **draw(SPICE)}],
        "easy": [{"role": "user", "content": words}],
        "system": [{"type": "message", "role": "developer", "content": words}],
        "refer": [
            {"type": "item_reference", "id": _item_id("fc", number, 0)},
            {"type": "function_call_output", "call_id": f"far_{number}", "output": "1"},
        ],
        "unknown": [{"type": "novel_thing", "id": _item_id("nt", number, 0), "deep": {"x": [1]}}],
        "compact": [{"type": "compaction", "id": _item_id("cmp", number, 0), "summary": "e"}],
    }
    kind = draw(st.sampled_from(["answer", "answer", "answer", *plain]))
    return plain[kind] if kind in plain else _response(draw, number)


def _response(draw: DRAW, number: int) -> list[Any]:
    items: list[Any] = []
    if chance(draw):
        name = _item_id("rs", number, 0)
        items.append({"type": "reasoning", "id": name, "summary": [], "encrypted_content": "e"})
    if chance(draw):
        name = _item_id("ws", number, 1)
        items.append({"type": "web_search_call", "id": name, "status": "completed"})
    calls = draw(st.integers(0, 3))
    if not calls or chance(draw):
        text = {"type": "output_text", "text": draw(WORDS), "annotations": []}
        content = draw(st.sampled_from([[text], [text, {"type": "refusal", "refusal": "no"}]]))
        said = {"type": "message", "id": _item_id("msg", number, 2), "role": "assistant"}
        items.append({**said, "content": content, "status": "completed", **draw(SPICE)})
    pairs = [_responses_call(draw, number, n) for n in range(calls)]
    if chance(draw):
        return [*items, *(item for pair in pairs for item in pair)]
    return [*items, *(use for use, _ in pairs), *_order(draw, [output for _, output in pairs])]


def _responses_call(draw: DRAW, number: int, n: int) -> tuple[Any, Any]:
    name, one = _item_id("fc", number, 9 + n), f"call_{number}_{n}"
    kind = draw(st.sampled_from(["function", "custom_tool", "computer"]))
    parts = [{"type": "input_text", "text": draw(WORDS)}, {"type": "input_image", "image_url": ""}]
    output = draw(st.sampled_from(["plain", parts]))
    use: dict[str, Any] = {"type": f"{kind}_call", "id": name, "call_id": one}
    if kind == "function":
        use |= {"name": draw(NAMES), "arguments": json.dumps(draw(ARGS)), "status": "completed"}
    elif kind == "custom_tool":
        use |= {"name": draw(NAMES), "input": draw(WORDS)}
    else:
        use |= {"action": {"type": "screenshot"}, "pending_safety_checks": []}
        output = {"type": "computer_screenshot", "image_url": "data:,"}
    return use, {"type": f"{kind}_call_output", "call_id": one, "output": output}


Step = Callable[[DRAW, int], list[Any]]


def _history(step: Step, first: list[Any], most: int = 6) -> st.SearchStrategy[list[Any]]:
    @st.composite
    def made(draw: DRAW) -> list[Any]:
        steps = draw(st.integers(0, most))
        return [*first, *(message for number in range(steps) for message in step(draw, number))]

    return made()


CHAT = _history(_chat_step, [])
RESPONSES = _history(_responses_step, [])
ANTHROPIC = _history(_anthropic_step, [{"role": "user", "content": "Begin."}])
DICTS: dict[str, st.SearchStrategy[list[Any]]] = {
    "chat": CHAT,
    "responses": RESPONSES,
    "anthropic": ANTHROPIC,
}
