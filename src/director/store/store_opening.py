"""Opening a store: connect, bring an older database up to date, refuse a newer one.

All pending migrations run in one transaction, so an interrupted one leaves the database as it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from director.store.database import Database, connect_database
from director.store.positions import ensure_position_order
from director.store.schema import SCHEMA
from director.store.store import Store
from director.store.values import StoreError

_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x64697265  # any number, as long as every Director takes the same


def open_store(
    where: str | Path,
    *,
    now: Callable[[], float] = time.time,
    patience: float = 10,
    connections: int = 15,
) -> Store:
    """A store at a path, at sqlite:///path, or at postgresql://user@host/database.

    `patience` is how many seconds a writer waits for its turn before it gives up, `connections`
    how many it has to a server at most; who needs one more waits for it.
    """
    database = connect_database(where, now, patience, connections)
    try:
        _bring_up_to_date(database)
        if not database.is_sqlite:
            with database.lock() as connection:
                ensure_position_order(connection)
    except BaseException:
        database.engine.dispose()
        raise
    return Store(database)


def _bring_up_to_date(database: Database) -> None:
    with database.reading() as connection:
        found = _schema_of(connection)
    if found is not None and found > SCHEMA:
        raise StoreError(
            f"{database.place} was written by a newer Director (schema {found}; this one knows "
            f"{SCHEMA}). Nothing was changed. Install the newer Director to open it."
        )
    if found == SCHEMA:
        return
    with database.lock() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        # Another program may have done it while this one waited.
        if _schema_of(connection) != SCHEMA:
            _migrate(connection)


def _schema_of(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _migrate(connection: Connection) -> None:
    # Only a database that is not up to date pays for loading Alembic.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
