"""`director proxy run`: a client started with its base URL pointing at a proxy of its own.

The proxy lives as long as the client. The client's exit code is ours; nothing of its settings is
written.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from director.cli.proxy import fail, print_savings

if TYPE_CHECKING:
    from director.cli.proxy import ProxyOptions

# The variables by which clients find each API, and what follows the address of the proxy in them.
VARIABLES: Mapping[str, str] = MappingProxyType(
    {"ANTHROPIC_BASE_URL": "", "OPENAI_BASE_URL": "/v1", "OPENAI_API_BASE": "/v1"}
)
# Arguments of clients that read no variable; {url} is the address of the proxy.
ARGUMENTS: Mapping[str, Sequence[str]] = MappingProxyType(
    {"codex": ("-c", 'openai_base_url="{url}/v1"')}
)


async def run_through(told: ProxyOptions, command: Sequence[str]) -> int:
    """Run a client through a proxy on a free port; its exit code."""
    made = told.make(port=0, host="127.0.0.1", password="", providers=find_providers(os.environ))
    await made.open()
    environment = {**os.environ, **{name: made.url + end for name, end in VARIABLES.items()}}
    try:
        process = await asyncio.create_subprocess_exec(
            *add_arguments(command, made.url), env=environment
        )
        # Ctrl-C is the client's: it reaches both, and only the client knows what it means.
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, lambda: None)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, process.terminate)
        code = await process.wait()
    except OSError as error:
        fail(f"cannot start {command[0]!r}: {error.strerror or error}. Nothing was sent.")
    finally:
        await made.close()
    print_savings(made, err=True)
    return code if code >= 0 else 128 - code


def find_providers(environment: Mapping[str, str]) -> dict[str, str]:
    """Where each API is: at the address that the user has already given a client, or its own."""
    from director.middleware.proxy import PROVIDERS

    openai = environment.get("OPENAI_BASE_URL") or environment.get("OPENAI_API_BASE")
    own = {"anthropic": environment.get("ANTHROPIC_BASE_URL"), "chat": openai, "responses": openai}
    return {api: own[api] or url for api, url in PROVIDERS.items()}


def add_arguments(command: Sequence[str], url: str) -> list[str]:
    """A command with what its client needs to be told on the command line."""
    program, *given = command
    added = ARGUMENTS.get(Path(program).stem, ())
    return [program, *(part.format(url=url) for part in added), *given]
