"""`director doctor` says what is configured, what works, what is missing, and how to fix it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from director.cli import app
from director.cli.doctor import MARKS
from director.cli.findings import KEYS
from director.secrets import open_vault
from director.store import EntryDraft, open_store
from store.engines import fresh


@dataclass(frozen=True)
class Told:
    """What the doctor said: exit code, text, and the findings by name."""

    code: int
    text: str
    found: dict[str, dict[str, str]]

    def state(self, name: str) -> str:
        """How a thing is."""
        return self.found[name]["state"]


Ask = Callable[..., Told]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """The doctor in a bare environment, asked for text and for JSON: both say the same."""

    def asking(*arguments: str, **env: str) -> Told:
        bare = dict.fromkeys([*KEYS, "DIRECTOR_STORE", "DIRECTOR_MODEL"], "")
        around = {**bare, "DIRECTOR_HOME": str(tmp_path / "home"), **env}
        text = CliRunner().invoke(app, ["doctor", *arguments], env=around)
        ran = CliRunner().invoke(app, ["doctor", "--json", *arguments], env=around)
        said = json.loads(ran.stdout)
        assert text.exit_code == ran.exit_code == (0 if said["ok"] else 1)
        found = {each["name"]: each for each in said["findings"]}
        for name, each in found.items():
            mark = MARKS[each["state"]][0]
            assert any(line.startswith(f"{mark} {name} ") for line in text.stdout.splitlines())
            assert each["mend"] or each["state"] != "broken"
        return Told(ran.exit_code, text.stdout, found)

    return asking


def test_a_new_machine_is_well(ask: Ask, tmp_path: Path) -> None:
    """Nothing is configured, so nothing that is configured is broken; no store is made."""
    told = ask()
    assert told.code == 0
    assert "Everything that is configured works." in told.text
    assert told.state("Python") == told.state("Home") == "works"
    assert told.state("Store") == told.state("PostgreSQL") == told.state("Model") == "absent"
    assert told.found["Setting store"]["source"] == "default"
    assert list((tmp_path / "home").iterdir()) == []


def test_what_is_absent_says_how_to_get_it(ask: Ask) -> None:
    """A line that can be copied."""
    told = ask(PATH="/nowhere")
    assert told.found["OPENAI_API_KEY"]["mend"] == "export OPENAI_API_KEY=…"
    assert told.found["Browser"]["state"] == "absent"
    assert "chromium" in told.found["Browser"]["mend"]


def test_a_browser_on_the_path_is_found(ask: Ask, tmp_path: Path) -> None:
    """By any of its usual names."""
    browser = tmp_path / "google-chrome"
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o755)
    told = ask(PATH=str(tmp_path))
    assert told.found["Browser"]["said"] == str(browser)


def test_a_key_is_named_and_never_shown(ask: Ask) -> None:
    """Its value is in no form of the output."""
    told = ask(OPENAI_API_KEY="sk-very-secret-value")
    assert told.state("OPENAI_API_KEY") == "works"
    assert told.state("ANTHROPIC_API_KEY") == "absent"
    assert "very-secret" not in told.text + json.dumps(told.found)


def test_every_setting_says_where_it_came_from(ask: Ask, tmp_path: Path) -> None:
    """Flag, environment, file or default."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text("budget = 0.5\n")
    told = ask(DIRECTOR_WARN_AT="150000")
    assert told.found["Setting budget"]["said"] == "0.5"
    assert told.found["Setting budget"]["source"] == f"file: {home / 'settings.toml'}"
    assert told.found["Setting warn_at"]["source"] == "environment: DIRECTOR_WARN_AT"
    assert told.found["Setting compress_at"]["source"] == "default"
    flagged = ask("--store", str(tmp_path / "x.db"))
    assert flagged.found["Setting store"]["source"].startswith("flag")


def test_a_store_that_opens_and_is_sound_works(ask: Ask, tmp_path: Path) -> None:
    """It is verified, not only opened."""
    path = tmp_path / "some.db"
    with open_store(path) as store:
        store.append("t", [EntryDraft("user", {"text": "Hello."})])
    told = ask(DIRECTOR_STORE=f"sqlite:///{path}")
    assert told.state("Store") == "works"
    assert "none altered" in told.found["Store"]["said"]


def test_an_altered_store_is_broken(ask: Ask, tmp_path: Path) -> None:
    """The first bad entry is named."""
    path = tmp_path / "some.db"
    with open_store(path) as store:
        store.append("t", [EntryDraft("user", {"text": "Hello."})])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER entries_no_update")
        connection.execute("UPDATE entries SET at = at + 1")
        connection.commit()
    told = ask("--store", str(path))
    assert told.code == 1
    assert "thread t, entry 1" in told.found["Store"]["said"]
    assert "1 to fix" in told.text


def test_a_store_in_a_folder_that_does_not_exist_is_broken(ask: Ask, tmp_path: Path) -> None:
    """The mend is a command."""
    told = ask("--store", str(tmp_path / "no" / "x.db"))
    assert told.code == 1
    assert told.found["Store"]["mend"].startswith(f"mkdir -p {tmp_path / 'no'}")


def test_a_server_that_is_reached_works(ask: Ask, tmp_path: Path) -> None:
    """A real PostgreSQL."""
    told = ask(DIRECTOR_STORE=fresh("postgresql", tmp_path))
    assert told.code == 0
    assert told.state("Store") == told.state("PostgreSQL") == "works"


def test_a_server_that_cannot_be_reached_is_broken(ask: Ask) -> None:
    """And its password stays unsaid."""
    told = ask(DIRECTOR_STORE="postgresql://someone:hunter2secret@127.0.0.1:1/none")
    assert told.code == 1
    assert told.state("PostgreSQL") == "broken"
    assert "hunter2secret" not in told.text + json.dumps(told.found)
    assert told.found["Setting store"]["said"] == "postgresql://someone:…@127.0.0.1:1/none"


def test_a_wrong_setting_is_broken_and_the_rest_is_still_looked_at(ask: Ask) -> None:
    """The name that was probably meant is said."""
    told = ask(DIRECTOR_BUDGET="much")
    assert told.code == 1
    assert told.state("Settings") == "broken"
    assert "budget" in told.found["Settings"]["said"]
    assert told.state("Python") == "works"


@pytest.mark.promise("D5")
def test_the_vault_is_looked_at_and_nothing_in_it_is_told(ask: Ask, tmp_path: Path) -> None:
    """Whether it opens and how many secrets it holds; neither a name nor a value."""
    assert ask().state("Vault") == "absent"
    open_vault({"DIRECTOR_HOME": str(tmp_path / "home")}).put(
        "shop_password", "correct horse battery", "https://shop.example"
    )
    told = ask()
    assert told.state("Vault") == "works"
    assert "its key fits, 1 secrets" in told.found["Vault"]["said"]
    assert "shop_password" not in told.text
    assert "correct horse" not in told.text


@pytest.mark.promise("D5")
@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
@pytest.mark.parametrize("name", ["vault", "vault.key"])
def test_a_vault_that_others_may_read_is_broken(ask: Ask, tmp_path: Path, name: str) -> None:
    """And stays so until somebody mends it; so is one whose key is gone."""
    home = tmp_path / "home"
    open_vault({"DIRECTOR_HOME": str(home)}).put("pin", "a long enough value", "https://a.example")
    (home / name).chmod(0o644)
    told = ask()
    assert told.state("Vault") == "broken"
    assert f"chmod 600 {home / name}" in told.found["Vault"]["mend"]
    (home / name).chmod(0o600)
    (home / "vault.key").unlink()
    assert "its key is not" in ask().found["Vault"]["said"]


def test_a_home_that_cannot_be_made_is_broken(ask: Ask, tmp_path: Path) -> None:
    """Where a file is in the way."""
    (tmp_path / "file").write_text("in the way")
    told = ask(DIRECTOR_HOME=str(tmp_path / "file" / "home"))
    assert told.code == 1
    assert told.state("Home") == "broken"
    assert "DIRECTOR_HOME" in told.found["Home"]["mend"]


@pytest.mark.parametrize(
    ("model", "env", "state"),
    [
        ("openai:gpt-6.1-terra", {}, "broken"),
        ("openai:gpt-6.1-terra", {"OPENAI_API_KEY": "sk-any"}, "works"),
        ("chat:http://localhost:11434/v1#qwen3", {}, "works"),
        ("gpt", {}, "broken"),
    ],
)
def test_a_chosen_model_needs_its_key(
    ask: Ask, model: str, env: dict[str, str], state: str
) -> None:
    """A model that is configured and cannot be reached for want of a key is broken."""
    told = ask(DIRECTOR_MODEL=model, **env)
    assert told.state("Model") == state
    assert told.code == (state == "broken")
