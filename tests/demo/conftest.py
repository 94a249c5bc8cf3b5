"""A served site for each test, and one who visits it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from demo.visitor import Visitor
from director.demo.site import Site


@pytest.fixture
def site() -> Iterator[Site]:
    """A site of its own."""
    with Site(seed=1).serve() as served:
        yield served


@pytest.fixture
def visitor(site: Site) -> Visitor:
    """Somebody who has been nowhere yet."""
    return Visitor(site)
