"""Gathering: a project, a profile and a task become sections, nothing cut. Pure.

A file that is missing or blank is skipped in silence: no empty tag. Other tasks, other steps and
the code itself are never gathered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from director.planning.agent_profiles import ContextProfile, Deep, read_profile_reference
from director.planning.markdown import find_markdown_part, list_markdown_headings
from director.planning.project_progress import get_step_file
from director.planning.recent_changes import RecentChanges
from director.planning.section_format import Source, TaggedSection, write_section
from director.planning.tasktypes import (
    SETUP,
    Typed,
    contains_task_word,
    extract_task_request,
    find_task_types,
)
from director.planning.values import (
    CODEBASE,
    GAMEPLAN,
    RESEARCH,
    STATE,
    VISION,
    PlanStep,
    Project,
    WorkLocation,
    encode_file_text,
)

SUMMARY = "SUMMARY.md"
NO_CHANGES = RecentChanges()
LEAD = "What the user has decided for this step:\n"
KINDS = ("Locked", "Flexible", "Deferred")
RULES = """
RULES:
- Locked is settled: do exactly what it says.
- Flexible is yours to choose: use your best judgement.
- Deferred is out of scope: build none of it, not even a part.
"""
_ALL = {
    RESEARCH: ("STACK.md", "FEATURES.md", "ARCHITECTURE.md", "PITFALLS.md"),
    CODEBASE: (
        *("STACK.md", "INTEGRATIONS.md", "ARCHITECTURE.md", "STRUCTURE.md"),
        *("CONVENTIONS.md", "TESTING.md", "CONCERNS.md"),
    ),
}


@dataclass(frozen=True, slots=True)
class ContextTarget:
    """What a context is made for. `step` is a step to be researched, for the deep researcher."""

    profile: ContextProfile
    place: WorkLocation | None = None
    step: PlanStep | None = None
    changes: RecentChanges = NO_CHANGES
    extra: tuple[Source, ...] = ()


def gather_context_sections(project: Project, asked: ContextTarget) -> list[TaggedSection]:
    """The sections that the profile asks for and the project has, in no special order."""
    sections = [
        write_section(tag, sources)
        for tag in asked.profile.sections
        if (sources := tuple(_sources(project, asked, tag)))
    ]
    sections += _deep(project, asked, RESEARCH, asked.profile.research)
    sections += _deep(project, asked, CODEBASE, asked.profile.codebase)
    return sections


def read_task_section_text(project: Project, place: WorkLocation | None) -> str:
    """The text of the task, or nothing."""
    return (project.text(place.task.path) or "") if place else ""


def make_file_section_source(
    project: Project, path: str, rule: str, *, name: str = ""
) -> Source | None:
    """A whole file as a source; None if it is missing or blank."""
    text = project.text(path)
    return Source(path, text, rule, name) if text and text.strip() else None


def make_summary_section(project: Project, folder: str, rule: str) -> TaggedSection | None:
    """The summary of research or codebase as a section of its own."""
    found = make_file_section_source(project, f"{folder}/{SUMMARY}", rule)
    return write_section(f"{folder.rpartition('/')[2]}_summary", (found,)) if found else None


def _sources(project: Project, asked: ContextTarget, tag: str) -> Iterator[Source]:
    rule = f"profile {asked.profile.name}"
    if tag == "recent_changes":
        yield Source("git log", asked.changes.text, rule, kind="log")
    elif tag == "instructions":
        yield from _instructions(project, asked)
    elif tag == "decisions":
        yield from write_decisions_section(project, asked.place.step if asked.place else None, rule)
    elif path := _path(asked, tag):
        found = make_file_section_source(project, path, rule)
        if found and not (tag in asked.profile.optional and _is_form(found.text)):
            yield found


def _path(asked: ContextTarget, tag: str) -> str:
    fixed = {"vision": VISION, "gameplan": GAMEPLAN, "project_state": STATE}
    if tag in fixed or asked.place is None:
        return fixed.get(tag, "")
    step = asked.place.step
    return {
        "current_step": get_step_file(step),
        "task": asked.place.task.path,
        "step_research": f"{step.path}/RESEARCH.md",
    }.get(tag, "")


def write_decisions_section(project: Project, step: PlanStep | None, rule: str) -> Iterator[Source]:
    """The decisions of a step, word for word, with the rules that go with them."""
    text = project.text(get_step_file(step)) if step else None
    found = _find_decisions(text) if text else None
    if step is None or text is None or found is None or not text[slice(*found)].strip():
        return
    kept = text[slice(*found)]
    offset = len(encode_file_text(text[: found[0]]))
    tail = RULES if kept.endswith("\n") else f"\n{RULES}"
    yield Source(get_step_file(step), kept, rule, lead=LEAD, tail=tail, offset=offset, kind="part")


def _find_decisions(text: str) -> tuple[int, int] | None:
    """Where the decisions stand; a heading that says more needs one of the three kinds under it."""
    if found := find_markdown_part(text, "Decisions"):
        return found
    for one in list_markdown_headings(text):
        if one.level == 2 and re.search(r"\bdecisions?\b", one.words, re.IGNORECASE):
            found = find_markdown_part(text, one.words.rstrip(":"))
            if found and any(find_markdown_part(text[slice(*found)], kind, 3) for kind in KINDS):
                return found
    return None


def _instructions(project: Project, asked: ContextTarget) -> Iterator[Source]:
    profile = asked.profile
    base = profile.name.partition(" ")[0]
    yield Source(f"director:agents/{base}.toml", profile.instructions, "profile", kind="ours")
    if asked.step is not None:
        rule = "step mode: told within the instructions"
        if step := make_file_section_source(
            project, get_step_file(asked.step), rule, name="STEP.md"
        ):
            yield step
        for one in write_decisions_section(project, asked.step, rule):
            yield Source(
                one.source,
                one.text,
                rule,
                "STEP.md#Decisions",
                lead=one.lead,
                tail=one.tail,
                offset=one.offset,
                kind="part",
            )
    for name in profile.references:
        rule = f"profile {profile.name}: reference document"
        yield Source(
            f"director:references/{name}",
            read_profile_reference(name),
            rule,
            name,
            kind="reference",
        )
    yield from asked.extra


def _deep(
    project: Project, asked: ContextTarget, folder: str, deep: Deep
) -> Iterator[TaggedSection]:
    rule = f"profile {asked.profile.name}"
    if deep in ("no", "reads directly"):
        return
    if deep == "summary":
        names: dict[str, str] = {SUMMARY: rule}
    elif deep == "as needed":
        names = _find_needed_files(read_task_section_text(project, asked.place), folder)
    else:
        names = dict.fromkeys(deep, rule)
    if SUMMARY in names and (found := make_summary_section(project, folder, names.pop(SUMMARY))):
        yield found
    sources = tuple(
        source
        for name, why in names.items()
        if (source := make_file_section_source(project, f"{folder}/{name}", why, name=name))
    )
    if sources:
        yield write_section(folder.rpartition("/")[2], sources)


def _find_needed_files(task: str, folder: str) -> dict[str, str]:
    """The files that a task needs, each with the words that say so."""
    if not task:
        return {}
    named = {
        name: f"the task names {name}"
        for name in _ALL[folder]
        if re.search(rf"\b{folder.rpartition('/')[2]}/{re.escape(name)}", task)
    }
    if folder == CODEBASE:
        kinds: Typed = find_task_types(task)
        return {name: kinds.why(name) for name in kinds.files} | named
    setup = [word for word in SETUP if contains_task_word(word, extract_task_request(task))]
    found = {"STACK.md": f"a task of setting up ({', '.join(setup)})"} if setup else {}
    return found | named


def _is_form(text: str) -> bool:
    return bool(re.search(r"^>.*will be populated", text, re.MULTILINE))
