"""What nodes read before this run: in the last run that passed, and when they were tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from director.runs.doubts import RowReading
from director.runs.ledger import run_from, steps_of
from director.runs.row_readings import is_done, is_reading, readings_of
from director.runs.values import Run, Step
from director.store import Store
from director.store.variables import is_workbench, workbench
from director.workflow.values import Config, Json, Node

_READ_BEFORE = 20  # earlier runs that are looked through for one to compare with


def steps_before(store: Store, run: Run) -> list[Step]:
    """What the last run did that passed, with the same inputs."""
    last = [each for each in _list_passed(store, run) if _is_asked_alike(each, run)][:1]
    return [step for one in last for step in steps_of(store, one.id) if is_done(step)]


@dataclass(frozen=True, slots=True)
class EarlierReadings:
    """What nodes read, with the same config, in earlier runs that passed and in their tests.

    `same` are those of the last run with the same inputs, by node; `others` those of the last run
    with any inputs; `tested` those of the last test. Counts can be compared with the first only.
    """

    same: Mapping[str, RowReading]
    others: Mapping[str, RowReading]
    tested: Mapping[str, RowReading]

    def describe(self, node: str) -> dict[str, Any]:
        """What a reading of a node is compared with."""
        headings: dict[str, Json] = {}
        for each in reversed(self._list_known(node)):
            headings |= each.visits[0].headings
        found: dict[str, Any] = {
            "headings_before": headings,
            "rows_known": tuple(tuple(each.rows) for each in self._list_known(node)),
        }
        before = self.same.get(node)
        return found | ({"page_size_before": before.page_size} if before else {})

    def has_none(self, node: str) -> bool:
        """Whether nothing is stored that a reading of a node could be compared with."""
        return not self._list_known(node)

    def _list_known(self, node: str) -> list[RowReading]:
        found = (each.get(node) for each in (self.same, self.tested, self.others))
        return [each for each in found if each is not None]


def find_earlier(
    store: Store, run: Run, readings: Sequence[RowReading], nodes: Mapping[str, Node]
) -> EarlierReadings:
    """What these nodes read before a run."""
    if not readings:
        return EarlierReadings({}, {}, {})
    now = {step.node: step.config for step in steps_of(store, run.id) if is_reading(step)}
    wanted = {reading.node for reading in readings}

    def read(runs: Iterable[str]) -> dict[str, RowReading]:
        found: dict[str, RowReading] = {}
        for earlier in islice(runs, _READ_BEFORE):
            if wanted <= {*found}:
                break
            steps = [
                step
                for step in steps_of(store, earlier)
                if is_done(step) and is_reading(step) and _is_alike(step.config, now.get(step.node))
            ]
            for reading in readings_of(nodes, steps):
                found.setdefault(reading.node, reading)
        return found

    passed = _list_passed(store, run)
    same = read(each.id for each in passed if _is_asked_alike(each, run))
    others = {} if wanted <= {*same} else read(each.id for each in passed)
    tested = {} if is_workbench(run.id) else read([workbench(run.workflow)])
    return EarlierReadings(same, others, tested)


def _list_passed(store: Store, run: Run) -> list[Run]:
    """Earlier runs of the workflow that passed without a doubt, the newest first."""
    known = [
        (each.position, run_from(each))
        for each in store.newest("run")
        if each.body.get("workflow") == run.workflow
        and each.body.get("state") == "done"
        and not each.body.get("doubts")
        and each.id != run.id
        and not is_workbench(each.id)
    ]
    return [each[1] for each in sorted(known, key=lambda each: -each[0])]


def _is_asked_alike(one: Run, other: Run) -> bool:
    return one.inputs == other.inputs and one.selection == other.selection


def _is_alike(config: Config, other: Config | None) -> bool:
    names = ("method", "selector", "fields", "limit", "visibleOnly")
    return other is not None and all(config.get(name) == other.get(name) for name in names)
