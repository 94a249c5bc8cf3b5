"""Doubts about runs as they are shown: the sentence, the evidence, what dismisses it for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from director.runs import Run, Step
from director.runs.doubts.doubt import doubt_from, explain_doubt, is_dismissed
from director.runs.run_text import dismissal_of
from director.store import Store
from director.workflow.display import render_value
from director.workflow.document import parse_stored
from director.workflow.values import Config, Json


@dataclass(frozen=True, slots=True)
class DoubtRow:
    """One doubt; `check` dismisses it, and `dismissed` says that a person has by now.

    `explained` is why Director's model thinks that it is right as it is.
    """

    kind: str
    node: str
    alias: str
    sentence: str
    evidence: Mapping[str, str]
    check: Mapping[str, object]
    dismissed: bool
    picture: str = ""
    explained: str = ""


def doubt_rows(store: Store, run: Run, steps: Sequence[Step]) -> tuple[DoubtRow, ...]:
    """The doubts about a run, beside what its nodes say of them now."""
    if not run.doubts:
        return ()
    newest = store.get("workflow", run.workflow)
    nodes = parse_stored(cast("Json", newest.body)).nodes if newest else ()
    checks = {node.id: node.checks for node in nodes}
    pictures = {step.node: step.screenshot["$kept"] for step in steps if step.screenshot}
    return tuple(_row(each, checks, pictures) for each in run.doubts)


def _row(
    stored: Config, checks: Mapping[str, Sequence[Config]], pictures: Mapping[str, str]
) -> DoubtRow:
    doubt = doubt_from(stored)
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
