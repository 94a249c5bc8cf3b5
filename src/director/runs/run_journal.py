"""The ledger: a run's journal in the store, the only truth about how far it is.

Everything that a step writes is one transaction with its lease, so of two workers that hold the
same run only one can write: the other is told at its next write, and stops. What is not in the
journal did not happen; nothing in it is ever altered.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, cast

from director.runs.values import Cancelled, Run, RunError, RunTaken, Step, VisitScope
from director.store import RecordDraft, Store, VersionConflict, Versioned
from director.store.run_variables import KIND as VARIABLE
from director.store.run_variables import read_run_variables
from director.workflow.records import Record, encode_record, parse_record
from director.workflow.scope import Scope
from director.workflow.values import Json

_PLACED = ("key", "version", "position")
_CLEARED: Mapping[str, object] = {"cleared": True}


class RunJournal:
    """The journal of one run, held by one worker."""

    def __init__(self, store: Store, run: Run, *, worker: str) -> None:
        self.store = store
        self.run = run
        self._worker = worker
        self._version = _version(store.get("run", run.id))
        self._lease: tuple[Versioned, ...] = ()
        self._read()

    def _read(self) -> None:
        """Learn from the store what the run has so far."""
        run = self.run.id
        self._steps = {step.key: step for step in list_run_steps(self.store, run)}
        self.variables = cast("dict[str, Json]", read_run_variables(self.store, run))
        self.records = {record.id: record for record in list_run_records(self.store, run)}

    def take(self) -> None:
        """Take the run over: whoever held it can write no more."""
        body = {"worker": self._worker}
        self._lease = self.store.put_all([RecordDraft("lease", self.run.id, body, "taken")])

    def step(self, key: str) -> Step | None:
        """A step as it is now, unless it was never begun."""
        return self._steps.get(key)

    def steps(self) -> list[Step]:
        """All steps, in the order in which they were last written."""
        return sorted(self._steps.values(), key=lambda step: step.position)

    def begin(self, step: Step, records: Iterable[Record] = ()) -> Step:
        """Write that a step is about to act."""
        self.check_cancelled()
        known = self._steps.get(step.key)
        # Going on after a crash is the same attempt; doing it again is another.
        attempt = known.attempt + (known.state != "begun") if known else 1
        begun = replace(
            step, state="begun", attempt=attempt, worker=self._worker, began=time.time()
        )
        return self._put(begun, {record.id: record for record in records}, {})

    def finish(
        self,
        step: Step,
        *,
        values: Mapping[str, Json] | None = None,
        records: Iterable[Record] = (),
        dropped: Iterable[str] = (),
        others: Sequence[Step] = (),
    ) -> Step:
        """Write that a step is finished, with all that it leaves behind, at once."""
        changed: dict[str, Record | None] = {record.id: record for record in records}
        changed |= dict.fromkeys(dropped)
        return self._put(replace(step, state="finished"), changed, values or {}, others)

    def drop_records(self, ids: Iterable[str]) -> None:
        """Take records out of the run; they stay in its history."""
        drafts = [self._of_run("record", id_, _CLEARED) for id_ in ids]
        if drafts:
            self._write(drafts)
            self._read()

    def reopen(self, opened: Iterable[Step], drafts: Sequence[RecordDraft] = ()) -> None:
        """Write that steps are to be done again."""
        self._write([*(self._draft(step) for step in opened), *drafts])
        self._read()

    def set_run(self, **changes: Any) -> Run:
        """Write the run with some of its fields changed."""
        self.run = replace(self.run, worker=self._worker, **changes)
        self._write([RecordDraft("run", self.run.id, encode_run(self.run), "", self._version)])
        self._version += 1
        return self.run

    def check_held(self) -> None:
        """Stop here if another worker has taken the run."""
        newest = self.store.get("lease", self.run.id)
        if newest is not None and newest.version not in [held.version for held in self._lease]:
            raise RunTaken(
                f"The run {self.run.id!r} is held by the worker {newest.body['worker']!r} now. "
                "What was done last was not written: that worker goes on with it."
            )

    def check_cancelled(self) -> None:
        """Stop here if somebody cancelled the run."""
        newest = self.store.get("run", self.run.id)
        if newest is None or newest.version == self._version:
            return
        self._version = newest.version
        self.run = parse_run(newest)
        if self.run.state == "cancelled":
            raise Cancelled(f"The run {self.run.id!r} was cancelled.")

    def scope(self, place: VisitScope, env: Callable[[str], str | None] | None) -> Scope:
        """What templates can name at a place."""
        return Scope(
            variables=self.variables,
            local=place.local,
            current=self.records[place.record] if place.record else None,
            records=self.records,
            params=place.params,
            env=env,
            ran=self._has_run,
        )

    def _has_run(self, alias: str) -> bool:
        """Whether a node has run that left no variable of its own."""
        ran = any(each.alias == alias and each.state == "finished" for each in self.steps())
        return ran and not any(name.startswith(f"{alias}.") for name in self.variables)

    def _put(
        self,
        step: Step,
        records: Mapping[str, Record | None],
        values: Mapping[str, Json],
        others: Sequence[Step] = (),
    ) -> Step:
        drafts = [
            *(
                self._of_run("record", name, encode_record(each) if each else _CLEARED)
                for name, each in records.items()
            ),
            *(self._of_run(VARIABLE, name, {"value": value}) for name, value in values.items()),
        ]
        wrote = tuple((draft.kind, draft.id, draft.expect or 0) for draft in drafts)
        steps = [replace(step, wrote=(*step.wrote, *wrote)), *others]
        written = self._write([*map(self._draft, steps), *drafts])
        for each, version in zip(steps, written, strict=False):
            self._steps[each.key] = replace(
                each, version=version.version, position=version.position
            )
        for name, record in records.items():
            if record is None:
                self.records.pop(name, None)
            else:
                self.records[name] = record
        self.variables.update(values)
        return self._steps[step.key]

    def _of_run(self, kind: str, name: str, body: Mapping[str, object]) -> RecordDraft:
        id_ = f"{self.run.id}/{name}"
        return RecordDraft(kind, id_, body, "", _version(self.store.get(kind, id_)))

    def _draft(self, step: Step) -> RecordDraft:
        known = self._steps.get(step.key)
        name = f"{self.run.id}/{step.key}"
        return RecordDraft("step", name, encode_step(step), "", known.version if known else 0)

    def _write(self, drafts: Sequence[RecordDraft]) -> Sequence[Versioned]:
        try:
            return self.store.put_all(drafts, unchanged=self._lease)
        except VersionConflict:
            self._why_moved()
            raise

    def _why_moved(self) -> None:
        self.check_held()
        self.check_cancelled()


def list_run_steps(store: Store, run: str) -> list[Step]:
    """The steps of a run as they are now, in the order in which they were last written."""
    found = [parse_step(each) for each in store.newest("step", f"{run}/")]
    return sorted(found, key=lambda step: step.position)


def list_run_records(store: Store, run: str) -> list[Record]:
    """The records of a run, in the order in which they were made; not those that were put back."""
    found = [each for each in store.newest("record", f"{run}/") if "cleared" not in each.body]
    made = {each.id: store.get("record", each.id, 1) for each in found}
    order = sorted(found, key=lambda each: (made[each.id] or each).position)
    return [parse_record(cast("Mapping[str, Json]", each.body)) for each in order]


def read_run(store: Store, run: str) -> Run:
    """A run as it is now."""
    found = store.get("run", run)
    if found is None:
        raise RunError(f"There is no run {run!r}. `director runs list` lists those there are.")
    return parse_run(found)


def measure_run(store: Store, run: str) -> float:
    """How many seconds a run was worked on, over all its workers, until it ended or until now.

    Time in which it was queued, put aside for an answer or ended is not counted. By the times that
    were written with it: for people, it decides nothing.
    """
    states = [(parse_run(each), each.at) for each in store.versions("run", run)]
    ends = [at for _, at in states[1:]] + [store.now()]
    return sum(
        max(0.0, end - at)
        for (known, at), end in zip(states, ends, strict=True)
        if known.state == "running" or (known.state == "waiting" and known.error is None)
    )


def encode_run(run: Run) -> dict[str, object]:
    """A run as it is stored."""
    return {each.name: getattr(run, each.name) for each in fields(run) if each.name != "id"}


def parse_run(stored: Versioned) -> Run:
    """The run that a record holds."""
    body = cast("dict[str, Any]", dict(stored.body))
    return Run(id=stored.id, **{**body, "doubts": tuple(body.get("doubts") or ())})


def encode_step(step: Step) -> dict[str, object]:
    """A step as it is stored."""
    return {
        each.name: getattr(step, each.name) for each in fields(step) if each.name not in _PLACED
    }


def parse_step(stored: Versioned) -> Step:
    """The step that a record holds."""
    body = cast("dict[str, Any]", dict(stored.body))
    for name in ("evidence", "warnings", "notes", "doubts", "tables"):
        body[name] = tuple(body.get(name) or ())
    body["wrote"] = tuple(tuple(each) for each in body["wrote"])
    key = stored.id.partition("/")[2]
    return Step(key=key, version=stored.version, position=stored.position, **body)


def _version(found: Versioned | None) -> int:
    return found.version if found else 0
