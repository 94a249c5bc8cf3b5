"""The conversation of a workflow: its current thread, what is said to it, and saying it again.

A workflow has one current thread; the older ones stay readable. A turn that is removed stays in
the log, out of view. No model is called here.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from director.agent.model_journal import record_message
from director.context.units import units
from director.models import Image
from director.store import Entry, EntryDraft, Json, Store, StoreError, VersionConflict
from director.store.context_view import Following, View, build_thread_view

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
    entries = store.read_visible(thread)
    shown = {one.seq for one in build_thread_view(entries).visible}
    asked = [entry for entry in entries if entry.kind == "user" and entry.seq in shown]
    if not asked:
        raise StoreError("There is no turn to take again: the user has said nothing in view.")
    last = asked[-1]
    gone = sorted(seq for seq in shown if seq >= last.seq)
    store.append(thread, [EntryDraft("delete", {"seqs": gone})], expect=entries[-1].seq)
    return str(last.body.get("text", ""))


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


class ThreadLog:
    """A thread as it is seen, of which only what is new is read: what is written stays."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ""
        self._following = Following(())

    @property
    def head(self) -> int:
        """The last entry that was read."""
        return self._following.head

    @property
    def view(self) -> View:
        """The thread as it stood when it was last read."""
        return self._following.view

    def read(self, thread: str) -> View:
        """Read on to the end of a thread; how it stands."""
        if thread == self._thread and self._following.feed(self._store.entries(thread, self.head)):
            return self.view
        self._thread, self._following = thread, Following(self._store.read_visible(thread))
        return self.view
