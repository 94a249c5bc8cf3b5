"""Purging a workflow takes all that is its own, and nothing that anything else needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from director.store import Store, StoreError, open_store
from director.store.run_variables import get_draft_run_id, read_run_variables, set_run_variable
from director.testing.store_drafts import LARGE, draft_talk, draft_user_message
from director.testing.store_faults import find_store_faults
from store.engines import file_of, prepared


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """Two workflows, which share a large text, a screenshot and a plan."""
    with open_store(store_url) as opened:
        both = opened.keep(b"seen by both")
        for name in ("shop", "mail"):
            own = opened.keep(f"seen by {name}".encode())
            opened.open_thread(name, "", f"{name}-1")
            opened.append(
                f"{name}-1",
                [*draft_talk(1), draft_user_message(LARGE)],
                reference={"response": name},
            )
            opened.put("workflow", name, {"name": name})
            opened.put("run", f"{name}-run", {"workflow": name, "page": LARGE})
            shots = [{"$kept": both}, {"$kept": own}]
            opened.put("step", f"{name}-run/1", {"shots": shots})
            opened.put("step", f"{name}-run/1", {"shots": shots, "done": True})
            opened.put("report", f"of {name}", {"thread": f"{name}-1", "only": name * 5_000})
            set_run_variable(opened, get_draft_run_id(name), "price", 5, "seen")
            set_run_variable(opened, f"{name}-run", "price", 6, "seen")
        opened.put("plan", "moved", {"workflow_id": "shop"})
        opened.put("plan", "moved", {"workflow_id": "mail"})
        yield opened


def test_a_purge_of_a_workflow_takes_all_of_it(store: Store) -> None:
    """Threads, runs, steps, variables, reports, and the bytes that only they name."""
    told = store.preview_purge("shop")
    assert (told.threads, told.entries, told.versions) == (("shop-1",), 4, 7)
    assert told.records == {"workflow": 1, "run": 1, "step": 1, "report": 1, "variable": 2}
    own = store.keep(b"seen by shop")
    assert store.purge_workflow("shop") == told
    assert store.threads() == ["mail-1"]
    assert store.ids("run") == ["mail-run"]
    assert store.ids("step") == ["mail-run/1"]
    assert store.ids("report") == ["of mail"]
    assert read_run_variables(store, get_draft_run_id("shop")) == {}
    with pytest.raises(StoreError, match="Nothing is kept"):
        store.read_kept(own)
    assert find_store_faults(store) == []


def test_a_purge_of_a_workflow_leaves_what_others_need(store: Store) -> None:
    """Shared texts and bytes, and a plan that is another workflow's by now."""
    before = [store.entries("mail-1"), *(store.versions("step", "mail-run/1"))]
    store.purge_workflow("shop")
    assert [store.entries("mail-1"), *(store.versions("step", "mail-run/1"))] == before
    assert store.read_kept(store.keep(b"seen by both")) == b"seen by both"
    run = store.get("run", "mail-run")
    assert run is not None
    assert run.body["page"] == LARGE
    assert len(store.versions("plan", "moved")) == 2
    store.append("mail-1", [draft_user_message("after")])
    assert find_store_faults(store) == []


def test_purging_what_is_not_there_removes_nothing(store: Store) -> None:
    """Nor is a name a pattern."""
    for name in ("nothing", "sho", "shop%"):
        assert store.purge_workflow(name).versions == 0
    store.append("of no workflow", [draft_user_message("stays")])
    with pytest.raises(StoreError, match="needs a name"):
        store.purge_workflow("")
    assert len(store.threads()) == 3
    assert find_store_faults(store) == []


def test_a_purged_picture_is_in_no_file(tmp_path: Path) -> None:
    """Its bytes leave the pages and the write-ahead log too."""
    picture = bytes(range(7, 250)) * 3
    url = prepared("sqlite", tmp_path)
    with open_store(url) as store:
        name = store.keep(picture)
        store.put("run", "r", {"workflow": "shop", "shot": {"$kept": name}})
        store.purge_workflow("shop")
    left = b"".join(file.read_bytes() for file in tmp_path.glob(file_of(url).name + "*"))
    assert name.encode() not in left
