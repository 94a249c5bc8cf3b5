"""The plugin: manifests of both forms, skills that obey the standard and call commands that exist."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from director.cli import app

_ROOT = Path(__file__).parents[2]
_PLUGIN = _ROOT / "plugin"
_SKILLS = sorted(_PLUGIN.glob("skills/*/SKILL.md"))
_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
# The closed set of fields of the portable manifest, each with the type of its value.
_PORTABLE = {
    **dict.fromkeys(("$schema", "name", "version", "description", "homepage"), str),
    **dict.fromkeys(("repository", "license"), str),
    **dict.fromkeys(("author", "extensions"), dict),
    "keywords": list,
}
_NAME = re.compile(r"(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?")
_TOOL = re.compile(r"Read|Bash\(director (context|next|status|doctor) \*\)")
_KEYS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}


def read(path: str) -> Any:
    """A manifest."""
    return json.loads((_ROOT / path).read_text("utf-8"))


@pytest.mark.parametrize("field", read("plugin/plugin.json"))
def test_each_field_of_the_portable_manifest_is_one_of_the_closed_set(field: str) -> None:
    """With a value of its type."""
    value = read("plugin/plugin.json")[field]
    assert isinstance(value, _PORTABLE[field])
    assert value
    if field == "author":
        assert value.keys() <= {"name", "email", "url"}
    if field == "keywords":
        assert all(isinstance(word, str) for word in value)


def test_the_portable_manifest_names_its_schema_and_a_name_that_hosts_take() -> None:
    """Both are asked for."""
    portable = read("plugin/plugin.json")
    assert portable["$schema"] == f"{_SCHEMAS}/plugin.schema.json"
    assert _NAME.fullmatch(portable["name"])


def test_the_portable_list_of_servers_obeys_its_schema() -> None:
    """One server over stdio, its command one bare word that the package installs."""
    portable = read("plugin/mcp.json")
    assert portable.keys() == {"$schema", "mcpServers"}
    assert portable["$schema"] == f"{_SCHEMAS}/mcp.schema.json"
    for server in portable["mcpServers"].values():
        assert server.keys() <= {"type", "command", "args", "env", "cwd"}
        assert server["type"] == "stdio"
        assert re.fullmatch(r"[\w-]+", server["command"])
        assert all(isinstance(one, str) for one in server["args"])
    scripts = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert {one["command"] for one in portable["mcpServers"].values()} <= scripts.keys()


def test_claude_code_is_told_the_same_as_the_others() -> None:
    """The same plugin and the same server, without the fields that are not its own."""
    claude = read("plugin/.claude-plugin/plugin.json")
    assert (
        read("plugin/plugin.json").items()
        == {
            **claude,
            "$schema": f"{_SCHEMAS}/plugin.schema.json",
        }.items()
    )
    servers = read("plugin/.mcp.json")["mcpServers"]
    assert {name: {**one, "type": "stdio"} for name, one in servers.items()} == read(
        "plugin/mcp.json"
    )["mcpServers"]


def test_the_marketplace_has_a_name_an_owner_and_leads_to_the_plugin() -> None:
    """By a path inside the repository."""
    market = read(".claude-plugin/marketplace.json")
    assert market.keys() == {"name", "owner", "description", "plugins"}
    assert _NAME.fullmatch(market["name"])
    assert market["owner"].keys() == {"name"}
    (entry,) = market["plugins"]
    assert entry["name"] == read("plugin/.claude-plugin/plugin.json")["name"]
    assert entry["source"].startswith("./")
    assert (_ROOT / entry["source"]).resolve() == _PLUGIN.resolve()


def test_the_version_is_that_of_the_package() -> None:
    """So that an update of one is an update of both."""
    package = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert read("plugin/plugin.json")["version"] == package["version"]


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
    assert all(_TOOL.fullmatch(tool) for tool in re.split(r" (?=[A-Z])", keys["allowed-tools"]))


@pytest.mark.parametrize("path", _SKILLS, ids=lambda path: path.parent.name)
def test_the_head_of_a_skill_is_plain_yaml(path: Path) -> None:
    """A colon or a hash inside a value would make a host drop all of it in silence."""
    for line in path.read_text().split("---\n")[1].splitlines():
        value = line.partition(": ")[2]
        assert re.match(r"[A-Za-z]", value)
        assert not re.search(r":(?: |$)| #", value)


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
