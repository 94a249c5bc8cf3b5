"""`director proxy`: starts the proxy and says what to change in the agent.

It listens on loopback unless told otherwise. Whatever cannot be started is said in one line, with
exit code 2.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, TypeAlias

import typer

from director.cli.app_command import Host, HostNames

if TYPE_CHECKING:
    from director.middleware.background_summaries import Writes
    from director.middleware.proxy import Proxy

_DRAINS = 60.0  # seconds that answers under way have when the program is told to end
EPILOG = (
    "Try it: `director double` in one terminal, `director proxy --upstream http://127.0.0.1:PORT` "
    "in another, then the printed export lines and your agent in a third. The page at /director "
    "shows what was saved, per client."
)
TokenLimit: TypeAlias = Annotated[
    str, typer.Option(help="The most tokens to send, such as 100k.", metavar="TOKENS")
]
Upstream: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="The upstream server; else the provider whose API a request speaks.",
        metavar="URL",
    ),
]
StrategyName: TypeAlias = Annotated[str, typer.Option(help="The strategy.", metavar="NAME")]
Level: TypeAlias = Annotated[
    str, typer.Option(help="How results shrink: none, low, medium, high.", metavar="LEVEL")
]
Summariser: TypeAlias = Annotated[
    str | None,
    typer.Option(help="A model that summarises what leaves, with a key of its own."),
]
Thrift: TypeAlias = Annotated[
    bool, typer.Option("--thrift", help="Shrink large results before the model sees them: cheaper.")
]
Recall: TypeAlias = Annotated[
    bool, typer.Option("--recall", help="Offer the tool recall to every agent that has tools.")
]
Count: TypeAlias = Annotated[
    Literal["original", "managed"],
    typer.Option(help="What count_tokens counts: the request as it came, or as it would be sent."),
]
AllowedOrigins: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="The origin of a web page that may use it.", metavar="ORIGIN"),
]
ProgramName: TypeAlias = Annotated[
    str, typer.Argument(help="The client and its arguments, after --.", metavar="PROGRAM …")
]
Port: TypeAlias = Annotated[
    int, typer.Option(help="Where to listen; 0 takes a free port.", min=0, max=65_535)
]


app = typer.Typer(invoke_without_command=True, epilog=EPILOG)


@dataclass(frozen=True, slots=True)
class ProxyOptions:
    """What the command was told; `make` gives the proxy, or ends the program in one line."""

    budget: str
    managing: Mapping[str, Any]
    options: Mapping[str, Any]
    upstream: str | None
    summariser: str | None
    host: str
    port: int

    def make(self, **more: object) -> Proxy:
        """The proxy, with these options in place of those that were given."""
        from director.manager import ContextConfig
        from director.middleware.proxy import Proxy

        options: dict[str, Any] = {"host": self.host, "port": self.port, **self.options, **more}
        try:
            config = ContextConfig(budget=tokens(self.budget), **self.managing)
            return Proxy(config, self.upstream, writes=_writer(self.summariser), **options)
        except ValueError as error:
            fail(str(error))


@app.callback()
def proxy(
    context: typer.Context,
    *,
    budget: TokenLimit = "100k",
    upstream: Upstream = None,
    strategy: StrategyName = "hybrid",
    level: Level = "medium",
    thrift: Thrift = False,
    recall: Recall = False,
    count: Count = "original",
    summariser: Summariser = None,
    name: HostNames = None,
    allow_origin: AllowedOrigins = None,
    host: Host = "127.0.0.1",
    port: Port = 8788,
) -> None:
    """Manage the context of any agent, in any language, by its base URL.

    Speaks Chat Completions, Responses and Anthropic Messages, streaming included. Adds nothing
    but managed context: keys, headers, errors and streams pass through, and nothing is stored.
    It listens on this machine only; with --host elsewhere too, and then every request needs the
    password of DIRECTOR_PASSWORD in the header X-Director-Password.
    """
    managing = {"strategy": strategy, "compression_level": level, "thrift": thrift}
    options: dict[str, Any] = {"names": name or (), "origins": allow_origin or ()}
    options |= {"recall": recall, "counting": count}
    options["password"] = os.environ.pop("DIRECTOR_PASSWORD", "")
    told = ProxyOptions(budget, managing, options, upstream, summariser, host, port)
    context.obj = told
    if context.invoked_subcommand is None:
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(told.make(), budget))


@app.command("run", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def run_client(context: typer.Context, program: ProgramName) -> None:
    """Start a proxy, run a client through it, and print what was saved: proxy run -- claude."""
    from director.cli.proxy_run import run_through

    told: ProxyOptions = context.obj
    raise typer.Exit(asyncio.run(run_through(told, [program, *context.args])))


def tokens(text: str) -> int:
    """A number of tokens: 100000, 100k or 1m."""
    factors = {"k": 1_000, "m": 1_000_000}
    body = text.strip().lower().replace("_", "").replace(",", "")
    factor = factors.get(body[-1:], 1)
    try:
        number = int(float(body.rstrip("km")) * factor)
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError(f"a budget is a number of tokens such as 100000 or 100k, not {text!r}")
    return number


def _writer(name: str | None) -> Writes | None:
    if name is None:
        return None
    from director.models import open_model

    return open_model(name)


def fail(message: str) -> NoReturn:
    """End the program with one line."""
    typer.echo(f"director proxy: {message}", err=True)
    raise typer.Exit(2)


async def _serve(made: Proxy, budget: str) -> None:
    try:
        await made.open()
    except OSError as error:
        fail(f"cannot listen there: {error.strerror or error}")
    stop, leave = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, stop.set)
    loop.add_signal_handler(signal.SIGTERM, leave.set)
    typer.echo(f"export OPENAI_BASE_URL={made.url}/v1")
    typer.echo(f"export ANTHROPIC_BASE_URL={made.url}")
    typer.echo(f"Budget: {budget} tokens  Saved: {made.url}/director  Stop: Ctrl-C")
    await _wait_for_end(stop, leave, made)
    print_savings(made)


def print_savings(made: Proxy, *, err: bool = False) -> None:
    """A line for each client, and one for each kind of request that was not managed."""
    for one in made.seen.clients:
        typer.echo(f"{one.client} {one.agent}: {one.before:,} → {one.after:,} tokens", err=err)
    for path, reason, count in made.seen.list_unmanaged():
        typer.echo(f"not managed: {path} ({count:,}): {reason}", err=err)


async def _wait_for_end(stop: asyncio.Event, leave: asyncio.Event, made: Proxy) -> None:
    """Wait for a signal: Ctrl-C drops what is under way, SIGTERM lets it end, bounded."""
    stops = asyncio.create_task(stop.wait())
    leaves = asyncio.create_task(leave.wait())
    await asyncio.wait({stops, leaves}, return_when=asyncio.FIRST_COMPLETED)
    if leaves.done() and not stops.done():
        draining = asyncio.create_task(made.drain(_DRAINS))
        await asyncio.wait({draining, stops}, return_when=asyncio.FIRST_COMPLETED)
        draining.cancel()
    for each in (stops, leaves):
        each.cancel()
    await made.close()
