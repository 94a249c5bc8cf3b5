"""A worker that does the ten nodes in a real browser, and may kill itself on the way.

Arguments: the address of the store, the worker's name, and the key of a step. When the step was
just written as begun (or, with `+` before the key, when it has acted and is about to be written as
finished), the program kills itself, as the machine would by failing. Without a key it ends well.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence

from director.browser import open_browser
from director.runs import Run, RunDependencies
from director.runs.run_execution import execute
from director.runs.worker import Pace, Worker
from director.secrets import Seal
from director.store import RecordDraft, Store, Versioned, open_store

KEY = b"a key of thirty-two bytes, or so!"[:32]


class KilledStore(Store):
    """A store whose worker dies when a step is begun, or before it is finished."""

    def __init__(self, store: Store, key: str) -> None:
        super().__init__(store._database)
        self._state = "finished" if key.startswith("+") else "begun"
        self._key = key.removeprefix("+")

    def put_all(
        self, drafts: Sequence[RecordDraft], *, unchanged: Sequence[Versioned] = ()
    ) -> tuple[Versioned, ...]:
        """Write, and die if it is time."""
        now = any(
            draft.id.endswith(f"/{self._key}") and draft.body.get("state") == self._state
            for draft in drafts
        )
        if now and self._state == "finished":
            os.kill(os.getpid(), signal.SIGKILL)
        written = super().put_all(drafts, unchanged=unchanged)
        if now:
            os.kill(os.getpid(), signal.SIGKILL)
        return written


async def main(url: str, name: str, key: str) -> None:
    """Work until killed, by itself or by whoever started it."""
    with open_store(url) as opened:
        store = KilledStore(opened, key) if key else opened
        async with open_browser() as browser:

            async def means(_run: Run) -> RunDependencies:
                return RunDependencies(
                    browser=browser, seal=Seal(KEY), pictures="none", worker=worker.name
                )

            pace = Pace(beat=0.2, patience=2.0, poll=0.1, reconcile=0.2)
            worker = Worker(store, execute(store, means), name=name, pace=pace)
            async with worker:
                await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ""))
