"""Secrets: written and never read back. Names, origins and fields are listed, values are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from director.agent.permissions.secret_leaks import (
    SecretLeak,
    find_secret_leaks,
    purge_leaked_secret,
    record_secret_leak,
)
from director.runs.secret_uses import SecretUse, list_secret_uses, remember_secret_use
from director.secrets import SHORT
from director.services.errors import NotFound
from director.services.outgoing import Identifier, redact_result
from director.services.workspace import Workspace
from director.workflow.nearest import find_nearest


@dataclass(frozen=True, slots=True)
class SecretListing:
    """A secret by its name and its reference; `warning` says what is weak about it.

    `said` says in which messages its value stands, if somebody typed it into a chat.
    """

    name: Identifier
    reference: Identifier
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


@redact_result
def list_secrets(workspace: Workspace) -> list[SecretListing]:
    """The secrets that the vault holds, by name."""
    vault = workspace.resources.vault
    said = {one.name: str(one) for one in find_secret_leaks(workspace.store)}
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


@redact_result
def list_used_secrets(workspace: Workspace) -> list[tuple[SecretUse, str]]:
    """Every field that a person answered for, with the answer."""
    return list_secret_uses(workspace.store)


@redact_result
def put_secret(
    workspace: Workspace, name: str, value: str, *, origins: Sequence[str]
) -> SecretLeak | None:
    """Keep a value for use on these origins only; a leak if it was said in a conversation."""
    return record_secret_leak(workspace.store, workspace.resources.vault, name, value, origins)


@redact_result
def remove_secret(workspace: Workspace, name: str) -> None:
    """Take a secret out of the vault; what needs it fails from now on and says so."""
    vault = workspace.resources.vault
    if name not in vault.names():
        meant = find_nearest(name, vault.names())
        near = f" Did you mean {meant!r}?" if meant else ""
        raise NotFound(f"There is no secret {name!r} in the vault.{near} Nothing was changed.")
    vault.remove(name)


@redact_result
def purge_secret_value(workspace: Workspace, name: str) -> Purged:
    """Rewrite all that is stored without the value of a secret, for good."""
    gone = purge_leaked_secret(workspace.store, workspace.resources.vault, name)
    messages = sum(map(len, gone.entries.values()))
    return Purged(messages, gone.versions, gone.requests, str(gone))


@redact_result
def answer_secret_use(
    workspace: Workspace, use: SecretUse, answer: Literal["approved", "refused"]
) -> None:
    """Let a secret be typed into a field of an origin it is bound to, or let no run ask again."""
    remember_secret_use(workspace.store, use, answer, workspace.resources.vault)
