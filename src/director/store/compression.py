"""Compression of a thread: look first, then one checkpoint entry, and a way back.

What is previewed is what is compressed, or nothing is: a thread that grew meanwhile is refused.
No turn is ever altered, and no model is asked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from director.context.sizes import summary_size, turn_size
from director.context.trust import trust_of
from director.context.values import Counter, Fold, Summary, UserTurn, chars4
from director.store.checkpoints import TRUSTS, Checkpoint, list_checkpoints
from director.store.context_view import build_thread_view
from director.store.values import Entry, EntryDraft, StoreError, VersionConflict

ATTEMPTS = "compression"  # the kind of the records of all that was tried
UNCHANGED = "Nothing was written."


class CompressionStore(Protocol):
    """What is needed of a store."""

    def read_visible(self, thread: str, /) -> list[Entry]:
        """The entries of a thread that decide what a model sees."""

    def hiding(self, thread: str, /) -> list[Entry]:
        """The entries of a thread that hide turns or show them again."""

    def head(self, thread: str, /) -> int:
        """The number of the last entry of a thread, or 0."""

    def append(
        self,
        thread: str,
        drafts: Sequence[EntryDraft],
        /,
        *,
        expect: int | None = None,
        clear_reference: bool = False,
    ) -> tuple[Entry, ...]:
        """Write entries, if the thread still ends where it was seen to end."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a compression would do to a thread that ends with `head`.

    The counts and the fold are of the turns that would leave the view now; `covers` also holds
    those of the summary that it `builds_on`. `tokens` is the size of all that is replaced.
    """

    head: int
    covers: tuple[int, ...]
    user_count: int
    agent_count: int
    builds_on: int | None
    fold: Fold
    tokens: int
    counter: Counter = field(default=chars4, compare=False, repr=False)

    @property
    def count(self) -> int:
        """How many turns would leave the view."""
        return self.user_count + self.agent_count


def preview_turn_compression(
    store: CompressionStore,
    thread: str,
    seqs: Iterable[int] | None = None,
    *,
    counter: Counter = chars4,
) -> Preview:
    """What compressing these turns would cover; all that may be compressed if none are named."""
    return _preview(store.read_visible(thread), seqs, counter)


def _preview(entries: list[Entry], seqs: Iterable[int] | None, counter: Counter) -> Preview:
    now = build_thread_view(entries)
    chosen = {seq for unit in now.units for seq in unit} if seqs is None else set(seqs)
    _check_whole(now.units, chosen)
    current = now.current
    previous = current.summary if current else None
    turns = tuple(turn for turn in now.context.turns if turn.at in chosen)
    users = {turn.at for turn in turns if isinstance(turn, UserTurn)}
    size = sum(turn_size(turn, counter) for turn in turns) + summary_size(previous, counter)
    return Preview(
        head=entries[-1].seq if entries else 0,
        covers=tuple(sorted(chosen.union(previous.covers if previous else ()))),
        user_count=len(users),
        agent_count=len(chosen - users),
        builds_on=current.seq if current else None,
        fold=Fold(turns, previous),
        tokens=size,
        counter=counter,
    )


def _check_whole(units: Sequence[tuple[int, ...]], chosen: set[int]) -> None:
    strange = chosen.difference(*map(set, units)) if units else chosen
    if strange:
        named = _join_seqs(strange)
        raise StoreError(
            f"{named} cannot be compressed: not a visible turn, or still going on. {UNCHANGED}"
        )
    for unit in units:
        left = set(unit) - chosen
        if left and len(left) < len(unit):
            taken = _join_seqs(set(unit) & chosen)
            raise StoreError(
                f"{taken} cannot leave without {_join_seqs(left)}: a provider takes them together "
                f"or not at all. {UNCHANGED} Choose all of them, or none."
            )


def _join_seqs(seqs: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(seqs)))


def compress_turns(
    store: CompressionStore,
    thread: str,
    preview: Preview,
    summary: Summary,
    by: Literal["manual", "auto"] = "manual",
) -> Entry:
    """Put a summary in the place of what was previewed: one entry, or nothing at all.

    What a server remembers is of another history from then on: its reference goes with it.
    """
    entries = store.read_visible(thread)
    if (entries[-1].seq if entries else 0) != preview.head:
        raise VersionConflict(
            f"The thread has grown since it was previewed. {UNCHANGED} Preview it again."
        )
    chosen = {turn.at for turn in preview.fold.turns}
    again = _preview(entries, chosen, preview.counter)
    if again != preview:
        raise StoreError(f"This is no preview of this thread. {UNCHANGED} Preview it again.")
    after = _check_summary(summary, preview)
    trust = max(summary.trust, trust_of(again.fold.turns, again.fold.previous), key=TRUSTS.index)
    body = {
        "covers": list(preview.covers),
        "summary": summary.text,
        "previous": preview.builds_on,
        "by": by,
        "before": preview.tokens,
        "after": after,
        "head": preview.head,
        "trust": trust,
    }
    made = EntryDraft("checkpoint", body)
    return store.append(thread, [made], expect=preview.head, clear_reference=True)[0]


def _check_summary(summary: Summary, preview: Preview) -> int:
    """Refuse what cannot stand for the turns; the size of what can."""
    size = summary_size(summary, preview.counter)
    wrong = (
        (not preview.fold.turns, "There is nothing to compress."),
        (not summary.text.strip(), "The summary is empty."),
        (size > preview.tokens, f"The summary is longer than what it replaces ({size} tokens)."),
        (summary.covers not in ((), preview.covers), "The summary is of other turns."),
    )
    for found, what in wrong:
        if found:
            raise StoreError(f"{what} {UNCHANGED}")
    return size


def restore_compressed_turns(store: CompressionStore, thread: str, checkpoint: int) -> Entry:
    """Undo a compression and those that build on it: the view is what it was, and what came since.

    Turns that are said meanwhile do no harm; it is tried again.
    """
    while True:
        end = store.head(thread)
        known = {one.seq: one for one in list_compression_history(store, thread)}
        if checkpoint not in known:
            raise StoreError(f"Entry {checkpoint} is no compression. {UNCHANGED}")
        if known[checkpoint].state == "restored":
            raise StoreError(f"The compression {checkpoint} is already undone. {UNCHANGED}")
        undo = EntryDraft("restore", {"checkpoint": checkpoint})
        try:
            return store.append(thread, [undo], expect=end, clear_reference=True)[0]
        except VersionConflict:
            continue


def delete_turns(store: CompressionStore, thread: str, seqs: Iterable[int]) -> Entry:
    """Take whole units out of view for good; the entries stay in the log."""
    entries = store.read_visible(thread)
    chosen = set(seqs)
    if not chosen:
        raise StoreError(f"No turn was named. {UNCHANGED}")
    _check_whole(build_thread_view(entries).units, chosen)
    gone = EntryDraft("delete", {"seqs": sorted(chosen)})
    return store.append(thread, [gone], expect=entries[-1].seq)[0]


def list_compression_history(store: CompressionStore, thread: str) -> list[Checkpoint]:
    """Every compression of a thread, oldest first, with its state."""
    return list_checkpoints(store.hiding(thread))


# Names of one release ago; they go with the next.
preview = preview_turn_compression
compress = compress_turns
restore = restore_compressed_turns
history = list_compression_history
