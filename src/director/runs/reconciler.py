"""The reconciler: makes the queue agree with the store, which is the truth about runs.

Every worker that serves does this again and again. A run that is to be done and has no live holder
is put into the queue; a row of the queue whose run has ended, or whose worker is dead or does not
work on it, is cancelled, so that it holds up no other run of its site. A run that was never given
to workers is left alone: some program does it by itself. Doing all this twice, or in two workers at
once, does no harm: the lease in the store decides who may write.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from dbos import DBOS, WorkflowStatus

from director.runs.liveness import Liveness
from director.runs.run_execution import GOING, get_run_site, is_parked, list_open_run_questions
from director.runs.run_journal import parse_run, read_run
from director.runs.run_queue import TASK, make_queue_options
from director.runs.values import Run, RunError
from director.store import Store
from director.store.run_variables import is_draft_run_id

_LOG = logging.getLogger("director.runs")
_WAITING = ("ENQUEUED", "DELAYED")
_HELD = "PENDING"
_SURE = 3  # looks in a row after which what should not be so is put right
_FORGET = 600.0  # seconds of watched silence after which a dead worker is taken off the list


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A row of the queue that has not ended: which run it is for, and who took it."""

    id: str
    run: str
    is_held: bool
    worker: str


class Reconciler:
    """Puts runs without a live holder into the queue again, and dead rows out of it."""

    def __init__(
        self,
        store: Store,
        worker: str,
        *,
        liveness: Liveness,
        busy: Callable[[], Collection[str]],
    ) -> None:
        self._store = store
        self._worker = worker
        self._liveness = liveness
        self._busy = busy
        self._due = DueRuns(store)
        self._idle: Counter[str] = Counter()
        self._orphans: Counter[str] = Counter()

    def reconcile(self) -> None:
        """Look once at all runs and rows, and put right what is surely wrong."""
        rows = list_reconciled_rows()
        alive = self._liveness.observe(self._store.beats()) | {self._worker}
        due = self._due.read()
        dead = {row.id: row.run for row in rows if self._is_dead(row, alive, due)}
        if dead:
            DBOS.cancel_workflows(list(dead))
            _LOG.warning("Took %s out of the queue: nobody works on them.", ", ".join(dead))
        living = {row.run for row in rows if row.id not in dead}
        orphans = {id_: run for id_, run in due.items() if id_ not in living}
        self._requeue(orphans, alive, sure=set(dead.values()))
        self._forget_dead(alive, {row.worker for row in rows if row.is_held})

    def clear_own(self) -> None:
        """Take rows out of the queue that this worker holds and does not work on."""
        dead = [row.id for row in list_reconciled_rows(worker=self._worker) if self._is_idle(row)]
        if dead:
            DBOS.cancel_workflows(dead)

    def _is_dead(self, row: QueueRow, alive: Collection[str], due: Mapping[str, Run]) -> bool:
        if not row.is_held:
            return self._is_sure(f"ended {row.id}", wrong=row.run not in due)
        if row.worker == self._worker:
            return self._is_idle(row)
        return row.worker not in alive

    def _is_idle(self, row: QueueRow) -> bool:
        # It may have been taken a moment ago and not begun yet.
        return self._is_sure(row.id, wrong=row.id not in self._busy())

    def _is_sure(self, what: str, *, wrong: bool) -> bool:
        if not wrong:
            self._idle.pop(what, None)
            return False
        self._idle[what] += 1
        return self._idle[what] >= _SURE

    def _requeue(
        self, orphans: Mapping[str, Run], alive: Collection[str], *, sure: Collection[str]
    ) -> None:
        # Whoever wrote a run may be about to queue it, and whoever ends it about to say so; a run
        # whose row was a dead worker's is nobody's for sure.
        self._orphans = Counter({id_: self._orphans[id_] + 1 for id_ in orphans})
        for id_, looks in self._orphans.items():
            if looks >= _SURE or id_ in sure:
                self._submit(orphans[id_], alive)

    def _submit(self, run: Run, alive: Collection[str]) -> None:
        known = DBOS.list_workflows(
            workflow_id_prefix=f"{run.id}#", load_input=False, load_output=False
        )
        lease = self._store.get("lease", run.id)
        holder = str(lease.body["worker"]) if lease else ""
        if holder in alive or not known:
            return
        if holder and holder not in {row.executor_id for row in known}:
            # A program that is no worker does it; whether that lives is not for us to say.
            return
        # Of two workers that come to this at once, both name the row alike: there is one.
        options = make_queue_options(
            run.id, site=get_run_site(self._store, run), id_=f"{run.id}#{len(known)}"
        )
        DBOS.enqueue_workflow_with_options(options, run.id)
        _LOG.warning("Queued the run %s again: its worker %r is dead.", run.id, holder or "none")

    def _forget_dead(self, alive: Collection[str], holding: Collection[str]) -> None:
        for each in self._store.beats():
            silent = self._liveness.silence(each.worker)
            if each.worker not in alive and each.worker not in holding and silent > _FORGET:
                self._store.leave(each.worker)


class DueRuns:
    """The runs that are to be done, read once and then only as far as they changed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._position = 0
        self._going: dict[str, Run] = {}

    def read(self) -> dict[str, Run]:
        """The runs that somebody should be working on now."""
        changed = self._store.newest_after("run", self._position)
        for each in changed:
            self._going[each.id] = parse_run(each)
            self._position = each.position
        self._going = {
            id_: run
            for id_, run in self._going.items()
            if run.state in GOING and not is_draft_run_id(id_)
        }
        return {
            id_: run
            for id_, run in self._going.items()
            if not is_parked(run) or not list_open_run_questions(self._store, id_)
        }


def list_reconciled_rows(worker: str | None = None) -> list[QueueRow]:
    """The rows of the queue that have not ended, of one worker or all."""
    found = DBOS.list_workflows(
        name=TASK,
        status=[_HELD, *_WAITING],
        executor_id=worker,
        load_input=False,
        load_output=False,
    )
    unnamed = [each.workflow_id for each in found if "#" not in each.workflow_id]
    runs = _read_runs(unnamed) if unnamed else {}
    return [
        QueueRow(
            each.workflow_id,
            runs.get(each.workflow_id) or each.workflow_id.rpartition("#")[0],
            each.status == _HELD,
            each.executor_id or "",
        )
        for each in found
    ]


def _read_runs(rows: list[str]) -> dict[str, str]:
    """Which runs some rows are for whose ids do not tell; earlier versions wrote such rows."""
    found: list[WorkflowStatus] = DBOS.list_workflows(workflow_ids=rows, load_output=False)
    return {each.workflow_id: str(each.input["args"][0]) for each in found if each.input}


def is_held_by_another(store: Store, run: str, worker: str, alive: Collection[str]) -> bool:
    """Whether another worker that lives works on a run now."""
    lease = store.get("lease", run)
    if lease is None or lease.body["worker"] == worker or lease.body["worker"] not in alive:
        return False
    try:
        found = read_run(store, run)
    except RunError:
        return False
    return found.state in ("running", "waiting") and not is_parked(found)
