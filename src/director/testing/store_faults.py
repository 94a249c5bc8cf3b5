"""The checker of stores: what is wrong with one, after a crash or at any other time.

It reads through the public interface only, and never writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from director.store.context_view import build_thread_view, find_archived, project_context_view
from director.store.store import Store
from director.store.values import Entry


def find_store_faults(store: Store, threads: Iterable[str] | None = None) -> list[str]:
    """All that is wrong with a store: hashes, numbering, and turns neither seen nor covered."""
    verdict = store.verify()
    found = [] if verdict.ok else [f"verify: {verdict.first_bad}"]
    for thread in store.threads() if threads is None else threads:
        found += [f"{thread}: {fault}" for fault in find_thread_faults(store.entries(thread))]
        if build_thread_view(store.read_visible(thread)) != build_thread_view(
            store.entries(thread)
        ):
            found.append(f"{thread}: what is seen is not what all entries show")
    return found


def find_thread_faults(entries: Sequence[Entry]) -> Iterator[str]:
    """What is wrong with the entries of one thread."""
    seqs = [entry.seq for entry in entries]
    if seqs != list(range(1, len(seqs) + 1)):
        yield f"the numbers are not 1, 2, 3 …: {seqs}"
    if any(later.before != entry.hash for entry, later in pairwise(entries)):
        yield "an entry does not name the one before it"
    context = project_context_view(entries)
    seen = [turn.at for turn in context.turns]
    covered = set(context.summary.covers) if context.summary else set()
    deleted = {seq for entry in entries if entry.kind == "delete" for seq in _seqs(entry, "seqs")}
    turns = {entry.seq for entry in entries if entry.kind in ("user", "agent")}
    if len(seen) != len(set(seen)) or seen != sorted(seen):
        yield f"turns are seen twice or out of order: {seen}"
    if set(seen) & covered:
        yield f"both seen and covered: {sorted(set(seen) & covered)}"
    if turns - deleted - set(seen) - covered:
        yield f"neither seen nor covered: {sorted(turns - deleted - set(seen) - covered)}"
    if context.summary and not context.summary.text.strip():
        yield "turns are covered by a summary that is empty"
    if (find_archived(entries) & turns) - deleted != covered - deleted:
        yield f"archived is {sorted(find_archived(entries))}, covered is {sorted(covered)}"
    yield from _bad_checkpoints(entries, turns)


def _bad_checkpoints(entries: Sequence[Entry], turns: set[int]) -> Iterator[str]:
    for entry in entries:
        if entry.kind != "checkpoint":
            continue
        if entry.body["head"] != entry.seq - 1:
            yield f"checkpoint {entry.seq} was made for head {entry.body['head']}"
        strange = {seq for seq in _seqs(entry, "covers") if seq >= entry.seq}
        if strange:
            yield f"checkpoint {entry.seq} covers what was said later: {sorted(strange)}"
        if not turns & set(_seqs(entry, "covers")):
            yield f"checkpoint {entry.seq} covers no turn"


def _seqs(entry: Entry, field: str) -> list[int]:
    given = entry.body[field]
    return [seq for seq in given if isinstance(seq, int)] if isinstance(given, Sequence) else []
