"""A database of every released schema opens, verifies and says what it said then."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

import director.store.migrations
from director.store import open_store
from director.store.schema import SCHEMA, metadata
from director.testing.store_drafts import draft_user_message
from store.engines import ENGINES, file_of, fresh
from store.goldens import GOLDEN, told

_RELEASED = sorted(file.stem for file in GOLDEN.glob("*.sql"))


def _released(engine: str, schema: str, folder: Path) -> str:
    """The address of a database as it was when that schema was new."""
    url = fresh(engine, folder)
    script = (GOLDEN / f"{schema}.sql").read_text(encoding="utf-8")
    file = file_of(url) if engine == "sqlite" else folder / "golden.db"
    with closing(sqlite3.connect(file)) as database:
        database.executescript(script)
        if engine == "postgresql":
            _copy(database, url, schema)
    return url


def _copy(database: sqlite3.Connection, url: str, schema: str) -> None:
    """Make the tables on a server by the migrations up to then, and copy the rows into them."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    config = Config()
    config.set_main_option("script_location", str(Path(director.store.migrations.__file__).parent))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, schema)
        connection.exec_driver_sql("DELETE FROM meta")
        known = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        for table in (each for each in metadata.sorted_tables if each.name in known):
            found = database.execute(f"SELECT * FROM {table.name}")  # noqa: S608
            names = [column[0] for column in found.description]
            places = ", ".join(["%s"] * len(names))
            for row in found:
                connection.exec_driver_sql(
                    f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({places})",  # noqa: S608
                    row,
                )
    engine.dispose()


@pytest.mark.promise("A8")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("schema", _RELEASED)
def test_a_released_database_opens_and_tells_the_same(
    engine: str, schema: str, tmp_path: Path
) -> None:
    """The same hashes, turns, summaries and records; and it can be written to."""
    url = _released(engine, schema, tmp_path)
    then = json.loads((GOLDEN / f"{schema}.json").read_text(encoding="utf-8"))
    with open_store(url) as store:
        assert store.verify().first_bad is None
        assert json.loads(json.dumps(told(store))) == then
        store.append("prices", [draft_user_message("and now?")])
        store.restore_version("note", "n", 1)
        assert store.verify().first_bad is None


def test_every_schema_has_its_database() -> None:
    """Of each migration there is one, so that none can be forgotten."""
    versions = Path(director.store.migrations.__file__).parent / "versions"
    assert {file.name[:4] for file in versions.glob("0*.py")} == set(_RELEASED)
    assert max(_RELEASED) == SCHEMA
