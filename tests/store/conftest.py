"""A prepared store, or the address of one, once on each engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from director.store import Store, open_store
from store.engines import ENGINES, prepared


@pytest.fixture(params=ENGINES)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a store with nothing in it."""
    return prepared(str(request.param), tmp_path)


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An empty store."""
    with open_store(store_url) as opened:
        yield opened
