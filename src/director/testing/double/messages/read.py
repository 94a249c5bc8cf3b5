"""A request to the Messages API as values: the prompt, its pieces, and how both are counted.

Reads and renders only: nothing here refuses a request, asks a script engine or keeps a state.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Literal, TypeAlias

from director.models.capabilities import Capabilities
from director.models.script_values import Kind, Seen, Shown
from director.testing.double.request_log.block import CacheBlock, Part
from director.testing.double.shapes import as_list, as_mapping

Json: TypeAlias = Mapping[str, object]
THOUGHTS = ("thinking", "redacted_thinking")
IMAGE_BYTES = 6_000
_SIDE: dict[str, Kind] = {"user": "user", "assistant": "agent", "system": "system"}


def read_number(value: object, default: int) -> int:
    """A value as a whole number, or the default."""
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def read_blocks(content: object) -> tuple[Json, ...]:
    """Content as blocks: a string is short for one block of text."""
    if isinstance(content, str):
        return ({"type": "text", "text": content},)
    return tuple(as_mapping(block) for block in as_list(content))


def read_canonical_block(value: object) -> str:
    """A block as one text that neither cache marks nor null fields change."""
    return json.dumps(_bare(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _bare(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_bare(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    return {
        key: _bare(part) if key == "content" else part
        for key, part in value.items()
        if key != "cache_control" and part is not None
    }


# Pieces and prompts have no slots, so that they remember what was once read off them: a long
# conversation is sent whole with every request, and every rule looks at all of it.
@dataclass(frozen=True)
class Piece:
    """One block of the conversation, and where it stood in the messages."""

    role: str
    block: Json
    message: int
    index: int

    @cached_property
    def kind(self) -> str:
        """The type of its block."""
        return str(self.block.get("type", ""))

    @cached_property
    def canonical(self) -> str:
        """Its block as one text that neither cache marks nor null fields change."""
        return read_canonical_block(self.block)

    @property
    def place(self) -> str:
        """Where it stood, as error texts name it."""
        return f"messages.{self.message}.content.{self.index}"

    @property
    def side(self) -> str:
        """Whose turn it is in: a system message belongs to the user's."""
        return "assistant" if self.role == "assistant" else "user"


@dataclass(frozen=True, slots=True)
class RoleTurn:
    """Pieces of one side in a row: messages of the same role are one turn."""

    side: str
    pieces: tuple[Piece, ...]

    def of(self, *kinds: str) -> list[Piece]:
        """Its pieces of these types."""
        return [piece for piece in self.pieces if piece.kind in kinds]


@dataclass(frozen=True)
class Prompt:
    """All that the model is to be shown, whether sent now or kept by a thread."""

    model: str
    system: tuple[Json, ...]
    tools: tuple[Json, ...]
    pieces: tuple[Piece, ...]

    @cached_property
    def turns(self) -> list[RoleTurn]:
        """The pieces by turns."""
        sides = groupby(self.pieces, key=lambda piece: piece.side)
        return [RoleTurn(side, tuple(pieces)) for side, pieces in sides]

    @cached_property
    def blocks(self) -> tuple[CacheBlock, ...]:
        """It as a cache sees it: tools, system, messages."""
        return tuple(_blocks(self))

    def keeping(self, pieces: Sequence[Piece]) -> Prompt:
        """The same prompt with other pieces."""
        return Prompt(self.model, self.system, self.tools, tuple(pieces))


@dataclass(frozen=True, slots=True)
class CheckedMessagesRequest:
    """A request that passed the checks: its body, its betas, and what its model can do."""

    body: Json
    betas: frozenset[str]
    provider: str
    can: Capabilities

    @property
    def model(self) -> str:
        """The model that was asked."""
        return str(self.body.get("model", ""))

    @property
    def manual(self) -> bool:
        """Whether the model thinks by a budget: those that do are those that can be sampled."""
        return self.can.sampling

    @property
    def thinking(self) -> Json:
        """The thinking that was asked for."""
        return as_mapping(self.body.get("thinking"))

    @property
    def edits(self) -> list[Json]:
        """The edits of the context that were asked for."""
        edits = as_list(as_mapping(self.body.get("context_management")).get("edits"))
        return [as_mapping(edit) for edit in edits]


def read_pieces(messages: Sequence[object], start: int = 0) -> Iterator[Piece]:
    """The blocks of all messages, one after the other."""
    for at, given in enumerate(messages, start):
        message = as_mapping(given)
        for index, block in enumerate(read_blocks(message.get("content"))):
            yield Piece(str(message.get("role", "")), block, at, index)


def read_prompt(body: Json) -> Prompt:
    """The prompt of a request that brings all of it along."""
    return Prompt(
        str(body.get("model", "")),
        read_blocks(body.get("system")),
        tuple(as_mapping(tool) for tool in as_list(body.get("tools"))),
        tuple(read_pieces(as_list(body.get("messages")))),
    )


def _find_cache_mark(block: Json) -> str:
    for candidate in (block, *map(as_mapping, reversed(as_list(block.get("content"))))):
        if candidate.get("cache_control"):
            return str(as_mapping(candidate["cache_control"]).get("ttl") or "5m")
    return ""


def _images(block: Json) -> int:
    inner = as_list(block.get("content"))
    return (block.get("type") == "image") + sum(_images(as_mapping(each)) for each in inner)


def read_block_words(block: Json) -> str:
    """The words in a block, those of the blocks in it included."""
    if "content" in block and block.get("type") != "compaction":
        return "\n".join(
            filter(None, (read_block_words(each) for each in read_blocks(block["content"])))
        )
    kind = block.get("type")
    if kind == "tool_use":
        return json.dumps(block.get("input", {}), ensure_ascii=False)
    if kind == "document":
        return read_block_words(as_mapping(block.get("source")))
    names = ("text", "thinking", "content", "data")
    return next((text for name in names if isinstance(text := block.get(name), str)), "")


def read_block_weight(block: Json) -> str:
    """The text that a block counts as; an image counts the same whatever it shows."""
    if block.get("type") == "image":
        seal = hashlib.sha256(read_canonical_block(block).encode()).hexdigest()
        return f"image {seal}".ljust(IMAGE_BYTES, ".")
    if block.get("type") == "tool_use":
        return f"{block.get('id')} {block.get('name')} {read_block_words(block)}"
    if block.get("type") == "tool_result":
        inner = "".join(read_block_weight(each) for each in read_blocks(block.get("content")))
        return f"{block.get('tool_use_id')} {inner}"
    return read_block_words(block)


def _blocks(prompt: Prompt) -> Iterator[CacheBlock]:
    for tool in prompt.tools:
        yield CacheBlock("tools", read_canonical_block(tool), _find_cache_mark(tool))
    for block in prompt.system:
        yield CacheBlock("instructions", read_block_words(block), _find_cache_mark(block))
    turns = prompt.turns
    for at, turn in enumerate(turns):
        newest = at == len(turns) - 1 and turn.side == "user"
        part: Part = "new" if newest else "history"
        for piece in turn.pieces:
            yield CacheBlock(part, read_block_weight(piece.block), _find_cache_mark(piece.block))


def render_blocks(prompt: Prompt, automatic: object) -> tuple[CacheBlock, ...]:
    """The blocks of a prompt; `automatic`, the request's own cache_control, marks the last."""
    made = prompt.blocks
    if automatic and made and not made[-1].breakpoint:
        last = made[-1]
        ttl = str(as_mapping(automatic).get("ttl") or "5m")
        return (*made[:-1], CacheBlock(last.part, last.text, ttl))
    return made


def _render_piece(piece: Piece, tools: Mapping[str, str]) -> Shown:
    block, text = piece.block, read_block_words(piece.block)
    if piece.kind == "tool_use":
        return Shown("call", text, str(block.get("name", "")), str(block.get("id", "")))
    if piece.kind == "tool_result":
        call = str(block.get("tool_use_id", ""))
        return Shown("result", text, tools.get(call, ""), call, _images(block))
    if piece.kind in THOUGHTS:
        return Shown("thinking", text if piece.kind == "thinking" else "")
    if piece.kind == "compaction":
        return Shown("compaction", text)
    if piece.kind in ("text", "image", "document", "search_result"):
        image = piece.kind == "image"
        return Shown(_SIDE[piece.role], "" if image else text, images=int(image))
    return Shown("other", read_canonical_block(block))


def render_seen(prompt: Prompt, run: str, purpose: Literal["answer", "compact"] = "answer") -> Seen:
    """What the model sees of the prompt."""
    tools = {
        str(piece.block.get("id")): str(piece.block.get("name"))
        for piece in prompt.pieces
        if piece.kind == "tool_use"
    }
    return Seen(
        "anthropic",
        prompt.model,
        "\n".join(read_block_words(block) for block in prompt.system),
        tuple(str(tool.get("name", "")) for tool in prompt.tools),
        tuple(_render_piece(piece, tools) for piece in prompt.pieces),
        run,
        purpose,
    )
