"""The conformance suite of stores: what must hold on any engine, as plain checks.

`check_store(make)` runs every check of STORE_CHECKS on a fresh store and returns what broke, so
that an empty list is a pass. No check ever reaches behind the public interface of a store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import TypeAlias

from director.context.values import AgentTurn
from director.store.compression import (
    compress_turns,
    preview_turn_compression,
    restore_compressed_turns,
)
from director.store.context_view import project_context_view
from director.store.store import Store
from director.store.store_opening import open_store
from director.store.values import Entry, EntryDraft, Json
from director.testing.store_drafts import (
    AWKWARD,
    LARGE,
    draft_agent_message,
    draft_call_result,
    draft_summary,
    draft_talk,
    draft_user_message,
    encode_draft_body,
    is_store_conflict,
    is_store_refused,
)
from director.testing.store_faults import find_store_faults
from director.testing.store_records import RECORD_CHECKS

StoreCheck: TypeAlias = Callable[[Store], Iterator[str]]


def _bodies(entries: Iterable[Entry]) -> list[str]:
    return [encode_draft_body(entry.body) for entry in entries]


def what_was_said_comes_back_to_the_letter(store: Store) -> Iterator[str]:
    """Awkward characters, nested payloads and large texts are read as they were written."""
    native: Json = {"wire": "chat", "message": {"role": "user", "x": [1, 2.5, None, True, AWKWARD]}}
    drafts = [
        EntryDraft("user", {"text": AWKWARD, "native": native}),
        draft_agent_message(AWKWARD, ["call_1", "call_2"]),
        draft_call_result("call_1", LARGE),
        draft_call_result("call_2", LARGE, failed=True),
    ]
    given = store.append("t", drafts)
    for entries, how in ((given, "returned"), (store.entries("t"), "read")):
        if _bodies(entries) != [encode_draft_body(draft.body) for draft in drafts]:
            yield f"bodies are not those written, as {how}"
        if [entry.kind for entry in entries] != [draft.kind for draft in drafts]:
            yield f"kinds are not those written, as {how}"
    if list(given) != store.entries("t"):
        yield "append returned other entries than are read"


def entries_are_numbered_from_one_without_gaps(store: Store) -> Iterator[str]:
    """Each thread counts for itself; a slice of it is what was asked for."""
    for n in range(4):
        store.append("a", [draft_user_message(f"a {n}")])
        store.append("b", [draft_user_message(f"b {n}"), draft_agent_message(f"b {n}")])
    if (store.head("a"), store.head("b"), store.head("nobody")) != (4, 8, 0):
        yield "the heads are not 4, 8 and 0"
    if [entry.seq for entry in store.entries("b", after=2, upto=5)] != [3, 4, 5]:
        yield "entries(after=2, upto=5) are not 3, 4, 5"
    if store.entries("nobody") or store.last("nobody", "user"):
        yield "a thread nobody wrote has entries"
    if (newest := store.last("b", "user")) is None or newest.seq != 7:
        yield "the last entry of the user is not 7"
    yield from find_store_faults(store)


def a_caller_that_looked_too_early_writes_nothing(store: Store) -> Iterator[str]:
    """`expect` is compared with the head in the transaction that writes."""
    store.append("t", [draft_user_message("one")], reference={"response": "r1"})
    before = store.entries("t")
    for expect in (0, 2):
        late = [draft_user_message("two")]
        if not is_store_conflict(
            lambda e=expect, d=late: store.append("t", d, expect=e, reference={})  # type: ignore[misc]
        ):
            yield f"expect={expect} was accepted at head 1"
    if store.entries("t") != before or store.reference("t") != {"response": "r1"}:
        yield "a refused append left something behind"
    store.append("t", [draft_user_message("two")], expect=1)
    store.append("new", [draft_user_message("one")], expect=0)
    yield from find_store_faults(store)


def the_reference_changes_with_its_entry(store: Store) -> Iterator[str]:
    """What the next request of a thread hangs on is kept, replaced and cleared with entries."""
    if store.reference("t") is not None:
        yield "a thread nobody wrote has a reference"
    store.append(
        "t", [draft_user_message("one")], reference={"response": "r1", "pending": ["call_1"]}
    )
    store.append("t", [draft_user_message("two")])
    if store.reference("t") != {"response": "r1", "pending": ["call_1"]}:
        yield "an append that names no reference changed it"
    store.append("t", [draft_user_message("three")], clear_reference=True)
    if store.reference("t") is not None:
        yield "clear_reference did not clear it"
    store.set_reference("t", {"response": "r2"})
    if store.reference("t") != {"response": "r2"}:
        yield "set_reference did not set it"


def threads_belong_to_workflows(store: Store) -> Iterator[str]:
    """Every thread has an id of its own and is listed with its workflow."""
    first, second = store.open_thread("shop", "One"), store.open_thread("shop", "Two")
    other = store.open_thread("mail")
    store.append("by-name", [draft_user_message("hello")])
    if len({first, second, other}) != 3:
        yield "two threads got the same id"
    if sorted(store.threads("shop")) != sorted([first, second]):
        yield "the threads of a workflow are not those opened for it"
    if set(store.threads()) != {first, second, other, "by-name"}:
        yield "not every thread is listed"


def changes_come_in_order_and_can_be_resumed(store: Store) -> Iterator[str]:
    """Entries and records share one order, live and afterwards."""
    with closing(store.subscribe()) as live:
        store.append("a", [draft_user_message("one"), draft_agent_message("two")])
        store.put("plan", "p", {"steps": []})
        store.append("b", [draft_user_message("three")])
        heard = [live.next(timeout=5.0) for _ in range(4)]
    told = store.changes()
    positions = [change.position for change in told]
    if positions != sorted({*positions}):
        yield f"positions do not rise: {positions}"
    if heard != told:
        yield "a subscriber heard something else than what was committed"
    if store.changes(after=positions[1]) != told[2:] or store.changes(limit=1) != told[:1]:
        yield "changes cannot be resumed"
    with closing(store.subscribe(after=positions[2])) as late:
        if late.next(timeout=5.0) != told[3]:
            yield "a subscriber cannot resume"


def another_handle_sees_what_was_committed(store: Store) -> Iterator[str]:
    """A store opened again, beside or after the first, has the same threads."""
    store.append("t", draft_talk(2), reference={"response": "r"})
    with open_store(store.url) as other:
        if other.entries("t") != store.entries("t") or other.reference("t") != {"response": "r"}:
            yield "the second handle reads something else"
        other.append("t", [draft_user_message("by the other")])
    if store.head("t") != 7:
        yield "the first handle does not see the second's entry"


def purging_removes_one_thread_and_nothing_else(store: Store) -> Iterator[str]:
    """The only deletion takes a whole thread; what others share stays readable."""
    store.append("a", [*draft_talk(1), draft_user_message(LARGE)])
    store.append("b", [draft_user_message(LARGE)])
    kept = store.entries("b")
    if store.purge("a") != 4:
        yield "purge did not say how many entries it removed"
    if store.entries("a") or "a" in store.threads():
        yield "the purged thread is still there"
    if store.entries("b") != kept:
        yield "purging one thread changed another"
    store.append("b", [draft_user_message("after")])
    yield from find_store_faults(store)


def a_compression_covers_and_a_restore_uncovers(store: Store) -> Iterator[str]:
    """Compressed turns are covered by the summary, later ones are seen, and nothing is gone."""
    store.append("t", draft_talk(4))
    before = project_context_view(store.entries("t"))
    look = preview_turn_compression(store, "t")
    done = compress_turns(store, "t", look, draft_summary(look.covers))
    store.append("t", [draft_user_message("and now?")])
    context = project_context_view(store.entries("t"))
    if context.summary is None or context.summary.text != "Prices were looked up.":
        yield "the summary is not what the model sees"
    if not context.turns or context.turns[-1].at != store.head("t"):
        yield "a turn said after the compression is not seen"
    yield from find_store_faults(store)
    restore_compressed_turns(store, "t", done.seq)
    after = project_context_view(store.entries("t"))
    if after.summary is not None or after.turns[: len(before.turns)] != before.turns:
        yield "restoring did not bring the turns back"
    yield from find_store_faults(store)


def only_the_chosen_turns_are_covered(store: Store) -> Iterator[str]:
    """A compression of some units leaves the unchosen ones where they stood."""
    store.append("t", draft_talk(4))
    look = preview_turn_compression(store, "t", [1, 2])
    compress_turns(store, "t", look, draft_summary(look.covers))
    seen = [turn.at for turn in project_context_view(store.entries("t")).turns]
    if seen != [4, 5, 7, 8, 10, 11]:
        yield f"turns 4, 5, 7, 8, 10, 11 should be seen, not {seen}"
    yield from find_store_faults(store)


def a_bad_summary_changes_nothing(store: Store) -> Iterator[str]:
    """Empty, blank and longer-than-input summaries are refused, and the log stays as it was."""
    store.append("t", draft_talk(3))
    before = store.entries("t")
    look = preview_turn_compression(store, "t")
    for text in ("", " \n\t ", "long " * 5_000):
        bad = draft_summary(look.covers, text)
        if not is_store_refused(lambda s=bad: compress_turns(store, "t", look, s)):  # type: ignore[misc]
            yield f"a summary of {len(text)} characters was accepted"
    if store.entries("t") != before:
        yield "a refused summary left something behind"


def two_compressions_never_both_win(store: Store) -> Iterator[str]:
    """The second of two that looked at the same head is refused and writes nothing."""
    store.append("t", draft_talk(4))
    first, second = preview_turn_compression(store, "t"), preview_turn_compression(store, "t")
    compress_turns(store, "t", first, draft_summary(first.covers))
    if not is_store_conflict(
        lambda: compress_turns(store, "t", second, draft_summary(second.covers))
    ):
        yield "both compressions won"
    if [entry.kind for entry in store.entries("t")].count("checkpoint") != 1:
        yield "there is not exactly one checkpoint"
    yield from find_store_faults(store)


def a_turn_said_during_a_compression_is_kept_and_seen(store: Store) -> Iterator[str]:
    """The compression that missed it is refused; the next one does not cover it unseen."""
    store.append("t", draft_talk(4))
    look = preview_turn_compression(store, "t")
    (said,) = store.append("t", [draft_user_message("wait, also the red one")])
    if not is_store_conflict(lambda: compress_turns(store, "t", look, draft_summary(look.covers))):
        yield "a compression was written over a turn it had not seen"
    compress_turns(
        store, "t", preview_turn_compression(store, "t", look.covers), draft_summary(look.covers)
    )
    if said.seq not in [turn.at for turn in project_context_view(store.entries("t")).turns]:
        yield "the turn is not seen"
    yield from find_store_faults(store)


def a_call_without_a_result_is_seen_as_interrupted(store: Store) -> Iterator[str]:
    """A call that was cut off is closed in what the model sees, and in no entry."""
    store.append(
        "t",
        [
            draft_user_message("go"),
            draft_agent_message("I go", ["call_1", "call_2"]),
            draft_call_result("call_1", "there"),
        ],
    )
    last = project_context_view(store.entries("t")).turns[-1]
    calls = {call.id: call for call in last.calls} if isinstance(last, AgentTurn) else {}
    if set(calls) != {"call_1", "call_2"} or not calls["call_2"].failed:
        yield "the open call is not closed as failed"
    elif "interrupted" not in calls["call_2"].result or calls["call_1"].result != "there":
        yield "the results are not what happened"


STORE_CHECKS: Mapping[str, StoreCheck] = {
    check.__name__: check
    for check in (
        what_was_said_comes_back_to_the_letter,
        entries_are_numbered_from_one_without_gaps,
        a_caller_that_looked_too_early_writes_nothing,
        the_reference_changes_with_its_entry,
        threads_belong_to_workflows,
        *RECORD_CHECKS,
        changes_come_in_order_and_can_be_resumed,
        another_handle_sees_what_was_committed,
        purging_removes_one_thread_and_nothing_else,
        a_compression_covers_and_a_restore_uncovers,
        only_the_chosen_turns_are_covered,
        a_bad_summary_changes_nothing,
        two_compressions_never_both_win,
        a_turn_said_during_a_compression_is_kept_and_seen,
        a_call_without_a_result_is_seen_as_interrupted,
    )
}


def check_store(make: Callable[[], Store]) -> list[str]:
    """Run every check on a fresh store; an empty list means that all hold."""
    found: list[str] = []
    for name, check in STORE_CHECKS.items():
        with make() as store:
            found += run_check(name, check, store)
    return found


def run_check(name: str, check: StoreCheck, store: Store) -> list[str]:
    """What one check says against a store; an error is said like anything else."""
    said = name.replace("_", " ")
    try:
        return [f"{said}: {what}" for what in check(store)]
    except Exception as error:  # noqa: BLE001  a store that fails here breaks the check
        return [f"{said}: {type(error).__name__}: {error}"]
