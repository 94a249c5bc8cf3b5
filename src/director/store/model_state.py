"""What the model layer keeps for each thread: one small JSON value, replaced in the transaction.

It is a note for speed, not history: losing it costs a replay, never a word.
"""

from __future__ import annotations

import json
from typing import cast

from sqlalchemy import Connection, delete, insert, select, update

from director.store.canonical import encode_canonical, hash_canonical
from director.store.positions import Writing
from director.store.schema import refs
from director.store.thread_log import make_thread
from director.store.values import Json


def get_model_state(connection: Connection, thread: str) -> Json | None:
    """The reference of a thread, if it has one."""
    body = connection.execute(select(refs.c.body).where(refs.c.thread == thread)).scalar()
    return None if body is None else cast("Json", json.loads(body))


def put_model_state(writing: Writing, thread: str, reference: Json | None) -> None:
    """Replace the reference of a thread, or remove it."""
    own = refs.c.thread == thread
    if reference is None:
        writing.connection.execute(delete(refs).where(own))
        return
    make_thread(writing, thread)
    columns = {"body": encode_canonical(reference), "hash": hash_model_reference(thread, reference)}
    if writing.connection.execute(update(refs).where(own).values(columns)).rowcount == 0:
        writing.connection.execute(insert(refs).values(thread=thread, **columns))


def hash_model_reference(thread: str, reference: Json) -> str:
    """The hash of a reference, which names its thread."""
    return hash_canonical([thread, reference])
