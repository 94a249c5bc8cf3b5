"""Models that can be used: those whose key is there, those of local servers, the scripted ones.

A key can be entered and removed; none is ever shown.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from director.demo.scripted_demo import MODEL
from director.models import find_local_servers
from director.services import model_connection, provider_keys
from director.services.model_connection import ModelTest
from director.services.provider_keys import KeyStatus, UsableModel
from director.web.request_bodies import Body
from director.web.route_dependencies import CurrentApp

router = APIRouter(prefix="/models", tags=["models"])
_Variable = Literal["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]


class ApiKey(Body):
    """A key; it is written and never read back."""

    value: Annotated[str, Field(min_length=8, max_length=1_000)]


class TypedModel(Body):
    """A model by its name, with a key if one was typed; the key is never read back."""

    name: Annotated[str, Field(min_length=1, max_length=300)]
    key: Annotated[str, Field(max_length=1_000)] = ""


class ServerAddress(Body):
    """Where a server is, with a key if it needs one."""

    address: Annotated[str, Field(min_length=1, max_length=300)]
    key: Annotated[str, Field(max_length=1_000)] = ""


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
    known: list[str]


@router.get("")
def list_model_providers(studio: CurrentApp) -> Models:
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
        provider_keys.list_known_models(),
    )


@router.post("/names")
async def list_model_names(body: ServerAddress) -> list[str]:
    """The models that a server lists."""
    return await asyncio.to_thread(model_connection.list_server_models, body.address, body.key)


@router.post("/test")
async def test_model(body: TypedModel, studio: CurrentApp) -> ModelTest:
    """Make one small call: how soon it answers, whether it calls tools. Nothing is stored."""
    return await model_connection.try_model(studio.workspace, body.name, body.key)


@router.post("/connect")
def connect_model(body: TypedModel, studio: CurrentApp) -> list[KeyStatus]:
    """Choose a model, and keep its key in the vault, for its own address only."""
    model_connection.connect_model(studio.workspace, body.name, body.key)
    return provider_keys.list_keys(studio.workspace)


@router.put("/keys/{variable}")
def enter_model_key(variable: _Variable, body: ApiKey, studio: CurrentApp) -> list[KeyStatus]:
    """Keep a key in the vault, for its provider only."""
    provider_keys.put_key(studio.workspace, variable, body.value)
    return provider_keys.list_keys(studio.workspace)


@router.delete("/keys/{variable}")
def remove_model_key(variable: _Variable, studio: CurrentApp) -> list[KeyStatus]:
    """Forget a key that was entered here."""
    provider_keys.remove_key(studio.workspace, variable)
    return provider_keys.list_keys(studio.workspace)
