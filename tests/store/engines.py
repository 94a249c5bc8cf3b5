"""Databases for tests: a file, or one on a real PostgreSQL server; empty, or an empty store."""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import shutil
import tempfile
from pathlib import Path

import psycopg

from director.store.store_opening import open_store
from store.servers import postgres_url

ENGINES = ("sqlite", "postgresql")
_numbers = itertools.count(1)


def fresh(engine: str, folder: Path) -> str:
    """The address of a database that is empty."""
    if engine == "postgresql":
        return postgres_url()
    return f"sqlite:///{folder / f'director-{next(_numbers)}'}.db"


def prepared(engine: str, folder: Path) -> str:
    """The address of a store with nothing in it; faster than opening an empty database."""
    template = _template(engine)
    if engine == "sqlite":
        url = fresh(engine, folder)
        prepared_file(file_of(url))
        return url
    base, old = template.split("?")[0].rsplit("/", 1)
    name = f"prepared_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(template.replace(f"/{old}", "/postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{old}"'.encode())
    return template.replace(f"{base}/{old}", f"{base}/{name}")


def prepared_file(path: Path) -> Path:
    """The same on SQLite, in the file of this name."""
    shutil.copy(file_of(_template("sqlite")), path)
    return path


@functools.cache
def _template(engine: str) -> str:
    folder = Path(tempfile.mkdtemp(prefix="director-template-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    url = fresh(engine, folder)
    if engine == "postgresql":
        _do_not_wait_for_the_disk(url)
    open_store(url).close()
    return url


def _do_not_wait_for_the_disk(url: str) -> None:
    """Tests kill clients and never the server, so it may keep its writes in memory."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")


def file_of(url: str) -> Path:
    """The file of a SQLite address."""
    return Path(url.removeprefix("sqlite:///"))


def cut_connections(url: str) -> None:
    """End every session of a PostgreSQL database, as when the machine of a client dies."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
