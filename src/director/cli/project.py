"""`director init`, `director status`, `director next`: a project's `.director/` folder.

It prints; what is true about a project is found in `director.planning`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from director.cli.command_setup import fail

if TYPE_CHECKING:
    from director.planning.project_progress import NextTask
    from director.planning.values import Goal, PlanStep, Project, StepTask

Root: TypeAlias = Annotated[
    Path,
    typer.Option("--project", help="The folder that holds .director/.", metavar="FOLDER"),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]
HERE = Path()


def open_project_or_exit(root: Path, command: str) -> Project:
    """The project of a folder; what is wrong with it is said in one line."""
    from director.planning.project_files import open_project
    from director.planning.values import ProjectError

    try:
        return open_project(root)
    except ProjectError as error:
        fail(command, str(error))
    except OSError as error:
        fail(command, f"{error.filename or root}: {error.strerror or error}")


def init(
    folder: Annotated[Path, typer.Argument(help="The project; else this folder.")] = HERE,
) -> None:
    """Make a .director/ folder with forms to fill in. What is there stays as it is."""
    from director.planning.project_setup import make_project
    from director.planning.values import ProjectError

    try:
        made = make_project(folder)
    except ProjectError as error:
        fail("init", str(error))
    except OSError as error:
        fail("init", f"{error.filename or folder}: {error.strerror or error}")
    for path in made:
        typer.echo(f"made {path}")
    if not made:
        typer.echo("Everything is there; nothing was changed.")
    else:
        typer.echo(
            "Next: write .director/VISION.md, or give `director context interviewer` to an agent."
        )


def status(*, project: Root = HERE, as_json: AsJson = False) -> None:
    """How far the project is, by goal, step and task, as the files say."""
    from director.planning.project_progress import find_next_task

    found = open_project_or_exit(project, "status")
    then = find_next_task(found)
    if as_json:
        typer.echo(json.dumps(_status(found, then), indent=2))
        return
    for goal in found.goals:
        done = sum(task.done for task in goal.tasks)
        typer.echo(f"{_render_name(found, goal)}  ({done}/{len(goal.tasks)} tasks)")
        for step in goal.steps:
            typer.echo(f"  {_render_name(found, step)}  ({step.tasks_done}/{len(step.tasks)})")
            for task in step.tasks:
                typer.echo(f"    {_render_name(found, task)}")
    total = [task.done for goal in found.goals for task in goal.tasks]
    share = f" ({sum(total) / len(total):.0%})" if total else ""
    typer.echo(f"{sum(total)} of {len(total)} tasks are done{share}.")
    typer.echo(f"Next: {then.place.task.path if then.place else then.why}")


def next_(*, project: Root = HERE, as_json: AsJson = False) -> None:
    """The next task, and why it is that one. Exits with 1 if there is none."""
    from director.planning.project_progress import find_next_task, get_progress_name

    found = open_project_or_exit(project, "next")
    then = find_next_task(found)
    if as_json:
        typer.echo(json.dumps(_next(then), indent=2))
    elif then.place is not None:
        typer.echo(
            f"{then.place.task.path}\n{get_progress_name(found, then.place.task)} "
            f"({then.place})\n{then.why}"
        )
    else:
        typer.echo(then.why)
    if then.place is None:
        raise typer.Exit(1)


def _render_name(found: Project, one: Goal | PlanStep | StepTask) -> str:
    from director.planning.project_progress import get_progress_label, get_progress_name
    from director.planning.values import StepTask

    done = one.done if isinstance(one, StepTask) else one.complete
    number = "" if one.number is None else f" {one.number}"
    return (
        f"{'✓' if done else '·'} {get_progress_label(one)}{number}: {get_progress_name(found, one)}"
    )


def _next(then: NextTask) -> dict[str, str | None]:
    return {"task": then.place.task.path if then.place else None, "why": then.why}


def _status(found: Project, then: NextTask) -> dict[str, object]:
    from director.planning.project_progress import get_progress_name

    goals = [
        {
            "path": goal.path,
            "name": get_progress_name(found, goal),
            "complete": goal.complete,
            "steps": [
                {
                    "path": step.path,
                    "name": get_progress_name(found, step),
                    "complete": step.complete,
                    "tasks": [
                        {
                            "path": task.path,
                            "name": get_progress_name(found, task),
                            "done": task.done,
                        }
                        for task in step.tasks
                    ],
                }
                for step in goal.steps
            ],
        }
        for goal in found.goals
    ]
    done = [task.done for goal in found.goals for task in goal.tasks]
    return {"done": sum(done), "tasks": len(done), "goals": goals, "next": _next(then)}
