"""Why a run that has not ended does not move, in one line for people.

It is read from the store alone: the run, its questions, and the signs of life of workers, whose
age is by the database's clock. It says what is so and decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from director.runs.liveness import has_fallen_silent, seems_worker_dead
from director.runs.run_execution import GOING, get_run_site, is_parked, list_open_run_questions
from director.runs.run_journal import parse_run
from director.runs.run_text import write_seconds_text
from director.runs.values import Run, RunError
from director.runs.worker import Pace, is_serving
from director.store import Beat, Store
from director.store.run_variables import is_draft_run_id

_LATE = 2.5  # heartbeats that may be missing before it is said


@dataclass(frozen=True)
class RunStatuses:
    """What is said of the runs of a store at one moment."""

    store: Store

    @cached_property
    def beats(self) -> dict[str, Beat]:
        """The workers that have not left."""
        return {each.worker: each for each in self.store.beats()}

    @cached_property
    def _holders(self) -> dict[str, str]:
        """Which run is being done on each site."""
        found = map(parse_run, self.store.newest("run"))
        going = [run for run in found if run.state in GOING and not is_draft_run_id(run.id)]
        return {self._site(run): run.id for run in going if self.find_worker(run)}

    def find_worker(self, run: Run) -> str:
        """The worker that does a run now, as it seems; empty if nobody does."""
        if run.state not in ("running", "waiting") or is_parked(run):
            return ""
        beat = self.beats.get(run.worker)
        return "" if beat is None or seems_worker_dead(beat, Pace().patience) else run.worker

    def explain(self, run: Run) -> str:
        """Why a run does not move; empty if it ended or nothing keeps it."""
        if run.state not in GOING:
            return ""
        if is_parked(run):
            asked = list_open_run_questions(self.store, run.id)
            return f"asks: {asked[0].text}" if asked else self._waiting(run, "was answered")
        if run.state == "queued":
            return self._waiting(run, "queued")
        return self._explain_worker(run)

    def _explain_worker(self, run: Run) -> str:
        beat, said = self.beats.get(run.worker), str((run.error or {}).get("message", ""))
        if beat is None:
            return self._explain_end(run)
        if seems_worker_dead(beat, Pace().patience):
            age = "" if beat.has_ended else f", no sign for {write_seconds_text(beat.age)}"
            return f"worker {run.worker} is dead{age}; {self._next(run)}"
        if beat.age > Pace().beat * _LATE:
            return f"no sign of worker {run.worker} for {write_seconds_text(beat.age)}"
        return said and f"tries again: {said}"

    def _explain_end(self, run: Run) -> str:
        if "." not in run.worker:
            # A program that gives no heartbeats: nobody can tell whether it still runs.
            return f"done by {run.worker or 'no worker'}, which gives no signs of life"
        return f"worker {run.worker} has ended; {self._next(run)}"

    def _waiting(self, run: Run, said: str) -> str:
        if not self._has_workers():
            return f"{said}; {_say_none(run)}"
        if site := self._site(run):
            holder = self._holders.get(site)
            if holder and holder != run.id:
                return f"waits for {site}, held by run {holder}"
        return f"{said}; waits for a free worker"

    def _next(self, run: Run) -> str:
        return "another takes it over" if self._has_workers() else _say_none(run)

    def _has_workers(self) -> bool:
        alive = [
            each for each in self.beats.values() if not seems_worker_dead(each, Pace().patience)
        ]
        return any(is_serving(each.worker) for each in alive)

    def _site(self, run: Run) -> str:
        try:
            return get_run_site(self.store, run)
        except RunError:
            return ""


def _say_none(run: Run) -> str:
    return f"no worker is running: `director runs resume {run.id}` or `director worker`"


def find_run_holder(store: Store, run: Run) -> str:
    """The worker from which a run must not be taken; empty if nobody does it.

    One that seems dead is watched for as long as some heartbeats take: a clock may have stepped.
    """
    if run.state not in ("running", "waiting") or is_parked(run):
        return ""
    beat = next((each for each in store.beats() if each.worker == run.worker), None)
    if beat is None or beat.has_ended:
        return ""
    if not seems_worker_dead(beat, Pace().patience):
        return run.worker
    silent = has_fallen_silent(store, run.worker, seconds=Pace().beat * _LATE)
    return "" if silent else run.worker
