"""The last runs of each workflow at a glance: bars, and what waits for a person. Reads once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from director.runs.run_text import write_doubts_text
from director.services.doubts import count_open_doubts
from director.store import Store, Versioned
from director.workflow.values import Config

_SHOWN = 14
_HIGH, _LOW = 18, 6


@dataclass(frozen=True, slots=True)
class LastRuns:
    """The bars of the last runs, oldest first, how many passed, and what needs the user."""

    bars: tuple[tuple[str, int], ...]
    passed: int
    needs: str
    kind: str


def last_runs(store: Store) -> dict[str, LastRuns]:
    """What is known of the last runs of each workflow; draft runs do not count."""
    by_workflow: dict[str, list[Versioned]] = {}
    for run in sorted(store.newest("run"), key=lambda one: one.position):
        if not run.id.startswith("workbench:"):
            by_workflow.setdefault(str(run.body.get("workflow", "")), []).append(run)
    return {workflow: _summary(store, runs[-_SHOWN:]) for workflow, runs in by_workflow.items()}


def _summary(store: Store, runs: list[Versioned]) -> LastRuns:
    states = [str(run.body.get("state", "")) for run in runs]
    doubts = [_count_doubts(store, run.body) for run in runs]
    needs, kind = _needs(states[-1], doubts[-1])
    bars = tuple(_bar(state, many) for state, many in zip(states, doubts, strict=True))
    return LastRuns(bars, states.count("done"), needs, kind)


def _count_doubts(store: Store, body: Mapping[str, object]) -> int:
    """The doubts about a run that nobody has dismissed."""
    found = cast("Sequence[Config]", body.get("doubts") or ())
    return count_open_doubts(store, str(body.get("workflow", "")), found)


def _bar(state: str, doubts: int) -> tuple[str, int]:
    if state == "failed":
        return "fb", _LOW
    if state in ("running", "queued", "waiting"):
        return "fa", _HIGH
    return ("fw" if doubts else "fo"), (_HIGH if state == "done" else _LOW)


def _needs(state: str, doubts: int) -> tuple[str, str]:
    if state == "waiting":
        return "Answer a question", "acc"
    if state == "failed":
        return "Look at a failure", "bad"
    if doubts:
        return write_doubts_text(doubts), "warn"
    return "", ""
