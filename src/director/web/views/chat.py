"""The conversation as a person reads it: messages, calls, summaries, how the last turn ended.

It is read in chunks of entries, so a long thread costs no more than a short one. What a model sees
is decided by `director.store.project`; here it is only told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.agent.lease import last_turn, running
from director.agent.threads import open_question
from director.context.values import AgentTurn, UserTurn
from director.store import Entry, Store
from director.store.checkpoints import HIDING, Checkpoint, checkpoints, deleted
from director.store.project import view
from director.store.telling import Told
from director.web.views.calls import Card, card

SIZE = 50
# Results of the last answer of a chunk may stand in the next one.
_AHEAD = 60
_SHOWN_HITS = 60
_AROUND = 60
_SPACES = re.compile(r"\s+")
Kind: TypeAlias = Literal["user", "agent", "notice", "summary", "line"]
_ENDS = {
    "running": "The program ended in the middle of this turn. What was done until then is kept, "
    "and nothing runs again by itself.",
    "cancelled": "You stopped this turn. What was done until then is kept.",
    "failed": "This turn failed before it was answered. What was said and done is kept.",
}


@dataclass(frozen=True, slots=True)
class Message:
    """One thing in the conversation. `at` is its turn's number, by which summaries cite it."""

    kind: Kind
    at: int
    when: float
    text: str = ""
    cards: tuple[Card, ...] = ()
    images: int = 0
    archived: bool = False
    model: str = ""
    checkpoint: Checkpoint | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages of one stretch of a thread; `number` counts from 0."""

    number: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Chat:
    """A thread with its newest chunk; `seen` changes when older ones must be shown anew."""

    thread: str
    head: int
    chunks: int
    seen: str
    running: bool
    ended: str
    newest: Chunk
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """Where some words were said: the turn, who said it, the words around them."""

    at: int
    who: str
    before: str
    found: str
    after: str


@dataclass(frozen=True, slots=True)
class _Seen:
    """What decides how the entries of a thread are shown."""

    told: Mapping[int, Told]
    made: Mapping[int, Checkpoint]
    covered: frozenset[int]
    running: bool
    asked: str


def chat(store: Store, thread: str) -> Chat:
    """The conversation, of which only the newest chunk is read."""
    head = store.head(thread)
    chunks = max(1, -(-head // SIZE))
    marks = store.hiding(thread)
    going = running(store, thread)
    last = last_turn(store, thread)
    return Chat(
        thread,
        head,
        chunks,
        f"{len(marks)}.{marks[-1].seq if marks else 0}",
        going,
        "" if going else _ENDS.get(str(last.get("state") or ""), ""),
        chunk(store, thread, chunks - 1),
        open_question(store, thread, last),
    )


def chunk(store: Store, thread: str, number: int) -> Chunk:
    """One stretch of a thread."""
    after = number * SIZE
    found = store.entries(thread, after, after + SIZE + _AHEAD)
    here = [entry for entry in found if entry.seq <= after + SIZE]
    marks = store.hiding(thread)
    made = {one.seq: one for one in checkpoints(marks)}
    current = next((one for one in made.values() if one.state == "current"), None)
    seen = _Seen(
        {one.seq: one for one in view([e for e in found if e.kind not in HIDING]).told},
        made,
        frozenset(current.summary.covers) if current else frozenset(),
        running(store, thread),
        open_question(store, thread, last_turn(store, thread)),
    )
    gone = deleted(marks)
    left = [entry for entry in here if entry.seq not in gone]
    return Chunk(number, tuple(one for entry in left for one in _messages(entry, seen)))


def _messages(entry: Entry, seen: _Seen) -> Iterator[Message]:
    match entry.kind:
        case "user" | "agent":
            told = seen.told.get(entry.seq)
            for turn in told.turns if told else ():
                yield _message(turn, entry, seen)
        case "checkpoint":
            found = seen.made[entry.seq]
            text = found.summary.text
            yield Message("summary", entry.seq, entry.at, text, checkpoint=found)
        case "restore":
            said = f"The compression of entry {entry.body.get('checkpoint')} was undone."
            yield Message("line", entry.seq, entry.at, said)
        case "delete":
            seqs = entry.body.get("seqs")
            count = len(seqs) if isinstance(seqs, Sequence) else 0
            said = f"{count} {'message was' if count == 1 else 'messages were'} taken back."
            yield Message("line", entry.seq, entry.at, said)
        case _:
            return


def _message(turn: UserTurn | AgentTurn, entry: Entry, seen: _Seen) -> Message:
    archived = entry.seq in seen.covered
    if isinstance(turn, UserTurn):
        return Message(
            "user", entry.seq, entry.at, turn.text, images=turn.images, archived=archived
        )
    cards = tuple(card(call, running=seen.running, asked=seen.asked) for call in turn.calls)
    model = str(entry.body.get("model") or "")
    # A word of Director's own came from no provider.
    kind: Kind = "agent" if entry.body.get("wire") else "notice"
    return Message(
        kind, entry.seq, entry.at, turn.text, cards=cards, archived=archived, model=model
    )


def search(store: Store, thread: str, words: str) -> list[Hit]:
    """Where these words stand in the conversation, the newest first."""
    wanted = words.strip().casefold()
    if not wanted:
        return []
    found: list[Hit] = []
    turn = 0
    for entry in store.entries(thread):
        # A result is shown with the turn that called for it.
        turn = turn if entry.kind == "result" else entry.seq
        for who, text in _searched(entry):
            at = text.casefold().find(wanted)
            if at >= 0:
                found.append(_hit(turn, who, text, at, len(wanted)))
    return found[: -_SHOWN_HITS - 1 : -1]


def _searched(entry: Entry) -> Iterator[tuple[str, str]]:
    if entry.kind == "checkpoint":
        yield "summary", str(entry.body.get("summary") or "")
    elif entry.kind in ("user", "agent", "result"):
        who = {"user": "you", "agent": "Director", "result": "result"}[entry.kind]
        yield who, str(entry.body.get("text") or "")


def _hit(seq: int, who: str, text: str, at: int, length: int) -> Hit:
    before = _SPACES.sub(" ", text[max(0, at - _AROUND) : at])
    after = _SPACES.sub(" ", text[at + length : at + length + _AROUND])
    return Hit(seq, who, before, text[at : at + length], after)
