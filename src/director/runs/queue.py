"""The queue of runs: which database it is in, and how a run is put into it.

The store is the truth about a run; the queue, kept by DBOS, only says who is to execute it. So a
run may be queued twice without harm: its steps are fenced by the store.
"""

from __future__ import annotations

import contextlib
import logging
import uuid
from pathlib import Path
from types import TracebackType
from typing import Self

from dbos import DBOS, DBOSClient, EnqueueOptions

from director.home import make_file_private

QUEUE = "director-runs"
APPLICATION = "director"
TASK = "director.run"
# Runs outlive releases: what is in the queue is only the id of a run.
VERSION = "1"


def queue_url(store_url: str) -> str:
    """Where the queue of a store is: a file beside its file, or the same PostgreSQL database."""
    if not store_url.startswith("sqlite"):
        return store_url
    stem = store_url.removesuffix(".db")
    return f"{stem}-queue.db"


def keep_private(url: str) -> None:
    """Let only its owner read the file of a queue, if it is one."""
    if url.startswith("sqlite:///"):
        with contextlib.suppress(OSError):
            make_file_private(Path(url.removeprefix("sqlite:///")))


def quiet() -> None:
    """Let DBOS speak only of what is wrong."""
    log = logging.getLogger("dbos")
    log.setLevel(logging.ERROR)
    # What an earlier worker of this program wrote to may be closed by now.
    log.handlers.clear()


class Queue:
    """Puts runs into the queue; whatever worker is free takes them."""

    def __init__(self, url: str) -> None:
        quiet()
        keep_private(url)
        DBOS.migrate(url)
        self._client = DBOSClient(system_database_url=url, application_name=APPLICATION)

    def submit(self, run: str, *, site: str = "") -> None:
        """Let a worker execute a run; runs of one site wait for one another."""
        options: EnqueueOptions = {
            "queue_name": QUEUE,
            "workflow_name": TASK,
            "workflow_id": f"{run}#{uuid.uuid4().hex[:8]}",
            "app_version": VERSION,
            "queue_partition_key": site or run,
        }
        self._client.enqueue(options, run)

    def close(self) -> None:
        """Close the connections."""
        self._client.destroy()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
