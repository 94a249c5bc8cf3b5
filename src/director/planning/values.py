"""The values of a `.director/` folder: what a reader found, frozen. Never touches a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from director.errors import DirectorError

FOLDER = ".director"
VISION = f"{FOLDER}/VISION.md"
GAMEPLAN = f"{FOLDER}/GAMEPLAN.md"
STATE = f"{FOLDER}/STATE.md"
IDEAS = f"{FOLDER}/IDEAS.md"
CONFIG = f"{FOLDER}/config.json"
RESEARCH = f"{FOLDER}/research"
CODEBASE = f"{FOLDER}/codebase"
GOALS = f"{FOLDER}/goals"
CONTEXTS = f"{FOLDER}/contexts"


class ProjectError(DirectorError, ValueError):
    """Something cannot be done with a project; the message says what was kept and what to do."""


class Folder(Protocol):
    """Where the files of a project come from: a disk, or a commit."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file below `.director/`, by its path from the root, sorted."""
        ...

    @property
    def refusals(self) -> tuple[str, ...]:
        """What is there and is not read: it leads out of the root, or is no plain file."""
        ...

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, None if it is not there or may not be read."""
        ...


class MemoryFiles:
    """Files that are held in memory, such as those of a commit."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)
        self.paths = tuple(sorted(path for path in files if path.startswith(f"{FOLDER}/")))
        self.refusals: tuple[str, ...] = ()

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, None if it is not there."""
        return self._files.get(path)


@dataclass(frozen=True, slots=True)
class StepTask:
    """A task: one file, or two of which one is done. `path` is the file that is read."""

    path: str
    number: int | None
    slug: str
    done: bool
    twice: bool = False


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A step: its folder, its tasks in order, and what else lies beside them."""

    path: str
    number: int | None
    slug: str
    tasks: tuple[StepTask, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def tasks_done(self) -> int:
        """How many of its tasks are done."""
        return sum(task.done for task in self.tasks)

    @property
    def complete(self) -> bool:
        """Whether there are tasks and all are done."""
        return bool(self.tasks) and self.tasks_done == len(self.tasks)


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal: its folder and its steps in order. `said` is that GOAL.md calls it complete."""

    path: str
    number: int | None
    slug: str
    steps: tuple[PlanStep, ...] = ()
    said: bool = False

    @property
    def tasks(self) -> tuple[StepTask, ...]:
        """The tasks of all its steps."""
        return tuple(task for step in self.steps for task in step.tasks)

    @property
    def complete(self) -> bool:
        """All tasks of all steps are done; without any task, what GOAL.md says."""
        if not self.tasks:
            return self.said
        return all(step.complete for step in self.steps)


@dataclass(frozen=True, slots=True)
class Project:
    """A `.director/` folder, read."""

    folder: Folder
    goals: tuple[Goal, ...] = ()

    def text(self, path: str) -> str | None:
        """A file as text; bytes that are no UTF-8 come through and go out again as they were."""
        content = self.folder.read(path)
        return None if content is None else decode_file_bytes(content)

    def places(self) -> Iterator[WorkLocation]:
        """Every task with its goal and step, in the order of the numbers."""
        for goal in self.goals:
            for step in goal.steps:
                for task in step.tasks:
                    yield WorkLocation(goal, step, task)


@dataclass(frozen=True, slots=True)
class WorkLocation:
    """Where work is: a goal, a step of it, a task of that."""

    goal: Goal
    step: PlanStep
    task: StepTask

    def __str__(self) -> str:
        return ", ".join(
            f"{kind} {one.slug if one.number is None else one.number}"
            for kind, one in (("goal", self.goal), ("step", self.step), ("task", self.task))
        )


def decode_file_bytes(content: bytes) -> str:
    """Bytes as text, whatever they are; `as_bytes` gives them back."""
    return content.decode("utf-8", "surrogateescape")


def encode_file_text(text: str) -> bytes:
    """The bytes that a text was read from."""
    return text.encode("utf-8", "surrogateescape")
