"""Why the cache was missed: a request compared with the one that its client names.

It remembers what earlier answers were given to, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from director.testing.double.messages.read import CheckedMessagesRequest, Json
from director.testing.double.request_log.block import CacheBlock
from director.testing.double.shapes import as_mapping
from director.testing.double.world import World

PARTS = (
    ("tools_changed", ("tools",)),
    ("system_changed", ("instructions",)),
    ("messages_changed", ("history", "new")),
)


@dataclass(frozen=True, slots=True)
class SentContext:
    """What one request sent, as the cache saw it."""

    model: object
    speed: object
    blocks: tuple[CacheBlock, ...]


@dataclass(slots=True)
class SentHistory:
    """What was sent for each answer, by its id."""

    sent: dict[str, SentContext] = field(default_factory=dict)


def keep_diagnostics(
    world: World, call: CheckedMessagesRequest, answer: str, blocks: Sequence[CacheBlock]
) -> None:
    """Remember what an answer was given to."""
    sent = SentContext(call.model, call.body.get("speed"), tuple(blocks))
    world.state(SentHistory).sent[answer] = sent


def write_diagnostics(
    world: World, call: CheckedMessagesRequest, blocks: Sequence[CacheBlock]
) -> Json | None:
    """What is told of the cache, compared with the request that is named, if one is."""
    previous = as_mapping(call.body.get("diagnostics")).get("previous_message_id")
    if previous is None:
        return None
    before = world.state(SentHistory).sent.get(str(previous))
    if before is None:
        return {"cache_miss_reason": {"type": "previous_message_not_found"}}
    if (before.model, before.speed) != (call.model, call.body.get("speed")):
        return _reason("model_changed", before.blocks)
    for name, parts in PARTS:
        old = [block for block in before.blocks if block.part in parts]
        new = [block for block in blocks if block.part in parts]
        whole = len(old) if name == "messages_changed" else max(len(old), len(new))
        if [block.text for block in old] != [block.text for block in new[:whole]]:
            return _reason(name, _behind(before.blocks, blocks))
    return None


def _behind(old: Sequence[CacheBlock], new: Sequence[CacheBlock]) -> Sequence[CacheBlock]:
    """The old blocks from the first one on that is not the same any more."""
    pairs = zip(old, new, strict=False)
    same = next(
        (at for at, (a, b) in enumerate(pairs) if a.text != b.text), min(len(old), len(new))
    )
    return old[same:]


def _reason(name: str, missed: Sequence[CacheBlock]) -> Json:
    tokens = sum(block.tokens for block in missed)
    return {"cache_miss_reason": {"type": name, "cache_missed_input_tokens": tokens}}
