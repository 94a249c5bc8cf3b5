"""Settings: each with its value, what it means and who says so; changed in the settings file.

The store cannot be changed while it is open: it is chosen when a program starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from director.services.outgoing import Identifier, redact_result
from director.services.workspace import Workspace
from director.settings import PROFILES, RULES, save_settings

CHANGEABLE = tuple(name for name in RULES if name != "store")


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A setting: its value, what it means, and where the value comes from."""

    name: Identifier
    value: str | int | float
    says: str
    source: Identifier
    place: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class All:
    """All settings, and the profiles there are."""

    settings: list[SettingValue]
    profiles: tuple[str, ...]
    store: str


@redact_result
def list_settings(workspace: Workspace) -> All:
    """The settings that can be changed, as they are now."""
    settings = workspace.settings()
    listed = []
    for name in CHANGEABLE:
        one, rule = getattr(settings, name), RULES[name]
        listed.append(SettingValue(name, one.value, rule.says, one.source, one.place, rule.choices))
    return All(listed, PROFILES, workspace.store.place)


@redact_result
def change_settings(workspace: Workspace, given: Mapping[str, object]) -> All:
    """Write settings into the file; what the environment says stays stronger."""
    save_settings(given)
    return list_settings(workspace)
