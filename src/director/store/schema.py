"""The tables of the store, as SQLAlchemy knows them, for both engines.

The migrations make them; this module only names them for queries. It must never create or alter
a table itself: what a released database looks like is written in the migrations and stays there.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

SCHEMA = "0005"
"""The newest migration. A database that names a later one was written by a newer Director."""

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("counter", BigInteger, nullable=False),
    Column("purged", BigInteger, nullable=False),
    Column("base", BigInteger, nullable=False),
)

tallies = Table(
    "tallies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("counter", BigInteger, nullable=False),
)
"""How many positions were taken, on PostgreSQL: the sum counts, each writer adds to any row."""

threads = Table(
    "threads",
    metadata,
    Column("id", Text, primary_key=True),
    Column("workflow", Text, nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("hash", Text, nullable=False),
)

entries = Table(
    "entries",
    metadata,
    Column(
        "position",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("thread", Text, ForeignKey("threads.id"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("hash", Text, nullable=False),
    Column("before", Text, nullable=False),
    UniqueConstraint("thread", "seq", name="entries_thread_seq"),
)

_hides = text("kind IN ('checkpoint', 'restore', 'delete')")
Index(
    "entries_that_hide",
    entries.c.thread,
    entries.c.seq,
    sqlite_where=_hides,
    postgresql_where=_hides,
)

blobs = Table(
    "blobs",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

records = Table(
    "records",
    metadata,
    Column(
        "position",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("kind", Text, nullable=False),
    Column("id", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("hash", Text, nullable=False),
    Column("before", Text, nullable=False),
    UniqueConstraint("kind", "id", "version", name="records_kind_id_version"),
)

refs = Table(
    "refs",
    metadata,
    Column("thread", Text, ForeignKey("threads.id"), primary_key=True),
    Column("body", Text, nullable=False),
    Column("hash", Text, nullable=False),
)

workers = Table(
    "workers",
    metadata,
    Column("name", Text, primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("machine", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("beat", BigInteger, nullable=False),
    Column("at", Double, nullable=False),
)
