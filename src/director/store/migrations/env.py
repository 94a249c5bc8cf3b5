"""Where Alembic starts: it works on the connection and in the transaction that it is given.

It must never open a connection, configure logging or commit by itself.
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from director.store.schema import metadata

connection: Connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata)
context.run_migrations()
