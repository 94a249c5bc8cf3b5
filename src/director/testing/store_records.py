"""The part of the conformance suite of stores that is about records, kept bytes and variables."""

from __future__ import annotations

from collections.abc import Iterator

from director.store.run_variables import (
    clear_all_run_variables,
    clear_run_variable,
    get_draft_run_id,
    list_run_variable_history,
    read_run_variables,
    set_run_variable,
)
from director.store.store import Store
from director.store.values import RecordDraft
from director.testing.store_drafts import (
    AWKWARD,
    LARGE,
    draft_user_message,
    encode_draft_body,
    is_store_conflict,
    is_store_refused,
)
from director.testing.store_faults import find_store_faults


def every_version_of_a_record_is_kept(store: Store) -> Iterator[str]:
    """Records count versions; old ones can be read, compared and restored."""
    store.put("plan", "p", {"steps": ["one"]}, "begun")
    store.put("plan", "p", {"steps": ["one", "two", AWKWARD]}, "grown", expect=1)
    if not is_store_conflict(lambda: store.put("plan", "p", {"steps": []}, expect=1)):
        yield "two writers of the same version both won"
    if not store.diff("plan", "p", 1, 2):
        yield "two different versions have no difference"
    back = store.restore_version("plan", "p", 1, "back")
    versions = store.versions("plan", "p")
    if sorted(version.version for version in versions) != [1, 2, 3] or back.version != 3:
        yield "the versions are not 1, 2, 3"
    first, last = store.get("plan", "p", 1), store.get("plan", "p")
    if (
        first is None
        or last is None
        or encode_draft_body(first.body) != encode_draft_body(last.body)
    ):
        yield "the restored version is not the old one"
    if store.get("plan", "nobody") is not None or store.ids("plan") != ["p"]:
        yield "records are found that nobody wrote"
    yield from find_store_faults(store)


def several_records_are_written_together_or_not_at_all(store: Store) -> Iterator[str]:
    """One draft that comes too late refuses them all; a record may be in it twice."""
    store.put("plan", "p", {"steps": []})
    late = [RecordDraft("run", "r", {"state": "begun"}), RecordDraft("plan", "p", {}, "", 0)]
    if not is_store_conflict(lambda: store.put_all(late)):
        yield "a draft that expects another version was accepted"
    if store.get("run", "r") is not None or len(store.versions("plan", "p")) != 1:
        yield "a refused batch left something behind"
    both = [RecordDraft("run", "r", {"n": n}, f"it’s {n}", expect=n) for n in range(2)]
    written = store.put_all([*both, RecordDraft("plan", "p", {"steps": [LARGE]}, expect=1)])
    if [each.version for each in written] != [1, 2, 2]:
        yield "the versions are not 1, 2 of the one and 2 of the other"
    if [*store.versions("run", "r"), store.get("plan", "p")] != list(written):
        yield "other versions are read than were written"
    if store.put_all([]) != ():
        yield "nothing to write is not nothing written"
    yield from find_store_faults(store)


def the_newest_versions_are_found_by_prefix(store: Store) -> Iterator[str]:
    """What looks like a pattern is not one, and other prefixes, kinds and versions stay out."""
    names = ["a/%", "a/_", "a/é", "a/\U0010ffff", "a0", "A/x", "a", "b/x"]
    for name in names:
        store.put("variable", name, {"value": "old"})
        store.put("variable", name, {"value": name})
    store.put("other", "a/o", {"value": "other"})
    for prefix in ("a/", "a", "", "a/%", "a/\U0010ffff", "zzz"):
        found = store.newest("variable", prefix)
        if [each.id for each in found] != sorted(n for n in names if n.startswith(prefix)):
            yield f"the prefix {prefix!r} finds {[each.id for each in found]}"
        if any(each.body != {"value": each.id} or each.version != 2 for each in found):
            yield f"the prefix {prefix!r} finds versions that are not the newest"


def what_no_engine_can_hold_is_refused_in_names(store: Store) -> Iterator[str]:
    """A zero or half a character in a name or a reason: said before anything is written."""
    for bad in ("\x00", "\ud800"):
        acts = (
            lambda b=bad: store.put(b, "p", {}),
            lambda b=bad: store.put("plan", b, {}),
            lambda b=bad: store.put("plan", "p", {}, b),
            lambda b=bad: store.append(b, [draft_user_message("hello")]),
            lambda b=bad: store.open_thread("shop", b),
        )
        yield from (
            f"act {n} takes {bad!r}" for n, act in enumerate(acts) if not is_store_refused(act)
        )
    if store.changes() or store.threads():
        yield "something was written"


def bytes_stay_as_long_as_a_record_names_them(store: Store) -> Iterator[str]:
    """They are kept once, come back to the byte, and outlive a purge of others."""
    picture = bytes(range(256)) * 40
    name = store.keep(picture)
    if store.keep(picture) != name or store.read_kept(name) != picture:
        yield "the bytes are not those kept"
    store.put("step", "r/1", {"shots": [{"$kept": name}], "page": LARGE})
    store.append("t", [draft_user_message(LARGE)])
    store.purge("t")
    step = store.get("step", "r/1")
    if step is None or step.body["page"] != LARGE or store.read_kept(name) != picture:
        yield "a purge took what a record needs"
    if not is_store_refused(lambda: store.put("step", "r/2", {"$kept": "0" * 64})):
        yield "a record names bytes that nobody kept"
    if not is_store_refused(lambda: store.read_kept("0" * 64)):
        yield "bytes that nobody kept are found"
    yield from find_store_faults(store)


def variables_belong_to_their_run(store: Store) -> Iterator[str]:
    """A run sees its own; clearing keeps what they were, and why."""
    bench = get_draft_run_id("shop")
    set_run_variable(store, bench, "price", {"amount": 5}, "seen on the page")
    set_run_variable(store, bench, "name", AWKWARD, "asked for")
    set_run_variable(store, f"{bench}2", "price", None, "another run")
    if read_run_variables(store, bench) != {"name": AWKWARD, "price": {"amount": 5}}:
        yield f"the variables are {read_run_variables(store, bench)}"
    clear_run_variable(store, bench, "price", "no longer needed")
    if not is_store_refused(lambda: clear_run_variable(store, bench, "price", "again")):
        yield "what is not set was cleared"
    if [each.reason for each in list_run_variable_history(store, bench, "price")] != [
        "seen on the page",
        "no longer needed",
    ]:
        yield "the history does not tell the reasons"
    if len(clear_all_run_variables(store, bench, "over")) != 1 or read_run_variables(store, bench):
        yield "clearing all did not clear what was left"
    if read_run_variables(store, f"{bench}2") != {"price": None}:
        yield "clearing one run changed another"
    yield from find_store_faults(store)


RECORD_CHECKS = (
    every_version_of_a_record_is_kept,
    several_records_are_written_together_or_not_at_all,
    the_newest_versions_are_found_by_prefix,
    what_no_engine_can_hold_is_refused_in_names,
    bytes_stay_as_long_as_a_record_names_them,
    variables_belong_to_their_run,
)
