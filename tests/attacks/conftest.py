"""The store that an attack runs in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from director.store import Store, open_store
from store.engines import prepared_file


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file."""
    with open_store(prepared_file(tmp_path / "director.db")) as opened:
        yield opened
