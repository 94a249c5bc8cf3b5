"""`director rehearse`: what it shows, and what it does without."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from director.cli import app
from director.store import open_store

SAYS = "A rehearsal: scripted, no model was asked."


def test_without_a_browser_it_says_how_to_get_one_and_shows_what_works(tmp_path: Path) -> None:
    """The engine needs none; the end is no error."""
    env = {"DIRECTOR_HOME": str(tmp_path), "DIRECTOR_CHROMIUM": "no-such-browser"}
    told = CliRunner().invoke(app, ["rehearse"], env=env)
    assert told.exit_code == 0, told.output
    assert "The rehearsal needs a browser." in told.output
    assert "DIRECTOR_CHROMIUM" in told.output
    assert "Director replays shop.json.gz" in told.output


def test_a_profile_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    """Before anything is served or started."""
    env = {"DIRECTOR_HOME": str(tmp_path)}
    told = CliRunner().invoke(app, ["rehearse", "--profile", "wide"], env=env)
    assert told.exit_code == 2
    assert "wide" in told.output
    assert not (tmp_path / "rehearsal").exists()


@pytest.mark.slow
def test_it_plays_to_the_end_and_says_what_it_is(tmp_path: Path) -> None:
    """First and last it says that it is scripted; it ends with a run, sums and what to try."""
    env = {"DIRECTOR_HOME": str(tmp_path)}
    told = CliRunner().invoke(app, ["rehearse", "--profile", "structured_cached"], env=env)
    if "The rehearsal needs a browser." in told.output:
        pytest.skip("there is no browser")
    assert told.exit_code == 0, told.output
    lines = told.output.splitlines()
    assert lines[0].startswith(SAYS)
    assert sum(SAYS in line for line in lines) == 2
    assert sum("scripted: no model was asked, nothing to pay" in line for line in lines) == 5
    assert "  failed test_single_node judge" in told.output
    assert "messages are archived" in told.output
    assert "The site says: 4 letters are in its archive now." in told.output
    assert any(line.startswith("  all ") and line.endswith("requests") for line in lines)
    assert "What to try next:" in lines
    assert max(map(len, lines[: lines.index("What to try next:")])) <= 100
    with open_store(tmp_path / "rehearsal" / "director.db") as store:
        assert store.ids("workflow") == ["sort-the-invoices"]
