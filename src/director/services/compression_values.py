"""Compressions as they are shown: what one would do, what was proposed, done and tried.

Values and how they are read from what the agent made; nothing is decided or redacted here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from director.agent.compression.compression_proposal import CompressionEstimate, CompressionProposal
from director.services.outgoing import Identifier
from director.services.summary_texts import write_summary_markdown
from director.store import Store, Versioned
from director.store.checkpoints import Checkpoint
from director.store.compression import list_compression_history


@dataclass(frozen=True, slots=True)
class Looked:
    """What a compression would do: how many messages, their tokens, about what is left, the price.

    `units` are the turns that can only leave together; `builds_on` is the summary that it takes in.
    """

    count: int
    users: int
    agents: int
    turns: tuple[int, ...]
    units: tuple[tuple[int, ...], ...]
    builds_on: int | None
    before: int
    after: int
    cap: int
    names: int
    cost: float | None
    note: str
    model: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A summary that can be applied: what it keeps, what it lost, what it cost.

    `written` is what the model or the user wrote, `summary` what was made of it, and `shown` that
    as Markdown.
    """

    id: Identifier
    summary: str
    shown: str
    written: str
    count: int
    turns: tuple[int, ...]
    builds_on: int | None
    before: int
    after: int
    share: float
    lost: tuple[str, ...]
    trust: str
    by_user: bool
    cost: float | None
    request: int | None


@dataclass(frozen=True, slots=True)
class PastCompression:
    """A compression that was done: the entry it is, how it stands, what it covers."""

    entry: int
    at: float
    by: str
    state: str
    turns: tuple[int, ...]
    builds_on: int | None
    before: int
    after: int
    summary: str


@dataclass(frozen=True, slots=True)
class CompressionAttempt:
    """An attempt, also one that changed nothing, and why; of one that was done how it stands."""

    number: int
    at: float
    by: str
    outcome: str
    why: str
    model: str
    count: int
    before: int
    after: int
    cost: str | None
    entry: int | None
    state: str = ""
    turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CompressionResult:
    """How a compression without a preview ended, in words; `entry` is None if none was done."""

    status: Literal["not due", "done", "failed", "stopped"]
    says: str
    written: str = ""
    entry: int | None = None


def read_compression_estimate(
    found: CompressionEstimate, units: Sequence[tuple[int, ...]], model: str
) -> Looked:
    """What a look at a compression found."""
    seen = found.preview
    return Looked(
        seen.count,
        seen.user_count,
        seen.agent_count,
        _list_turns(seen.fold.turns),
        tuple(units),
        seen.builds_on,
        seen.tokens,
        found.after,
        found.cap,
        found.names,
        None if found.cost is None else float(found.cost),
        found.note,
        model,
    )


def read_compression_proposal(id_: str, made: CompressionProposal) -> Proposed:
    """A proposal by the name that it waits under."""
    return Proposed(
        id_,
        made.summary.text,
        write_summary_markdown(made.summary.text),
        made.written,
        made.preview.count,
        _list_turns(made.preview.fold.turns),
        made.preview.builds_on,
        made.preview.tokens,
        made.after,
        made.share,
        made.lost,
        made.summary.trust,
        made.by_user,
        None if made.cost is None else float(made.cost),
        made.request,
    )


def list_done_compressions(store: Store, thread: str) -> list[PastCompression]:
    """The compressions of a thread, the newest first."""
    return [
        PastCompression(
            one.seq,
            one.at,
            one.by,
            one.state,
            one.added,
            one.previous,
            one.before,
            one.after,
            one.summary.text,
        )
        for one in reversed(list_compression_history(store, thread))
    ]


def read_compression_attempt(one: Versioned, made: Mapping[int, Checkpoint]) -> CompressionAttempt:
    """An attempt, with how the compression stands that it made."""
    body = one.body
    seq = None if body["checkpoint"] is None else int(str(body["checkpoint"]))
    found = made.get(seq) if seq is not None else None
    return CompressionAttempt(
        one.version,
        one.at,
        str(body["by"]),
        str(body["outcome"]),
        str(body["why"]),
        str(body["model"]),
        int(str(body["count"])),
        int(str(body["before"])),
        int(str(body["after"])),
        None if body["cost"] is None else str(body["cost"]),
        seq,
        found.state if found else "",
        found.added if found else (),
    )


def _list_turns(turns: Sequence[object]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(turn.at for turn in turns))  # type: ignore[attr-defined]
