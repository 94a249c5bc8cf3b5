"""The state of a workflow as one value: all that the sections are made of. Gathered elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from director.context.values import Summary
from director.workflow.description import Description
from director.workflow.plan import Plan
from director.workflow.records import Record
from director.workflow.values import Json, Tab, Workflow


@dataclass(frozen=True, slots=True)
class WorkflowState:
    """A workflow with its plan, description, variables of the draft run and tabs.

    `statuses` has the latest status of each node by its id, and of no node more than that:
    results are never part of the state that is shown. `last_executed` is when a node last ran.
    `records` and `downloads` are those that tests of nodes made; `files` are the user's, to upload.
    """

    workflow: Workflow
    plan: Plan | None = None
    description: Description | None = None
    statuses: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Json] = field(default_factory=dict)
    tabs: tuple[Tab, ...] = ()
    summary: Summary | None = None
    last_executed: str = ""
    records: tuple[Record, ...] = ()
    downloads: tuple[Mapping[str, Json], ...] = ()
    files: tuple[str, ...] = ()


# Names of one release ago; they go with the next.
State = WorkflowState
