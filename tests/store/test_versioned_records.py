"""Every version of a record stays readable, comparable and restorable."""

from __future__ import annotations

import pytest

from director.store import Store, StoreError, VersionConflict


def test_every_version_stays_readable(store: Store) -> None:
    """A put is a new version, with its reason and its time."""
    store.put("plan", "p", {"goal": "one"}, "begun")
    store.put("plan", "p", {"goal": "twö", "steps": [1, {"a": None}]}, "changed")
    newest = store.get("plan", "p")
    assert newest is not None
    assert (newest.version, newest.body["goal"], newest.reason) == (2, "twö", "changed")
    first = store.get("plan", "p", version=1)
    assert first is not None
    assert (first.body, first.reason) == ({"goal": "one"}, "begun")
    assert store.versions("plan", "p") == [first, newest]
    assert first.at <= newest.at


def test_what_is_not_there_is_none(store: Store) -> None:
    """A record or a version that nobody wrote."""
    store.put("plan", "p", {})
    assert store.get("plan", "q") is None
    assert store.get("note", "p") is None
    assert store.get("plan", "p", version=2) is None
    assert store.versions("plan", "q") == []


def test_ids_are_listed_by_kind(store: Store) -> None:
    """Each once, sorted the same on every engine."""
    for name in ("b", "a", "B", "é", "a"):
        store.put("plan", name, {})
    store.put("note", "n", {})
    assert store.ids("plan") == ["B", "a", "b", "é"]
    assert store.ids("nothing") == []


def test_a_record_that_changed_meanwhile_is_not_overwritten(store: Store) -> None:
    """Whoever edits says which version they saw; 0 says that there was none."""
    store.put("plan", "p", {"goal": "one"}, expect=0)
    with pytest.raises(VersionConflict):
        store.put("plan", "p", {"goal": "two"}, expect=0)
    assert [version.body for version in store.versions("plan", "p")] == [{"goal": "one"}]
    assert store.put("plan", "p", {"goal": "two"}, expect=1).version == 2


def test_an_old_version_comes_back_as_a_new_one(store: Store) -> None:
    """Nothing between them is lost, and the reason says what happened."""
    for goal in ("one", "two", "three"):
        store.put("plan", "p", {"goal": goal})
    restored = store.restore_version("plan", "p", 1)
    assert (restored.version, restored.body) == (4, {"goal": "one"})
    assert restored.reason == "restored version 1"
    assert store.restore_version("plan", "p", 2, "it was better").reason == "it was better"
    assert len(store.versions("plan", "p")) == 5
    assert store.verify().ok


def test_a_version_that_is_not_there_cannot_be_restored(store: Store) -> None:
    """It is said, and no version is lost."""
    store.put("plan", "p", {})
    with pytest.raises(StoreError, match="There is no version 7 of the plan p"):
        store.restore_version("plan", "p", 7)
    assert store.put("plan", "p", {}).version == 2
    assert len(store.changes()) == 2


def test_a_difference_is_readable(store: Store) -> None:
    """Line by line, only what changed; equal versions have none."""
    store.put("plan", "p", {"goal": "süß", "notes": "same"})
    store.put("plan", "p", {"goal": "bitter", "notes": "same"})
    store.put("plan", "p", {"goal": "bitter", "notes": "same"})
    lines = store.diff("plan", "p", 1, 2)
    assert '-  "goal": "süß",' in lines
    assert '+  "goal": "bitter",' in lines
    assert '   "notes": "same"'.strip() in [line.strip() for line in lines]
    assert store.diff("plan", "p", 2, 3) == []
