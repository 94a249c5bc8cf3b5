"""Threads and records, with guards against alteration and views with familiar names.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_GUARDED = ("entries", "records", "blobs")
_POSITION = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make everything."""
    _make_tables()
    if op.get_bind().dialect.name == "sqlite":
        statements = [*_sqlite_guards(), *_sqlite_views()]
    else:
        statements = [*_postgresql_guards(), *_postgresql_views()]
    for statement in statements:
        op.execute(sa.text(statement.replace(":", "\\:")))


def _make_tables() -> None:
    made = op.create_table(
        "meta",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("counter", sa.BigInteger, nullable=False),
        sa.Column("purged", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(made, [{"id": 1, "counter": 0, "purged": 0}])
    op.create_table(
        "threads",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("workflow", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_index("ix_threads_workflow", "threads", ["workflow"])
    op.create_table(
        "entries",
        sa.Column("position", _POSITION, primary_key=True, autoincrement=False),
        sa.Column("thread", sa.Text, sa.ForeignKey("threads.id"), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.UniqueConstraint("thread", "seq", name="entries_thread_seq"),
    )
    op.create_table(
        "blobs",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "records",
        sa.Column("position", _POSITION, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.UniqueConstraint("kind", "id", "version", name="records_kind_id_version"),
    )
    op.create_table(
        "refs",
        sa.Column("thread", sa.Text, sa.ForeignKey("threads.id"), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
    )


def _sqlite_guards() -> list[str]:
    return [
        f"CREATE TRIGGER {table}_no_{act} BEFORE {act} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        for table in _GUARDED
        for act in ("update", "delete")
    ]


def _postgresql_guards() -> list[str]:
    guards = [
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION director_refuse()"
        for table in _GUARDED
    ]
    return [
        _REFUSE,
        _TELL,
        *guards,
        _TELLS,
    ]


_REFUSE = """
CREATE FUNCTION director_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$
"""
# A transaction that takes a position tells whoever listens, when it commits.
_TELL = """
CREATE FUNCTION director_tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('director', NEW.counter::text); RETURN NULL; END $$
"""
_TELLS = """
CREATE TRIGGER meta_tells AFTER UPDATE ON meta FOR EACH ROW
WHEN (NEW.counter > OLD.counter) EXECUTE FUNCTION director_tell()
"""
# PostgreSQL's texts hold neither a zero character nor half of one: a view shows a mark.
_JSON = r"""
CREATE FUNCTION director_json(body text) RETURNS json LANGUAGE sql IMMUTABLE AS $$
SELECT regexp_replace(body, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'g')::json $$
"""

# A checkpoint counts if neither it nor one it builds on was restored; the newest that counts names
# every turn it covers. A result belongs to the agent's turn before it.
_CONVERSATIONS = """
CREATE VIEW conversations AS
WITH RECURSIVE made AS (
    SELECT c.thread, c.seq, {previous} AS previous, c.body FROM entries c
    WHERE c.kind = 'checkpoint' AND NOT EXISTS (
        SELECT 1 FROM entries r
        WHERE r.thread = c.thread AND r.kind = 'restore' AND {restored} = c.seq)
), active AS (
    SELECT thread, seq FROM made WHERE previous IS NULL
    UNION
    SELECT m.thread, m.seq FROM made m JOIN active a ON a.thread = m.thread AND a.seq = m.previous
), covered AS (
    SELECT c.thread, CAST(x.value AS INTEGER) AS seq FROM made c, {covers}
    WHERE (c.thread, c.seq) IN (SELECT thread, MAX(seq) FROM active GROUP BY thread)
), deleted AS (
    SELECT d.thread, CAST(x.value AS INTEGER) AS seq FROM entries d, {seqs}
    WHERE d.kind = 'delete'
), told AS (
    SELECT e.position, e.thread, e.kind, e.body, e.at, CASE e.kind WHEN 'result' THEN (
        SELECT MAX(a.seq) FROM entries a
        WHERE a.thread = e.thread AND a.seq < e.seq AND a.kind = 'agent'
    ) ELSE e.seq END AS turn
    FROM entries e WHERE e.kind IN ('user', 'agent', 'result')
)
SELECT e.position AS id, t.workflow AS workflow_id, e.thread AS thread,
       CASE e.kind WHEN 'agent' THEN 'assistant' WHEN 'result' THEN 'tool' ELSE 'user' END AS role,
       {content} AS content, {time} AS timestamp,
       (e.thread, COALESCE(e.turn, 0)) IN (SELECT thread, seq FROM covered) AS is_archived
FROM told e JOIN threads t ON t.id = e.thread
WHERE (e.thread, COALESCE(e.turn, 0)) NOT IN (SELECT thread, seq FROM deleted)
"""

_COMPRESSED = """
CREATE VIEW compressed_contexts AS
SELECT e.position AS id, t.workflow AS workflow_id, {content} AS summary,
       {count} AS original_message_count, {after} / NULLIF({before}, 0) AS compression_ratio,
       {time} AS created_at, {by} AS created_by
FROM entries e JOIN threads t ON t.id = e.thread WHERE e.kind = 'checkpoint'
"""

_PLANS = """
CREATE VIEW director_plans AS
SELECT e.id AS id, COALESCE({workflow}, e.id) AS workflow_id, e.version AS plan_version,
       e.body AS plan_data, {first_time} AS created_at, {time} AS updated_at
FROM records e JOIN records f ON f.kind = 'plan' AND f.id = e.id AND f.version = 1
WHERE e.kind = 'plan' AND NOT EXISTS (
    SELECT 1 FROM records n WHERE n.kind = 'plan' AND n.id = e.id AND n.version > e.version)
"""


def _sqlite_views() -> list[str]:
    def text(name: str) -> str:
        # A large text is kept aside, compressed: the view shows how it starts and names the rest.
        return (
            f"CASE json_type(e.body, '$.{name}') WHEN 'object' THEN "
            f"json_extract(e.body, '$.{name}.start') || '… [blob ' || "
            f"json_extract(e.body, '$.{name}.\"$blob\"') || ']' "
            f"ELSE json_extract(e.body, '$.{name}') END"
        )

    def time(row: str) -> str:
        return f"strftime('%Y-%m-%dT%H:%M:%fZ', {row}.at, 'unixepoch')"

    return [
        _CONVERSATIONS.format(
            content=text("text"),
            time=time("e"),
            covers="json_each(c.body, '$.covers') x",
            seqs="json_each(d.body, '$.seqs') x",
            previous="json_extract(c.body, '$.previous')",
            restored="json_extract(r.body, '$.checkpoint')",
        ),
        _COMPRESSED.format(
            content=text("summary"),
            count="json_array_length(e.body, '$.covers')",
            after="CAST(json_extract(e.body, '$.after') AS REAL)",
            before="json_extract(e.body, '$.before')",
            by="json_extract(e.body, '$.by')",
            time=time("e"),
        ),
        _PLANS.format(
            workflow="json_extract(e.body, '$.workflow_id')",
            first_time=time("f"),
            time=time("e"),
        ),
    ]


def _postgresql_views() -> list[str]:
    def body(row: str) -> str:
        return f"director_json({row}.body)"

    def text(name: str) -> str:
        field = f"{body('e')} -> '{name}'"
        return (
            f"CASE json_typeof({field}) WHEN 'object' THEN ({field} ->> 'start') || '… [blob ' || "
            f"({field} ->> '$blob') || ']' ELSE {body('e')} ->> '{name}' END"
        )

    def listed(row: str, name: str) -> str:
        return f"json_array_elements_text(COALESCE({body(row)} -> '{name}', '[]')) x(value)"

    return [
        _JSON,
        _CONVERSATIONS.format(
            content=text("text"),
            time="to_timestamp(e.at)",
            covers=listed("c", "covers"),
            seqs=listed("d", "seqs"),
            previous=f"({body('c')} ->> 'previous')::integer",
            restored=f"({body('r')} ->> 'checkpoint')::integer",
        ),
        _COMPRESSED.format(
            content=text("summary"),
            count=f"json_array_length(COALESCE({body('e')} -> 'covers', '[]'))",
            after=f"({body('e')} ->> 'after')::double precision",
            before=f"({body('e')} ->> 'before')::double precision",
            by=f"{body('e')} ->> 'by'",
            time="to_timestamp(e.at)",
        ),
        _PLANS.format(
            workflow=f"{body('e')} ->> 'workflow_id'",
            first_time="to_timestamp(f.at)",
            time="to_timestamp(e.at)",
        ),
    ]
