"""Settings: each with its value, what it means and who says so; changed in the settings file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter

from director.settings import PROFILES, RULES, save_settings
from director.web.app_state import AppState
from director.web.request_bodies import Body
from director.web.route_dependencies import CurrentApp

router = APIRouter(prefix="/settings", tags=["settings"])
# The store is chosen when the program is started.
_CHANGEABLE = tuple(name for name in RULES if name != "store")


class SettingChanges(Body):
    """New values; null takes a setting out of the file."""

    profile: str | None = None
    model: str | None = None
    model_servers: str | None = None
    budget: float | int | None = None
    warn_at: int | None = None
    compress_at: int | None = None
    compress_to: int | None = None
    confirm_effects: str | None = None


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A setting: its value, what it means, and where the value comes from."""

    name: str
    value: str | int | float
    says: str
    source: str
    place: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class All:
    """All settings, and the profiles there are."""

    settings: list[SettingValue]
    profiles: tuple[str, ...]
    store: str


@router.get("")
def all_of_them(studio: CurrentApp) -> All:
    """The settings as they are now."""
    return _shown(studio)


@router.patch("")
def change(body: SettingChanges, studio: CurrentApp) -> All:
    """Write settings into the file; what the environment says stays stronger."""
    given: Mapping[str, object] = body.model_dump(include=body.model_fields_set)
    save_settings(given)
    return _shown(studio)


def _shown(studio: AppState) -> All:
    settings = studio.settings
    listed = []
    for name in _CHANGEABLE:
        one, rule = getattr(settings, name), RULES[name]
        listed.append(SettingValue(name, one.value, rule.says, one.source, one.place, rule.choices))
    return All(listed, PROFILES, studio.store.place)
