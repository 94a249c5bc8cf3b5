"""What nodes read before this run: in the last runs that passed, and when they were tested.

For a first run a test counts as an earlier one if it did what the run did.

A run that passed and was wrong all the same must not become the measure of all that follow. So
of the last few the one in the middle counts, by how much each of them read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from director.runs.doubts import RowReading
from director.runs.doubts.doubt import is_dismissed, parse_doubt
from director.runs.row_readings import is_row_reading, is_row_reading_done, list_row_readings
from director.runs.run_journal import list_run_steps, parse_run
from director.runs.tested_steps import list_tested_steps
from director.runs.values import Run, Step
from director.store import Store, Versioned
from director.store.run_variables import get_draft_run_id, is_draft_run_id
from director.workflow.document import parse_stored_document
from director.workflow.values import Config, Json, Node, Workflow

_READ_BEFORE = 20  # earlier runs that are looked through for one to compare with
_COMPARED = 5  # of those with the same inputs, among which the middle one is taken


def list_earlier_steps(store: Store, run: Run) -> list[Step]:
    """What the last run did that passed, with the same inputs; else what tests did alike."""
    last = [each for each in _list_passed(store, run) if _is_asked_alike(each, run)][:1]
    steps = [step for one in last for step in list_run_steps(store, one.id)]
    known = steps if last else list_tested_steps(store, run)
    return [step for step in known if is_row_reading_done(step)]


@dataclass(frozen=True, slots=True)
class EarlierReadings:
    """What nodes read, with the same config, in earlier runs that passed and in their tests.

    `same` are those of the last runs with the same inputs, by node, the newest first, each with its
    run; if there is none, of a test that did the same. `others` are those of the last run with any
    inputs; `tested` those of the last test. Counts can be compared with the first only.
    """

    same: Mapping[str, Sequence[tuple[str, RowReading]]]
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
        run, before = self._find_middle(node)
        if before is None:
            return found
        ours = [each for _, each in self.same[node]]
        return {
            **found,
            "page_size_before": before.page_size,
            "run_before": run,
            "rows_before": tuple(tuple(each.rows) for each in ours),
        }

    def list_rows(self, node: str) -> list[Json]:
        """The rows of the run that counts and columns are compared with."""
        _, before = self._find_middle(node)
        return before.rows if before else []

    def find_last(self, node: str) -> tuple[str, RowReading] | None:
        """What a node read in the last run that passed with the same inputs, with that run."""
        return next(iter(self.same.get(node, ())), None)

    def _find_middle(self, node: str) -> tuple[str, RowReading | None]:
        """Of the last runs with the same inputs the one in the middle, of two the fuller one."""
        ordered = sorted(self.same.get(node, ()), key=lambda each: len(each[1].rows))
        return ordered[len(ordered) // 2] if ordered else ("", None)

    def has_none(self, node: str) -> bool:
        """Whether nothing is stored that a reading of a node could be compared with."""
        return not self._list_known(node)

    def _list_known(self, node: str) -> list[RowReading]:
        same = [each for _, each in self.same.get(node, ())][:1]
        found = (*same, self.tested.get(node), self.others.get(node))
        return [each for each in found if each is not None]


def find_earlier_reading(
    store: Store, run: Run, readings: Sequence[RowReading], nodes: Mapping[str, Node]
) -> EarlierReadings:
    """What these nodes read before a run."""
    if not readings:
        return EarlierReadings({}, {}, {})
    now = {step.node: step.config for step in list_run_steps(store, run.id) if is_row_reading(step)}
    wanted = {reading.node for reading in readings}

    def read(runs: Iterable[str], most: int = 1) -> dict[str, list[tuple[str, RowReading]]]:
        found: dict[str, list[tuple[str, RowReading]]] = {node: [] for node in wanted}
        for earlier in islice(runs, _READ_BEFORE):
            if all(len(known) >= most for known in found.values()):
                break
            for reading in _list_alike(list_run_steps(store, earlier), now, nodes):
                if len(known := found.setdefault(reading.node, [])) < most:
                    known.append((earlier, reading))
        return {node: known for node, known in found.items() if known}

    def read_last(runs: Iterable[str]) -> dict[str, RowReading]:
        return {node: known[0][1] for node, known in read(runs).items()}

    passed, draft = _list_passed(store, run), get_draft_run_id(run.workflow)
    same = read((each.id for each in passed if _is_asked_alike(each, run)), _COMPARED)
    done = list_tested_steps(store, run) if wanted - {*same} else ()
    same = {each.node: [(draft, each)] for each in _list_alike(done, now, nodes)} | same
    others = {} if wanted <= {*same} else read_last(each.id for each in passed)
    tested = {} if is_draft_run_id(run.id) else read_last([draft])
    return EarlierReadings(same, others, tested)


def _list_alike(
    steps: Iterable[Step], now: Mapping[str, Config], nodes: Mapping[str, Node]
) -> list[RowReading]:
    """What steps read with the configs of now."""
    alike = [
        step
        for step in steps
        if is_row_reading_done(step)
        and is_row_reading(step)
        and _is_alike(step.config, now.get(step.node))
    ]
    return list_row_readings(nodes, alike)


def list_never_run(store: Store, workflow: Workflow) -> list[str]:
    """The aliases of nodes that no stored run of the last ones and no test has done yet."""
    runs = [
        each
        for each in store.newest("run")
        if each.body.get("workflow") == workflow.id and not is_draft_run_id(each.id)
    ]
    newest = sorted(runs, key=lambda each: -each.position)[:_READ_BEFORE]
    missing = {node.id: node.alias for node in workflow.nodes}
    for run in (get_draft_run_id(workflow.id), *(each.id for each in newest)):
        for step in list_run_steps(store, run) if missing else ():
            if step.state == "finished" and step.status != "skipped":
                missing.pop(step.node, None)
    return [*missing.values()]


def _list_passed(store: Store, run: Run) -> list[Run]:
    """Earlier runs of the workflow that passed without an open doubt, the newest first."""
    newest = store.get("workflow", run.workflow)
    nodes = parse_stored_document(cast("Json", newest.body)).nodes if newest else ()
    checks = {node.id: node.checks for node in nodes}
    known = [
        (each.position, parse_run(each))
        for each in store.newest("run")
        if each.body.get("workflow") == run.workflow
        and each.body.get("state") == "done"
        and _is_accepted(each, checks)
        and each.id != run.id
        and not is_draft_run_id(each.id)
    ]
    return [each[1] for each in sorted(known, key=lambda each: -each[0])]


def _is_accepted(run: Versioned, checks: Mapping[str, Sequence[Config]]) -> bool:
    """Whether a person has dismissed every doubt about a run."""
    doubts = [parse_doubt(each) for each in cast("Sequence[Config]", run.body.get("doubts") or ())]
    return all(is_dismissed(each, checks.get(each.node, ())) for each in doubts)


def _is_asked_alike(one: Run, other: Run) -> bool:
    return one.inputs == other.inputs and one.selection == other.selection


def _is_alike(config: Config, other: Config | None) -> bool:
    names = ("method", "selector", "fields", "limit", "visibleOnly")
    return other is not None and all(config.get(name) == other.get(name) for name in names)
