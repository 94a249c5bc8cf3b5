"""Message threads: conversations that the server keeps for five minutes after their last use.

A thread keeps system, tools and messages under the id of its latest answer, which can be
continued once. It is never the only copy: what is lost here is replayed by the client.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from director.testing.double import refusals
from director.testing.double.exchange import ParsedRequest, Refusal
from director.testing.double.messages.read import (
    CheckedMessagesRequest,
    Json,
    Piece,
    Prompt,
    read_blocks,
    read_canonical_block,
    read_pieces,
    read_prompt,
)
from director.testing.double.shapes import as_list, as_mapping
from director.testing.double.world import World

SECONDS = 300.0
FIXED = ("model", "system", "tools", "thinking", "output_config")
KEPT = ("system", "tools")
UNSUPPORTED = ("context_management", "fallbacks", "compaction")
LISTED = ("context_management", "fallbacks")
TEXTS = {
    "thread_not_found": (
        "No usable Thread state was found for `previous_message_id`. Replay the full "
        'conversation with `thread: {"type": "create"}` to start a new Thread.'
    ),
    "thread_already_continued": (
        "The response that `previous_message_id` names has already been continued, and each "
        "response can be continued only once. Continue from the Thread's most recent response "
        "`id`."
    ),
    "thread_continue_in_flight": (
        "Another request is still continuing from the same `previous_message_id`. Wait for it "
        "to complete and continue from its response `id`, or replay the full conversation with "
        '`thread: {"type": "create"}`.'
    ),
    "thread_fingerprint_mismatch": (
        "A field that must stay the same across a Thread's turns differs from the value stored "
        "with the Thread; differing field(s): {fields}."
    ),
    "thread_unsupported_request": (
        "The request combines `thread` with a request field that Threads do not support: {fields}."
    ),
}


@dataclass(slots=True)
class Thread:
    """One state of a thread: everything up to one answer."""

    fixed: dict[str, str]
    prompt: Prompt
    used: float
    continued: bool = False


@dataclass(slots=True)
class MessageThreads:
    """All threads, by the id of the answer that they can be continued from."""

    kept: dict[str, Thread] = field(default_factory=dict)


def read_message_thread_wish(call: CheckedMessagesRequest) -> str:
    """What is wanted of threads: "create", "continue" or nothing."""
    return str(as_mapping(call.body.get("thread")).get("type", ""))


def open_message_thread(world: World, asked: ParsedRequest, call: CheckedMessagesRequest) -> Prompt:
    """The prompt of a request, with what its thread kept in front of what it brings."""
    kind = read_message_thread_wish(call)
    if not kind:
        return read_prompt(call.body)
    if kind not in ("create", "continue"):
        text = (
            f"thread: Input tag '{kind}' found using 'type' does not match any of the expected "
            "tags: 'create', 'continue'"
        )
        raise refusals.write_anthropic_refusal("M12", text)
    if named := [name for name in UNSUPPORTED if call.body.get(name) is not None]:
        raise _refuse_unsupported(named)
    if kind == "create":
        return read_prompt(call.body)
    thread = _find_thread(world, asked, call)
    start = max((piece.message for piece in thread.prompt.pieces), default=-1) + 1
    new = read_pieces(as_list(call.body.get("messages")), start)
    return thread.prompt.keeping((*thread.prompt.pieces, *new))


def _find_thread(world: World, asked: ParsedRequest, call: CheckedMessagesRequest) -> Thread:
    kept, previous = world.state(MessageThreads).kept, _previous(call)
    if asked.fault("thread_expired"):
        kept.pop(previous, None)
        raise _refuse("thread_not_found", defect=False)
    if asked.fault("thread_in_flight"):
        raise _refuse("thread_continue_in_flight", defect=False)
    thread = kept.get(previous)
    if thread is None or world.clock.now() - thread.used > SECONDS:
        raise _refuse("thread_not_found")
    if thread.continued:
        raise _refuse("thread_already_continued")
    if differing := [name for name, text in thread.fixed.items() if _differs(call, name, text)]:
        raise _refuse("thread_fingerprint_mismatch", ", ".join(differing))
    return thread


def _previous(call: CheckedMessagesRequest) -> str:
    return str(as_mapping(call.body.get("thread")).get("previous_message_id", ""))


def _print(call: CheckedMessagesRequest, name: str) -> str:
    value = call.body.get(name)
    return read_canonical_block(list(read_blocks(value)) if name in KEPT else value)


def _differs(call: CheckedMessagesRequest, name: str, kept: str) -> bool:
    left_out = name in KEPT and not call.body.get(name)
    return not left_out and _print(call, name) != kept


def _refuse(code: str, fields: str = "", *, defect: bool = True) -> Refusal:
    missing = code == "thread_not_found"
    return refusals.write_anthropic_refusal(
        "M17",
        TEXTS[code].format(fields=fields) if fields else TEXTS[code],
        status=404 if missing else 400,
        kind="not_found_error" if missing else "invalid_request_error",
        error_code=code,
        defect=defect,
    )


def _refuse_unsupported(named: list[str]) -> Refusal:
    code = "thread_unsupported_request"
    details: dict[str, object] = {"error_code": code}
    if listed_ := [name for name in named if name in LISTED]:
        details["unsupported"] = listed_
    error = {
        "type": "invalid_request_error",
        "message": TEXTS[code].format(fields=", ".join(named)),
        "details": details,
    }
    return Refusal("M17", 400, {"type": "error", "error": error})


def keep_message_thread(
    world: World, call: CheckedMessagesRequest, prompt: Prompt, answer: str, content: Sequence[Json]
) -> None:
    """Keep a conversation under the id of its answer, and mark the one before as continued.

    Cache marks of old messages are not kept: each request sets its own.
    """
    kind, kept = read_message_thread_wish(call), world.state(MessageThreads).kept
    if not kind:
        return
    fixed = {name: _print(call, name) for name in FIXED}
    if kind == "continue":
        before = kept[_previous(call)]
        before.continued = True
        fixed = before.fixed
    at = max((piece.message for piece in prompt.pieces), default=-1) + 1
    said = [Piece("assistant", block, at, index) for index, block in enumerate(content)]
    bare = [_drop_cache_mark(piece) for piece in (*prompt.pieces, *said)]
    kept[answer] = Thread(fixed, prompt.keeping(bare), world.clock.now())


def _drop_cache_mark(piece: Piece) -> Piece:
    block = {key: value for key, value in piece.block.items() if key != "cache_control"}
    return Piece(piece.role, block, piece.message, piece.index)
