"""The plan: how a workflow is being built, by phases and tasks. Values, and JSON in and out.

A plan is replaced as a whole, never changed in place. Who wrote which version and when is decided
by whoever stores it. Whether a task may be called completed: see `plan_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from director.workflow.json_input import FieldReader, parse_json_input, write_element_place
from director.workflow.nearest import find_nearest
from director.workflow.values import Json, WorkflowError

Status: TypeAlias = Literal["pending", "in_progress", "completed", "failed"]
STATUSES: tuple[Status, ...] = get_args(Status)
LONGEST = 40_000

_PLAN = (
    "workflow_id",
    "plan_version",
    "created_at",
    "updated_at",
    "overall_goal",
    "current_phase",
    "phases",
    "next_actions",
    "blockers",
    "notes",
)
_PHASE = ("phase_name", "status", "tasks")
_TASK = ("task_id", "description", "status", "notes", "node_ids")
# What people say for a status, where its letters do not tell which one they mean.
_SAID = {
    "done": "completed",
    "finished": "completed",
    "ok": "completed",
    "success": "completed",
    "todo": "pending",
    "open": "pending",
    "not started": "pending",
    "doing": "in_progress",
    "active": "in_progress",
    "started": "in_progress",
    "running": "in_progress",
    "error": "failed",
    "blocked": "failed",
}


class PlanError(WorkflowError):
    """What is wrong with a plan, where, and what the right form is."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do; if it names nodes, only a green run of them completes it."""

    task_id: int | str
    description: str
    status: Status = "pending"
    notes: str = ""
    node_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Phase:
    """Tasks that belong together."""

    phase_name: str
    status: Status = "pending"
    tasks: tuple[Task, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A version of the plan of a workflow."""

    overall_goal: str
    current_phase: str
    phases: tuple[Phase, ...]
    next_actions: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    notes: str = ""
    workflow_id: str = ""
    plan_version: int = 0
    created_at: str = ""
    updated_at: str = ""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks, in their order."""
        return tuple(task for phase in self.phases for task in phase.tasks)


def parse_plan(written: Json) -> Plan:
    """The plan that a model wrote, or an error that says all that is wrong with it."""
    try:
        value = parse_json_input(written, what="plan", longest=LONGEST)
    except WorkflowError as problem:
        raise PlanError(str(problem)) from None
    reader = FieldReader()
    fields = reader.object(value, "", _PLAN)
    phases = tuple(
        _phase(reader, phase, f"phases[{place}]")
        for place, phase in enumerate(reader.items(fields, "phases", "", needed=True))
    )
    plan = Plan(
        overall_goal=reader.text(fields, "overall_goal", "", needed=True),
        current_phase=reader.text(fields, "current_phase", "", needed=True),
        phases=phases,
        next_actions=reader.texts(fields, "next_actions", ""),
        blockers=reader.texts(fields, "blockers", ""),
        notes=reader.text(fields, "notes", ""),
        workflow_id=reader.text(fields, "workflow_id", ""),
        plan_version=reader.number(fields, "plan_version", ""),
        created_at=reader.text(fields, "created_at", ""),
        updated_at=reader.text(fields, "updated_at", ""),
    )
    _check_names(reader, plan)
    if reader.problems:
        raise PlanError(f"This plan cannot be taken. {reader.render_problems()}")
    return plan


def encode_plan(plan: Plan) -> dict[str, Json]:
    """The plan as JSON; what a task does not have is left out."""
    own = {name: getattr(plan, name) for name in _PLAN}
    lists = {name: list(own[name]) for name in ("next_actions", "blockers")}
    return {**own, **lists, "phases": [_phase_json(phase) for phase in plan.phases]}


def stamp_plan(
    plan: Plan, workflow_id: str, *, version: int, created_at: str, updated_at: str
) -> Plan:
    """The plan as a version of a workflow's: what a model says about that does not count."""
    return replace(
        plan,
        workflow_id=workflow_id,
        plan_version=version,
        created_at=created_at,
        updated_at=updated_at,
    )


def _phase_json(phase: Phase) -> dict[str, Json]:
    tasks = [_task_json(task) for task in phase.tasks]
    return {"phase_name": phase.phase_name, "status": phase.status, "tasks": tasks}


def _task_json(task: Task) -> dict[str, Json]:
    own: dict[str, Json] = {
        "task_id": task.task_id,
        "description": task.description,
        "status": task.status,
    }
    if task.notes:
        own["notes"] = task.notes
    if task.node_ids:
        own["node_ids"] = list(task.node_ids)
    return own


def _phase(reader: FieldReader, value: Json, where: str) -> Phase:
    fields = reader.object(value, where, _PHASE)
    return Phase(
        phase_name=reader.text(fields, "phase_name", where, needed=True),
        status=_status(reader, fields, where),
        tasks=tuple(
            _task(reader, task, write_element_place(where, "tasks", place))
            for place, task in enumerate(reader.items(fields, "tasks", where, needed=True))
        ),
    )


def _task(reader: FieldReader, value: Json, where: str) -> Task:
    fields = reader.object(value, where, _TASK)
    return Task(
        task_id=_task_id(reader, fields, where),
        description=reader.text(fields, "description", where, needed=True),
        status=_status(reader, fields, where),
        notes=reader.text(fields, "notes", where),
        node_ids=tuple(dict.fromkeys(reader.texts(fields, "node_ids", where))),
    )


def _task_id(reader: FieldReader, fields: Mapping[str, Json], where: str) -> int | str:
    value = fields.get("task_id")
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    reader.wrong(where, "'task_id' must be a number or a text, such as 1.")
    return 0


def _status(reader: FieldReader, fields: Mapping[str, Json], where: str) -> Status:
    value = fields.get("status")
    for known in STATUSES:
        if value == known:
            return known
    said = str(value).strip().casefold()
    meant = _SAID.get(said) or find_nearest(said.replace(" ", "_").replace("-", "_"), STATUSES)
    guess = f" Did you mean {meant!r}?" if meant and value is not None else ""
    what = "'status' is missing" if value is None else f"there is no status {value!r}"
    reader.wrong(where, f"{what}.{guess} It is one of {', '.join(STATUSES)}.")
    return "pending"


def _check_names(reader: FieldReader, plan: Plan) -> None:
    names = [phase.phase_name for phase in plan.phases if phase.phase_name]
    if not names and not reader.problems:
        reader.wrong("phases", "a plan has at least one phase.")
    for name in sorted({name for name in names if names.count(name) > 1}):
        reader.wrong("phases", f"two phases are called {name!r}: give each its own name.")
    if names and plan.current_phase and plan.current_phase not in names:
        meant = find_nearest(plan.current_phase, names) or names[0]
        reader.wrong(
            "current_phase", f"no phase is called {plan.current_phase!r}. Did you mean {meant!r}?"
        )
    ids = [str(task.task_id) for task in plan.tasks]
    for one in sorted({one for one in ids if ids.count(one) > 1}):
        reader.wrong("phases", f"two tasks have the task_id {one}: number them through all phases.")
    for place, phase in enumerate(plan.phases):
        _check_phase(reader, phase, f"phases[{place}]")


def _check_phase(reader: FieldReader, phase: Phase, where: str) -> None:
    if phase.status == "completed":
        left = [str(task.task_id) for task in phase.tasks if task.status != "completed"]
        if left:
            reader.wrong(
                where, f"this phase is not completed while these tasks are not: {', '.join(left)}."
            )
    if phase.status == "pending":
        begun = [str(task.task_id) for task in phase.tasks if task.status != "pending"]
        if begun:
            reader.wrong(
                where, f"this phase is not pending: these tasks have begun: {', '.join(begun)}."
            )
