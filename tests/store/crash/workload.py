"""What a process does to a store before it is killed, and what it says was done.

Each step is one transaction. After it the process writes an acknowledgement to a file of its own
and syncs it; a step's texts carry a token (thread:step:index:count) so that a checker sees
whether the step is there whole, half, twice or not at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from director.context.values import Summary
from director.store.compression import (
    compress_turns,
    preview_turn_compression,
    restore_compressed_turns,
)
from director.store.store import Store
from director.store.store_opening import open_store
from director.store.values import Entry, EntryDraft, Versioned
from director.testing.store_drafts import draft_agent_message, draft_call_result, draft_user_message

PADDING = "so that a summary is shorter than what it stands for, " * 6


@dataclass
class Acknowledgements:
    """A file of what was acknowledged, a line for each, synced before the next step."""

    path: Path

    def add(self, line: object) -> None:
        """Write one line so that it survives anything."""
        with self.path.open("ab", buffering=0) as file:
            file.write(json.dumps(line).encode() + b"\n")
            os.fsync(file.fileno())

    def lines(self) -> list[dict[str, object]]:
        """All lines that were written."""
        return [json.loads(line) for line in self.path.read_text().splitlines()]


@dataclass
class Worker:
    """One process at work on one thread."""

    store: Store
    thread: str
    acknowledged: Acknowledgements
    step: int = 0

    def say(self, drafts: Iterable[EntryDraft], *, expect: int | None = None) -> None:
        """Append drafts in one step, with a reference that names the step."""
        whole = list(drafts)
        self.step += 1
        marked = [self._marked(draft, n, len(whole)) for n, draft in enumerate(whole)]
        reference = {"step": self.token(0, len(whole))}
        self._done(self.store.append(self.thread, marked, expect=expect, reference=reference))

    def fold(self, seqs: Iterable[int] | None = None) -> Entry:
        """Compress the thread in one step."""
        self.step += 1
        look = preview_turn_compression(self.store, self.thread, seqs)
        summary = Summary(f"{self.token(0, 1)} in short", tuple(look.covers))
        done = compress_turns(self.store, self.thread, look, summary)
        self._done([done])
        return done

    def unfold(self, checkpoint: Entry) -> None:
        """Restore a checkpoint in one step."""
        self.step += 1
        self._done([restore_compressed_turns(self.store, self.thread, checkpoint.seq)])

    def note(self) -> None:
        """Write a version of a record in one step."""
        self.step += 1
        done = self.store.put("plan", self.thread, {"step": self.token(0, 1)}, "noted")
        self._record(done)

    def token(self, index: int, count: int) -> str:
        """What marks a text of this step."""
        return f"<{self.thread}:{self.step}:{index}:{count}>"

    def _marked(self, draft: EntryDraft, index: int, count: int) -> EntryDraft:
        text = f"{self.token(index, count)} {draft.body['text']} {PADDING}"
        if draft.kind != "agent":
            return replace(draft, body={**draft.body, "text": text})
        items = draft.body["items"]
        assert isinstance(items, list)
        spoken = [{**items[0], "content": text}]
        return replace(draft, body={**draft.body, "items": spoken, "text": text})

    def _done(self, entries: Iterable[Entry]) -> None:
        said = [[entry.seq, entry.hash] for entry in entries]
        self.acknowledged.add({"thread": self.thread, "step": self.step, "entries": said})

    def _record(self, done: Versioned) -> None:
        where = [done.kind, done.id, done.version]
        self.acknowledged.add({"thread": self.thread, "step": self.step, "record": where})


def _exchange(n: int) -> list[EntryDraft]:
    call = f"call_{n}"
    return [
        draft_user_message(f"question {n}"),
        draft_agent_message(f"answer {n}", [call]),
        draft_call_result(call, f"found {n}"),
    ]


def _begin(worker: Worker) -> None:
    for n in range(3):
        worker.say(_exchange(n))


def _append(worker: Worker) -> None:
    worker.say([draft_user_message("question")])
    worker.say([draft_agent_message("answer", ["call_a"])])
    worker.say(
        [draft_call_result("call_a", "a large page " * 800), draft_user_message("two at once")]
    )
    worker.note()


def _compress(worker: Worker) -> None:
    worker.fold([1, 2])
    worker.say([draft_user_message("meanwhile")])
    done = worker.fold()
    worker.unfold(done)


def _nothing(worker: Worker) -> None:
    del worker


WORKLOADS: dict[str, tuple[Callable[[Worker], None], Callable[[Worker], None]]] = {
    "append": (_begin, _append),
    "compress": (_begin, _compress),
    "life": (_nothing, lambda worker: (_begin(worker), _append(worker), _compress(worker))[-1]),
}


def work(
    url: str, thread: str, name: str, acknowledged: Acknowledgements, armed: Callable[[], None]
) -> None:
    """Open the store, make ready, call `armed`, and do the steps that may be interrupted."""
    begin, then = WORKLOADS[name]
    with open_store(url) as store:
        worker = Worker(store, thread, acknowledged)
        begin(worker)
        armed()
        then(worker)
