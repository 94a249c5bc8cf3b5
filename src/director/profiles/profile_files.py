"""Reading profiles: one TOML file each. A key or name that cannot be right is refused by name."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import TypeVar

from director.context.presets import PRESETS
from director.errors import DirectorError
from director.profiles.values import (
    CHAINS,
    MODES,
    TOOLS,
    Compression,
    Profile,
    TurnLimits,
    with_mode,
)
from director.sections.section_texts import SECTIONS
from director.settings import PROFILES
from director.workflow.json_input import FieldReader
from director.workflow.nearest import write_nearest_hint
from director.workflow.values import Json

T = TypeVar("T", bound=str)

_KEYS = ("says", "strategy", "chain", "tools", "sections", "limits", "compression")
_PLACES = ("instructions", "first", "last")
_LIMITS = ("rounds", "tokens", "seconds", "money")
_COMPRESSION = ("mode", "every", "model")


class ProfileError(DirectorError, ValueError):
    """A profile is wrong; the message names the file, the key and what would be right."""

    status = 422


def load_profile(name: str) -> Profile:
    """A profile that comes with Director."""
    if name not in PROFILES:
        raise ProfileError(f"There is no profile {name!r}.{write_nearest_hint(name, PROFILES)}")
    file = files("director.profiles").joinpath(f"{name}.toml")
    return read_profile(file.read_text("utf-8"), name, place=f"{name}.toml")


def apply_mode(profile: Profile, mode: str, *, every: int) -> Profile:
    """The profile with the mode of this name; as it is if none is named."""
    if every < 1:
        raise ProfileError(f"A refresh comes every 1 message or more, not every {every}.")
    if not mode:
        return profile
    for one in MODES:
        if one == mode:
            return with_mode(profile, one, every=every if one == "refresh" else 0)
    raise ProfileError(f"There is no mode {mode!r}.{write_nearest_hint(mode, MODES)}")


def read_profile(text: str, name: str, *, place: str) -> Profile:
    """The profile that a text of TOML holds; `place` names it in errors."""
    try:
        found: Json = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ProfileError(f"{place!r} is not TOML: {problem}.") from None
    reader = FieldReader()
    keys = reader.object(found, "", _KEYS)
    shown = {key: _names(reader, _table(reader, keys, "sections", _PLACES), key) for key in _PLACES}
    profile = Profile(
        name=name,
        says=reader.text(keys, "says", "", needed=True),
        **shown,
        tools=_check_names(reader, reader.texts(keys, "tools", ""), TOOLS, "tools"),
        limits=_limits(reader, _table(reader, keys, "limits", _LIMITS)),
        strategy=_one(reader, keys, "strategy", PRESETS),
        chain=_one(reader, keys, "chain", CHAINS),
        compression=_compression(reader, _table(reader, keys, "compression", _COMPRESSION)),
    )
    _check_sections(reader, profile)
    if reader.problems:
        raise ProfileError(f"In {place!r}: {' '.join(dict.fromkeys(reader.problems))}")
    return profile


def _table(
    reader: FieldReader, of: Mapping[str, Json], name: str, keys: Iterable[str]
) -> Mapping[str, Json]:
    if name not in of:
        reader.wrong("", f"the table [{name}] is missing.")
        return {}
    return reader.object(of[name], name, keys)


def _names(reader: FieldReader, of: Mapping[str, Json], key: str) -> tuple[str, ...]:
    return _check_names(reader, reader.texts(of, key, "sections"), SECTIONS, f"sections.{key}")


def _check_names(
    reader: FieldReader, names: Iterable[str], known: Iterable[str], where: str
) -> tuple[str, ...]:
    there = tuple(known)
    given = tuple(names)
    for name in given:
        if name not in there:
            reader.wrong(where, f"there is no {name!r}.{write_nearest_hint(name, there)}")
    for name in sorted({name for name in given if given.count(name) > 1}):
        reader.wrong(where, f"{name!r} is there twice.")
    return given


def _one(reader: FieldReader, of: Mapping[str, Json], name: str, known: Iterable[T]) -> T:
    there = tuple(known)
    value = of.get(name)
    for one in there:
        if one == value:
            return one
    says = "is missing" if value is None else f"cannot be {value!r}"
    reader.wrong("", f"{name!r} {says}.{write_nearest_hint(str(value), there)}")
    return there[0]


def _limits(reader: FieldReader, of: Mapping[str, Json]) -> TurnLimits:
    whole = {name: reader.number(of, name, "limits") for name in _LIMITS[:3]}
    money = of.get("money")
    amount = float(money) if type(money) in (int, float) else 0.0  # type: ignore[arg-type]
    for name, value in {**whole, "money": amount}.items():
        if value <= 0:
            reader.wrong("limits", f"{name!r} must be a number above 0.")
    return TurnLimits(**whole, money=amount)


def _compression(reader: FieldReader, of: Mapping[str, Json]) -> Compression:
    mode = _one(reader, of, "mode", MODES)
    every = reader.number(of, "every", "compression")
    if (mode == "refresh") != (every > 0):
        reader.wrong("compression", "'every' is above 0 with the mode refresh, and only there.")
    return Compression(mode, every, reader.text(of, "model", "compression"))


def _check_sections(reader: FieldReader, profile: Profile) -> None:
    if profile.instructions[:1] != ("system",):
        reader.wrong("sections.instructions", "'system' comes first.")
    for name in sorted({one for one in profile.sections if profile.sections.count(one) > 1}):
        reader.wrong("sections", f"{name!r} is shown twice.")
    wanted = "instructions" if profile.compression.mode == "checkpoint" else "first"
    if "summary" not in getattr(profile, wanted):
        reader.wrong(
            f"sections.{wanted}",
            f"'summary' belongs here with the compression mode {profile.compression.mode}.",
        )
