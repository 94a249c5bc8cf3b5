"""Filling: spare budget for working files that the task names. Pure.

Working files are what lies in the folders of steps and in brainstorms beside the plan itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from director.planning.context_sections import task_text
from director.planning.project_progress import needs_of
from director.planning.section_budget import FittedSections, Limit
from director.planning.section_format import Source, TaggedSection, render_context
from director.planning.values import FOLDER, Project, WorkLocation

_TEXT = (".md", ".txt", ".json", ".csv", ".toml", ".yaml", ".yml", ".html", ".rst")


@dataclass(frozen=True, slots=True)
class Filled:
    """What was made of the spare budget, and which named files found no room."""

    fitted: FittedSections
    too_large: tuple[str, ...] = ()


def working_files(project: Project, place: WorkLocation) -> list[Source]:
    """The working files that a task names, best first: by path, by name, by words of the name."""
    text = task_text(project, place)
    needs = needs_of(project, place.task.path)
    steps = [step for goal in project.goals for step in goal.steps]
    loose = [path for path in project.folder.paths if path.startswith(f"{FOLDER}/brainstorms/")]
    ranked = []
    for path in [*(path for step in steps for path in step.files), *loose]:
        how = _explain_need(path, text, needs)
        if how and path.lower().endswith(_TEXT):
            near = path.startswith(place.step.path)
            ranked.append((_HOW.index(how), not near, path, how))
    found = []
    for _, _, path, how in sorted(ranked):
        content = project.text(path)
        if content and content.strip():
            found.append(Source(path, content, f"fill: the task names it by {how}", path))
    return found


def fill(
    fitted: FittedSections, files: Sequence[Source], limit: Limit, order: Sequence[str]
) -> Filled:
    """Add each file that still fits, whole."""
    taken: list[Source] = []
    left: list[str] = []
    best = fitted
    for source in files:
        sections = (*fitted.sections, TaggedSection("working_files", (*taken, source)))
        size = limit.counter(render_context(sections, order))
        if size <= limit.tokens:
            taken.append(source)
            added = size - best.tokens
            best = FittedSections(sections, size, best.whole + added, fitted.cuts)
        else:
            left.append(source.source)
    return Filled(best, tuple(left))


_HOW = (
    "its path",
    "its file name",
    "the words of its name, under Needs First",
    "the words of its name",
)


def _explain_need(path: str, text: str, needs: str) -> str:
    name = path.rpartition("/")[2]
    words = [re.escape(word) for word in re.split(r"[^\w]+|_+", name.rpartition(".")[0]) if word]
    phrase = r"[\s_-]+".join(words)
    said = re.compile(rf"(?<!\w){phrase}(?!\w)", re.IGNORECASE) if words else None
    if path in text or path.removeprefix(f"{FOLDER}/") in text:
        return _HOW[0]
    if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE):
        return _HOW[1]
    if said and said.search(needs):
        return _HOW[2]
    return _HOW[3] if said and said.search(text) else ""
