"""Watching a run: its steps as they are begun and finished, done here or elsewhere.

It reads what is committed and changes nothing; a step is shown without secrets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from director.runs import Step, read_run
from director.runs.run_execution import is_parked
from director.runs.run_journal import parse_step
from director.services.workspace import Workspace
from director.store import Versioned

ENDED = ("done", "failed", "cancelled")
_LOOK = 0.2  # seconds between two looks whether anything was committed


class RunWatch:
    """The steps of one run from now on; nothing is missed between its making and `follow`."""

    def __init__(self, workspace: Workspace, run: str) -> None:
        self._workspace = workspace
        self._run = run
        self._feed = workspace.store.subscribe()

    def close(self) -> None:
        """Watch no longer."""
        self._feed.close()

    async def follow(self, tell: Callable[[Step], None]) -> None:
        """Tell each change of a step, until nobody works on the run any more."""
        while True:
            # Looked at first: what was committed by then is told before this returns.
            found = read_run(self._workspace.store, self._run)
            over = found.state in ENDED or is_parked(found)
            change = await asyncio.to_thread(self._feed.next, 0 if over else _LOOK)
            if change is not None and isinstance(change.what, Versioned):
                record = change.what
                if record.kind == "step" and record.id.startswith(f"{self._run}/"):
                    tell(self._workspace.redact(parse_step(record)))
            elif change is None and over:
                return
