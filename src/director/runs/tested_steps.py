"""Steps of the tests of a workflow that are as good as an earlier run: they did what a run did.

A test counts only where the actions before it were those of the run, with the same values and in
the same order: then it saw the page that the run saw. What was tested on another page, with another
input or before a node was changed is no measure of what a run reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from director.runs.run_journal import list_run_steps
from director.runs.values import Run, Step
from director.store import Store
from director.store.run_variables import get_draft_run_id, is_draft_run_id

_ROUND = re.compile(r"\[[^\[\]]*\]")


def list_tested_steps(store: Store, run: Run) -> list[Step]:
    """The steps of tests that did what this run did, in the order in which they were done."""
    if is_draft_run_id(run.id):
        return []
    tested = _list_done(store, get_draft_run_id(run.workflow))
    done = _list_done(store, run.id) if tested else []
    alike = {
        place
        for place in _list_places(done)
        if _ends_with(_list_actions(tested, place), _list_actions(done, place))
    }
    return [step for step in tested if _find_place(step) in alike]


def _list_done(store: Store, run: str) -> list[Step]:
    steps = [
        step
        for step in list_run_steps(store, run)
        if step.state == "finished" and step.status in ("success", "partial")
    ]
    return sorted(steps, key=lambda step: step.began)


def _find_place(step: Step) -> str:
    """Where a step stands in its workflow, whichever round it was."""
    return _ROUND.sub("[]", step.key)


def _list_places(steps: Iterable[Step]) -> Iterator[str]:
    yield from dict.fromkeys(_find_place(step) for step in steps if step.type != "item")


def _ends_with(actions: Sequence[object], wanted: Sequence[object]) -> bool:
    return bool(wanted) and [*actions[-len(wanted) :]] == [*wanted]


def _list_actions(steps: Sequence[Step], place: str) -> list[tuple[str, str]]:
    """What was done in the browser before the first step at a place."""
    first = next((at for at, step in enumerate(steps) if _find_place(step) == place), 0)
    return [
        (_find_place(step), json.dumps(step.config, sort_keys=True, default=dict))
        for step in steps[:first]
        if step.type == "browser_action"
    ]
