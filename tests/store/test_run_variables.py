"""Variables belong to runs, and clearing what is not there helps with the name."""

from __future__ import annotations

from pathlib import Path

import pytest

from director.store import Store, StoreError, open_store
from director.store.run_variables import (
    clear_all_run_variables,
    clear_run_variable,
    get_draft_run_id,
    list_run_variable_history,
    read_run_variables,
    set_run_variable,
)


@pytest.fixture
def shop(tmp_path: Path) -> Store:
    """A store with one run that has two variables."""
    store = open_store(tmp_path / "director.db")
    set_run_variable(store, "run-1", "price", 5, "seen")
    set_run_variable(store, "run-1", "name", "lamp", "seen")
    return store


def test_an_unknown_name_is_answered_with_the_names_there_are(shop: Store) -> None:
    """And with the one that was probably meant; nothing is written."""
    with pytest.raises(StoreError, match=r"It has 'name', 'price'\. Did you mean 'price'\?"):
        clear_run_variable(shop, "run-1", "pries", "typo")
    with pytest.raises(StoreError, match=r"'run-2' has no variable 'price'.* It has none\."):
        clear_run_variable(shop, "run-2", "price", "wrong run")
    assert len(shop.changes()) == 2


def test_a_cleared_variable_can_be_set_again(shop: Store) -> None:
    """Its history goes on."""
    clear_all_run_variables(shop, "run-1", "start over")
    set_run_variable(shop, "run-1", "price", 6, "seen again")
    assert read_run_variables(shop, "run-1") == {"price": 6}
    assert [each.body for each in list_run_variable_history(shop, "run-1", "price")] == [
        {"value": 5},
        {"cleared": True},
        {"value": 6},
    ]
    assert clear_all_run_variables(shop, "run-3", "nothing there") == ()


def test_a_run_and_a_variable_cannot_be_mistaken_for_others(shop: Store) -> None:
    """A slash in a name stays in the name; one in a run is refused."""
    set_run_variable(shop, get_draft_run_id("shop"), "a/b", 1, "")
    assert read_run_variables(shop, get_draft_run_id("shop")) == {"a/b": 1}
    for run, name in (("run-1/x", "y"), ("", "y"), ("run-1", "")):
        with pytest.raises(StoreError, match="Nothing was written"):
            set_run_variable(shop, run, name, 1, "")
