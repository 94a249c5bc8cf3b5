"""Which turns are out of view: compressed and not restored, or deleted.

Pure: entries in, values out. Every compression stays readable, whatever became of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.context.values import Summary, Trust
from director.context.wire.shape import blocks, word
from director.store.values import Entry, Json

State: TypeAlias = Literal["current", "merged", "restored"]
HIDING = ("checkpoint", "restore", "delete")
TRUSTS: tuple[Trust, ...] = ("system", "user", "agent", "web")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A compression: its summary, the turns it added to the one it builds on, and its state.

    It is `current` if the model sees its summary, `merged` if a later one took it in, and
    `restored` if it, or one that it builds on, was undone.
    """

    seq: int
    at: float
    by: str
    summary: Summary
    added: tuple[int, ...]
    previous: int | None
    before: int
    after: int
    state: State


def checkpoints(entries: Iterable[Entry]) -> list[Checkpoint]:
    """Every compression of a thread, each with its state."""
    made: list[Entry] = []
    undone: set[object] = set()
    for entry in entries:
        if entry.kind == "checkpoint":
            made.append(entry)
        elif entry.kind == "restore":
            undone.add(entry.body.get("checkpoint"))
    active: dict[int, Entry] = {}
    for entry in made:
        previous = entry.body.get("previous")
        whole = previous is None or previous in active
        if whole and entry.seq not in undone and word(entry.body, "summary").strip():
            active[entry.seq] = entry
    newest = max(active, default=0)
    covers = {entry.seq: _seqs(entry.body, "covers") for entry in made}
    states: dict[int, State] = {
        entry.seq: "current" if entry.seq == newest else "merged" for entry in active.values()
    }
    return [_checkpoint(entry, covers, states.get(entry.seq, "restored")) for entry in made]


def _checkpoint(entry: Entry, covers: dict[int, tuple[int, ...]], state: State) -> Checkpoint:
    body = entry.body
    previous = _number(body, "previous")
    earlier = set(covers.get(previous, ()))
    trust = word(body, "trust")
    return Checkpoint(
        entry.seq,
        entry.at,
        word(body, "by"),
        Summary(
            word(body, "summary"),
            covers[entry.seq],
            trust if trust in TRUSTS else "web",
        ),
        tuple(seq for seq in covers[entry.seq] if seq not in earlier),
        previous or None,
        _number(body, "before"),
        _number(body, "after"),
        state,
    )


def _number(body: Json, name: str) -> int:
    found = body.get(name)
    return found if isinstance(found, int) else 0


def _seqs(body: Json, name: str) -> tuple[int, ...]:
    return tuple(sorted({seq for seq in blocks(body.get(name)) if isinstance(seq, int)}))


def deleted(entries: Iterable[Entry]) -> frozenset[int]:
    """The turns that were taken out of view for good."""
    gone = (_seqs(entry.body, "seqs") for entry in entries if entry.kind == "delete")
    return frozenset(seq for seqs in gone for seq in seqs)


def hidden(made: Iterable[Checkpoint], gone: frozenset[int]) -> frozenset[int]:
    """The turns that no model sees: deleted, or covered by the summary that is shown."""
    current = next((one for one in made if one.state == "current"), None)
    return gone.union(current.summary.covers) if current else gone
