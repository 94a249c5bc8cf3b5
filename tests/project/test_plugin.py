"""The plugin: manifests of both forms, skills that obey the standard and call commands that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from director.cli import app

_ROOT = Path(__file__).parents[2]
_PLUGIN = _ROOT / "plugin"
_SKILLS = sorted(_PLUGIN.glob("skills/*/SKILL.md"))
_PORTABLE = {
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "extensions",
}
_KEYS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}


def test_both_manifests_name_the_same_plugin() -> None:
    """The portable one holds no key beyond its closed set; the marketplace leads here."""
    portable = json.loads((_PLUGIN / "plugin.json").read_text())
    claude = json.loads((_PLUGIN / ".claude-plugin/plugin.json").read_text())
    market = json.loads((_ROOT / ".claude-plugin/marketplace.json").read_text())
    assert set(portable) <= _PORTABLE
    assert portable.items() >= claude.items()
    (entry,) = market["plugins"]
    assert entry["name"] == claude["name"]
    assert (_ROOT / entry["source"]).resolve() == _PLUGIN.resolve()


@pytest.mark.parametrize("path", _SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_obeys_the_standard(path: Path) -> None:
    """Its name is its folder's, its description is short, and no key is unknown."""
    front = path.read_text().split("---\n")[1]
    keys = dict(line.split(": ", 1) for line in front.splitlines())
    assert keys["name"] == path.parent.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", keys["name"])
    assert len(keys["description"]) <= 1_024
    assert len(keys["compatibility"]) <= 500
    assert set(keys) <= _KEYS


@pytest.mark.parametrize("path", _SKILLS, ids=lambda path: path.parent.name)
def test_every_command_that_a_skill_names_exists(path: Path) -> None:
    """And works on the shipped example."""
    for command in re.findall(
        r"director ((?:context|status|next)[\w -]*)", path.read_text().split("---\n")[2]
    ):
        quietly = ["--no-keep"] if command.startswith("context") else []
        example = ["--project", str(_ROOT / "examples/bakery")]
        ran = CliRunner().invoke(app, [*command.split(), *quietly, *example])
        assert ran.exit_code == 0, ran.output
