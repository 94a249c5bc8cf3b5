"""Pages that are kept: what is shown is what a page that is made now would show, whoever wrote."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from director.agent import create_workflow, ensure_current_thread
from director.runs.given_files import attach_given_file, remove_given_file
from director.secrets import Vault
from director.services.provider_keys import put_key, remove_key
from director.services.workspace import make_workspace
from director.settings import save_settings
from director.store import EntryDraft, Store, open_store
from director.store.cached_store import CachedStore, record_reads
from director.store.run_variables import get_draft_run_id
from director.web import AppState
from director.web.app_state import READERS
from director.web.page_cache import CachedPage, PageCache

PARTS = ("chat", "composer", "plan", "nodes", "variables", "browser", "meter", "history")
PATHS = ("/", "/w/w", *(f"/w/w/part/{part}" for part in PARTS))
Write = Callable[[Store, Vault, random.Random], object]


def _say(store: Store, _: Vault, chance: random.Random) -> None:
    store.append(
        ensure_current_thread(store, "w"), [EntryDraft("user", {"text": f"word {chance.random()}"})]
    )


def _rename(store: Store, _: Vault, chance: random.Random) -> None:
    found = store.get("workflow", "w")
    assert found is not None
    store.put("workflow", "w", {**found.body, "name": f"Prices {chance.random()}"})


def _set_variable(store: Store, _: Vault, chance: random.Random) -> None:
    store.put(
        "variable", f"{get_draft_run_id('w')}/price", {"name": "price", "value": chance.random()}
    )


def _end_turn(store: Store, _: Vault, chance: random.Random) -> None:
    thread = ensure_current_thread(store, "w")
    state = chance.choice(["said", "failed", "cancelled"])
    store.put("turn", thread, {"thread": thread, "state": state, "text": f"{chance.random()}"})


def _begin_again(store: Store, _: Vault, __: random.Random) -> None:
    thread = store.open_thread(workflow="w")
    store.put("conversation", "w", {"thread": thread})


def _set_setting(_: Store, __: Vault, chance: random.Random) -> None:
    save_settings({"profile": chance.choice(["clean", "structured", None])})


def _attach(_: Store, __: Vault, chance: random.Random) -> None:
    attach_given_file("w", "prices.csv", b"x" * chance.randint(1, 9))
    if chance.random() < 0.3:
        remove_given_file("w", "prices.csv")


def _change_key(store: Store, _: Vault, chance: random.Random) -> None:
    put_key(make_workspace(store), "OPENAI_API_KEY", f"sk-{chance.random()}-{chance.random()}")
    if chance.random() < 0.5:
        remove_key(make_workspace(store), "OPENAI_API_KEY")


WRITES: tuple[Write, ...] = (
    _say, _rename, _set_variable, _end_turn, _begin_again, _set_setting, _attach, _change_key,
)  # fmt: skip


def read_pages(client: TestClient) -> dict[str, str]:
    """Each page as it is answered now, without the event that it was made after."""
    found = {path: client.get(path, headers={"accept": "text/html"}).text for path in PATHS}
    return {path: re.sub('data-event="[^"]*"', "", text) for path, text in found.items()}


@pytest.mark.parametrize("seed", range(3))
def test_a_kept_page_is_the_page_that_would_be_made_now(
    client: TestClient, studio: AppState, store: Store, seed: int
) -> None:
    """Writers are this program and another one; settings, files and keys change as well."""
    chance = random.Random(seed)
    with open_store(store.url) as other:
        for _ in range(8):
            for _ in range(chance.randint(0, 2)):
                write = chance.choice(WRITES)
                write(chance.choice([store, other]), studio.supplies.vault, chance)
            shown = read_pages(client)
            assert read_pages(client) == shown
            studio.pages = PageCache(studio.cached)
            assert read_pages(client) == shown


def test_a_page_is_made_once_while_nothing_changes(client: TestClient, studio: AppState) -> None:
    """Every page and part is kept, also while something is written that it does not show."""
    read_pages(client)
    read_pages(client)
    before = studio.pages.hits
    read_pages(client)
    studio.store.append("elsewhere", [EntryDraft("user", {"text": "of no workflow"})])
    read_pages(client)
    assert studio.pages.hits == before + 2 * len(PATHS)


def test_a_workflow_that_was_deleted_is_not_shown_from_memory(client: TestClient) -> None:
    """Its page and its parts are gone at once."""
    before = client.get("/w/w/part/nodes")
    client.delete("/api/workflows/w").raise_for_status()
    assert before.status_code == 200
    assert client.get("/w/w").status_code == 404
    assert client.get("/w/w/part/nodes").status_code == 404


def test_what_reads_beside_the_memory_is_never_kept(store: Store) -> None:
    """A read that is not remembered, such as a heartbeat, makes the set of reads incomplete."""
    store.put("run", "a", {"n": 1})
    cached = CachedStore(store)
    cached.refresh()
    for read in (cached.beats, cached.threads, lambda: cached.seen("t"), cached.verify):
        with record_reads() as reads:
            cached.get("run", "a")
            read()
        assert not reads.is_complete
    with record_reads() as reads:
        cached.get("run", "a")
    assert cached.is_current(reads)
    store.put("run", "a", {"n": 2})
    assert cached.is_current(reads)
    cached.refresh()
    assert not cached.is_current(reads)


def test_pages_take_no_more_room_than_they_are_given(store: Store) -> None:
    """The one that was asked for longest ago gives way."""
    cached = CachedStore(store)
    pages = PageCache(cached, most=10)
    with record_reads() as reads:
        pass
    for key in ("a", "b"):
        pages.keep(key, CachedPage(b"12345", (), reads))
    assert pages.find("a", ()) == b"12345"
    pages.keep("c", CachedPage(b"12345", (), reads))
    assert pages.find("b", ()) is None
    assert pages.find("a", ()) == b"12345"
    pages.keep("d", CachedPage(b"more than ten", (), reads))
    assert pages.find("d", ()) is None


def test_what_was_read_is_remembered_of_a_bounded_number_of_workflows(
    studio: AppState, store: Store
) -> None:
    """Those that were looked at last are kept; one that was forgotten is read again."""
    made = [create_workflow(store, f"Prices {nth}") for nth in range(READERS + 1)]
    first, second, *_ = [studio.reader(each) for each in made[:READERS]]
    assert studio.reader(made[0]) is first
    studio.reader(made[READERS])
    assert studio.reader(made[0]) is first
    assert studio.reader(made[1]) is not second


def test_a_file_shows_while_it_is_attached(client: TestClient) -> None:
    """It is there at the next look, and gone at the one after it was removed."""
    attach_given_file("w", "prices.csv", b"1;2")
    assert "prices.csv" in client.get("/w/w/part/variables").text
    remove_given_file("w", "prices.csv")
    assert "prices.csv" not in client.get("/w/w/part/variables").text
