"""What is wrong with a store after a crash, given what was acknowledged before it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from director.store.store import Store
from director.store.store_opening import open_store
from director.store.values import Entry
from director.testing.store_faults import find_store_faults

_TOKEN = re.compile(r"<([\w-]+):(\d+):(\d+):(\d+)>")
Lines = Sequence[Mapping[str, object]]


def faults_after_crash(url: str, thread: str, lines: Lines) -> list[str]:
    """Open the store again and say what is lost, doubled, halved or altered."""
    with open_store(url) as store:
        found = find_store_faults(store, [thread])
        entries = store.entries(thread)
        found += lost(store, lines)
        found += doubled(entries)
        found += _beyond(entries, lines)
        found += _reference(store, thread, entries)
    return found


def lost(store: Store, lines: Lines) -> Iterator[str]:
    """Acknowledged entries and records that are not there, or are not what they were."""
    known: dict[str, dict[int, str]] = {}
    for line in lines:
        thread, record, said = str(line["thread"]), line.get("record"), line.get("entries", [])
        if isinstance(record, list) and store.get(*record) is None:
            yield f"LOST: record {record}"
        if thread not in known:
            known[thread] = {entry.seq: entry.hash for entry in store.entries(thread)}
        assert isinstance(said, list)
        for seq, hashed in said:
            if known[thread].get(seq) != hashed:
                yield f"LOST: entry {seq} of {thread}"


def doubled(entries: Iterable[Entry]) -> Iterator[str]:
    """Texts that are there twice, and steps that are there in part."""
    tokens = Counter(token for entry in entries for token in _tokens(entry))
    yield from (f"TWICE: {token}" for token, count in tokens.items() if count > 1)
    steps: dict[tuple[str, str, str], set[str]] = {}
    for thread, step, index, count in tokens:
        steps.setdefault((thread, step, count), set()).add(index)
    for (thread, step, count), indices in steps.items():
        if len(indices) != int(count):
            yield f"HALF: step {step} of {thread} has {len(indices)} of {count} entries"


def _beyond(entries: Sequence[Entry], lines: Lines) -> Iterator[str]:
    acknowledged = {line["step"] for line in lines}
    beyond = {int(step) for entry in entries for _, step, _, _ in _tokens(entry)} - acknowledged
    if len(beyond) > 1:
        yield f"steps {sorted(beyond)} were written but never acknowledged"


def _reference(store: Store, thread: str, entries: Sequence[Entry]) -> Iterator[str]:
    spoken = [entry for entry in entries if entry.kind in ("user", "agent", "result")]
    if not spoken:
        return
    _, step, _, _ = next(iter(_tokens(spoken[-1])))
    reference = store.reference(thread)
    if reference is None and entries[-1].kind in ("checkpoint", "restore"):
        return  # what the server remembers is another history now
    if reference is None or f":{step}:" not in str(reference["step"]):
        yield f"the reference {reference} is not of step {step}, the last that was said"


def _tokens(entry: Entry) -> set[tuple[str, ...]]:
    return set(_TOKEN.findall(json.dumps(entry.body, default=dict)))
