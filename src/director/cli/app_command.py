"""`director app`: serves the app and opens it in the browser, until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from director.web.launch_link import LaunchLink

from director.cli.command_setup import Url, fail, open_store_or_exit

EPILOG = (
    "Try it: `director app`. The printed link lets one browser in, once. To reach it from another "
    "machine, better than `--host`: `ssh -L 7878:127.0.0.1:7878 MACHINE`. Ctrl-C ends it."
)
Port: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Where to listen; without it 7878, or a free one.", min=0, max=65_535),
]
Host: TypeAlias = Annotated[
    str, typer.Option(help="An address of this machine; others need a password.")
]
HostNames: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="A name by which it is reached elsewhere.")
]
NoOpen: TypeAlias = Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")]


def app(
    *,
    port: Port = None,
    host: Host = "127.0.0.1",
    name: HostNames = None,
    no_open: NoOpen = False,
    store: Url = None,
) -> None:
    """Work with Director in the browser: chat, plan, workflow, runs, and what the model sees.

    It listens on this machine only. With --host it listens elsewhere too, and only if there is a
    password: DIRECTOR_PASSWORD, or the one that you are asked for.
    """
    from director.process_memory import settle_memory
    from director.web.app_server import Unsafe, open_served_app, serve_app
    from director.web.launch_link import LaunchLink

    settle_memory()
    password = _password(host)
    with open_store_or_exit(store, "app", make=True) as opened:
        try:
            listening = _bind(host, port, password)
        except (Unsafe, OSError) as why:
            said = f"cannot listen: {why.strerror}" if isinstance(why, OSError) else str(why)
            fail("app", said)
        studio = open_served_app(opened, listening[0], names=name or (), password=password)
        link = LaunchLink.to(studio, _render_host(host), listening[0].getsockname()[1])
        # The server has ended well by the time that Ctrl-C is told here.
        with contextlib.ExitStack() as stack, contextlib.suppress(KeyboardInterrupt):

            def tell() -> None:
                _tell(link, _render_host(host))
                stack.enter_context(_open_browser(link, no_open=no_open))

            asyncio.run(serve_app(studio, listening, tell))
    typer.echo("Ended. Everything is in the store.")


def _tell(link: LaunchLink, host: str) -> None:
    typer.echo(f"Director is at {link.place}")
    typer.echo(f"This link lets one browser in, once: {link.named}")
    if link.named != link.plain:
        typer.echo(f"Where that name is not found, put {host} in its place.")
    typer.echo("Ctrl-C ends it.")


@contextmanager
def _open_browser(link: LaunchLink, *, no_open: bool) -> Iterator[None]:
    """Open the browser by a private file, which is removed at the end.

    Every user of a machine sees what programs are started with: the link must not be among it.
    """
    if no_open:
        yield
        return
    file = link.write_file()
    try:
        webbrowser.open(file.as_uri())
        yield
    finally:
        file.unlink(missing_ok=True)


def _bind(host: str, port: int | None, password: str) -> list[socket.socket]:
    """The sockets to serve on; another port if one of them is taken and none was asked for."""
    from director.web.app_server import PORT

    try:
        return _both(host, PORT if port is None else port, password)
    except OSError:
        if port:
            raise
        return _both(host, 0, password)


def _both(host: str, port: int, password: str) -> list[socket.socket]:
    from director.web.app_server import bind_server_socket, bind_twin_socket

    made = bind_server_socket(host, port, password=password)
    try:
        twin = bind_twin_socket(made)
    except OSError:
        made.close()
        raise
    return [made, twin] if twin else [made]


def _password(host: str) -> str:
    given = os.environ.pop("DIRECTOR_PASSWORD", "")
    if given or host in ("127.0.0.1", "localhost", "::1") or not sys.stdin.isatty():
        return given
    return str(typer.prompt("A password for those who come from elsewhere", hide_input=True))


def _render_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104  only looked at
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
