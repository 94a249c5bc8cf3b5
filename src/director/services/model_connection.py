"""Connecting a model: which names a server has, one real call as a test, and the choice itself.

A key that was only tried is nowhere stored. A stored key is bound to the address that it is for.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from director.context.values import Context, Section, UserTurn
from director.errors import DirectorError
from director.models import NoKey, Usage, open_model
from director.models.names import find_nearest_model_name, parse_model_name
from director.models.prices import compute_price
from director.models.servers import accept_server
from director.models.tool_schemas import Tool
from director.models.values import Policy
from director.services.outgoing import redact_result
from director.services.provider_keys import add_server_key, put_model_key, read_environment
from director.services.workspace import Workspace
from director.settings import save_settings

if TYPE_CHECKING:
    from director.models import Model

# The variable that holds the key of each provider.
VARIABLES: Mapping[str, str] = {
    "openai": "OPENAI_API_KEY",
    "openai-chat": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "chat": "CHAT_API_KEY",
    "responses": "RESPONSES_API_KEY",
}
_SECONDS = 60.0
_LOOK = 5.0
_MOST = 2_000_000
_OK = 200
_TOOL = Tool(
    "report_ready",
    "Report that you are ready. Call it once.",
    {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
_ASKED = "This is a test of the connection. Call the tool report_ready with the word ready."


class NotConnected(DirectorError):
    """The model could not be reached, or the server has no model of this name."""

    status = 422
    kept = "Nothing was saved."
    next_step = "Check the key, the address and the name of the model, then test again."


@dataclass(frozen=True, slots=True)
class ModelTest:
    """A model that answered: after how many seconds, whether it calls tools, its window and price.

    Prices are dollars for a million tokens; None if they are not known.
    """

    name: str
    seconds: float
    tools: bool
    window: int
    window_from: str
    price_in: float | None
    price_out: float | None


def list_server_models(address: str, key: str = "") -> list[str]:
    """The names of the models that a server lists; `NotConnected` says why there are none.

    A key follows to no other address: no redirect is followed and no proxy asked.
    """
    parse_model_name(f"chat:{address.rstrip('/')}#model")
    where = urlsplit(address.rstrip("/"))
    makes = HTTPSConnection if where.scheme == "https" else HTTPConnection
    headers = {"accept": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
    connection = makes(where.hostname or "", where.port, timeout=_LOOK)
    try:
        connection.request("GET", f"{where.path}/models", headers=headers)
        answer = connection.getresponse()
        told = json.loads(answer.read(_MOST)) if answer.status == _OK else None
    except (OSError, HTTPException, ValueError):
        raise NotConnected(f"The server at {address} does not answer with its models.") from None
    finally:
        connection.close()
    if answer.status != _OK:
        raise NotConnected(f"The server at {address} answered {answer.status} and lists no models.")
    listed = told.get("data") if isinstance(told, dict) else None
    names = [one.get("id") for one in listed or () if isinstance(one, dict)]
    return [name for name in names if isinstance(name, str)]


@redact_result
async def try_model(workspace: Workspace, name: str, key: str = "") -> ModelTest:
    """Make one small call to a model, with a key that is given or one that is there already."""
    named = parse_model_name(name)
    env = {**read_environment(workspace.resources.vault, name)}
    if key:
        env[VARIABLES[named.provider]] = key
    began = time.monotonic()
    try:
        async with asyncio.timeout(_SECONDS), _open(workspace, name, env, key) as model:
            context = Context(
                (Section("system", "You test a connection."),), (UserTurn(1, _ASKED),)
            )
            reply = await model.send(
                context, tools=(_TOOL,), policy=Policy(chain="never", attempts=1)
            )
            can = model.capabilities
    except TimeoutError:
        raise NotConnected(f"{name} did not answer within {_SECONDS:.0f} seconds.") from None
    except NoKey:
        raise NotConnected(
            f"{named.provider.capitalize()} needs an API key, and none was given or saved."
        ) from None
    except DirectorError as problem:
        near = find_nearest_model_name(named)
        hint = f" Did you mean {near}?" if near and near != name else ""
        raise NotConnected(f"{problem.message}{hint}") from None
    seconds = time.monotonic() - began
    prices = [
        _price(named.provider, named.model, use) for use in (Usage(1_000), Usage(output=1_000))
    ]
    return ModelTest(
        name,
        round(seconds, 2),
        bool(reply.calls),
        can.window,
        can.window_from,
        prices[0],
        prices[1],
    )


@redact_result
def connect_model(workspace: Workspace, name: str, key: str = "") -> None:
    """Choose a model for this machine; a key goes into the vault, for its own address only."""
    named = parse_model_name(name)
    if key:
        vault = workspace.resources.vault
        if named.base_url:
            add_server_key(vault, named.base_url, key)
        else:
            put_model_key(vault, VARIABLES[named.provider], key)
    if named.base_url:
        accept_server(name)
    save_settings({"model": name})


def _open(workspace: Workspace, name: str, env: Mapping[str, str], key: str) -> Model:
    if name.startswith("scripted:") and not key:
        return workspace.open_model(name, None)
    return open_model(name, env=env)


def _price(provider: str, model: str, usage: Usage) -> float | None:
    money, _ = compute_price(provider, model, usage)
    return None if money is None else float(money * 1_000)
