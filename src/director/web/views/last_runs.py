"""The last runs of each workflow at a glance: bars, and what waits for a person. Reads once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from director.runs.run_text import write_doubts_text
from director.store import Store, Versioned

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
    return {workflow: _summary(runs[-_SHOWN:]) for workflow, runs in by_workflow.items()}


def _summary(runs: list[Versioned]) -> LastRuns:
    states = [str(run.body.get("state", "")) for run in runs]
    needs, kind = _needs(runs[-1].body)
    bars = tuple(_bar(state, run.body) for state, run in zip(states, runs, strict=True))
    return LastRuns(bars, states.count("done"), needs, kind)


def _bar(state: str, body: Mapping[str, object]) -> tuple[str, int]:
    if state == "failed":
        return "fb", _LOW
    if state in ("running", "queued", "waiting"):
        return "fa", _HIGH
    return ("fw" if body.get("doubts") else "fo"), (_HIGH if state == "done" else _LOW)


def _needs(body: Mapping[str, object]) -> tuple[str, str]:
    doubts = body.get("doubts")
    if body.get("state") == "waiting":
        return "Answer a question", "acc"
    if body.get("state") == "failed":
        return "Look at a failure", "bad"
    if isinstance(doubts, list | tuple) and doubts:
        return write_doubts_text(len(doubts)), "warn"
    return "", ""
