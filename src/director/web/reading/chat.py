"""A conversation as it is shown: entries with their calls and results, a page at a time.

However long a thread is, only the asked entries are read, and the few that hide others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

from director.agent.conversation.current_thread import current_thread
from director.agent.turn_lease import last_turn, running
from director.context.values import AgentTurn, Call, Turn, UserTurn
from director.context.wire.parse_events import INTERRUPTED as NO_RESULT
from director.store import Entry, Store
from director.store.checkpoints import Checkpoint, checkpoints, find_deleted
from director.store.context_view import TURNS, view

Shown: TypeAlias = Literal["visible", "archived", "deleted"]
CallState: TypeAlias = Literal["done", "failed", "open"]
TurnState: TypeAlias = Literal[
    "idle", "running", "interrupted", "said", "asked", "waiting", "cut", "failed", "cancelled",
    "rounds", "tokens", "money", "time",
]  # fmt: skip
LONGEST = 4_000
_FIRST = 300
INTERRUPTED = (
    "The program ended in the middle of this turn. What was said and done until then is kept; an "
    "answer that was being written is not. Nothing was repeated. Say how to go on, or retry."
)


@dataclass(frozen=True, slots=True)
class Called:
    """A call with its result; `open` if it has none. A long text is cut: it has `characters`.

    `source` says which pages its arguments came from, if any.
    """

    id: str
    tool: str
    args: str
    result: str
    state: CallState
    characters: int
    images: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class ConversationEntry:
    """An entry of a conversation; of a compression, also what it covers and how it stands.

    What came from no model is a word of Director's own.
    """

    seq: int
    kind: str
    at: float
    text: str
    shown: Shown = "visible"
    model: str = ""
    own: bool = False
    images: int = 0
    calls: tuple[Called, ...] = ()
    covers: tuple[int, ...] = ()
    before: int = 0
    after: int = 0
    by: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Some entries of a thread, the oldest first; `earlier` tells that there are older ones."""

    thread: str
    head: int
    entries: tuple[ConversationEntry, ...]
    earlier: bool


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that the last turn ended with; what is said next is its answer."""

    call: str
    question: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnNow:
    """How it stands with the conversation: whether a turn runs, or how the last one ended."""

    thread: str
    state: TurnState
    text: str = ""
    asked: OpenQuestion | None = None
    origins: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of a workflow: how long it is, when it began, what was said first."""

    thread: str
    head: int
    current: bool
    began: float | None = None
    last: float | None = None
    first: str = ""


def conversations(store: Store, workflow: str) -> list[Conversation]:
    """The conversations of a workflow, the oldest first."""
    now = current_thread(store, workflow)
    return [_conversation(store, one, now) for one in store.threads(workflow)]


def _conversation(store: Store, thread: str, now: str) -> Conversation:
    head = store.head(thread)
    ends = [*store.entries(thread, 0, 1), *store.entries(thread, max(0, head - 1), head)]
    if not ends:
        return Conversation(thread, head, thread == now)
    first = str(ends[0].body.get("text") or "")[:_FIRST]
    return Conversation(thread, head, thread == now, ends[0].at, ends[-1].at, first)


def page(
    store: Store, thread: str, *, before: int | None = None, limit: int = 50, whole: bool = False
) -> Page:
    """The last entries of a thread, or those before one; a call is never parted from its results.

    `whole` leaves long results as they are.
    """
    head = store.head(thread)
    end = head if before is None else min(head, before - 1)
    start = max(0, end - limit)
    found = store.entries(thread, start, end)
    while found and found[0].kind == "result" and start > 0:
        start -= 1
        found = [*store.entries(thread, start, start + 1), *found]
    entries = told(store, thread, found, longest=None if whole else LONGEST)
    return Page(thread, head, entries, earlier=bool(found) and found[0].seq > 1)


def told(
    store: Store, thread: str, found: Sequence[Entry], *, longest: int | None = None
) -> tuple[ConversationEntry, ...]:
    """Some entries of a thread as they are shown; results go with the calls that they belong to."""
    hiding = store.hiding(thread)
    made = checkpoints(hiding)
    return tuple(_said(found, made, _shown(made, find_deleted(hiding)), longest))


def one(store: Store, thread: str, seq: int) -> ConversationEntry | None:
    """One entry with all of its results, however long they are."""
    found = store.entries(thread, seq - 1, seq)
    after = seq
    while found and (more := store.entries(thread, after, after + 20)):
        results = [entry for entry in more if entry.kind == "result"]
        found += results
        after = more[-1].seq
        if len(results) < len(more):
            break
    return next((each for each in told(store, thread, found) if each.seq == seq), None)


def turn_now(store: Store, thread: str) -> TurnNow:
    """How it stands with a thread; a turn whose program has died is interrupted."""
    last = last_turn(store, thread)
    state = str(last.get("state") or "idle")
    if state == "running" and not running(store, thread):
        return TurnNow(thread, "interrupted", INTERRUPTED)
    text = str(last.get("text") or "")
    there = _texts(last.get("origins"))
    effects = _texts(last.get("effects"))
    is_open = state == "asked" and last.get("head") == store.head(thread)
    asked = _asked(store, thread, str(last.get("call") or ""), text) if is_open else None
    return TurnNow(thread, cast("TurnState", state), text, asked, there, effects)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _asked(store: Store, thread: str, call: str, text: str) -> OpenQuestion:
    """The question in the words of the call that asked it."""
    last = page(store, thread, limit=4, whole=True).entries
    for said in reversed(last):
        for each in said.calls:
            if each.id == call:
                args = _object(each.args)
                choices = args.get("choices")
                listed = tuple(map(str, choices)) if isinstance(choices, list) else ()
                return OpenQuestion(call, str(args.get("question") or text), listed)
    return OpenQuestion(call, text)


def _object(text: str) -> Mapping[str, object]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _shown(made: Sequence[Checkpoint], gone: frozenset[int]) -> Mapping[int, Shown]:
    current = next((one for one in made if one.state == "current"), None)
    found: dict[int, Shown] = {}
    for seq in current.summary.covers if current else ():
        found[seq] = "archived"
    for seq in gone:
        found[seq] = "deleted"
    return found


def _said(
    found: Sequence[Entry],
    made: Sequence[Checkpoint],
    shown: Mapping[int, Shown],
    longest: int | None,
) -> Iterable[ConversationEntry]:
    spoken = [entry for entry in found if entry.kind in (*TURNS, "result")]
    turns = {one.seq: one.turns for one in view(spoken).told}
    by_seq = {one.seq: one for one in made}
    sources = {
        str(entry.body.get("call")): str(entry.body["source"])
        for entry in found
        if entry.kind == "result" and entry.body.get("source")
    }
    for entry in found:
        if entry.kind in TURNS:
            how = shown.get(entry.seq, "visible")
            said = _spoken(entry, turns.get(entry.seq, ()), how, longest)
            calls = (replace(one, source=sources.get(one.id, "")) for one in said.calls)
            yield replace(said, calls=tuple(calls))
        elif entry.kind == "checkpoint":
            yield _compression(entry, by_seq[entry.seq])
        elif entry.kind in ("restore", "delete"):
            seqs = entry.body.get("seqs") or [entry.body.get("checkpoint")]
            covers = tuple(seqs) if isinstance(seqs, list | tuple) else ()
            yield ConversationEntry(entry.seq, entry.kind, entry.at, "", covers=covers)


def _spoken(
    entry: Entry, turns: Sequence[Turn], shown: Shown, longest: int | None
) -> ConversationEntry:
    calls = [call for turn in turns if isinstance(turn, AgentTurn) for call in turn.calls]
    return ConversationEntry(
        entry.seq,
        entry.kind,
        entry.at,
        "\n\n".join(turn.text for turn in turns if turn.text),
        shown,
        str(entry.body.get("model") or ""),
        own=entry.kind == "agent" and not entry.body.get("wire"),
        images=sum(turn.images for turn in turns if isinstance(turn, UserTurn)),
        calls=tuple(_called(call, longest) for call in calls),
    )


def _called(call: Call, longest: int | None) -> Called:
    args, result = call.args[:longest], call.result[:longest]
    if call.result == NO_RESULT:
        return Called(call.id, call.tool, args, "", "open", 0, 0)
    state: CallState = "failed" if call.failed else "done"
    return Called(call.id, call.tool, args, result, state, len(call.result), call.images)


def _compression(entry: Entry, one: Checkpoint) -> ConversationEntry:
    return ConversationEntry(
        entry.seq,
        "checkpoint",
        entry.at,
        one.summary.text,
        covers=one.summary.covers,
        before=one.before,
        after=one.after,
        by=one.by,
        state=one.state,
    )
