"""Filling: spare budget for working files that the task names. Pure.

Working files are what lies in the folders of steps and in brainstorms beside the plan itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from director.context.values import Context
from director.planning.budget_report import ContextReport
from director.planning.context_sections import read_task_section_text
from director.planning.project_progress import read_task_needs
from director.planning.section_format import Source, render_context, write_section
from director.planning.values import FOLDER, Project, WorkLocation

_TEXT = (".md", ".txt", ".json", ".csv", ".toml", ".yaml", ".yml", ".html", ".rst")


def find_working_files(project: Project, place: WorkLocation) -> list[Source]:
    """The working files that a task names, best first: by path, by name, by words of the name."""
    text = read_task_section_text(project, place)
    needs = read_task_needs(project, place.task.path)
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


def fill_working_files(
    fitted: ContextReport, files: Sequence[Source], order: Sequence[str]
) -> ContextReport:
    """Add each file that still fits, whole; a note names each that does not."""
    taken: list[Source] = []
    best = fitted
    for source in files:
        added = write_section("working_files", (*taken, source))
        sections = (*fitted.sections, added)
        size = fitted.counting(render_context(sections, order))
        if size > fitted.limit:
            note = f"no room for {source.source}, which the task names"
            best = replace(best, notes=(*best.notes, note))
            continue
        taken.append(source)
        whole = best.before + size - best.after
        given = Context((*fitted.given.sections, added))
        best = replace(best, before=whole, after=size, given=given, sent=Context(sections))
    return best


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
