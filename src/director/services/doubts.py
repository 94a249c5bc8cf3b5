"""Doubts and evidence as they are shown: the sentence, what was found, what dismisses it for good.

Nothing is judged here: a doubt was found when its run ended, and only a check of its node dismisses
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from director.runs import Run, Step
from director.runs.doubts.doubt import explain_doubt, is_dismissed, parse_doubt
from director.runs.run_text import dismissal_of, write_evidence_text
from director.services.outgoing import Identifier
from director.store import Store
from director.workflow.display import render_value
from director.workflow.document import parse_stored_document
from director.workflow.values import Config, Json


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """A condition, whether it held, and what was found."""

    holds: bool
    text: str


@dataclass(frozen=True, slots=True)
class DoubtRow:
    """One doubt; `check` dismisses it, and `dismissed` says that a person has by now.

    `explained` is why Director's model thinks that it is right as it is.
    """

    kind: Identifier
    node: Identifier
    alias: str
    sentence: str
    evidence: Mapping[str, str]
    check: Mapping[str, object]
    dismissed: bool
    picture: Identifier = ""
    explained: str = ""


def list_condition_results(step: Step) -> tuple[ConditionResult, ...]:
    """What the conditions of a step found."""
    return tuple(
        ConditionResult(bool(one.get("holds")), write_evidence_text(one)) for one in step.evidence
    )


def list_doubts(store: Store, run: Run, steps: Sequence[Step]) -> tuple[DoubtRow, ...]:
    """The doubts about a run, beside what its nodes say of them now."""
    if not run.doubts:
        return ()
    checks = _read_checks(store, run.workflow)
    pictures = {step.node: step.screenshot["$kept"] for step in steps if step.screenshot}
    return tuple(_make_row(each, checks, pictures) for each in run.doubts)


def count_open_doubts(store: Store, workflow: str, doubts: Sequence[Config]) -> int:
    """How many of these doubts about runs of a workflow nobody has dismissed by now."""
    if not doubts:
        return 0
    checks = _read_checks(store, workflow)
    found = [parse_doubt(each) for each in doubts]
    return sum(not is_dismissed(each, checks.get(each.node, ())) for each in found)


def _read_checks(store: Store, workflow: str) -> dict[str, Sequence[Config]]:
    """The checks of each node of a workflow as it is now."""
    newest = store.get("workflow", workflow)
    nodes = parse_stored_document(cast("Json", newest.body)).nodes if newest else ()
    return {node.id: node.checks for node in nodes}


def _make_row(
    stored: Config, checks: Mapping[str, Sequence[Config]], pictures: Mapping[str, str]
) -> DoubtRow:
    doubt = parse_doubt(stored)
    return DoubtRow(
        doubt.kind,
        doubt.node,
        doubt.alias,
        doubt.sentence,
        {name: render_value(name, value) for name, value in doubt.evidence.items()},
        dismissal_of(stored),
        is_dismissed(doubt, checks.get(doubt.node, ())),
        pictures.get(doubt.node, ""),
        explain_doubt(doubt, checks.get(doubt.node, ())).explained,
    )
