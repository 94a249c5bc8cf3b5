"""From a name to a model that can be talked to. Libraries of providers are loaded here, late."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from director.counting import counter_for
from director.distribution import install_line
from director.errors import DirectorError
from director.models.capabilities import Capabilities, read_capabilities
from director.models.capture import capture_offline_request, capture_request
from director.models.dialect import ProviderAPI
from director.models.local import probe_local_server
from director.models.model import Model, ModelLocation
from director.models.names import Access, Named, find_model_credentials, parse_model_name
from director.models.restart_journal import Journal
from director.models.script_engines.load import load_script_engine
from director.models.scripted import Scripted
from director.models.timing import Timing
from director.models.values import Policy
from director.models.windows import set_window

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_PROBING = 600.0  # seconds for one question to a server of one's own


class NoLibrary(DirectorError, ImportError):
    """The library of a provider is not installed; the message says how to get it."""

    kept = "What was said is kept."
    next_step = "Install it, or choose another model."


def open_model(  # noqa: PLR0913  every argument but the name has a default
    name: str,
    *,
    journal: Journal | None = None,
    policy: Policy | None = None,
    timing: Timing | None = None,
    capabilities: Capabilities | None = None,
    env: Mapping[str, str] = os.environ,
    accepted: Collection[str] | None = None,
    offline: bool = False,
    window: int | None = None,
) -> Model:
    """The model of that name, such as `openai:gpt-6.1-terra`; keys come from the environment.

    A name that was not written by the caller (it comes from a store, say) needs `accepted`: the
    servers that may be sent a key, as `list_accepted_servers(settings)` lists them.
    `window` is what the user says that its window is, whatever the catalogue or its server say.
    An `offline` one writes its requests and reaches no server: each attempt fails as if the network
    were down. Raises `UnknownModel`, `NoKey`, `ServerNotAccepted` or `NoLibrary`, each saying what
    to do.
    """
    named = parse_model_name(name)
    access = find_model_credentials(named, env, accepted=accepted)
    timing = timing or Timing()
    again = partial(open_model, name, policy=policy, timing=timing, env=env, accepted=accepted)
    can = set_window(capabilities or read_capabilities(named.provider, named.model), window, "set")
    dialect, probe = _dialect(named, access, can, timing, offline=offline)
    return Model(
        ModelLocation(named.provider, _account(access), named.model),
        dialect,
        journal=journal,
        policy=policy,
        timing=timing,
        counter=counter_for(named.model),
        reopen=lambda known: again(capabilities=known, offline=offline, window=window),
        probe=None if capabilities or probe is None else _setting(probe, window),
        name=name,
        hidden=access.key,
    )


def _setting(
    probe: Callable[[], Awaitable[Capabilities]], window: int | None
) -> Callable[[], Awaitable[Capabilities]]:
    """A probe whose finding gives way to what the user said of the window."""

    async def ask() -> Capabilities:
        return set_window(await probe(), window, "set")

    return ask


def _account(access: Access) -> str:
    """Whose memory a server's ids belong to, without telling the key."""
    return hashlib.sha256(f"{access.base_url}\n{access.key}".encode()).hexdigest()[:16]


def _dialect(
    named: Named, access: Access, can: Capabilities, timing: Timing, *, offline: bool
) -> tuple[ProviderAPI, Callable[[], Awaitable[Capabilities]] | None]:
    """The API of a model, and for a server of one's own the way to find out what it can do."""
    if named.provider == "scripted":
        return Scripted(load_script_engine(named.model), named.model, timing), None
    if named.form == "anthropic":
        _need("anthropic")
        from anthropic import (
            AsyncAnthropic,
            DefaultAsyncHttpxClient,
        )

        from director.models.anthropic import Anthropic

        made = AsyncAnthropic(
            api_key=access.key,
            base_url=access.base_url,
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(**_wire(offline=offline)),
        )
        return Anthropic(made, named.model, can), None
    _need("openai")
    from openai import (
        AsyncOpenAI,
        DefaultAsyncHttpxClient,
    )

    from director.models.chat_completions import Chat
    from director.models.responses import Responses

    client = AsyncOpenAI(
        api_key=access.key,
        base_url=access.base_url,
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(**_wire(offline=offline)),
    )
    speaks = Chat if named.form == "chat" else Responses
    own = named.provider in ("chat", "responses")
    return speaks(client, named.model, can), partial(_probe, client, named) if own else None


def _wire(*, offline: bool) -> dict[str, Any]:
    """How an HTTP client is made: it notes what it sends, and bounds what comes back.

    It follows no redirect: a key and a conversation go to the address that was chosen only.
    """
    from director.models.response_limits import limit_response  # noqa: PLC0415  needs httpx

    return {
        "event_hooks": {
            "request": [capture_offline_request if offline else capture_request],
            "response": [limit_response],
        },
        "follow_redirects": False,
        "headers": {"accept-encoding": "identity"},
    }


async def _probe(client: AsyncOpenAI, named: Named) -> Capabilities:
    async def ask(path: str, body: Mapping[str, object] | None) -> tuple[int, object]:
        send = client.get if body is None else partial(client.post, body=body)
        async with asyncio.timeout(_PROBING):
            return 200, await send(path, cast_to=object)

    return await probe_local_server(ask, named.base_url, named.model, named.form)


def _need(library: str) -> None:
    if find_spec(library) is None:
        message = f"the library {library!r} is not installed: {install_line(library)}"
        raise NoLibrary(message)
