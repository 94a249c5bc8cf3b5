"""The conversation of a workflow: its current thread, and all that is written to it.

Messages, replies and results become entries here, and the journal of the models is the thread.
Only what was said is written, never a section that was injected into a request.

A workflow has one current thread; the older ones stay readable. A turn that is removed stays in
the log, out of view. No model is called here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from director.context.units import units
from director.context.wire.parse_events import Heard
from director.models import Image, Reply, Result, ResumeRecord, make_user_turn
from director.models.reply_turns import make_reply_result
from director.models.restart_journal import make_restart_record
from director.sections.boundary import guard_boundary
from director.store import Entry, EntryDraft, Json, Store, StoreError, VersionConflict
from director.store.context_view import View, build_thread_view

KIND = "conversation"


def ensure_current_thread(store: Store, workflow: str) -> str:
    """The thread that a workflow is talked about in; made if there is none yet."""
    found = store.get(KIND, workflow)
    if found is None:
        # Two may look at a new workflow at once; the first one's thread is taken by both.
        with suppress(VersionConflict):
            return start_current_thread(store, workflow)
        found = store.get(KIND, workflow)
        assert found is not None  # noqa: S101  somebody else has just made it
    return str(found.body["thread"])


def start_current_thread(store: Store, workflow: str) -> str:
    """Begin a new thread, which is the current one from now on; nothing else is changed."""
    before = store.get(KIND, workflow)
    thread = store.open_thread(workflow=workflow)
    store.put(KIND, workflow, {"thread": thread}, "begun", expect=before.version if before else 0)
    return thread


def store_user_message(
    store: Store, thread: str, text: str, images: Sequence[Image] = (), *, last: Json
) -> Entry:
    """Store what the user said: as a message, or as the answer to what the last turn asked."""
    if not text.strip() and not images:
        raise ValueError("There is nothing to answer: the message is empty. Nothing was stored.")
    call = find_open_question_in_thread(store, thread, last)
    if call and not images:
        result = EntryDraft("result", {"call": call, "text": text, "failed": False})
        return store.append(thread, [result])[0]
    return record_message(store, thread, text, images)


def find_open_question_in_thread(store: Store, thread: str, last: Json) -> str:
    """The call of a question that the last turn ended with, if nothing was said since."""
    is_open = last.get("state") == "asked" and last.get("head") == store.head(thread)
    return str(last.get("call") or "") if is_open else ""


def find_current_request(store: Store, thread: str) -> int:
    """The entry of what the user said last, which is being worked on; 0 if there is none."""
    found = store.last(thread, "user")
    return found.seq if found else 0


def store_notice(store: Store, thread: str, text: str) -> Entry:
    """Store a word of Director's own, which no model said: the user and the model see it."""
    return store.append(thread, [EntryDraft("agent", {"wire": "", "items": [], "text": text})])[0]


def withdraw_turn_from_thread(store: Store, thread: str) -> str:
    """Take the last message of the user and all that followed out of view; what it said."""
    entries, shown = _read_shown(store, thread)
    asked = [entry for entry in shown if entry.kind == "user"]
    if not asked:
        raise StoreError("There is no turn to take again: the user has said nothing in view.")
    last = asked[-1]
    gone = sorted(entry.seq for entry in shown if entry.seq >= last.seq)
    store.append(thread, [EntryDraft("delete", {"seqs": gone})], expect=entries[-1].seq)
    return str(last.body.get("text", ""))


def withdraw_last_answer_from_thread(store: Store, thread: str) -> None:
    """Take what came after the last result out of view: an answer that was cut off."""
    entries, shown = _read_shown(store, thread)
    last = max((entry.seq for entry in entries if entry.kind == "result"), default=0)
    if gone := [entry.seq for entry in shown if entry.kind == "agent" and entry.seq > last]:
        store.append(thread, [EntryDraft("delete", {"seqs": gone})], expect=entries[-1].seq)


def has_answered_calls(store: Store, thread: str) -> bool:
    """Whether calls were answered since the user's last message."""
    entries, shown = _read_shown(store, thread)
    said = max((entry.seq for entry in shown if entry.kind == "user"), default=0)
    return any(entry.kind == "result" and entry.seq > said > 0 for entry in entries)


def _read_shown(store: Store, thread: str) -> tuple[Sequence[Entry], list[Entry]]:
    entries = store.read_visible(thread)
    seen = {one.seq for one in build_thread_view(entries).visible}
    return entries, [entry for entry in entries if entry.seq in seen]


def leave_turn_out_of_thread(store: Store, thread: str, seq: int) -> tuple[int, ...]:
    """Leave a turn out of all that is sent from now on; what a provider takes with it goes too.

    It stays in the log, out of view; what a server remembers is not built on any more.
    """
    entries = store.read_visible(thread)
    shown = build_thread_view(entries)
    visible = [one.seq for one in shown.visible]
    if seq not in visible:
        raise StoreError(f"There is no turn {seq} in view. Nothing was changed.")
    whole = (unit for unit in _units(shown) if seq in unit)
    gone = sorted(next(whole, (seq,)))
    left = EntryDraft("delete", {"seqs": gone})
    store.append(thread, [left], expect=entries[-1].seq, clear_reference=True)
    return tuple(gone)


def _units(shown: View) -> list[tuple[int, ...]]:
    """The turns of a view by what a provider takes together, also of what still goes on."""
    return [tuple(dict.fromkeys(turn.at for turn in unit)) for unit in units(shown.context.turns)]


@dataclass(eq=False, slots=True)
class StoreJournal:
    """A journal in a store: the reply is the next entry of its thread.

    What the model layer needs after a restart is written with it, or neither is. `hide` takes out
    of a reply what must not be kept.
    """

    store: Store
    hide: Callable[[dict[str, object]], dict[str, object]] = dict

    def read(self, thread: str, /) -> ResumeRecord:
        """The record of a thread, an empty one if there is none."""
        kept = self.store.reference(thread)
        return ResumeRecord() if kept is None else make_restart_record(kept)

    def write(self, thread: str, record: ResumeRecord, reply: Reply | None = None, /) -> None:
        """Keep a record, and the reply that it belongs to as an entry, both or neither."""
        kept = None if record == ResumeRecord() else asdict(record)
        if reply is None:
            self.store.set_reference(thread, kept)
            return
        spoken = [EntryDraft("agent", self.hide(make_reply_body(reply)))]
        self.store.append(thread, spoken, reference=kept, clear_reference=kept is None)


def make_reply_body(reply: Reply) -> dict[str, object]:
    """A reply as the body of an entry: its items as they came."""
    items = [dict(item) for item in reply.items]
    return {"wire": reply.form, "items": items, "text": reply.text, "model": reply.model}


def record_message(store: Store, thread: str, text: str, images: Sequence[Image] = ()) -> Entry:
    """Write down what a user said, with images that travel to any provider."""
    body: dict[str, object] = {"text": text}
    # A provider's own form is sent as it is: what looks like a section is made harmless here.
    native = make_user_turn(0, guard_boundary(text), images).native
    if isinstance(native, Heard):
        body["native"] = {"wire": native.wire, "message": native.source}
    return store.append(thread, [EntryDraft("user", body)])[0]


def record_results(
    store: Store,
    thread: str,
    reply: Reply,
    results: Mapping[str, Result | str],
    *,
    source: str = "",
) -> tuple[Entry, ...]:
    """Write down what the calls of a reply gave, as many of them as are there by now.

    A call whose result is never written is shown to the model as interrupted. `source` says which
    pages its arguments came from: the user is shown it, no model is.
    """
    unknown = sorted(set(results) - {call.id for call in reply.calls})
    if unknown:
        asked = ", ".join(call.id for call in reply.calls) or "none"
        what = f"no call has the id {', '.join(unknown)}; the reply asked for: {asked}"
        raise ValueError(what)
    drafts = [
        EntryDraft("result", _result_body(reply, call.id, results[call.id], source))
        for call in reply.calls
        if call.id in results
    ]
    return store.append(thread, drafts) if drafts else ()


def _result_body(reply: Reply, call: str, given: Result | str, source: str) -> dict[str, object]:
    result = Result(given) if isinstance(given, str) else given
    native = {"wire": reply.form, "message": make_reply_result(call, result, reply.form)}
    told = {"source": source} if source else {}
    return {"call": call, "text": result.text, "failed": result.failed, "native": native, **told}
