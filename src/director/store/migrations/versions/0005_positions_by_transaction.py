"""On PostgreSQL a position is made of the number of its transaction: no row is taken in turn.

A Director that is still running with the schema before would hand out positions by the counter:
from now on the database refuses that. A file keeps its counter; it gets the columns only.

Revision ID: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make what counts, and on PostgreSQL what hands out positions."""
    op.add_column("meta", sa.Column("base", sa.BigInteger, nullable=False, server_default="0"))
    op.create_table(
        "tallies",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("counter", sa.BigInteger, nullable=False),
    )
    if op.get_bind().dialect.name != "sqlite":
        for statement in _POSTGRESQL:
            op.execute(sa.text(statement.replace(":", "\\:")))


_OLD = (
    "DROP TRIGGER meta_tells ON meta",
    "DROP FUNCTION director_tell()",
    # All that was written before comes before all that is written from now on.
    "UPDATE meta SET base = counter",
    (
        "CREATE FUNCTION director_outdated() RETURNS trigger LANGUAGE plpgsql AS $$ "
        "BEGIN RAISE EXCEPTION 'the counter is append-only'; END $$"
    ),
    (
        "CREATE TRIGGER meta_counter BEFORE UPDATE OF counter ON meta "
        "FOR EACH STATEMENT EXECUTE FUNCTION director_outdated()"
    ),
)
# Adds to whichever row nobody else is adding to, so that nobody waits; what counts is the sum.
_COUNT = """
CREATE FUNCTION director_count(positions bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tallies SET counter = counter + positions
  WHERE id = (SELECT id FROM tallies ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO tallies (id, counter) VALUES (nextval('tallies_id_seq'), positions);
  END IF;
END $$
"""
# The locks come first, the number of the transaction after them: so of two that write to one
# thread, the later has the higher one. No names: the whole store.
_WRITE = """
CREATE FUNCTION director_write(names bigint[], positions bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE name bigint;
BEGIN
  PERFORM set_config('idle_in_transaction_session_timeout', '20s', true);
  IF names IS NULL THEN
    PERFORM pg_advisory_xact_lock(1684632165, 1);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(1684632165, 1);
    FOREACH name IN ARRAY names LOOP
      PERFORM pg_advisory_xact_lock(name);
    END LOOP;
  END IF;
  IF positions > 0 THEN
    PERFORM director_count(positions);
  END IF;
  RETURN (SELECT base FROM meta) + (pg_current_xact_id()::text::bigint << 24);
END $$
"""
# A database that was dumped here from another server begins with lower numbers of transactions.
_ORDER = """
CREATE FUNCTION director_order() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE last bigint; next bigint;
BEGIN
  FOR round IN 1..2 LOOP
    SELECT greatest((SELECT max(position) FROM entries), (SELECT max(position) FROM records), 0),
      base + (pg_snapshot_xmax(pg_current_snapshot())::text::bigint << 24)
      INTO last, next FROM meta;
    IF last <= next THEN RETURN round = 2; END IF;
    PERFORM pg_advisory_xact_lock(1684632165, 1);
  END LOOP;
  UPDATE meta SET base = base + last - next + 1;
  RETURN true;
END $$
"""
_POSTGRESQL = (
    *_OLD,
    "CREATE SEQUENCE IF NOT EXISTS tallies_id_seq OWNED BY tallies.id",
    _COUNT,
    _WRITE,
    _ORDER,
)
