"""Executing workflows: nodes, evidence, durable runs. What needs a model is handed in."""

from director.runs.questions import answer_run_question, list_run_questions
from director.runs.run_control import (
    cancel_workflow_run,
    drive_run,
    load_run_workflow,
    queue_run,
    reopen_workflow_run,
    resume_node,
    resume_workflow_run,
    run_workflow,
    save_run_workflow,
    try_node,
)
from director.runs.run_journal import list_run_records, list_run_steps, read_run
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
    "answer_run_question",
    "cancel_workflow_run",
    "drive_run",
    "list_run_questions",
    "list_run_records",
    "list_run_steps",
    "load_run_workflow",
    "queue_run",
    "read_run",
    "reopen_workflow_run",
    "resume_node",
    "resume_workflow_run",
    "run_workflow",
    "save_run_workflow",
    "try_node",
]

# Names of one release ago; they go with the next.
Means = RunDependencies
retry = resume_workflow_run
questions = list_run_questions
answer = answer_run_question
drive = drive_run
resume = resume_workflow_run
reopen = reopen_workflow_run
cancel = cancel_workflow_run
workflow_of = load_run_workflow
save_workflow = save_run_workflow
steps_of = list_run_steps
records_of = list_run_records
run_of = read_run
