"""Serving the app: which socket, under which names, and a link that lets the first browser in.

Loopback unless told otherwise; elsewhere only with a password. What is asked is not logged.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from ipaddress import ip_address

import uvicorn

from director.home import home, is_loopback
from director.runs.resources import Resources, RunOptions
from director.store import Store
from director.web.app import make_app
from director.web.app_state import AppState
from director.web.connections import BoundedProtocol
from director.web.guard.access import OwnNames
from director.web.sessions import Sessions

PORT = 7878
LOCAL = ("127.0.0.1", "localhost")
_GRACE = 3
_LOOK_AGAIN = 0.1
_WAITING = 128


class Unsafe(Exception):
    """It would listen to other machines without a password."""


def bind_server_socket(host: str, port: int, *, password: str = "") -> socket.socket:
    """A socket that listens; `Unsafe` if others could reach it without a password."""
    if not is_loopback(host) and not password:
        raise Unsafe(
            f"{host!r} can be reached from other machines, and there is no password. Nothing was "
            "started. Set DIRECTOR_PASSWORD, or leave out --host."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        # From here on who comes too early waits, and is not sent away.
        made.listen(_WAITING)
    except BaseException:
        made.close()
        raise
    return made


def bind_twin_socket(listening: socket.socket) -> socket.socket | None:
    """The same port on ::1, where browsers look first for names under `localhost`.

    None if this machine has no such address. If another program has the port there, it would be
    asked in our place: `OSError`, and nothing may be served under such a name.
    """
    host, port = listening.getsockname()[:2]
    is_local = host == "127.0.0.1" or ip_address(host).is_unspecified
    if listening.family != socket.AF_INET or not is_local:
        return None
    try:
        return bind_server_socket("::1", port)
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:
            raise
        return None


class Served(uvicorn.Server):
    """A server that ends the streams of events before it waits for its connections."""

    def __init__(self, config: uvicorn.Config, studio: AppState) -> None:
        super().__init__(config)
        self._studio = studio

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; whoever connected at the last moment is not left with a connection nobody serves."""
        self._studio.hub.close()
        closing_late = asyncio.create_task(self._close_late_connections())
        try:
            await super().shutdown(sockets)
        finally:
            closing_late.cancel()
            for connection in list(self.server_state.connections):
                connection.transport.abort()
            await asyncio.sleep(0)  # each is told that it was lost

    async def _close_late_connections(self) -> None:
        """Close what was accepted after uvicorn had closed the connections that it knew."""
        while True:
            await asyncio.sleep(_LOOK_AGAIN)
            for connection in list(self.server_state.connections):
                if not connection.transport.is_closing():
                    connection.shutdown()


def open_served_app(
    store: Store, listening: socket.socket, *, names: Iterable[str] = (), password: str = ""
) -> AppState:
    """The studio of a store that is served on a socket."""
    host, port = listening.getsockname()[:2]
    wild = ip_address(host).is_unspecified
    sessions = Sessions(home() / "sessions.json", password=password)
    local = [*LOCAL, sessions.host] if wild or host == "127.0.0.1" else []
    own = [*local, *([] if wild else [f"[{host}]" if ":" in host else host]), *names]
    return AppState(
        store,
        Resources(store, RunOptions()),
        sessions=sessions,
        names=OwnNames(own, port, addresses=wild),
    )


def make_app_server(studio: AppState) -> Served:
    """The server of a studio's app; `serve_app` on a socket starts it."""
    config = uvicorn.Config(
        make_app(studio),
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,
        ws="none",
        http=BoundedProtocol,
        backlog=_WAITING,
        timeout_graceful_shutdown=_GRACE,
    )
    return Served(config, studio)


async def serve_app(
    studio: AppState, listening: Iterable[socket.socket], tell: Callable[[], None]
) -> None:
    """Serve until the program is told to stop; `tell` is called as soon as all is made ready."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(closing(each)) for each in listening]
        server = make_app_server(studio)
        tell()
        # Whoever was told may end it at once: here it ends before anything has begun.
        await asyncio.sleep(0)
        await server.serve(sockets)
