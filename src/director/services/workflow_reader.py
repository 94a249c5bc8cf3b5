"""What is remembered of one workflow between two readings; any thread of the program may ask."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from director.agent.saved_workflow import SavedState, read_turn_state
from director.context.values import Context
from director.sections.workflow_state import WorkflowState
from director.services.history_sizes import HistorySizes
from director.store import Store
from director.store.context_view import ThreadLog, View
from director.workflow.values import Tab


class WorkflowReader:
    """Reads one workflow again and again, each time only what is new."""

    def __init__(
        self, store: Store, workflow: str, files: Callable[[], Sequence[object]] = tuple
    ) -> None:
        self._files = files
        self._saved = SavedState(store, workflow)
        self._log = ThreadLog(store)
        self.sizes = HistorySizes()
        self._reading = threading.Lock()

    def state(self, tabs: tuple[Tab, ...] = (), said: Context | None = None) -> WorkflowState:
        """The plan, the description, the workflow with statuses, the variables."""
        with self._reading:
            return read_turn_state(
                self._saved,
                tabs=tabs,
                files=self._files(),
                summary=said.summary if said else None,
            )

    def conversation(self, thread: str) -> View:
        """The thread as it stands; its `context` is what the model sees of it."""
        with self._reading:
            return self._log.read(thread)
