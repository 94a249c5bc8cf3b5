"""A full or broken disk fails one request, with a clear message, and the next one works."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.crash.programs import need_strace, run
from store.engines import prepared

_WORK = ("append", "compress")


def _fail_everywhere(work: str, folder: Path, stride: int) -> None:
    found = run("errors", work, prepared("sqlite", folder), folder, stride)
    assert found["faults"] == []
    assert found["points"] >= 10
    assert found["refused"] > 0


@pytest.mark.promise("A10")
@pytest.mark.parametrize("work", _WORK)
def test_a_disk_that_fails_fails_that_request_only(work: str, tmp_path: Path) -> None:
    """No space, or an error, at a sample of the writes and syncs of append and compress."""
    need_strace()
    _fail_everywhere(work, tmp_path, 7)


@pytest.mark.slow
@pytest.mark.promise("A10")
@pytest.mark.parametrize("work", _WORK)
def test_a_disk_that_fails_anywhere_fails_that_request_only(work: str, tmp_path: Path) -> None:
    """At every one of them."""
    need_strace()
    _fail_everywhere(work, tmp_path, 1)
