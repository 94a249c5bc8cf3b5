"""Assembling a fresh context: gather, fit, fill, and say what was done. Pure but for the folder.

Nothing is written here, and nothing is made at all if what may not be cut does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from director.planning.agent_profiles import (
    AGENTS,
    SKILLS,
    ContextProfile,
    add_skill_to_profile,
    load_profile,
)
from director.planning.budget_report import ContextReport, Limit
from director.planning.context_sections import (
    ContextTarget,
    gather_context_sections,
    make_summary_section,
    read_task_section_text,
)
from director.planning.manifest import CommitOf, Json, SourceFiles, hash_content, make_manifest
from director.planning.project_progress import find_next_task, find_task, get_progress_name
from director.planning.recent_changes import Commit, read_recent_changes
from director.planning.section_budget import FittingRules, fit_section_budget
from director.planning.section_format import ORDERS, Source, TaggedSection, render_context
from director.planning.tasktypes import GENERAL, extract_task_request, find_task_types
from director.planning.values import (
    CODEBASE,
    RESEARCH,
    PlanStep,
    Project,
    ProjectError,
    WorkLocation,
    encode_file_text,
)
from director.planning.working_files import fill_working_files, find_working_files


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What is asked for: an agent or skill, perhaps a task, a step to research, texts of one's own.

    `extra` are instructions beside the profile's, already read; `head` and `log` say where the
    changes come from, a commit or a written log.
    """

    agent: str
    task: str | None = None
    skill: str | None = None
    step: str | None = None
    order: str = "seed"
    fill: bool = False
    extra: tuple[Source, ...] = ()
    model: str | None = None
    head: str | None = None
    log: str | None = None


@dataclass(frozen=True, slots=True)
class Fresh:
    """A fresh context: its text, what it took and what it is made of."""

    text: str
    report: ContextReport
    manifest: Mapping[str, Json]
    place: WorkLocation | None = None

    @property
    def content(self) -> bytes:
        """The bytes of the context."""
        return encode_file_text(self.text)

    @property
    def sections(self) -> tuple[TaggedSection, ...]:
        """Its sections."""
        return self.report.sections

    @property
    def tokens(self) -> int:
        """The tokens of the whole."""
        return self.report.after

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of it, beside the figures."""
        return self.report.notes

    @property
    def sha256(self) -> str:
        """The name of this context: the hash of its bytes."""
        return hash_content(self.content)


def _find_no_commit(_path: str, _content: bytes) -> str | None:
    return None


def assemble_context(
    project: Project,
    ask: ContextRequest,
    limit: Limit,
    *,
    commits: Sequence[Commit] = (),
    commit_of: CommitOf = _find_no_commit,
) -> Fresh:
    """The context that is asked for; ProjectError says what cannot be done and why."""
    if ask.order not in ORDERS:
        raise ProjectError(f"There is no order {ask.order!r}. There is: {', '.join(ORDERS)}.")
    profile, order = get_assembly_profile(ask), ORDERS[ask.order]
    place = find_task(project, ask.task) if ask.task else find_next_task(project).place
    step = _step(project, ask.step) if ask.step else None
    told = read_recent_changes(commits)
    asked = ContextTarget(profile, place, step, told, ask.extra)
    sections = gather_context_sections(project, asked)
    rules = _rules(project, asked, sections, order)
    report = replace(
        fit_section_budget(sections, limit, rules), notes=tuple(_notes(project, asked, ask))
    )
    if ask.fill and place is not None:
        report = fill_working_files(report, find_working_files(project, place), order)
    manifest = make_manifest(
        report,
        SourceFiles(project.folder.read, commit_of),
        asked=_describe_request(ask, profile, place),
        order=order,
        evidence=_evidence(project, asked),
    )
    return Fresh(render_context(report.sections, order), report, manifest, place)


def get_assembly_profile(ask: ContextRequest) -> ContextProfile:
    """The profile of an agent, alone or at work in a skill."""
    profile = load_profile(ask.agent)
    if ask.skill is None:
        return profile
    skill = load_profile(ask.skill)
    if skill.name not in SKILLS:
        raise ProjectError(f"{ask.skill!r} is an agent. The skills are: {', '.join(SKILLS)}.")
    return add_skill_to_profile(profile, skill) if profile.name in AGENTS else profile


def _rules(
    project: Project,
    asked: ContextTarget,
    sections: Sequence[TaggedSection],
    order: tuple[str, ...],
) -> FittingRules:
    task = read_task_section_text(project, asked.place)
    summaries = (
        make_summary_section(project, one, "summaries over specifics")
        for one in (RESEARCH, CODEBASE)
    )
    line = ""
    if asked.place is not None:
        line = f"{get_progress_name(project, asked.place.task)}\n{asked.place.task.number}"
    return FittingRules(
        planning=asked.profile.planning,
        building=asked.profile.building,
        task_line=line,
        words=frozenset(re.findall(r"\w{4,}", extract_task_request(task).casefold()))
        if task
        else frozenset(),
        summaries=tuple(one for one in summaries if one is not None),
        unrelated=_find_unrelated(task, sections),
        order=order,
    )


def _find_unrelated(task: str, sections: Sequence[TaggedSection]) -> tuple[str, ...]:
    """The codebase files of other domains than the task's; none if the task is of no domain."""
    kinds = find_task_types(task) if task else None
    if kinds is None or kinds.types == (GENERAL,):
        return ()
    names = (
        one.name for section in sections if section.name == "codebase" for one in section.sources
    )
    return tuple(name for name in names if name not in kinds.files)


def _step(project: Project, wanted_step: str) -> PlanStep:
    for goal in project.goals:
        for step in goal.steps:
            names = (step.path, step.path.removeprefix(".director/"), step.slug)
            if wanted_step.strip("/") in (*names, f"{goal.number}.{step.number}"):
                return step
    raise ProjectError(f"There is no step {wanted_step!r}. Name it as 2.1 or by its folder.")


def _describe_request(
    ask: ContextRequest, profile: ContextProfile, place: WorkLocation | None
) -> dict[str, Json]:
    return {
        "agent": load_profile(ask.agent).name,
        "profile": profile.name,
        "skill": ask.skill,
        "task": place.task.path if place else None,
        "step": ask.step,
        "order": ask.order,
        "fill": ask.fill,
        "model": ask.model,
        "head": ask.head,
        "log": ask.log,
    }


def _evidence(project: Project, asked: ContextTarget) -> dict[str, Json]:
    """Why these files: the words that told the kind of the task, and what of the log was left."""
    task = read_task_section_text(project, asked.place)
    kinds = find_task_types(task) if task else None
    found: dict[str, Json] = {"bookkeeping_commits_left_out": asked.changes.left_out}
    if kinds is not None:
        found["task_types"] = {
            one.name: list(kinds.evidence.get(one.name, ())) for one in kinds.types
        }
    return found


def _notes(project: Project, asked: ContextTarget, ask: ContextRequest) -> list[str]:
    needs_task = {"task", "current_step"} & set(asked.profile.sections)
    notes = []
    if asked.place is None and needs_task:
        notes.append(f"no task: {find_next_task(project).why}")
    elif asked.place is not None and "task" in asked.profile.sections:
        how = "asked for" if ask.task else "the next one"
        notes.append(f"task {asked.place.task.path} ({how})")
    if asked.profile.codebase == "as needed" and asked.place is not None:
        kinds = find_task_types(read_task_section_text(project, asked.place))
        told = (
            f"{one.name} ({', '.join(kinds.evidence.get(one.name, ('no word',)))})"
            for one in kinds.types
        )
        notes.append(f"task type {', '.join(told)}")
    return notes
