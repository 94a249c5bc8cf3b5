"""What is remembered of one workflow between two readings; any thread of the program may ask."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from director.agent.conversation.current_thread import ThreadLog
from director.agent.saved_workflow import SavedState, last_run
from director.context.values import Context
from director.runs.download_facts import list_downloads
from director.runs.run_journal import records_of, steps_of
from director.sections.workflow_state import WorkflowState
from director.store import Store
from director.store.context_view import View
from director.store.run_variables import variables, workbench
from director.web.reading.history_sizes import HistorySizes
from director.workflow.values import Json, Tab


class WorkflowReader:
    """Reads one workflow again and again, each time only what is new."""

    def __init__(
        self, store: Store, workflow: str, files: Callable[[], Sequence[object]] = tuple
    ) -> None:
        self._store = store
        self._files = files
        self._workflow = workflow
        self._saved = SavedState(store, workflow)
        self._log = ThreadLog(store)
        self.sizes = HistorySizes()
        self._reading = threading.Lock()

    def state(self, tabs: tuple[Tab, ...] = (), said: Context | None = None) -> WorkflowState:
        """The plan, the description, the workflow with statuses, the variables."""
        with self._reading:
            saved = self._saved
            ran = saved.ran()
            return WorkflowState(
                saved.workflow(),
                plan=saved.plan(),
                description=saved.description(),
                statuses={node: each.status for node, each in ran.items()},
                variables=cast(
                    "Mapping[str, Json]", variables(self._store, workbench(self._workflow))
                ),
                tabs=tabs,
                summary=said.summary if said else None,
                last_executed=last_run(ran),
                records=tuple(records_of(self._store, workbench(self._workflow))),
                downloads=tuple(list_downloads(steps_of(self._store, workbench(self._workflow)))),
                files=tuple(str(each) for each in self._files()),
            )

    def conversation(self, thread: str) -> View:
        """The thread as it stands; its `context` is what the model sees of it."""
        with self._reading:
            return self._log.read(thread)
