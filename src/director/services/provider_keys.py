"""Keys of model providers that are entered in the app: in the vault, bound to the provider.

A key goes from the vault to the provider's library and nowhere else; the environment's own key
comes first. None is ever shown.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from director.models import Journal, Model, list_accepted_servers, open_model
from director.models.capabilities import list_models_with_capabilities
from director.models.names import ANTHROPIC_URL, OPENAI_URL, parse_model_name
from director.models.windows import get_window_setting
from director.secrets import Reference, Vault
from director.services.errors import NotFound
from director.services.outgoing import Identifier, redact_result
from director.services.workspace import Workspace
from director.settings import load_settings

# The variable that holds a key, and where it may be sent.
KEYS: Mapping[str, str] = {
    "OPENAI_API_KEY": OPENAI_URL.removesuffix("/v1"),
    "ANTHROPIC_API_KEY": ANTHROPIC_URL,
}
PROVIDERS = {"OPENAI_API_KEY": "openai", "ANTHROPIC_API_KEY": "anthropic"}
# The variable by which a server of one's own is given its key.
_SERVER_KEYS = {"chat": "CHAT_API_KEY", "responses": "RESPONSES_API_KEY"}
# Where a variable sends requests to another place, a key of the vault must not follow.
_ELSEWHERE = {"OPENAI_API_KEY": "OPENAI_BASE_URL", "ANTHROPIC_API_KEY": "ANTHROPIC_BASE_URL"}


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """Whether a key is there, and where."""

    variable: Identifier
    provider: Identifier
    place: Identifier


@dataclass(frozen=True, slots=True)
class UsableModel:
    """A model that can be asked now, by the name that a message gives."""

    name: Identifier
    provider: Identifier


@redact_result
def list_keys(workspace: Workspace) -> list[KeyStatus]:
    """The keys that there may be, and where each is held; none is shown."""
    held = find_keys(workspace.resources.vault)
    return [KeyStatus(variable, PROVIDERS[variable], held.get(variable, "")) for variable in KEYS]


@redact_result
def list_provider_models(workspace: Workspace) -> list[UsableModel]:
    """The models of the providers whose key is there; servers on this machine are not asked."""
    held = [PROVIDERS[variable] for variable in find_keys(workspace.resources.vault)]
    return [UsableModel(f"{one}:{name}", one) for one in held for name in _list_plain(one)]


def list_known_models() -> list[str]:
    """The models of the providers by name, whether their key is there or not."""
    return [f"{one}:{name}" for one in PROVIDERS.values() for name in _list_plain(one)]


@redact_result
def put_key(workspace: Workspace, variable: str, value: str) -> None:
    """Keep a key in the vault, for its provider only."""
    put_model_key(workspace.resources.vault, variable, value)


@redact_result
def remove_key(workspace: Workspace, variable: str) -> None:
    """Forget a key that was entered here."""
    vault = workspace.resources.vault
    if find_keys(vault).get(variable) != "vault":
        raise NotFound(f"No {variable} was entered here. Nothing was changed.")
    vault.remove(_name(variable))


def put_model_key(vault: Vault, variable: str, value: str) -> None:
    """Keep the key of a provider, bound to its address."""
    vault.put(_name(variable), value, KEYS[variable])


def add_server_key(vault: Vault, base_url: str, value: str) -> None:
    """Keep the key of a server of one's own, bound to its address."""
    vault.put(_server_key_name(base_url), value, _origin(base_url))


def find_keys(vault: Vault) -> Mapping[str, str]:
    """Where each key that is there is held: in the environment or in the vault."""
    names = vault.names()
    held = {variable: "vault" for variable in KEYS if _name(variable) in names}
    return held | {one: "environment" for one in KEYS if os.environ.get(one, "").strip()}


def opens_with(vault: Vault, name: str, journal: Journal | None) -> Model:
    """The model of a name, with a key of the environment or of the vault."""
    env = read_environment(vault, name)
    settings = load_settings()
    return open_model(
        name,
        journal=journal,
        env=env,
        accepted=list_accepted_servers(settings),
        window=get_window_setting(settings, name),
    )


def _list_plain(provider: str) -> list[str]:
    """The models of a provider that are named in full."""
    return [
        name
        for name in list_models_with_capabilities(provider)
        if not any(sign in name for sign in "*?[")
    ]


def read_environment(vault: Vault, name: str) -> Mapping[str, str]:
    """The environment with the keys of the vault that the model of this name may be sent.

    A key of the vault is bound to its address and follows to no other.
    """
    named = parse_model_name(name)
    if not named.base_url:
        kept = {
            variable: vault.reveal(Reference(_name(variable)), KEYS[variable]).use()
            for variable, place in find_keys(vault).items()
            if place == "vault" and not os.environ.get(_ELSEWHERE[variable], "").strip()
        }
        return {**kept, **os.environ}
    known, variable = _server_key_name(named.base_url), _SERVER_KEYS.get(named.provider)
    if variable is None or known not in vault.names():
        return os.environ
    value = vault.reveal(Reference(known), _origin(named.base_url)).use()
    return {**os.environ, variable: value}


def _server_key_name(base_url: str) -> str:
    return f"model.server.{hashlib.sha256(_origin(base_url).encode()).hexdigest()[:16]}"


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _name(variable: str) -> str:
    return f"model.{variable}"
