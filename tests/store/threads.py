"""Generated threads: what a store holds after users, models of three wires and tools had a say."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from director.context.values import Context
from director.context.wire import Wire, emit, problems
from director.store.context_view import build_thread_view
from director.store.values import Entry, EntryDraft

WIRES: tuple[Wire, ...] = ("chat", "responses", "anthropic")
WORDS = st.text(alphabet="abc XYZ 012 .:/äß中😀\n", min_size=1, max_size=20)
DRAW = Callable[[st.SearchStrategy[Any]], Any]


def entries_of(drafts: Iterable[EntryDraft], thread: str = "main") -> list[Entry]:
    """Drafts as a store would number them."""
    return [
        Entry(thread, seq, draft.kind, draft.body, float(seq), "", "", seq)
        for seq, draft in enumerate(drafts, 1)
    ]


def user(text: str) -> EntryDraft:
    """What a user said."""
    return EntryDraft("user", {"text": text})


def agent(wire: Wire, items: Sequence[object], text: str = "") -> EntryDraft:
    """What a model answered."""
    return EntryDraft("agent", {"wire": wire, "items": list(items), "text": text, "model": "m"})


def result(call: str, text: str, *, failed: bool = False, **more: object) -> EntryDraft:
    """What a tool answered."""
    return EntryDraft("result", {"call": call, "text": text, "failed": failed, **more})


def speaking(
    wire: Wire, number: int, text: str, calls: Sequence[str], thought: str = ""
) -> EntryDraft:
    """A model's answer in the form of its wire, as a provider writes it."""
    return agent(wire, _ITEMS[wire](number, text, calls, thought), text)


def _responses(number: int, text: str, calls: Sequence[str], thought: str) -> list[object]:
    def named(kind: str, n: int) -> str:
        return f"{kind}_{number:016x}00{n:032x}"

    items: list[object] = []
    if thought:
        summary = [{"type": "summary_text", "text": thought}]
        encrypted = {"encrypted_content": "e", "summary": summary}
        items.append({"type": "reasoning", "id": named("rs", 0), **encrypted})
    if text:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        said = {"type": "message", "id": named("msg", 1), "role": "assistant"}
        items.append({**said, "status": "completed", "content": content})
    for n, call in enumerate(calls):
        use = {"type": "function_call", "id": named("fc", 2 + n), "call_id": call}
        items.append({**use, "name": "look", "arguments": json.dumps({"n": n})})
    return items


def _chat(number: int, text: str, calls: Sequence[str], thought: str) -> list[object]:
    said: dict[str, object] = {"role": "assistant", "content": text or None, "x_number": number}
    if thought:
        said["reasoning_content"] = thought
    inner = {"name": "look", "arguments": "{}"}
    if calls:
        said["tool_calls"] = [{"id": call, "type": "function", "function": inner} for call in calls]
    return [said]


def _anthropic(number: int, text: str, calls: Sequence[str], thought: str) -> list[object]:
    content: list[object] = []
    if thought:
        content.append({"type": "thinking", "thinking": thought, "signature": f"s{number}"})
    if text:
        content.append({"type": "text", "text": text, "citations": None})
    content += [
        {"type": "tool_use", "id": call, "name": "look", "input": {"n": n}}
        for n, call in enumerate(calls)
    ]
    return [{"role": "assistant", "content": content}]


_ITEMS: dict[Wire, Callable[[int, str, Sequence[str], str], list[object]]] = {
    "responses": _responses,
    "chat": _chat,
    "anthropic": _anthropic,
}


def native(wire: Wire, call: str, text: str, *, failed: bool = False) -> dict[str, object]:
    """A result as its wire has it; on Anthropic's, a block."""
    made: dict[Wire, dict[str, object]] = {
        "responses": {"type": "function_call_output", "call_id": call, "output": text},
        "chat": {"role": "tool", "tool_call_id": call, "content": text, "x_kept": [1]},
        "anthropic": {"type": "tool_result", "tool_use_id": call, "content": text},
    }
    spiced = {**made[wire], "is_error": True} if failed and wire == "anthropic" else made[wire]
    return {"wire": wire, "message": spiced}


def threads(
    wires: Sequence[Wire] = WIRES, *, whole: bool = False, start: int = 1, most: int = 8
) -> st.SearchStrategy[list[EntryDraft]]:
    """Threads in some wires; `whole` ones answer every call natively, under ids of its own.

    One that goes on from another starts with a higher number.
    """

    @st.composite
    def made(draw: DRAW) -> list[EntryDraft]:
        numbers = itertools.count(start)
        drafts: list[EntryDraft] = []
        for _ in range(draw(st.integers(0, most))):
            number = next(numbers)
            if draw(st.booleans()):
                drafts.append(_asked(draw, number, draw(st.sampled_from(wires))))
            else:
                drafts += _step(draw, number, draw(st.sampled_from(wires)), whole=whole)
        return drafts

    return made()


def _asked(draw: DRAW, number: int, wire: Wire) -> EntryDraft:
    text = f"<{number}> {draw(WORDS)}"
    if draw(st.booleans()):
        return user(text)
    message = {"role": "user", "content": text, "x_kept": number}
    return EntryDraft("user", {"text": text, "native": {"wire": wire, "message": message}})


def _step(draw: DRAW, number: int, wire: Wire, *, whole: bool) -> list[EntryDraft]:
    calls = [f"call_{number}_{n}" for n in range(draw(st.integers(0, 2)))]
    if calls and not whole and draw(st.integers(0, 3)) == 0:
        calls = ["call_again"] * draw(st.integers(1, 2))
        if wire == "anthropic":
            calls = calls[:1]
    text = "" if calls and draw(st.booleans()) else f"<{number}> {draw(WORDS)}"
    thought = draw(st.sampled_from(["", "hm"]))
    drafts = [speaking(wire, number, text, calls, thought)]
    for call in draw(st.permutations(calls)):
        failed = draw(st.booleans())
        kept = {"native": native(wire, call, f"<{call}>", failed=failed)}
        how = "native" if whole else draw(st.sampled_from(["native", "bare", "foreign", "none"]))
        if how == "foreign":
            kept = {"native": native(draw(st.sampled_from(WIRES)), call, f"<{call}>")}
        if how != "none":
            more = {} if how == "bare" else kept
            drafts.append(result(call, f"<{call}>", failed=failed, **more))
    return drafts


def flaws(entries: Sequence[Entry]) -> list[str]:
    """What any of the three wires would refuse in what the model sees."""
    now = build_thread_view(entries)
    everything = Context(turns=tuple(turn for one in now.told for turn in one.turns))
    return [
        f"{wire}: {problem}"
        for wire in WIRES
        for problem in problems(emit(now.context, wire), wire, emit(everything, wire))
    ]


def turns_in(entries: Iterable[Entry]) -> set[int]:
    """The places of all turns."""
    return {entry.seq for entry in entries if entry.kind in ("user", "agent")}
