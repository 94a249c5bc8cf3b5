"""Threads get a hash and guards; indexes for prefixes of ids and for what hides turns.

Revision ID: 0002
"""

from __future__ import annotations

import hashlib
import json
import re

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them, and let records put large texts aside as entries do."""
    op.add_column("threads", sa.Column("hash", sa.Text, nullable=False, server_default=""))
    connection = op.get_bind()
    sqlite = connection.dialect.name == "sqlite"
    _hash_threads(connection)
    _wrap_records(connection, sqlite=sqlite)
    for statement in _SQLITE if sqlite else _POSTGRESQL:
        op.execute(statement)
    op.execute(_MARKS)


def _hash_threads(connection: sa.Connection) -> None:
    found = connection.execute(sa.text("SELECT id, workflow, title, at FROM threads")).all()
    for row in found:
        covered = _spelled(list(row))
        connection.execute(
            sa.text("UPDATE threads SET hash = :hash WHERE id = :id"),
            {"hash": hashlib.sha256(covered.encode()).hexdigest(), "id": row.id},
        )


def _wrap_records(connection: sa.Connection, *, sqlite: bool) -> None:
    """A record that looked like a reference to a large text from now on has to say it is none."""
    asked = "SELECT position, body FROM records WHERE body LIKE '%\"$blob\"%'"
    found = connection.execute(sa.text(asked)).all()
    if not found:
        return
    down, up = _SQLITE_GUARD if sqlite else _POSTGRESQL_GUARD
    op.execute(down)
    for row in found:
        body = _spelled(_wrapped(json.loads(row.body)))
        connection.execute(
            sa.text("UPDATE records SET body = :body WHERE position = :position"),
            {"body": body, "position": row.position},
        )
    op.execute(up)


def _wrapped(value: object) -> object:
    if isinstance(value, list):
        return [_wrapped(item) for item in value]
    if not isinstance(value, dict):
        return value
    inner = {name: _wrapped(item) for name, item in value.items()}
    return {"$blob": {"plain": inner}} if "$blob" in inner else inner


def _spelled(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


_SQLITE_GUARD = (
    "DROP TRIGGER records_no_update",
    (
        "CREATE TRIGGER records_no_update BEFORE update ON records "
        "BEGIN SELECT RAISE(ABORT, 'records is append-only'); END"
    ),
)
_POSTGRESQL_GUARD = (
    "ALTER TABLE records DISABLE TRIGGER records_append_only",
    "ALTER TABLE records ENABLE TRIGGER records_append_only",
)
_SQLITE = tuple(
    f"CREATE TRIGGER threads_no_{act} BEFORE {act} ON threads "
    "BEGIN SELECT RAISE(ABORT, 'threads is append-only'); END"
    for act in ("update", "delete")
)
_POSTGRESQL = (
    (
        "CREATE TRIGGER threads_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON threads "
        "FOR EACH STATEMENT EXECUTE FUNCTION director_refuse()"
    ),
    # In whatever language the server sorts, a prefix is a range only in this order.
    'CREATE INDEX records_by_prefix ON records (kind, id COLLATE "C", version)',
)
_MARKS = (
    "CREATE INDEX entries_that_hide ON entries (thread, seq) "
    "WHERE kind IN ('checkpoint', 'restore', 'delete')"
)
