"""Clients of the app that are gone without a word."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from attacks.test_slow_clients import HEAD, LIMIT, served, stalled
from director.store import Store


@pytest.mark.skipif(sys.platform != "linux", reason="the system's timers are read from /proc")
def test_a_client_that_is_gone_without_a_word_is_looked_for(store: Store, tmp_path: Path) -> None:
    """A half-open connection is dropped by the system: it has a timer to ask whether one is there."""
    with served(store, tmp_path) as (_, _, port), stalled(port, HEAD) as one:
        own, other = f":{port:04X}", f":{one.getsockname()[1]:04X}"
        until = time.monotonic() + LIMIT
        timers: list[str] = []
        while not timers and time.monotonic() < until:
            rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines())
            timers = [row[5] for row in rows if row[1].endswith(own) and row[2].endswith(other)]
            timers = [each for each in timers if each.startswith("02:")]  # to be asked
        assert timers
