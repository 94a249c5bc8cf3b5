"""The store as the journal of the models: a reply and what goes on from it, in one transaction.

Only what was said is written here, never a section that was injected into a request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from director.context.wire.parse_events import Heard
from director.models import Image, Reply, Result, ResumeRecord, make_user_turn
from director.models.reply_turns import answer_of
from director.models.restart_journal import make_restart_record
from director.sections.boundary import guard_boundary
from director.store import Entry, EntryDraft, Store


class StoreJournal:
    """A journal in a store: the reply is the next entry of its thread.

    What the model layer needs after a restart is written with it, or neither is. `hide` takes out
    of a reply what must not be kept.
    """

    def __init__(
        self, store: Store, hide: Callable[[dict[str, object]], dict[str, object]] = dict
    ) -> None:
        self._store = store
        self._hide = hide

    def read(self, thread: str, /) -> ResumeRecord:
        """The record of a thread, an empty one if there is none."""
        kept = self._store.reference(thread)
        return ResumeRecord() if kept is None else make_restart_record(kept)

    def write(self, thread: str, record: ResumeRecord, reply: Reply | None = None, /) -> None:
        """Keep a record, and the reply that it belongs to as an entry, both or neither."""
        kept = None if record == ResumeRecord() else asdict(record)
        if reply is None:
            self._store.set_reference(thread, kept)
            return
        spoken = [EntryDraft("agent", self._hide(make_reply_body(reply)))]
        self._store.append(thread, spoken, reference=kept, clear_reference=kept is None)


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
    native = {"wire": reply.form, "message": answer_of(call, result, reply.form)}
    told = {"source": source} if source else {}
    return {"call": call, "text": result.text, "failed": result.failed, "native": native, **told}
