"""What the server does to a context that grew: clears parts of it, or replaces all by a summary.

Edits change only what the model is shown; the client's history stays as it is. A signed
compaction block stands first in later requests in place of what it sums up; one made on the way
stands where it was made, and what came before it is not shown again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from director.testing.double import refusals
from director.testing.double.exchange import ParsedRequest, Refusal
from director.testing.double.messages.read import (
    THOUGHTS,
    CheckedMessagesRequest,
    Json,
    Piece,
    Prompt,
    read_block_weight,
    read_number,
)
from director.testing.double.messages.thinking import (
    find_thinking_end,
    pack_thinking_texts,
    read_covered_thinking,
    seal_thinking,
    unpack_thinking_texts,
)
from director.testing.double.request_log.block import (
    OVERHEAD,
    count_all_block_units,
    count_block_units,
)
from director.testing.double.shapes import as_list, as_mapping

CLEARED = "[tool result cleared]"
CLEAR_AT = 100_000
COMPACT_AT = 150_000
COMPACT_AT_LEAST = 50_000
KEEP_USES = 3
TEXTS = {
    "compaction_block_misplaced": (
        "The `compaction` block is not the first block of the conversation, or is in a `system` "
        "message."
    ),
    "compaction_block_ambiguous": (
        "`messages` holds more than one `compaction` block with content. Send only the block the "
        "conversation returned last."
    ),
    "compaction_content_mismatch": (
        "The `compaction` block's `content` differs from the text its `signature` recorded."
    ),
    "compaction_signature_invalid": "The `compaction` block's `signature` does not verify.",
    "compaction_incomplete_turn": (
        "The compaction request ends on an `assistant` turn that is not finished."
    ),
    "compaction_nothing_to_summarize": (
        "`messages` holds no `user` or `assistant` content to summarize or adopt."
    ),
    "compaction_unavailable": (
        "The compaction could not be completed for a transient server reason. Retry the request."
    ),
}


def refuse_compaction(code: str) -> Refusal:
    """The refusal with one of the codes of compaction."""
    busy = code == "compaction_unavailable"
    return refusals.write_anthropic_refusal(
        "M18",
        TEXTS[code],
        status=529 if busy else 400,
        kind="overloaded_error" if busy else "invalid_request_error",
        error_code=code,
        defect=not busy,
    )


def is_compaction_on_demand(call: CheckedMessagesRequest) -> bool:
    """Whether the request asks for nothing but a summary."""
    return call.body.get("compaction") is not None


def read_compaction_edit(call: CheckedMessagesRequest) -> Json | None:
    """The edit by which the server may compact on its way, if there is one."""
    return next((edit for edit in call.edits if edit.get("type") == "compact_20260112"), None)


def check_server_compaction(
    prompt: Prompt, call: CheckedMessagesRequest, asked: ParsedRequest, *, paused: bool
) -> None:
    """Refuse compaction that is set up wrongly, and blocks of it that are out of place."""
    _check_edits(call)
    _check_blocks(prompt)
    if not is_compaction_on_demand(call):
        return
    if call.body.get("context_management") is not None:
        text = "compaction: cannot be combined with `context_management`"
        raise refusals.write_anthropic_refusal("M18", text)
    if asked.fault("compaction_unavailable"):
        raise refuse_compaction("compaction_unavailable")
    if not any(_tells(piece) for piece in prompt.pieces):
        raise refuse_compaction("compaction_nothing_to_summarize")
    last = prompt.turns[-1]
    if last.side == "assistant" and (paused or last.of("tool_use")):
        raise refuse_compaction("compaction_incomplete_turn")


def _tells(piece: Piece) -> bool:
    return piece.role != "system" and bool(piece.kind != "compaction" or piece.block.get("content"))


def _check_edits(call: CheckedMessagesRequest) -> None:
    kinds = [edit.get("type") for edit in call.edits]
    if "clear_thinking_20251015" in kinds[1:]:
        text = (
            "context_management.edits: `clear_thinking_20251015` must be the first edit when "
            "several are given"
        )
        raise refusals.write_anthropic_refusal("M18", text)
    off = call.manual and call.thinking.get("type") not in ("enabled", "adaptive")
    if "clear_thinking_20251015" in kinds and off:
        text = "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive"
        raise refusals.write_anthropic_refusal("M18", text)
    edit = read_compaction_edit(call)
    if edit and _trigger(edit, COMPACT_AT) < COMPACT_AT_LEAST:
        text = (
            f"context_management.edits.{kinds.index('compact_20260112')}.compact_20260112.trigger"
            f".value: Input should be greater than or equal to {COMPACT_AT_LEAST}"
        )
        raise refusals.write_anthropic_refusal("M18", text)


def _check_blocks(prompt: Prompt) -> None:
    blocks = [piece for piece in prompt.pieces if piece.kind == "compaction"]
    signed = [piece for piece in blocks if piece.block.get("signature") is not None]
    full = [piece for piece in signed if piece.block.get("content")]
    if len(full) > 1:
        raise refuse_compaction("compaction_block_ambiguous")
    if any(piece is not prompt.pieces[0] for piece in signed) or any(
        piece.role == "system" for piece in blocks
    ):
        raise refuse_compaction("compaction_block_misplaced")
    for piece in full:
        if read_covered_thinking(piece.block) is None:
            raise refuse_compaction("compaction_signature_invalid")
        if unpack_thinking_texts(piece.block["signature"])[1] != _digest(
            str(piece.block["content"])
        ):
            raise refuse_compaction("compaction_content_mismatch")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sign_compaction_block(prompt: Prompt, summary: str) -> Json:
    """A summary of the whole prompt as a block to be sent back first."""
    covered, digest = ",".join(find_thinking_end(prompt).lines), _digest(summary)
    signature = pack_thinking_texts(covered, digest, seal_thinking(covered, digest))
    return {"type": "compaction", "content": summary or None, "signature": signature}


def find_passing_compaction(summary: str) -> Json:
    """A summary made on the way, as a block to be sent back where it stands."""
    hidden = pack_thinking_texts("summary", _digest(summary)) if summary else None
    return {"type": "compaction", "content": summary or None, "encrypted_content": hidden}


def cut_at_compaction(prompt: Prompt) -> Prompt:
    """The prompt from its last compaction on."""
    for at in range(len(prompt.pieces) - 1, -1, -1):
        piece = prompt.pieces[at]
        if piece.kind == "compaction" and piece.block.get("content"):
            return prompt.keeping(prompt.pieces[at:])
    return prompt


def find_due_compaction(call: CheckedMessagesRequest, prompt: Prompt) -> Json | None:
    """The edit by which the prompt is to be compacted now."""
    edit = read_compaction_edit(call)
    return edit if edit and _size(prompt) >= _trigger(edit, COMPACT_AT) else None


def _size(prompt: Prompt) -> int:
    return count_all_block_units(prompt.blocks)


def _trigger(edit: Json, default: int) -> int:
    return read_number(as_mapping(edit.get("trigger")).get("value"), default)


def apply_compaction_edits(
    prompt: Prompt, call: CheckedMessagesRequest
) -> tuple[Prompt, list[Json]]:
    """The prompt after the edits that clear parts of it, and what the edits did."""
    applied: list[Json] = []
    for edit in call.edits:
        clear = CLEARING.get(str(edit.get("type")))
        if clear:
            prompt, done = clear(prompt, edit)
            applied += done
    return prompt, applied


def _uses(prompt: Prompt, edit: Json) -> list[str]:
    """The calls with a result that may be cleared, oldest first."""
    spared = set(as_list(edit.get("exclude_tools")))
    names = {
        str(piece.block.get("id")): piece.block.get("name")
        for piece in prompt.pieces
        if piece.kind == "tool_use"
    }
    results = [piece for piece in prompt.pieces if piece.kind == "tool_result"]
    keep = read_number(as_mapping(edit.get("keep")).get("value"), KEEP_USES)
    old = results[: max(len(results) - keep, 0)]
    ids = [str(piece.block.get("tool_use_id")) for piece in old]
    return [use for use in ids if names.get(use) not in spared]


def _clear_tool_uses(prompt: Prompt, edit: Json) -> tuple[Prompt, list[Json]]:
    by_uses = as_mapping(edit.get("trigger")).get("type") == "tool_uses"
    calls = sum(piece.kind == "tool_use" for piece in prompt.pieces)
    reached = calls if by_uses else _size(prompt)
    uses = set(_uses(prompt, edit))
    if reached <= _trigger(edit, CLEAR_AT) or not uses:
        return prompt, []
    after = prompt.keeping([_clear_piece(piece, uses, edit) for piece in prompt.pieces])
    saved = _size(prompt) - _size(after)
    if saved <= 0 or saved < read_number(as_mapping(edit.get("clear_at_least")).get("value"), 0):
        return prompt, []
    done = {
        "type": "clear_tool_uses_20250919",
        "cleared_tool_uses": len(uses),
        "cleared_input_tokens": saved,
    }
    return after, [done]


def _clear_piece(piece: Piece, uses: set[str], edit: Json) -> Piece:
    block = piece.block
    if piece.kind == "tool_result" and block.get("tool_use_id") in uses:
        return _with(piece, content=CLEARED)
    inputs = edit.get("clear_tool_inputs")
    chosen = inputs is True or block.get("name") in as_list(inputs)
    if piece.kind == "tool_use" and block.get("id") in uses and chosen:
        return _with(piece, input={})
    return piece


def _with(piece: Piece, **changes: object) -> Piece:
    return Piece(piece.role, {**piece.block, **changes}, piece.message, piece.index)


def _clear_thinking(prompt: Prompt, edit: Json) -> tuple[Prompt, list[Json]]:
    keep = edit.get("keep", {"value": 1})
    if keep == "all" or as_mapping(keep).get("type") == "all":
        return prompt, []
    turns = _thinking_turns(prompt.pieces)
    order = sorted(set(turns.values()))
    past = order[: max(len(order) - read_number(as_mapping(keep).get("value"), 1), 0)]
    old = [at for at, turn in turns.items() if turn in past]
    if not old:
        return prompt, []
    saved = sum(
        count_block_units(read_block_weight(prompt.pieces[at].block)) + OVERHEAD for at in old
    )
    kept = [piece for at, piece in enumerate(prompt.pieces) if at not in old]
    done = {
        "type": "clear_thinking_20251015",
        "cleared_thinking_turns": len({turns[at] for at in old}),
        "cleared_input_tokens": saved,
    }
    return prompt.keeping(kept), [done]


def _thinking_turns(pieces: Sequence[Piece]) -> dict[int, int]:
    """The turn of each thought; a run of tool use is one turn."""
    turn, found = 0, dict[int, int]()
    for at, piece in enumerate(pieces):
        if piece.side == "user" and piece.kind != "tool_result":
            turn = at
        if piece.kind in THOUGHTS:
            found[at] = turn
    return found


CLEARING: dict[str, Callable[[Prompt, Json], tuple[Prompt, list[Json]]]] = {
    "clear_tool_uses_20250919": _clear_tool_uses,
    "clear_thinking_20251015": _clear_thinking,
}
