"""The settings: one table, and for each value where it came from.

A flag wins over the environment, that over the file, that over the default. What cannot be right
is an error that names the place and the nearest right key; nothing is ignored in silence.
"""

from __future__ import annotations

import difflib
import json
import math
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeAlias, TypeVar, get_type_hints

from director.errors import DirectorError
from director.home import VARIABLE, home, lock_file, make_private, write_private

T = TypeVar("T")
Value: TypeAlias = str | int | float
Source: TypeAlias = Literal["flag", "environment", "file", "default"]
FILE = "settings.toml"
PREFIX = "DIRECTOR_"
PROFILES = ("structured", "structured_cached", "clean")
MODES = ("reset", "refresh", "checkpoint")
# remote: those that are not on this machine
SITES = ("remote", "always", "never")
_CLEAN = "CLEAN_CONTEXT_ENABLED"
_SWITCH = {"true": True, "1": True, "yes": True, "on": True}
_SWITCH |= {"false": False, "0": False, "no": False, "off": False, "": False}


_WORDS: Mapping[type, str] = {str: "a text", int: "a whole number", float: "a number"}


class SettingsError(DirectorError, ValueError):
    """A setting is wrong; the message says where and what would be right."""

    status = 422


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """A value, who gave it, and by which flag, variable or file."""

    value: T
    source: Source
    place: str = ""

    def __repr__(self) -> str:
        return f"Setting({_hide_password(self.value)}, {self.source!r}, {self.place!r})"


@dataclass(frozen=True, slots=True)
class SettingRule:
    """What a setting may be: its type, its default (in a data folder), what it means."""

    type: type[Value]
    default: Value | Callable[[Path], Value]
    says: str
    choices: tuple[str, ...] = ()
    upto: float = math.inf


def _beside(folder: Path) -> str:
    return f"sqlite:///{folder / 'director.db'}"


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings; a new one is one more line here."""

    profile: Annotated[
        Setting[str], SettingRule(str, "structured_cached", "who sees what", choices=PROFILES)
    ]
    model: Annotated[Setting[str], SettingRule(str, "", "the model to ask; empty: none is chosen")]
    model_servers: Annotated[
        Setting[str],
        SettingRule(
            str, "", "servers that may be sent a key, such as openai:https://gateway.example/v1"
        ),
    ]
    model_windows: Annotated[
        Setting[str],
        SettingRule(
            str, "", "windows of models that nothing else says, as MODEL=TOKENS, by spaces"
        ),
    ]
    background_models: Annotated[
        Setting[str],
        SettingRule(str, "", "models that answer in the background, by their names, by spaces"),
    ]
    store: Annotated[Setting[str], SettingRule(str, _beside, "the address of the store")]
    budget: Annotated[
        Setting[float], SettingRule(float, 0.3, "share of the window to fill", upto=1)
    ]
    warn_at: Annotated[Setting[int], SettingRule(int, 160_000, "tokens: a context is called large")]
    compress_at: Annotated[
        Setting[int], SettingRule(int, 180_000, "tokens: a context is compressed")
    ]
    compress_to: Annotated[Setting[int], SettingRule(int, 20_000, "tokens of history left by that")]
    summary_mode: Annotated[
        Setting[str],
        SettingRule(
            str, "", "how to go on from a summary; empty: as the profile says", choices=MODES
        ),
    ]
    refresh_every: Annotated[
        Setting[int], SettingRule(int, 10, "messages from one refresh to the next")
    ]
    confirm_effects: Annotated[
        Setting[str],
        SettingRule(
            str, "remote", "which sites' effects are shown to you first in chat", choices=SITES
        ),
    ]


RULES: Mapping[str, SettingRule] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(Settings, include_extras=True).items()
}
# Pairs that only make sense in this order.
_RISING = (("compress_to", "warn_at"), ("warn_at", "compress_at"))


def load_settings(
    flags: Mapping[str, object] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    path: Path | None = None,
) -> Settings:
    """The settings from flags (None: not given), environment, file and defaults, in that order."""
    environ = os.environ if environ is None else environ
    path = path or home(environ) / FILE
    found = _defaults(path) | _from_file(path) | _from_environment(environ)
    found |= _from_flags(flags or {})
    _check_order(found)
    # Each was checked against its rule.
    return Settings(**found)  # type: ignore[arg-type]


def save_settings(changes: Mapping[str, object], *, path: Path | None = None) -> None:
    """Write values into the settings file; None takes a key out of it. Comments are not kept."""
    path = path or home() / FILE
    checked = {
        name: Setting(_check_value(name, value, "the change"), "file", "the change")
        for name, value in changes.items()
        if value is not None or not _check_name(name, "the change")
    }
    make_private(path.parent)
    with lock_file(path):
        kept = {k: v for k, v in _from_file(path).items() if k not in changes} | checked
        _check_order(_defaults(path) | kept)
        lines = [f"{name} = {_toml(kept[name].value)}\n" for name in RULES if name in kept]
        write_private(path, "".join(lines).encode())


def _defaults(path: Path) -> dict[str, Setting[Value]]:
    given = {name: rule.default for name, rule in RULES.items()}
    return {
        name: Setting(value(path.parent) if callable(value) else value, "default")
        for name, value in given.items()
    }


def _from_file(path: Path) -> dict[str, Setting[Value]]:
    try:
        text = path.read_text(encoding="utf-8")
        kept = tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{str(path)!r} is not TOML: {error}.") from None
    except OSError as error:
        raise SettingsError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    return {
        name: Setting(
            _check_value(name, value, f"{str(path)!r}{_line(text, name)}"), "file", str(path)
        )
        for name, value in kept.items()
    }


def _from_environment(environ: Mapping[str, str]) -> dict[str, Setting[Value]]:
    found: dict[str, Setting[Value]] = {}
    if _clean_wanted(environ):
        found["profile"] = Setting("clean", "environment", _CLEAN)
    for variable in [each for each in environ if each.startswith(PREFIX)]:
        name, text = variable.removeprefix(PREFIX).lower(), environ.get(variable, "")
        if variable == VARIABLE or not text:
            continue
        if name in RULES:
            value = _check_value(name, _read(text, RULES[name]), f"the variable {variable}")
            found[name] = Setting(value, "environment", variable)
        elif near := difflib.get_close_matches(name, RULES, n=1, cutoff=0.75):
            # What is not like a setting may be meant for another program.
            raise SettingsError(
                f"There is no variable {variable}: did you mean {PREFIX}{near[0].upper()}?"
            )
    return found


def _clean_wanted(environ: Mapping[str, str]) -> bool:
    text = environ.get(_CLEAN, "")
    if text.strip().lower() not in _SWITCH:
        raise SettingsError(f"The variable {_CLEAN} must be true or false, not {text!r}.")
    return _SWITCH[text.strip().lower()]


def _from_flags(flags: Mapping[str, object]) -> dict[str, Setting[Value]]:
    found: dict[str, Setting[Value]] = {}
    for name, value in flags.items():
        flag = f"--{name.replace('_', '-')}"
        if _check_name(name, "the flags") and value is not None:
            read = _read(value, RULES[name]) if isinstance(value, str) else value
            found[name] = Setting(_check_value(name, read, f"the flag {flag}"), "flag", flag)
    return found


def _read(text: str, rule: SettingRule) -> Value:
    """The text as a number where one is wanted and it is one; the check says the rest."""
    try:
        return rule.type(text)
    except ValueError:
        return text


def _check_name(name: str, place: str) -> bool:
    if name in RULES:
        return True
    near = difflib.get_close_matches(name, RULES, n=1, cutoff=0)
    raise SettingsError(f"In {place}: there is no setting {name!r}. Did you mean {near[0]!r}?")


def _check_value(name: str, value: object, place: str) -> Value:
    _check_name(name, place)
    rule = RULES[name]
    if rule.type is float and type(value) is int:
        value = float(value)
    # A bool is an int to isinstance, and no number to anyone.
    if type(value) is not rule.type:
        raise SettingsError(
            f"In {place}: {name} must be {_WORDS[rule.type]}, not {_hide_password(value)}."
        )
    if rule.choices and value not in rule.choices:
        near = difflib.get_close_matches(str(value), rule.choices, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise SettingsError(
            f"In {place}: {name} must be one of {', '.join(rule.choices)}, "
            f"not {_hide_password(value)}.{hint}"
        )
    if isinstance(value, int | float) and not 0 < value <= rule.upto:
        limit = "" if math.isinf(rule.upto) else f" and at most {rule.upto:g}"
        raise SettingsError(f"In {place}: {name} must be above 0{limit}, not {value}.")
    assert isinstance(value, str | int | float)  # noqa: S101  the type is one of these
    return value


def _check_order(found: Mapping[str, Setting[Value]]) -> None:
    for low, high in _RISING:
        if not _number(found[low]) < _number(found[high]):
            raise SettingsError(
                f"{low} must be below {high}: {_render_setting(found[low])} is not below "
                f"{_render_setting(found[high])}."
            )


def _number(setting: Setting[Value]) -> float:
    return float(setting.value)


def _render_setting(setting: Setting[Value]) -> str:
    return f"{setting.value} (from {setting.place or 'the default'})"


def _line(text: str, name: str) -> str:
    found = re.search(rf"""^[ \t]*\[?["']?{re.escape(name)}\b""", text, re.MULTILINE)
    return f", line {text.count(chr(10), 0, found.start()) + 1}" if found else ""


def _hide_password(value: object) -> str:
    """A value as it may be shown: the password in an address is not."""
    hidden = re.sub(r"(://[^:@/?#\s]*:)\S*@", r"\1…@", repr(value))
    return re.sub(r"([?&]password=)[^&\s'\"]*", r"\1…", hidden)


def _toml(value: Value) -> str:
    # A basic string of TOML is one of JSON, but for the one control character that JSON allows.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
