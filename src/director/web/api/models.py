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
from director.services import provider_keys
from director.services.provider_keys import KeyStatus, UsableModel
from director.web.request_bodies import Body
from director.web.route_dependencies import CurrentApp

router = APIRouter(prefix="/models", tags=["models"])
_Variable = Literal["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]


class ApiKey(Body):
    """A key; it is written and never read back."""

    value: Annotated[str, Field(min_length=8, max_length=1_000)]


@dataclass(frozen=True, slots=True)
class ServerChoice:
    """A server on this machine."""

    kind: str
    address: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Models:
    """What can be used now, and what would be with a key."""

    usable: list[UsableModel]
    keys: list[KeyStatus]
    servers: list[ServerChoice]
    rehearsal: str


@router.get("")
def all_of_them(studio: CurrentApp) -> Models:
    """Looks for keys and for servers on this machine; nobody else is asked."""
    servers = find_local_servers()
    usable = [UsableModel(MODEL, "scripted")]
    usable += provider_keys.list_provider_models(studio.workspace)
    for server in servers:
        usable += [
            UsableModel(f"chat:{server.base_url}#{one}", server.kind) for one in server.models
        ]
    return Models(
        usable,
        provider_keys.list_keys(studio.workspace),
        [ServerChoice(one.kind, one.base_url, one.models) for one in servers],
        MODEL,
    )


@router.put("/keys/{variable}")
def enter(variable: _Variable, body: ApiKey, studio: CurrentApp) -> list[KeyStatus]:
    """Keep a key in the vault, for its provider only."""
    provider_keys.put_key(studio.workspace, variable, body.value)
    return provider_keys.list_keys(studio.workspace)


@router.delete("/keys/{variable}")
def remove(variable: _Variable, studio: CurrentApp) -> list[KeyStatus]:
    """Forget a key that was entered here."""
    provider_keys.remove_key(studio.workspace, variable)
    return provider_keys.list_keys(studio.workspace)
