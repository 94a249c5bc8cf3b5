"""Settings: who wins, where a value came from, and what is said when one is wrong."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.settings import (
    FILE,
    RULES,
    Setting,
    Settings,
    SettingsError,
    load_settings,
    save_settings,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A settings file that is not there yet."""
    return tmp_path / FILE


def test_without_anything_the_defaults_hold(path: Path) -> None:
    """The documented ones; the store lies beside the file."""
    settings = load_settings(environ={}, path=path)
    assert {name: getattr(settings, name).value for name in RULES} == {
        "profile": "structured_cached",
        "model": "",
        "model_servers": "",
        "model_windows": "",
        "background_models": "",
        "store": f"sqlite:///{path.parent / 'director.db'}",
        "budget": 0.3,
        "warn_at": 160_000,
        "compress_at": 180_000,
        "compress_to": 20_000,
        "summary_mode": "",
        "refresh_every": 10,
        "confirm_effects": "remote",
    }
    assert {getattr(settings, name).source for name in RULES} == {"default"}


def test_a_flag_wins_over_the_environment_that_over_the_file(path: Path) -> None:
    """Each says where it came from; a flag that is not given says nothing."""
    path.write_text('model = "from-file"\n')
    environ = {"DIRECTOR_MODEL": "from-environment"}
    flags = {"model": "from-flag"}
    got = load_settings(flags, environ=environ, path=path).model
    assert got == Setting("from-flag", "flag", "--model")
    got = load_settings({"model": None}, environ=environ, path=path).model
    assert got == Setting("from-environment", "environment", "DIRECTOR_MODEL")
    got = load_settings(environ={"DIRECTOR_MODEL": ""}, path=path).model
    assert got == Setting("from-file", "file", str(path))


def test_the_file_lies_in_the_data_folder(tmp_path: Path) -> None:
    """The one that the environment names."""
    (tmp_path / FILE).write_text("warn_at = 90_000\n")
    settings = load_settings(environ={"DIRECTOR_HOME": str(tmp_path)})
    assert settings.warn_at == Setting(90_000, "file", str(tmp_path / FILE))


def test_numbers_are_read_from_texts_where_only_texts_can_be_given(path: Path) -> None:
    """In variables and on the command line."""
    settings = load_settings({"compress_to": "9000"}, environ={"DIRECTOR_BUDGET": "0.5"}, path=path)
    assert settings.compress_to.value == 9000
    assert settings.budget.value == 0.5


@pytest.mark.parametrize(
    ("environ", "profile"),
    [
        ({"CLEAN_CONTEXT_ENABLED": "true"}, "clean"),
        ({"CLEAN_CONTEXT_ENABLED": "True"}, "clean"),
        ({"CLEAN_CONTEXT_ENABLED": "1"}, "clean"),
        ({"CLEAN_CONTEXT_ENABLED": "false"}, "structured_cached"),
        ({"CLEAN_CONTEXT_ENABLED": ""}, "structured_cached"),
        ({"CLEAN_CONTEXT_ENABLED": "true", "DIRECTOR_PROFILE": "structured"}, "structured"),
    ],
)
def test_the_clean_profile_has_a_switch_of_its_own(
    path: Path, environ: dict[str, str], profile: str
) -> None:
    """It wins over the file; the profile by name wins over it."""
    path.write_text('profile = "structured_cached"')
    assert load_settings(environ=environ, path=path).profile.value == profile


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "\nwarnat = 1",
            "settings.toml', line 2: there is no setting 'warnat'. Did you mean 'warn_at'?",
        ),
        ("[compress]\nat = 1", "line 1: there is no setting 'compress'. Did you mean 'compress_"),
        ('warn_at = "many"', "line 1: warn_at must be a whole number, not 'many'."),
        ("warn_at = 1.5", "line 1: warn_at must be a whole number, not 1.5."),
        ("warn_at = true", "line 1: warn_at must be a whole number, not True."),
        ("warn_at = 0", "line 1: warn_at must be above 0, not 0."),
        ("budget = 1.5", "line 1: budget must be above 0 and at most 1, not 1.5."),
        ("budget = nan", "line 1: budget must be above 0 and at most 1, not nan."),
        ("model = 5", "line 1: model must be a text, not 5."),
        (
            'profile = "claen"',
            "must be one of structured, structured_cached, clean, not 'claen'. Did you mean 'clean'?",
        ),
        ("[profile]\nx = 1", "line 1: profile must be a text"),
        ("warn_at =", "is not TOML: Invalid value (at end of document)."),
        ("warn_at = 200000", "warn_at must be below compress_at: 200000 (from "),
    ],
)
def test_a_wrong_line_is_said_with_its_place_and_what_is_right(
    path: Path, text: str, why: str
) -> None:
    """The file, the line, the nearest key."""
    path.write_text(text)
    with pytest.raises(SettingsError, match=re.escape(why)):
        load_settings(environ={}, path=path)


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({"DIRECTOR_WARN_AT": "many"}, "In the variable DIRECTOR_WARN_AT: warn_at must be a whole"),
        ({"DIRECTOR_MODLE": "x"}, "no variable DIRECTOR_MODLE: did you mean DIRECTOR_MODEL?"),
        ({"CLEAN_CONTEXT_ENABLED": "maybe"}, "CLEAN_CONTEXT_ENABLED must be true or false"),
    ],
)
def test_a_wrong_variable_is_named(path: Path, environ: dict[str, str], why: str) -> None:
    """With the nearest right one."""
    with pytest.raises(SettingsError, match=re.escape(why)):
        load_settings(environ=environ, path=path)


def test_a_variable_of_another_program_is_left_alone(path: Path) -> None:
    """What is not like a setting of ours may be meant for somebody else."""
    load_settings(environ={"DIRECTOR_SHARED": "x", "DIRECTORY": "y", "MODEL": "z"}, path=path)


def test_a_wrong_flag_is_named(path: Path) -> None:
    """As it is typed."""
    with pytest.raises(SettingsError, match="In the flag --warn-at: warn_at must be"):
        load_settings({"warn_at": "many"}, environ={}, path=path)
    with pytest.raises(SettingsError, match=r"no setting 'modell'\. Did you mean 'model'"):
        load_settings({"modell": None}, environ={}, path=path)


def test_a_file_that_is_no_text_or_cannot_be_read_is_said(path: Path) -> None:
    """And so is a folder in its place."""
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="is not TOML"):
        load_settings(environ={}, path=path)
    path.unlink()
    path.mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(environ={}, path=path)


def test_what_is_saved_is_read_again_and_the_rest_stays(path: Path) -> None:
    """Comments go; None takes a key out."""
    path.write_text('# mine\nmodel = "kept" # why\nwarn_at = 90000\n')
    save_settings({"compress_to": 9000, "warn_at": None, "budget": 1}, path=path)
    assert path.read_text() == 'model = "kept"\nbudget = 1.0\ncompress_to = 9000\n'
    settings = load_settings(environ={}, path=path)
    assert (settings.model.value, settings.compress_to.value) == ("kept", 9000)
    assert settings.warn_at.source == "default"


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_the_file_is_private(path: Path) -> None:
    """An address of a store may hold a password."""
    path.write_text("")
    path.chmod(0o644)
    save_settings({"model": "x"}, path=path)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"modle": "x"}, "no setting 'modle'. Did you mean 'model'"),
        ({"modle": None}, "no setting 'modle'. Did you mean 'model'"),
        ({"warn_at": "9"}, "whole number"),
        ({"warn_at": 10}, "compress_to must be below warn_at: 20000 (from the default)"),
    ],
)
def test_what_could_not_be_read_again_is_not_saved(
    path: Path, changes: dict[str, object], why: str
) -> None:
    """The file stays as it was."""
    path.write_text("# mine\n")
    with pytest.raises(SettingsError, match=re.escape(why)):
        save_settings(changes, path=path)
    assert path.read_text() == "# mine\n"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_can_be_saved(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """With quotes, line ends and control characters."""
    path = tmp_path_factory.getbasetemp() / "any.toml"
    save_settings({"model": text}, path=path)
    assert load_settings(environ={}, path=path).model.value == text


def test_changes_at_once_are_all_saved(path: Path) -> None:
    """One waits for the other."""
    changes: list[dict[str, object]] = [{"model": "x"}, {"budget": 0.1}, {"compress_to": 9}]
    threads = [
        threading.Thread(target=save_settings, args=(each,), kwargs={"path": path})
        for each in changes
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert path.read_text() == 'model = "x"\nbudget = 0.1\ncompress_to = 9\n'


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hunter2@db.example/director",
        "postgresql://me:hunt/er2@x@db.example/director",
        "postgresql://db.example/director?user=me&password=hunter2&x=1",
    ],
)
def test_the_password_in_an_address_is_not_shown(path: Path, url: str) -> None:
    """Neither printed nor in a message; the value itself is whole."""
    settings = load_settings({"store": url}, environ={}, path=path)
    assert settings.store.value == url
    with pytest.raises(SettingsError) as caught:
        load_settings({"warn_at": url}, environ={}, path=path)
    shown = repr(settings) + str(settings.store) + str(caught.value)
    assert "er2" not in shown
    assert "db.example" in shown


def test_every_setting_says_what_it_means() -> None:
    """And has a default of its own type."""
    assert set(RULES) == set(Settings.__slots__)
    assert [name for name, rule in RULES.items() if not rule.says] == []
    for rule in RULES.values():
        default = rule.default(Path()) if callable(rule.default) else rule.default
        assert type(default) is rule.type
