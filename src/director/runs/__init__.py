"""Executing workflows: nodes, evidence, durable runs. What needs a model is handed in."""

from director.runs.questions import answer, questions
from director.runs.run_control import (
    cancel,
    drive,
    queue_run,
    reopen,
    resume,
    resume_node,
    run_workflow,
    save_workflow,
    try_node,
    workflow_of,
)
from director.runs.run_journal import records_of, run_of, steps_of
from director.runs.values import (
    NodeFailed,
    Question,
    Run,
    RunDependencies,
    RunError,
    RunProgress,
    RunTaken,
    Step,
)

__all__ = [
    "NodeFailed",
    "Question",
    "Run",
    "RunDependencies",
    "RunError",
    "RunProgress",
    "RunTaken",
    "Step",
    "answer",
    "cancel",
    "drive",
    "questions",
    "queue_run",
    "records_of",
    "reopen",
    "resume",
    "resume_node",
    "run_of",
    "run_workflow",
    "save_workflow",
    "steps_of",
    "try_node",
    "workflow_of",
]

# Names of one release ago; they go with the next.
Means = RunDependencies
retry = resume
