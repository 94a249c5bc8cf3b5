"""Thinking blocks: signed when they are made, and held to their model and conversation after.

A signature says which model thought, the digest of all that came before, and which thought came
before it. Cache marks and thoughts are no part of that digest, so moving marks or leaving all
thoughts out breaks nothing; system, tools and every other block are. A compaction begins a new
digest, and a signed one also carries the old one on for the turns kept behind it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field

from director.testing.double import refusals
from director.testing.double.messages.checks import BINDING
from director.testing.double.messages.read import (
    THOUGHTS,
    CheckedMessagesRequest,
    Json,
    Piece,
    Prompt,
    RoleTurn,
    read_canonical_block,
)
from director.testing.double.shapes import as_mapping
from director.testing.double.world import World

KEY = b"the double signs with this"
SETTING = f" That setting requires the `{BINDING}` value in the `anthropic-beta` header."


@dataclass(frozen=True, slots=True)
class Signed:
    """What a signature says, once it is known to be one of ours."""

    model: str
    prefix: str
    previous: str
    seal: str


@dataclass(slots=True)
class Issued:
    """The thoughts of each answer that asked for tools, by the ids of its calls."""

    thoughts: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def keep(self, content: Sequence[Json]) -> None:
        """Remember the thoughts of an answer."""
        thoughts = tuple(
            read_canonical_block(block) for block in content if block.get("type") in THOUGHTS
        )
        for block in content:
            if block.get("type") == "tool_use":
                self.thoughts[str(block.get("id"))] = thoughts


def seal_thinking(*parts: str) -> str:
    """The double's own mark under some texts."""
    return hmac.new(KEY, "\0".join(parts).encode(), hashlib.sha256).hexdigest()


def pack_thinking_texts(*parts: str) -> str:
    """Texts as one opaque text."""
    return base64.b64encode("\0".join(parts).encode()).decode()


def unpack_thinking_texts(text: object) -> list[str]:
    """The texts of an opaque one; none when it is no such thing."""
    try:
        return base64.b64decode(str(text), validate=True).decode().split("\0")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return []


def sign_thinking(model: str, prefix: str, previous: str, text: str) -> str:
    """The signature of a thought."""
    return pack_thinking_texts(
        model, prefix, previous, seal_thinking(model, prefix, previous, text)
    )


def verify_thinking(block: Json) -> Signed | None:
    """What a block's signature says; nothing when block or signature was changed."""
    parts = unpack_thinking_texts(block.get("signature"))
    if len(parts) != 4 or seal_thinking(*parts[:3], str(block.get("thinking", ""))) != parts[3]:
        return None
    return Signed(*parts)


def _step(digest: str, piece: Piece) -> str:
    text = f"{digest}\0{piece.role}\0{piece.canonical}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(slots=True)
class Chain:
    """The digests of a conversation so far: of itself, and of the one a compaction replaced.

    `here` holds those at which the answer that is being read can have begun.
    """

    root: str
    lines: list[str]
    here: set[str]

    @classmethod
    def of(cls, prompt: Prompt) -> Chain:
        """A chain at the beginning of a prompt."""
        text = read_canonical_block(
            list(map(read_canonical_block, (*prompt.system, {}, *prompt.tools)))
        )
        root = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(root, [root], {root})

    def add(self, piece: Piece) -> None:
        """Go past one piece."""
        if piece.kind in THOUGHTS:
            return
        if piece.kind == "compaction":
            if piece.block.get("content"):
                self.lines = [_step(self.root, piece), *(read_covered_thinking(piece.block) or ())]
                self.here = set(self.lines)
            return
        self.lines = [_step(line, piece) for line in self.lines]
        self.here = set(self.lines) | (self.here if piece.side == "assistant" else set())


def read_covered_thinking(block: Json) -> list[str] | None:
    """The digests of what a signed compaction stands for; nothing when it is not signed by us."""
    parts = unpack_thinking_texts(block.get("signature"))
    if len(parts) != 3 or seal_thinking(*parts[:2]) != parts[2]:
        return None
    return parts[0].split(",")


def find_thinking_end(prompt: Prompt) -> Chain:
    """The chain at the end of a prompt, where the next answer begins."""
    chain = Chain.of(prompt)
    for piece in prompt.pieces:
        chain.add(piece)
    return chain


def find_last_thinking_seal(prompt: Prompt) -> str:
    """The seal of the last thought in a prompt."""
    for piece in reversed(prompt.pieces):
        signed = verify_thinking(piece.block) if piece.kind == "thinking" else None
        if signed:
            return signed.seal
    return ""


def check_latest_thinking(world: World, prompt: Prompt, call: CheckedMessagesRequest) -> None:
    """Refuse changed or missing thoughts in the answer whose tools have just been used."""
    turns = prompt.turns
    if len(turns) < 2 or turns[-1].side != "user" or not turns[-1].of("tool_result"):
        return
    issued = world.state(Issued).thoughts
    latest = turns[-2]
    expected = _find_issued(latest, issued)
    sent = latest.of(*THOUGHTS)
    if expected is not None and sent:
        tail = tuple(piece.canonical for piece in sent[-len(expected) or len(sent) :])
        if tail != expected:
            changed = [piece for piece in sent if piece.canonical not in expected]
            text = (
                f"{(changed or sent)[0].place}: `thinking` or `redacted_thinking` blocks in the "
                "latest assistant message cannot be modified. These blocks must remain as they "
                "were in the original response."
            )
            raise refusals.write_anthropic_refusal("M5", text)
    if call.manual and call.thinking.get("type") == "enabled":
        _starts_with_thought(turns, issued)


def _find_issued(turn: RoleTurn, issued: dict[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    for piece in reversed(turn.of("tool_use")):
        if str(piece.block.get("id")) in issued:
            return issued[str(piece.block.get("id"))]
    return None


def _starts_with_thought(turns: list[RoleTurn], issued: dict[str, tuple[str, ...]]) -> None:
    """A run of tool use by a model with a budget begins with the thought it began with."""
    asked = max(
        (at for at, turn in enumerate(turns) if turn.side == "user" and _speaks(turn)), default=-1
    )
    first = turns[asked + 1]
    if first.side != "assistant" or _find_issued(first, issued) == ():
        return
    piece = first.pieces[0]
    if piece.kind not in THOUGHTS:
        text = (
            f"{piece.place}.type: Expected `thinking` or `redacted_thinking`, but found "
            f"`{piece.kind}`. When `thinking` is enabled, a final `assistant` message must start "
            "with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` "
            "blocks)."
        )
        raise refusals.write_anthropic_refusal("M6", text)


def _speaks(turn: RoleTurn) -> bool:
    return any(piece.kind != "tool_result" for piece in turn.pieces)


def drop_unreadable_thoughts(
    prompt: Prompt, call: CheckedMessagesRequest
) -> tuple[Prompt, list[Json]]:
    """The prompt without the thoughts that may not be read, and a note of each of those.

    A changed thought is refused, and so is one that was thought in another conversation, unless
    the request asks for such blocks to be dropped. Another model's thoughts are always dropped.
    """
    if not any(piece.kind == "thinking" for piece in prompt.pieces):
        return prompt, []
    chain, kept, notes = Chain.of(prompt), list[Piece](), list[Json]()
    previous, falling = "", False
    for piece in prompt.pieces:
        chain.add(piece)
        if piece.kind != "thinking":
            falling = falling and piece.kind in THOUGHTS
            kept.append(piece)
            continue
        signed = verify_thinking(piece.block)
        if signed is None:
            text = f"{piece.place}: Invalid `signature` in `thinking` block"
            raise refusals.write_anthropic_refusal("M7", text)
        reason = _mismatch(signed, chain, previous, call)
        falling = falling or reason == "prefix_binding_mismatch"
        if reason or falling:
            reason = reason or "prefix_binding_mismatch"
            _refuse_unless_dropped(piece, reason, call)
            notes.append({"type": "thinking_dropped", "path": piece.place, "reason": reason})
            continue
        previous = signed.seal
        kept.append(piece)
    return prompt.keeping(kept), notes


def _mismatch(signed: Signed, chain: Chain, previous: str, call: CheckedMessagesRequest) -> str:
    if signed.model != call.model:
        return "model_binding_mismatch"
    if not call.can.binding:
        return ""
    moved = previous and signed.previous != previous
    return "prefix_binding_mismatch" if moved or signed.prefix not in chain.here else ""


def _refuse_unless_dropped(piece: Piece, reason: str, call: CheckedMessagesRequest) -> None:
    behaviour = as_mapping(call.thinking.get("block_binding")).get("prefix_mismatch_behavior")
    if reason != "prefix_binding_mismatch" or behaviour == "drop_block":
        return
    text = (
        f"{piece.place}: Invalid `signature` in `thinking` block. The block is bound to a "
        "different conversation. Remove the block, or set "
        '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
    )
    raise refusals.write_anthropic_refusal("M16", text + ("" if BINDING in call.betas else SETTING))
