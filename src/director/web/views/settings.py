"""The settings as a person reads them: each with its value, its meaning and who says so."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from director.profiles import Profile, load_profile
from director.secrets import Vault
from director.settings import PROFILES, RULES, Settings
from director.store import Store
from director.store.deleted_workflows import away
from director.web.provider_keys import PROVIDERS, held_in, plain

_REFERENCE = re.compile(r"\{\{\s*secret:([A-Za-z0-9_.\-]+)")
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


def fields(settings: Settings) -> dict[str, SettingField]:
    """Every setting by its name."""
    found = {}
    for name, rule in RULES.items():
        given = getattr(settings, name)
        kind = "number" if rule.type in (int, float) else "text"
        found[name] = SettingField(
            name, rule.says, str(given.value), given.source, given.place, kind, rule.choices
        )
    return found


def profiles() -> tuple[Profile, ...]:
    """The profiles that there are."""
    return tuple(load_profile(name) for name in PROFILES)


def usable(vault: Vault) -> tuple[str, ...]:
    """The models of the providers whose key is there; servers on this machine are asked later."""
    held = [PROVIDERS[variable] for variable in held_in(vault)]
    return tuple(f"{one}:{name}" for one in held for name in plain(one))


def origins(store: Store) -> dict[str, tuple[str, ...]]:
    """The origins that each workflow may reach."""
    found = {}
    for one in store.newest("workflow"):
        named = one.body.get("origins")
        found[one.id] = tuple(map(str, named)) if isinstance(named, list | tuple) else ()
    return found


def secret_users(store: Store) -> dict[str, list[tuple[str, str]]]:
    """The workflows that name each secret, by its name: their ids and names."""
    found: dict[str, list[tuple[str, str]]] = {}
    gone = away(store)
    for one in store.newest("workflow"):
        if one.id in gone:
            continue
        names = set(_REFERENCE.findall(json.dumps(dict(one.body), default=str)))
        for name in sorted(names):
            found.setdefault(name, []).append((one.id, str(one.body.get("name", one.id))))
    return found
