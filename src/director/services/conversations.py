"""Conversations: list them, read one a page at a time, search it, begin a new one, leave turns out.

However long a thread is, only the asked entries are read, and the few that hide others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

from director.agent.conversation.current_thread import (
    ensure_current_thread,
    leave_turn_out_of_thread,
    start_current_thread,
)
from director.agent.turn_lease import TurnRunning, find_last_turn, is_turn_running
from director.context.values import AgentTurn, Call, Turn, UserTurn
from director.context.wire.parse_events import INTERRUPTED as NO_RESULT
from director.services.errors import NotFound
from director.services.outgoing import Identifier, redact_result
from director.services.workspace import Workspace
from director.store import Entry, Store
from director.store.checkpoints import Checkpoint, find_deleted, list_checkpoints
from director.store.context_view import TURNS, build_thread_view

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

    id: Identifier
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

    thread: Identifier
    head: int
    entries: tuple[ConversationEntry, ...]
    earlier: bool


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that the last turn ended with; what is said next is its answer."""

    call: Identifier
    question: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnNow:
    """How it stands with the conversation: whether a turn runs, or how the last one ended."""

    thread: Identifier
    state: TurnState
    text: str = ""
    asked: OpenQuestion | None = None
    origins: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of a workflow: how long it is, when it began, what was said first."""

    thread: Identifier
    head: int
    current: bool
    began: float | None = None
    last: float | None = None
    first: str = ""


@redact_result
def list_conversations(workspace: Workspace, workflow: str) -> list[Conversation]:
    """The conversations of a workflow, the oldest first."""
    store = workspace.reads
    now = ensure_current_thread(store, workflow)
    return [_read_conversation(workspace, one, now) for one in store.threads(workflow)]


@redact_result
def begin_conversation(workspace: Workspace, workflow: str) -> Conversation:
    """Begin a new conversation; the older ones stay readable."""
    _check_idle(workspace, workflow)
    return Conversation(start_current_thread(workspace.store, workflow), 0, current=True)


@redact_result
def leave_turn_out_of_conversation(
    workspace: Workspace, workflow: str, seq: int
) -> tuple[int, ...]:
    """Leave a turn out of all that is sent from now on; the turns that go with it."""
    _check_idle(workspace, workflow)
    return leave_turn_out_of_thread(
        workspace.store, ensure_current_thread(workspace.store, workflow), seq
    )


@redact_result
def read_conversation_page(
    workspace: Workspace,
    thread: str,
    *,
    before: int | None = None,
    limit: int = 50,
    whole: bool = False,
) -> Page:
    """The last entries of a thread, or those before one; a call is never parted from its results.

    `whole` leaves long results as they are.
    """
    return _read_page(workspace, thread, before=before, limit=limit, whole=whole)


@redact_result
def read_conversation_entries(
    workspace: Workspace, thread: str, *, after: int, upto: int, longest: int | None = None
) -> tuple[ConversationEntry, ...]:
    """A stretch of a thread; results go with the calls that they belong to."""
    found = _get_entries(workspace, thread, after, upto)
    return _show(workspace.reads, thread, found, longest=longest)


@redact_result
def read_conversation_entry(workspace: Workspace, thread: str, seq: int) -> ConversationEntry:
    """One entry with all of its results, however long they are; `NotFound` if there is none."""
    after = seq
    found = _get_entries(workspace, thread, seq - 1, seq)
    while found and (more := _get_entries(workspace, thread, after, after + 20)):
        results = [entry for entry in more if entry.kind == "result"]
        found += results
        after = more[-1].seq
        if len(results) < len(more):
            break
    listed = _show(workspace.reads, thread, found)
    shown = next((each for each in listed if each.seq == seq), None)
    if shown is None:
        raise NotFound(f"This conversation has no entry {seq} to show.")
    return shown


@redact_result
def read_conversation_turn(workspace: Workspace, thread: str) -> TurnNow:
    """How it stands with a thread; a turn whose program has died is interrupted."""
    store = workspace.reads
    last = find_last_turn(store, thread)
    state = str(last.get("state") or "idle")
    if state == "running" and not is_turn_running(store, thread):
        return TurnNow(thread, "interrupted", INTERRUPTED)
    text = str(last.get("text") or "")
    there = _texts(last.get("origins"))
    effects = _texts(last.get("effects"))
    is_open = state == "asked" and last.get("head") == store.head(thread)
    asked = _asked(workspace, thread, str(last.get("call") or ""), text) if is_open else None
    return TurnNow(thread, cast("TurnState", state), text, asked, there, effects)


def _check_idle(workspace: Workspace, workflow: str) -> None:
    if is_turn_running(workspace.store, ensure_current_thread(workspace.store, workflow)):
        raise TurnRunning("A turn of this workflow is running. Nothing was changed.")


def _get_entries(workspace: Workspace, thread: str, after: int, upto: int) -> list[Entry]:
    """Entries whose texts are redacted before any is cut: half of a secret is found by nobody."""
    found = workspace.reads.entries(thread, after, upto)
    return [replace(entry, body=workspace.redact(entry.body)) for entry in found]


def _read_conversation(workspace: Workspace, thread: str, now: str) -> Conversation:
    head = workspace.reads.head(thread)
    spans = ((0, 1), (max(0, head - 1), head))
    ends = [entry for span in spans for entry in _get_entries(workspace, thread, *span)]
    if not ends:
        return Conversation(thread, head, thread == now)
    first = str(ends[0].body.get("text") or "")[:_FIRST]
    return Conversation(thread, head, thread == now, ends[0].at, ends[-1].at, first)


def _read_page(
    workspace: Workspace,
    thread: str,
    *,
    before: int | None = None,
    limit: int = 50,
    whole: bool = False,
) -> Page:
    head = workspace.reads.head(thread)
    end = head if before is None else min(head, before - 1)
    start = max(0, end - limit)
    found = _get_entries(workspace, thread, start, end)
    while found and found[0].kind == "result" and start > 0:
        start -= 1
        found = [*_get_entries(workspace, thread, start, start + 1), *found]
    entries = _show(workspace.reads, thread, found, longest=None if whole else LONGEST)
    return Page(thread, head, entries, earlier=bool(found) and found[0].seq > 1)


def _show(
    store: Store, thread: str, found: Sequence[Entry], *, longest: int | None = None
) -> tuple[ConversationEntry, ...]:
    hiding = store.hiding(thread)
    made = list_checkpoints(hiding)
    return tuple(_said(found, made, _shown(made, find_deleted(hiding)), longest))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _asked(workspace: Workspace, thread: str, call: str, text: str) -> OpenQuestion:
    """The question in the words of the call that asked it."""
    last = _read_page(workspace, thread, limit=4, whole=True).entries
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
    turns = {one.seq: one.turns for one in build_thread_view(spoken).told}
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
