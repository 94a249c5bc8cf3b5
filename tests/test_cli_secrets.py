"""Secrets in the terminal: entered hidden, asked for in place, never shown and never sent."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from director.cli import app
from director.store import open_store

VALUE = "Winter-Apfel#77"
SHOP = "https://shop.example"
NO_KEYS = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DIRECTOR_MODEL"))


def run(home: Path, *arguments: str, typed: str = "") -> Result:
    """A command with what is piped in."""
    env = {**NO_KEYS, "DIRECTOR_HOME": str(home)}
    return CliRunner().invoke(app, list(arguments), input=typed, env=env)


def script(folder: Path, *steps: object) -> str:
    """A model that says these things one after the other."""
    path = folder / "script.json"
    path.write_text(json.dumps(list(steps)))
    return f"scripted:{path}"


def test_a_secret_is_set_listed_and_removed(tmp_path: Path) -> None:
    """By its name and its origin; the value is in no output."""
    made = run(tmp_path, "secret", "set", "shop_password", "--origin", SHOP, typed=f"{VALUE}\n")
    assert made.exit_code == 0, made.output
    listed = run(tmp_path, "secret", "list")
    assert "shop_password" in listed.output
    assert SHOP in listed.output
    gone = run(tmp_path, "secret", "remove", "shop_password")
    again = run(tmp_path, "secret", "remove", "shop_password")
    assert (gone.exit_code, again.exit_code) == (0, 2)
    assert VALUE not in made.output + listed.output + gone.output + again.output


@pytest.mark.parametrize("origin", ["http://shop.example", "shop.example", f"{SHOP}/login"])
def test_an_origin_that_cannot_hold_a_secret_is_refused(tmp_path: Path, origin: str) -> None:
    """Before the value is asked for."""
    told = run(tmp_path, "secret", "set", "p", "--origin", origin, typed=f"{VALUE}\n")
    assert told.exit_code == 2
    assert "Nothing was changed" in told.output


def test_what_director_asks_for_is_entered_in_place_and_never_sent(tmp_path: Path) -> None:
    """The user sees name, site and reason; the model gets the reference and goes on."""
    ask = {"name": "shop_password", "origin": SHOP, "reason": "to log in as bob"}
    model = script(tmp_path, [{"call": "ask_secret", "args": ask}], [{"say": "Thanks."}])
    run(tmp_path, "chat", "w", "--model", model, typed=f"/approve {SHOP}\n")
    told = run(tmp_path, "chat", "w", typed=f"Log in.\n{VALUE}\n")
    assert told.exit_code == 0, told.output
    assert f"asks for the secret shop_password, for {SHOP}" in told.output
    assert "to log in as bob" in told.output
    assert "Thanks." in told.output
    assert VALUE not in told.output
    with open_store(tmp_path / "director.db") as store:
        for thread in store.threads():
            kept = json.dumps([dict(one.body) for one in store.entries(thread)])
            assert VALUE not in kept
            assert f"{{{{secret:shop_password}}}} is in the vault for {SHOP}." in kept


def test_a_typed_password_is_asked_about_before_it_is_sent(tmp_path: Path) -> None:
    """Kept in the vault under a name, sent as a reference; or nothing is sent at all."""
    model = script(tmp_path, [{"say": "Good."}])
    lines = f"My password is {VALUE}\n\nMy password is {VALUE}\nshop_password {SHOP}\n"
    told = run(tmp_path, "chat", "w", "--model", model, typed=lines)
    assert told.exit_code == 0, told.output
    assert "Nothing was sent" in told.output
    with open_store(tmp_path / "director.db") as store:
        (thread,) = store.threads("w")
        said = [one.body["text"] for one in store.entries(thread) if one.kind == "user"]
    assert said == ["My password is {{secret:shop_password}}"]


def test_a_said_password_is_told_replaced_and_purged(tmp_path: Path) -> None:
    """Sent as it is because the user said so; then the vault gets to know it."""
    model = script(tmp_path, [{"say": "Noted."}], [{"say": "Yes."}])
    lines = f"My password is {VALUE}\nsend\n/secret shop_password {SHOP}\n{VALUE}\nGo on.\n"
    told = run(tmp_path, "chat", "w", "--model", model, typed=lines + "/purge shop_password\n")
    assert told.exit_code == 0, told.output
    assert "already sent" in told.output
    assert "rewritten" in told.output
    with open_store(tmp_path / "director.db") as store:
        assert store.verify().ok
        (thread,) = store.threads("w")
        assert VALUE not in json.dumps([dict(one.body) for one in store.entries(thread)])


def test_the_entry_is_hidden_in_a_terminal(tmp_path: Path) -> None:
    """What is typed is not echoed."""
    command = [sys.executable, "-m", "director.cli", "secret", "set", "p", "--origin", SHOP]
    env = {**os.environ, "DIRECTOR_HOME": str(tmp_path), "NO_COLOR": "1"}
    leader, follower = pty.openpty()
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=env) as it:
        os.close(follower)
        seen = b""
        until = time.monotonic() + 120
        while b"hidden" not in seen and time.monotonic() < until:
            seen += os.read(leader, 4_096)
        os.write(leader, f"{VALUE}\n".encode())
        while b"in the vault" not in seen and time.monotonic() < until:
            seen += os.read(leader, 4_096)
        assert it.wait(120) == 0
    os.close(leader)
    assert VALUE.encode() not in seen
