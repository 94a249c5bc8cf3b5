"""Which turns are out of view: compressed and not restored, or deleted.

Pure: entries in, values out. Every compression stays readable, whatever became of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True, slots=True)
class ActiveCompression:
    """The compression whose summary is shown: its entry, and the summary."""

    seq: int
    summary: Summary


def list_checkpoints(entries: Iterable[Entry]) -> list[Checkpoint]:
    """Every compression of a thread, each with its state; all that hides turns must be given."""
    hiding = [entry for entry in entries if entry.kind in HIDING]
    made = [entry for entry in hiding if entry.kind == "checkpoint"]
    covers = {entry.seq: _seqs(entry.body, "covers") for entry in made}
    *merged, newest = list_standing_checkpoints(hiding) or [0]
    states: dict[int, State] = {**dict.fromkeys(merged, "merged"), newest: "current"}
    return [_checkpoint(entry, covers, states.get(entry.seq, "restored")) for entry in made]


def list_standing_checkpoints(entries: Iterable[Entry]) -> list[int]:
    """The compressions that stand, in their order: the last one is shown and took in the others.

    One that took in what is not given stands on it: none but those that stand may be left out.
    """
    made: list[Entry] = []
    undone: set[object] = set()
    for entry in entries:
        if entry.kind == "checkpoint":
            made.append(entry)
        elif entry.kind == "restore":
            undone.add(entry.body.get("checkpoint"))
    fallen: set[object] = {entry.seq for entry in made if entry.seq in undone}
    for entry in made:
        if entry.body.get("previous") in fallen or not word(entry.body, "summary").strip():
            fallen.add(entry.seq)
    return [entry.seq for entry in made if entry.seq not in fallen]


def find_current_checkpoint(entries: Sequence[Entry]) -> ActiveCompression | None:
    """The compression whose summary is shown."""
    newest = (list_standing_checkpoints(entries) or [0])[-1]
    found = next((entry for entry in entries if entry.seq == newest), None)
    return ActiveCompression(newest, _summary(found.body)) if found else None


def _checkpoint(entry: Entry, covers: dict[int, tuple[int, ...]], state: State) -> Checkpoint:
    body = entry.body
    previous = _number(body, "previous")
    earlier = set(covers.get(previous, ()))
    return Checkpoint(
        entry.seq,
        entry.at,
        word(body, "by"),
        _summary(body),
        tuple(seq for seq in covers[entry.seq] if seq not in earlier),
        previous or None,
        _number(body, "before"),
        _number(body, "after"),
        state,
    )


def _summary(body: Json) -> Summary:
    trust = word(body, "trust")
    known = trust if trust in TRUSTS else "web"
    return Summary(word(body, "summary"), _seqs(body, "covers"), known)


def _number(body: Json, name: str) -> int:
    found = body.get(name)
    return found if isinstance(found, int) else 0


def _seqs(body: Json, name: str) -> tuple[int, ...]:
    return tuple(sorted({seq for seq in blocks(body.get(name)) if isinstance(seq, int)}))


def find_deleted(entries: Iterable[Entry]) -> frozenset[int]:
    """The turns that were taken out of view for good."""
    gone = (_seqs(entry.body, "seqs") for entry in entries if entry.kind == "delete")
    return frozenset(seq for seqs in gone for seq in seqs)


def find_hidden(shown: ActiveCompression | None, gone: frozenset[int]) -> frozenset[int]:
    """The turns that no model sees: deleted, or covered by the summary that is shown."""
    return gone.union(shown.summary.covers) if shown else gone
