"""Secrets: written and never read back. Names and origins are listed, values are not."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Path
from pydantic import Field

from director.services import secrets
from director.services.secrets import Purged, SecretListing
from director.web.request_bodies import Body, Name
from director.web.route_dependencies import CurrentApp

router = APIRouter(prefix="/secrets", tags=["secrets"])
_Name: TypeAlias = Annotated[str, Path(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$")]


class Secret(Body):
    """A value, and the origins on which it may be used."""

    value: Annotated[str, Field(min_length=1, max_length=10_000)]
    origins: Annotated[list[Name], Field(min_length=1, max_length=50)]


@router.get("")
def list_all_secrets(studio: CurrentApp) -> list[SecretListing]:
    """The secrets that the vault holds, by name."""
    return secrets.list_secrets(studio.workspace)


@router.put("/{name}")
def put_one_secret(name: _Name, body: Secret, studio: CurrentApp) -> list[SecretListing]:
    """Keep a value under a name, for use on these origins only; replaces what was there."""
    secrets.put_secret(studio.workspace, name, body.value, origins=body.origins)
    return secrets.list_secrets(studio.workspace)


@router.post("/{name}/purge")
def purge_one_secret(name: _Name, studio: CurrentApp) -> Purged:
    """Rewrite all that is stored without the value of a secret, for good."""
    return secrets.purge_secret_value(studio.workspace, name)


@router.delete("/{name}")
def remove_one_secret(name: _Name, studio: CurrentApp) -> list[SecretListing]:
    """Take a secret out of the vault."""
    secrets.remove_secret(studio.workspace, name)
    return secrets.list_secrets(studio.workspace)
