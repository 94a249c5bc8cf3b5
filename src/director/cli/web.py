"""`director app`: serves the app and opens it in the browser, until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import webbrowser
from typing import Annotated

import typer

from director.cli.opening import Url, fail, opened_store

EPILOG = (
    "Try it: `director app`. The printed link lets one browser in, once. To reach it from another "
    "machine, better than `--host`: `ssh -L 7878:127.0.0.1:7878 MACHINE`. Ctrl-C ends it."
)


def app(
    *,
    port: Annotated[
        int | None,
        typer.Option(help="Where to listen; without it 7878, or a free one.", min=0, max=65_535),
    ] = None,
    host: Annotated[
        str, typer.Option(help="An address of this machine; others need a password.")
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None, typer.Option(help="A name by which it is reached elsewhere.")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    store: Url = None,
) -> None:
    """Work with Director in the browser: chat, plan, workflow, runs, and what the model sees.

    It listens on this machine only. With --host it listens elsewhere too, and only if there is a
    password: DIRECTOR_PASSWORD, or the one that you are asked for.
    """
    from director.web.serving import Unsafe, serve, studio_at  # noqa: PLC0415  quick help

    password = _password(host)
    with opened_store(store, "app", make=True) as opened:
        try:
            listening = _bound(host, port, password)
        except (Unsafe, OSError) as why:
            said = f"cannot listen: {why.strerror}" if isinstance(why, OSError) else str(why)
            fail("app", said)
        studio = studio_at(opened, listening, names=name or (), password=password)
        where = f"http://{_shown(host)}:{listening.getsockname()[1]}"
        link = f"{where}/launch/{studio.sessions.link()}"
        typer.echo(f"Director is at {where}\nThis link lets one browser in, once: {link}")
        typer.echo("Ctrl-C ends it.")
        if not no_open:
            webbrowser.open(link)
        # The server has ended well by the time that Ctrl-C is told here.
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve(studio, listening))
    typer.echo("Ended. Everything is in the store.")


def _bound(host: str, port: int | None, password: str) -> socket.socket:
    from director.web.serving import PORT, bound  # noqa: PLC0415

    try:
        return bound(host, PORT if port is None else port, password=password)
    except OSError:
        if port is not None:
            raise
        return bound(host, 0, password=password)


def _password(host: str) -> str:
    given = os.environ.pop("DIRECTOR_PASSWORD", "")
    if given or host in ("127.0.0.1", "localhost", "::1") or not sys.stdin.isatty():
        return given
    return str(typer.prompt("A password for those who come from elsewhere", hide_input=True))


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104  only looked at
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
