"""A machine that loses power keeps what was acknowledged, and the harness can tell if it did not."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.crash.programs import need_strace, run


@pytest.mark.promise("A1")
@pytest.mark.promise("A2")
def test_a_power_loss_loses_nothing_acknowledged(tmp_path: Path) -> None:
    """A sample of the moments of a store's life, with unsynced sectors kept, dropped or torn."""
    need_strace()
    found = run("power", "FULL", tmp_path, 15)
    assert found["losses"] >= 20
    assert found["faults"] == []


@pytest.mark.slow
def test_the_harness_reports_loss_when_nothing_is_synced(tmp_path: Path) -> None:
    """With synchronous=OFF the same harness does find entries that are gone."""
    need_strace()
    found = run("power", "OFF", tmp_path, 25)
    assert any("LOST" in fault for fault in found["faults"])


@pytest.mark.slow
@pytest.mark.promise("A1")
@pytest.mark.promise("A2")
def test_a_power_loss_at_any_moment_loses_nothing_acknowledged(tmp_path: Path) -> None:
    """Every moment of a store's life."""
    need_strace()
    found = run("power", "FULL", tmp_path, 1)
    assert found["losses"] >= 200
    assert found["faults"] == []
