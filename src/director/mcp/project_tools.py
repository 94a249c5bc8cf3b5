"""A project's `.director/` folder as tools: how far it is, what comes next, a context for an agent.

Only the folder that the server was started for is read. Nothing that a client says runs a command.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from director.fresh_context import deliver_context, fresh
from director.models import Tool, tool
from director.planning.drift import find_drift
from director.planning.project_files import open_project
from director.planning.project_progress import find_next_task, get_progress_name
from director.planning.values import encode_file_text


class Preparing:
    """The tools of one project."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def _functions(self) -> Mapping[str, Callable[..., str]]:
        found = (self.fresh_context, self.project_status, self.next_task)
        return {function.__name__: function for function in found}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools as a client sees them."""
        return tuple(map(tool, self._functions.values()))

    def run(self, called: Tool, args: Mapping[str, Any]) -> str:
        """The result of one of the tools; bytes that are no text cannot be sent and are marked."""
        return encode_file_text(self._functions[called.name](**args)).decode("utf-8", "replace")

    def fresh_context(
        self, agent: str, task: str = "", skill: str = "", model: str = "", window: int = 0
    ) -> str:
        """Give a fresh context for an agent and a task, or the names of files that hold it.

        Args:
            agent: builder, planner, verifier, interviewer, inspector, syncer, mapper, researcher,
                deep-researcher, deep-mapper or synthesizer
            task: the path of a task file; the next task if it is empty
            skill: blueprint, build, brainstorm, pivot or inspect, if the agent works by one
            model: who will read it; decides the window
            window: how many tokens the model takes, if that is not known of it

        """
        made = fresh(
            self._root,
            agent,
            task or None,
            skill=skill or None,
            model=model or None,
            window=window or None,
        )
        return deliver_context(self._root, made, "mcp")

    def project_status(self) -> str:
        """Tell how far the project is, by goal and step, and where its files disagree."""
        found = open_project(self._root)
        goals = [
            {
                "goal": get_progress_name(found, goal),
                "steps": {
                    get_progress_name(found, step): f"{step.tasks_done} of {len(step.tasks)} tasks"
                    for step in goal.steps
                },
            }
            for goal in found.goals
        ]
        said = {
            "goals": goals,
            "drift": [f"{one.path}: {one.said} {one.mend}" for one in find_drift(found)],
        }
        return json.dumps(said, ensure_ascii=False, indent=1)

    def next_task(self) -> str:
        """Name the next task, and say why it is that one."""
        then = find_next_task(open_project(self._root))
        return f"{then.place.task.path}\n{then.why}" if then.place else then.why
