"""Models that can be used: those whose key is there, those of local servers, the scripted ones.

A key can be entered and removed; none is ever shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from director.demo.scripted_demo import MODEL
from director.models import find_local_servers
from director.services.errors import NotFound
from director.web.app_state import AppState
from director.web.provider_keys import KEYS, PROVIDERS, held_in, plain, put_key, remove_key
from director.web.request_bodies import Body
from director.web.route_dependencies import CurrentApp

router = APIRouter(prefix="/models", tags=["models"])
_Variable = Literal["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]


class ApiKey(Body):
    """A key; it is written and never read back."""

    value: Annotated[str, Field(min_length=8, max_length=1_000)]


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """Whether a key is there, and where."""

    variable: str
    provider: str
    place: str


@dataclass(frozen=True, slots=True)
class Usable:
    """A model that can be asked now, by the name that a message gives."""

    name: str
    provider: str


@dataclass(frozen=True, slots=True)
class ServerChoice:
    """A server on this machine."""

    kind: str
    address: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Models:
    """What can be used now, and what would be with a key."""

    usable: list[Usable]
    keys: list[KeyStatus]
    servers: list[ServerChoice]
    rehearsal: str


@router.get("")
def all_of_them(studio: CurrentApp) -> Models:
    """Looks for keys and for servers on this machine; nobody else is asked."""
    held = held_in(studio.supplies.vault)
    servers = find_local_servers()
    usable = [Usable(MODEL, "scripted")]
    for variable in held:
        provider = PROVIDERS[variable]
        usable += [Usable(f"{provider}:{name}", provider) for name in plain(provider)]
    for server in servers:
        usable += [Usable(f"chat:{server.base_url}#{one}", server.kind) for one in server.models]
    return Models(
        usable,
        _keys(studio),
        [ServerChoice(one.kind, one.base_url, one.models) for one in servers],
        MODEL,
    )


@router.put("/keys/{variable}")
def enter(variable: _Variable, body: ApiKey, studio: CurrentApp) -> list[KeyStatus]:
    """Keep a key in the vault, for its provider only."""
    put_key(studio.supplies.vault, variable, body.value)
    return _keys(studio)


@router.delete("/keys/{variable}")
def remove(variable: _Variable, studio: CurrentApp) -> list[KeyStatus]:
    """Forget a key that was entered here."""
    if held_in(studio.supplies.vault).get(variable) != "vault":
        raise NotFound(f"No {variable} was entered here. Nothing was changed.")
    remove_key(studio.supplies.vault, variable)
    return _keys(studio)


def _keys(studio: AppState) -> list[KeyStatus]:
    held = held_in(studio.supplies.vault)
    return [KeyStatus(variable, PROVIDERS[variable], held.get(variable, "")) for variable in KEYS]
