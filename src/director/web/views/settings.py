"""The settings as a person reads them: each with its value, its meaning and who says so."""

from __future__ import annotations

from dataclasses import dataclass

from director.profiles import Profile, load_profile
from director.settings import PROFILES, RULES, Settings

# Shown in this order under these names; the store cannot be changed while it is open.
GROUPS = (
    ("Context", ("profile", "warn_at", "compress_at", "compress_to")),
    ("Budgets", ("budget",)),
    ("Approvals", ("confirm_effects",)),
)


@dataclass(frozen=True, slots=True)
class SettingField:
    """A setting: what it may be, what it is, who says so."""

    name: str
    says: str
    value: str
    source: str
    place: str
    kind: str
    choices: tuple[str, ...] = ()

    @property
    def fixed(self) -> bool:
        """Whether the file cannot change it, because a flag or the environment says it."""
        return self.source in ("flag", "environment")


def list_setting_fields(settings: Settings) -> dict[str, SettingField]:
    """Every setting by its name."""
    found = {}
    for name, rule in RULES.items():
        given = getattr(settings, name)
        kind = "number" if rule.type in (int, float) else "text"
        found[name] = SettingField(
            name, rule.says, str(given.value), given.source, given.place, kind, rule.choices
        )
    return found


def list_setting_profiles() -> tuple[Profile, ...]:
    """The profiles that there are."""
    return tuple(load_profile(name) for name in PROFILES)
