"""A store for each test, and a data folder that is no one's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from director.store import Store, open_store
from store.engines import prepared_file


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vault and the settings are in the folder of the test."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path / "home"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file."""
    with open_store(prepared_file(tmp_path / "director.db")) as opened:
        yield opened
