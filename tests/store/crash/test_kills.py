"""A process that is killed in the middle of its work loses nothing that it acknowledged."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.crash.programs import need_strace, run
from store.engines import ENGINES, prepared

_WORK = ("append", "compress")


def _kill_everywhere(how: str, work: str, url: str, folder: Path, stride: int) -> None:
    found = run("kills", how, work, url, folder, stride)
    assert found["faults"] == []
    assert found["points"] >= 10
    # A store that has grown may write a page less when it is closed, and then nobody dies there.
    assert found["killed"] >= 0.9 * len(range(0, found["points"], stride))


@pytest.mark.promise("A1")
@pytest.mark.promise("A2")
@pytest.mark.parametrize("work", _WORK)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_kill_at_a_statement_loses_nothing(engine: str, work: str, tmp_path: Path) -> None:
    """A sample of the statements and commits of append and compress, before and after each."""
    _kill_everywhere("sql", work, prepared(engine, tmp_path), tmp_path, 17)


@pytest.mark.slow
@pytest.mark.promise("A1")
@pytest.mark.promise("A2")
@pytest.mark.parametrize("work", [*_WORK, "life"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_kill_at_any_statement_loses_nothing(engine: str, work: str, tmp_path: Path) -> None:
    """Every statement and every commit, before and after each."""
    _kill_everywhere("sql", work, prepared(engine, tmp_path), tmp_path, 1)


@pytest.mark.promise("A1")
@pytest.mark.promise("A2")
@pytest.mark.parametrize("work", _WORK)
def test_a_kill_at_a_system_call_loses_nothing(work: str, tmp_path: Path) -> None:
    """A sample of the writes, syncs and cuts of append and compress on SQLite."""
    need_strace()
    _kill_everywhere("calls", work, prepared("sqlite", tmp_path), tmp_path, 15)


@pytest.mark.slow
@pytest.mark.promise("A1")
@pytest.mark.promise("A2")
@pytest.mark.promise("A8")
@pytest.mark.parametrize("work", [*_WORK, "life"])
def test_a_kill_at_any_system_call_loses_nothing(work: str, tmp_path: Path) -> None:
    """Every write, sync and cut; a life begins with no file, so its migrations are cut off too."""
    need_strace()
    _kill_everywhere("calls", work, prepared("sqlite", tmp_path), tmp_path, 1)


@pytest.mark.slow
@pytest.mark.promise("A1")
@pytest.mark.parametrize("work", _WORK)
def test_a_kill_at_any_message_to_the_server_loses_nothing(work: str, tmp_path: Path) -> None:
    """On PostgreSQL the system calls are the messages that a client sends."""
    need_strace()
    _kill_everywhere("calls", work, prepared("postgresql", tmp_path), tmp_path, 1)
