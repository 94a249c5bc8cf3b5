"""The rules by which the blocks of a conversation must fit together, M0 to M13.

Messages of one role in a row are one turn before any rule looks at them. What a signature says
is judged elsewhere; nothing here keeps a state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from director.testing.double import refusals
from director.testing.double.exchange import Refusal
from director.testing.double.messages.read import (
    CheckedMessagesRequest,
    Json,
    Piece,
    Prompt,
    RoleTurn,
)
from director.testing.double.shapes import as_list, as_mapping

MARKS = 4


def check_block_rules(prompt: Prompt, call: CheckedMessagesRequest, *, paused: bool) -> None:
    """Refuse a conversation that breaks a rule; `paused` says that its end may be the agent's."""
    _texts(call)
    _marks(call)
    turns = prompt.turns
    if turns and turns[0].side != "user" and turns[0].pieces[0].kind != "compaction":
        raise refusals.write_anthropic_refusal(
            "M0", 'messages: first message must use the "user" role'
        )
    _unique(prompt)
    for before, turn in zip([None, *turns], turns, strict=False):
        _results(before, turn)
    for turn, after in zip(turns, [*turns[1:], None], strict=True):
        _check_answered(turn, after)
    if turns and turns[-1].side == "assistant" and not paused:
        _prefill(turns[-1], call)


def _texts(call: CheckedMessagesRequest) -> None:
    messages = [as_mapping(message) for message in as_list(call.body.get("messages"))]
    for at, message in enumerate(messages):
        content = message.get("content")
        final = at == len(messages) - 1 and message.get("role") == "assistant"
        if isinstance(content, list | tuple) and not content and not final:
            text = (
                f"messages.{at}: all messages must have non-empty content except for the "
                "optional final assistant message"
            )
            raise refusals.write_anthropic_refusal("M8", text)
        texts = [content] if isinstance(content, str) else _list_texts(content)
        if not all(texts):
            raise refusals.write_anthropic_refusal(
                "M8", "messages: text content blocks must be non-empty"
            )


def _list_texts(content: object) -> list[object]:
    blocks = [as_mapping(block) for block in as_list(content)]
    return [block.get("text") for block in blocks if block.get("type") == "text"]


def _find_cache_marks(body: Json) -> Iterator[tuple[str, str]]:
    """Where the cache marks are and how long they are to last, in the order of the cache."""
    for name in ("tools", "system"):
        for at, block in enumerate(map(as_mapping, as_list(body.get(name)))):
            yield from _mark(f"{name}.{at}", block)
    for at, message in enumerate(map(as_mapping, as_list(body.get("messages")))):
        for index, block in enumerate(map(as_mapping, as_list(message.get("content")))):
            for inner in map(as_mapping, as_list(block.get("content"))):
                yield from _mark(f"messages.{at}.content.{index}", inner)
            yield from _mark(f"messages.{at}.content.{index}", block)
    if body.get("cache_control"):
        yield "cache_control", str(as_mapping(body["cache_control"]).get("ttl") or "5m")


def _mark(path: str, block: Json) -> Iterator[tuple[str, str]]:
    if block.get("cache_control"):
        yield f"{path}.cache_control", str(as_mapping(block["cache_control"]).get("ttl") or "5m")


def _marks(call: CheckedMessagesRequest) -> None:
    found = list(_find_cache_marks(call.body))
    if len(found) > MARKS:
        text = (
            f"A maximum of {MARKS} blocks with cache_control may be provided. Found {len(found)}."
        )
        raise refusals.write_anthropic_refusal("M9", text)
    short = False
    for path, ttl in found:
        short = short or ttl == "5m"
        if ttl == "1h" and short:
            text = (
                f"{path}.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
                "cache_control block. Note that blocks are processed in the following order: "
                "`tools`, `system`, `messages`."
            )
            raise refusals.write_anthropic_refusal("M9", text)


def _unique(prompt: Prompt) -> None:
    met: set[object] = set()
    for piece in prompt.pieces:
        if piece.kind == "tool_use":
            if piece.block.get("id") in met:
                text = f"{piece.place}: `tool_use` ids must be unique"
                raise refusals.write_anthropic_refusal("M4", text)
            met.add(piece.block.get("id"))


def _results(before: RoleTurn | None, turn: RoleTurn) -> None:
    """Every result belongs to a call of the turn before, and to no other result's call."""
    uses = {piece.block.get("id") for piece in before.of("tool_use")} if before else set()
    counts: Counter[object] = Counter()
    for piece in turn.of("tool_result"):
        use = piece.block.get("tool_use_id")
        if use not in uses:
            text = (
                f"{piece.place}: unexpected `tool_use_id` found in `tool_result` blocks: {use}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the "
                "previous message."
            )
            raise refusals.write_anthropic_refusal("M2", text)
        counts[use] += 1
        if counts[use] > 1:
            text = (
                f"{piece.place}: each tool_use must have a single result. Found multiple "
                f"`tool_result` blocks with id: {use}"
            )
            raise refusals.write_anthropic_refusal("M3", text)


def _check_answered(turn: RoleTurn, after: RoleTurn | None) -> None:
    """Every call is answered at the very beginning of the next turn."""
    uses = turn.of("tool_use")
    results = after.pieces if after else ()
    leading: set[object] = set()
    for piece in results:
        if piece.kind != "tool_result":
            break
        leading.add(piece.block.get("tool_use_id"))
    anywhere = {piece.block.get("tool_use_id") for piece in results if piece.kind == "tool_result"}
    if missing := [use for use in uses if use.block.get("id") not in anywhere]:
        raise _refuse_unanswered("M1", missing)
    if late := [use for use in uses if use.block.get("id") not in leading]:
        raise _refuse_unanswered("M13", late)


def _refuse_unanswered(rule: str, uses: list[Piece]) -> Refusal:
    ids = ", ".join(str(use.block.get("id")) for use in uses)
    text = (
        f"messages.{uses[0].message}: `tool_use` ids were found without `tool_result` blocks "
        f"immediately after: {ids}. Each `tool_use` block must have a corresponding "
        "`tool_result` block in the next message."
    )
    return refusals.write_anthropic_refusal(rule, text)


def _prefill(last: RoleTurn, call: CheckedMessagesRequest) -> None:
    if last.pieces[-1].kind == "compaction":
        return
    if not call.can.prefill:
        text = (
            "This model does not support assistant message prefill. The conversation must end "
            "with a user message."
        )
        raise refusals.write_anthropic_refusal("M10", text)
    said = last.pieces[-1].block.get("text")
    if isinstance(said, str) and said != said.rstrip():
        text = "messages: final assistant content cannot end with trailing whitespace"
        raise refusals.write_anthropic_refusal("M10", text)
