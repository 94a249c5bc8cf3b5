"""What is saved of a workflow: itself, its plan and its description, each version with a reason.

Reads are remembered by version, so that a long history costs nothing at each turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar, cast

from director.context.values import Summary
from director.runs.download_facts import list_downloads
from director.runs.run_journal import list_run_records, list_run_steps, parse_run
from director.sections.workflow_state import WorkflowState
from director.store import Store, Versioned
from director.store.run_variables import get_draft_run_id, read_run_variables
from director.workflow.description import Description, encode_description, parse_description
from director.workflow.document import (
    parse_stored_document,
    read_workflow_document,
    write_workflow_document,
)
from director.workflow.plan import Plan, encode_plan, parse_plan, stamp_plan
from director.workflow.plan_rules import Green, complete_plan_by_runs
from director.workflow.values import Json, Node, Tab, Workflow, WorkflowError

T = TypeVar("T")
_DONE = ("success", "skipped")
# The body of a plan or a description that there is none any more; its versions before stay.
NONE: Mapping[str, object] = {"none": True}
_WORST_FIRST = ("failed", "partial", "success", "skipped")


@dataclass(frozen=True, slots=True)
class Ran:
    """How a node ended when it last ran, and where in the store's order that stands."""

    position: int
    status: str
    at: float


@dataclass(eq=False, slots=True)
class SavedState:
    """The saved state of one workflow."""

    store: Store
    workflow_id: str
    _read: dict[str, tuple[int, object]] = field(default_factory=dict)
    _changed: dict[str, tuple[Node, int]] = field(default_factory=dict)
    _upto: int = 0
    _runs: dict[str, tuple[int, dict[str, Ran]]] = field(default_factory=dict)

    def workflow(self) -> Workflow:
        """The workflow in its newest version."""
        found = self._newest("workflow", lambda body: parse_stored_document(cast("Json", body)))
        if found is None:
            raise WorkflowError(f"There is no workflow {self.workflow_id!r} in the store.")
        return found

    def plan(self) -> Plan | None:
        """The plan in its newest version, if there is one."""
        return self._newest(
            "plan", lambda body: None if body == NONE else parse_plan(cast("Json", body))
        )

    def description(self) -> Description | None:
        """The description in its newest version, if there is one."""
        return self._newest(
            "description",
            lambda body: None if body == NONE else parse_description(cast("Json", body)),
        )

    def save_workflow(self, workflow: Workflow, reason: str) -> int:
        """Keep a changed workflow; its new version. Refused if it changed meanwhile."""
        expect = self._version("workflow")
        put = self.store.put(
            "workflow", self.workflow_id, write_workflow_document(workflow), reason, expect=expect
        )
        return put.version

    def save_plan(self, plan: Plan, reason: str) -> Plan:
        """Keep a plan as its next version."""
        before = self._version("plan")
        first = self.store.get("plan", self.workflow_id, 1)
        stamp = datetime.now(UTC).isoformat(timespec="seconds")
        created = str(first.body.get("created_at") or stamp) if first else stamp
        version = before + 1
        new = stamp_plan(
            plan, self.workflow_id, version=version, created_at=created, updated_at=stamp
        )
        self.store.put("plan", self.workflow_id, encode_plan(new), reason, expect=before)
        return new

    def save_description(self, description: Description, reason: str) -> int:
        """Keep a description as its next version; which it is."""
        before = self._version("description")
        body = encode_description(description)
        return self.store.put("description", self.workflow_id, body, reason, expect=before).version

    def close_tasks(self) -> list[str]:
        """Complete the tasks whose nodes are all green now; their ids."""
        plan = self.plan()
        if plan is None:
            return []
        after = complete_plan_by_runs(plan, self.green())
        if after == plan:
            return []
        was = {task.task_id for task in plan.tasks if task.status == "completed"}
        self.save_plan(after, "closed by a green run")
        return [
            str(task.task_id)
            for task in after.tasks
            if task.status == "completed" and task.task_id not in was
        ]

    def green(self) -> Green:
        """For each node whether it passed or was skipped when it ran last; None if it changed."""
        ran = self.ran()
        return {
            node: None if node not in ran else ran[node].status in _DONE
            for node in self._standing()
        }

    def statuses(self) -> dict[str, str]:
        """The latest status of each node that ran since it was made or changed."""
        return {node: ran.status for node, ran in self.ran().items()}

    def ran(self) -> dict[str, Ran]:
        """How each node ended when it last ran, unless it was changed after that."""
        newest: dict[str, Ran] = {}
        for run in self._own_runs():
            for node, ran in self._of_run(run).items():
                if node not in newest or newest[node].position < ran.position:
                    newest[node] = ran
        standing = self._standing()
        return {
            node: ran
            for node, ran in newest.items()
            if node in standing and ran.position > standing[node]
        }

    def _own_runs(self) -> list[Versioned]:
        found = self.store.newest("run")
        return [each for each in found if parse_run(each).workflow == self.workflow_id]

    def _of_run(self, run: Versioned) -> dict[str, Ran]:
        known, bench = self._runs.get(run.id), get_draft_run_id(self.workflow_id)
        if known is not None and known[0] == run.position and run.id != bench:
            return known[1]
        found: dict[str, Ran] = {}
        for step in list_run_steps(self.store, run.id):
            if step.state == "finished" and step.type != "item":
                # Of several visits in a run the worst counts; of several tests the last.
                before = None if run.id == bench else found.get(step.node)
                statuses = {step.status, before.status} if before else {step.status}
                worst = next(each for each in _WORST_FIRST if each in statuses)
                found[step.node] = Ran(step.position, worst, step.began)
        self._runs[run.id] = run.position, found
        return found

    def _standing(self) -> dict[str, int]:
        """Since which place in the store's order each node has been as it is."""
        newest = self._version("workflow")
        for version in range(self._upto + 1, newest + 1):
            found = self.store.get("workflow", self.workflow_id, version)
            if found is None:
                continue
            stood = (
                self.workflow()
                if version == newest
                else read_workflow_document(cast("Json", found.body))
            )
            nodes = {node.id: node for node in stood.nodes}
            before, self._changed = self._changed, {}
            for id_, node in nodes.items():
                same = id_ in before and _does(before[id_][0]) == _does(node)
                self._changed[id_] = node, before[id_][1] if same else found.position
        self._upto = newest
        return {id_: position for id_, (_, position) in self._changed.items()}

    def _newest(self, kind: str, read: Callable[[object], T]) -> T | None:
        found = self.store.get(kind, self.workflow_id)
        if found is None:
            return None
        known = self._read.get(kind)
        if known is None or known[0] != found.position:
            known = self._read[kind] = found.position, read(found.body)
        return cast("T", known[1])

    def _version(self, kind: str) -> int:
        found = self.store.get(kind, self.workflow_id)
        return found.version if found else 0


def _does(node: Node) -> tuple[object, ...]:
    """What decides whether a run of a node still tells anything about it."""
    return node.type, node.config, node.effect, node.requires, node.ensures


def find_saved_last_run(ran: Mapping[str, Ran]) -> str:
    """When a node last ran; empty if none has."""
    at = max((each.at for each in ran.values()), default=0.0)
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at else ""


def read_turn_state(
    saved: SavedState,
    *,
    tabs: tuple[Tab, ...] = (),
    files: Sequence[object] = (),
    summary: Summary | None = None,
) -> WorkflowState:
    """A workflow as it is in the store now, with what is open and given beside it."""
    ran = saved.ran()
    now, plan, description = saved.workflow(), saved.plan(), saved.description()
    store, bench = saved.store, get_draft_run_id(saved.workflow_id)
    return WorkflowState(
        now,
        plan=plan,
        description=description,
        statuses={node: each.status for node, each in ran.items()},
        variables=cast("Mapping[str, Json]", read_run_variables(store, bench)),
        tabs=tabs,
        summary=summary,
        last_executed=find_saved_last_run(ran),
        records=tuple(list_run_records(store, bench)),
        downloads=tuple(list_downloads(list_run_steps(store, bench))),
        files=tuple(map(str, files)),
    )
