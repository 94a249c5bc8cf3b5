"""`director compress` and `director request`: look, do, undo, read; each request shown and replayed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent.summaries import begun
from director.agent.compression.compression_export import export_compressions
from director.cli import app
from director.store import open_store
from director.store.context_view import project_context_view

Run = Callable[..., Result]
SUMMARY = "\n".join(
    f"lamp-{n} for the user, never the blue one; #buy-{n} works, #order-{n} gave E{n}42."
    for n in range(6)
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command on a store with one thread, and a script that writes its summary."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path))
    with open_store(tmp_path / "store.db") as store:
        begun(store, more=200)
    script = tmp_path / "summary.json"
    script.write_text(
        json.dumps({"brain": "rules", "rules": [{"when": {}, "then": [{"say": SUMMARY}]}]})
    )

    def running(*args: str, **kwargs: str) -> Result:
        chosen = ["--model", f"scripted:{script}"] if "compress" in args else []
        where = ["--store", str(tmp_path / "store.db"), "--thread", "main"]
        return CliRunner().invoke(app, [*args, *chosen, *where], **kwargs)  # type: ignore[arg-type]

    return running


def test_a_look_changes_nothing_and_tells_the_counts(run: Run, tmp_path: Path) -> None:
    """How many messages of whom, tokens before and after, the price; no entry is written."""
    shown = run("compress")
    assert shown.exit_code == 0, shown.output
    assert "18 messages (6 of the user, 12 of the agent)" in shown.output
    assert "can be restored" in shown.output
    with open_store(tmp_path / "store.db") as store:
        assert store.head("main") == 24


def test_it_is_previewed_done_told_exported_and_undone(run: Run, tmp_path: Path) -> None:
    """The whole way there and back."""
    assert "Nothing was changed." in run("compress", "--preview").output
    done = run("compress", "--yes")
    assert "Done: entry 25." in done.output, done.output
    assert "manual  done" in run("compress", "--history").output
    told = json.loads(run("compress", "--export", "json").output)
    assert told["compressions"][0]["turns"] == [n for n in range(1, 25) if n % 4 != 3]
    with open_store(tmp_path / "store.db") as store:
        assert "## 1. " in export_compressions(store, "main")
    assert "undone" in run("compress", "--restore", "25").output
    with open_store(tmp_path / "store.db") as store:
        assert len(project_context_view(store.entries("main")).turns) == 18


def test_some_turns_and_a_text_of_ones_own(run: Run, tmp_path: Path) -> None:
    """Chosen turns only; a summary that cannot stand for them is refused in one line."""
    own = tmp_path / "own.txt"
    own.write_text("lamp-0 with #buy-0 in main; never the blue one; E042 for #order-0.")
    assert "Done" in run("compress", "--turns", "1-4", "--text", str(own), "--yes").output
    own.write_text("Things.")
    refused = run("compress", "--text", str(own), "--yes")
    assert refused.exit_code == 2
    assert "Nothing was changed" in refused.output
    assert run("compress", "--turns", "x", "--yes").exit_code == 2


def test_a_request_is_listed_shown_compared_and_replayed(run: Run) -> None:
    """The request for a summary is one like any other."""
    run("compress", "--preview")
    run("compress", "--preview")
    assert "compress" in run("request", "list").output
    shown = run("request", "show", "1")
    assert "instructions  compress" in shown.output, shown.output
    assert json.loads(run("request", "show", "1", "--raw").stdout)["input"]
    assert run("request", "diff", "1", "2").output.strip() == ""
    again = run("request", "replay", "2")
    assert "The same, byte for byte" in again.output, again.output
    assert run("request", "show", "9").exit_code == 2
