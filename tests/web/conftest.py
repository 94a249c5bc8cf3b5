"""A store for each test, and a data folder that is no one's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from director.store import Store, open_store
from director.web import AppState
from store.engines import prepared_file
from web.rooms import a_studio, let_in


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vault and the settings are in the folder of the test."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DIRECTOR_MODEL", "scripted:test")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file."""
    with open_store(prepared_file(tmp_path / "director.db")) as opened:
        yield opened


@pytest.fixture
def studio(store: Store, tmp_path: Path) -> AppState:
    """A studio whose model says nothing."""
    return a_studio(store, tmp_path)


@pytest.fixture
def client(studio: AppState) -> Iterator[TestClient]:
    """A client that was let in."""
    with let_in(studio) as made:
        yield made
