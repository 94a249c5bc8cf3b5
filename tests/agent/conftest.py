"""A store and a demo site for each test.

Every request that a test makes is looked at: without a reason, none may move the cached prefix.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.prefixes import MADE, moved
from director.agent.request_log.kept_requests import RequestRecord
from director.demo.site import Site
from director.store import Store, open_store
from store.engines import prepared_file


def pytest_configure(config: pytest.Config) -> None:
    """Tell what a test may be marked with here."""
    config.addinivalue_line("markers", "moves_prefix(reason): why a request may begin otherwise")


@pytest.fixture(autouse=True)
def _prefix_is_kept(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each request of a test begins as the one before it did."""
    made: list[RequestRecord] = []
    before = MADE.set(made)
    yield
    MADE.reset(before)
    if request.node.get_closest_marker("moves_prefix") is None:
        assert moved(made) == []


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file."""
    with open_store(prepared_file(tmp_path / "director.db")) as opened:
        yield opened


@pytest.fixture
def site() -> Iterator[Site]:
    """The demo site."""
    with Site().serve() as served:
        yield served
