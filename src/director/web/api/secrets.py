"""Secrets: written and never read back. Names and origins are listed, values are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Path
from pydantic import Field

from director.agent.permissions.secret_leaks import keep_secret, leaks, purge_secret
from director.secrets import SHORT
from director.services.errors import NotFound
from director.web.app_state import AppState
from director.web.request_bodies import Body, Name
from director.web.route_dependencies import CurrentApp

router = APIRouter(prefix="/secrets", tags=["secrets"])
_Name: TypeAlias = Annotated[str, Path(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$")]


class Secret(Body):
    """A value, and the origins on which it may be used."""

    value: Annotated[str, Field(min_length=1, max_length=10_000)]
    origins: Annotated[list[Name], Field(min_length=1, max_length=50)]


@dataclass(frozen=True, slots=True)
class SecretListing:
    """A secret by its name and its reference; `warning` says what is weak about it.

    `said` says in which messages its value stands, if somebody typed it into a chat.
    """

    name: str
    reference: str
    origins: tuple[str, ...]
    warning: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True)
class Purged:
    """How many messages and versions of records were rewritten, how many requests removed."""

    messages: int
    versions: int
    requests: int
    says: str


@router.get("")
def all_of_them(studio: CurrentApp) -> list[SecretListing]:
    """The secrets that the vault holds, by name."""
    return _held(studio)


@router.put("/{name}")
def put(name: _Name, body: Secret, studio: CurrentApp) -> list[SecretListing]:
    """Keep a value under a name, for use on these origins only; replaces what was there."""
    keep_secret(studio.store, studio.supplies.vault, name, body.value, body.origins)
    return _held(studio)


@router.post("/{name}/purge")
def purge(name: _Name, studio: CurrentApp) -> Purged:
    """Rewrite all that is stored without the value of a secret, for good."""
    gone = purge_secret(studio.store, studio.supplies.vault, name)
    messages = sum(map(len, gone.entries.values()))
    return Purged(messages, gone.versions, gone.requests, str(gone))


@router.delete("/{name}")
def remove(name: _Name, studio: CurrentApp) -> list[SecretListing]:
    """Take a secret out of the vault."""
    vault = studio.supplies.vault
    if name not in vault.names():
        raise NotFound(f"There is no secret {name!r}. Nothing was changed.")
    vault.remove(name)
    return _held(studio)


def _held(studio: AppState) -> list[SecretListing]:
    vault = studio.supplies.vault
    said = {one.name: str(one) for one in leaks(studio.store)}
    return [
        SecretListing(
            name,
            str(vault.reference(name)),
            tuple(map(str, vault.origins(name))),
            SHORT if vault.is_short(name) else "",
            said.get(name, ""),
        )
        for name in vault.names()
    ]
