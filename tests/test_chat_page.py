"""docs/chat.md is true: its blocks run, its commands and options are those that there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

from director.agent.turn_events import What
from director.cli import app
from director.cli.chat_commands import COMMANDS

PAGE = (Path(__file__).parent.parent / "docs/chat.md").read_text()


def rows(heading: str) -> list[list[str]]:
    """The rows of the table with this first heading."""
    table = PAGE.split(f"| {heading} |", 1)[1].split("|---|---|\n", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_every_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They share their names from top to bottom, as a reader would type them."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path))
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks:
        exec(compile(block, "docs/chat.md", "exec"), names)  # noqa: S102


def test_the_commands_are_those_that_there_are() -> None:
    """In the order of /help, in its words."""
    there = [[f"`/{name}`", says] for name, (_, says) in COMMANDS.items()]
    assert rows("command") == there


def test_everything_that_is_told_is_listed() -> None:
    """Each kind of progress stands in the table, in order."""
    listed = [
        name for cell, _ in rows("`TurnProgress.what`") for name in re.findall(r"`(\w+)`", cell)
    ]
    assert listed == list(get_args(What))


def test_the_options_of_the_rehearsal_are_known_to_it() -> None:
    """And none is left out."""
    told = CliRunner().invoke(app, ["rehearse", "--help"], env={"NO_COLOR": "1", "COLUMNS": "200"})
    known = set(re.findall(r"--[a-z]+", told.output.split("--help")[0]))
    assert {cell.split()[0].strip("`") for cell, _ in rows("option")} == known - {"--help"}
