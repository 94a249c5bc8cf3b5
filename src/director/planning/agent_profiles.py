"""Profiles of agents and skills: one TOML file each in `agents`. Reads nothing else."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from director.planning.section_format import HEADED, ORDER
from director.planning.values import ProjectError
from director.workflow.nearest import write_nearest_hint

Deep: TypeAlias = Literal["no", "summary", "as needed", "reads directly"] | tuple[str, ...]
AGENTS = (
    "builder",
    "planner",
    "verifier",
    "interviewer",
    "inspector",
    "syncer",
    "mapper",
    "researcher",
    "deep-researcher",
    "deep-mapper",
    "synthesizer",
)
SKILLS = ("blueprint", "build", "brainstorm", "pivot", "inspect")
REFERENCES = ("terminology.md", "plain-language-guide.md", "verification-patterns.md")
_WORDS = ("no", "summary", "as needed", "reads directly")


@dataclass(frozen=True, slots=True)
class ContextProfile:
    """What an agent or skill is shown. `optional` sections are shown only if they say something."""

    name: str
    says: str
    sections: tuple[str, ...]
    research: Deep
    codebase: Deep
    references: tuple[str, ...]
    instructions: str
    optional: tuple[str, ...] = ()
    planning: bool = False
    building: bool = False


@cache
def load_profile(name: str) -> ContextProfile:
    """The profile of an agent or a skill, by its name in any spelling."""
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    if wanted not in (*AGENTS, *SKILLS):
        raise ProjectError(
            f"There is no agent or skill {name!r}.{write_nearest_hint(wanted, (*AGENTS, *SKILLS))}"
        )
    text = files("director.planning").joinpath("agents", f"{wanted}.toml").read_text("utf-8")
    return read_profile(wanted, text)


def read_profile(name: str, text: str) -> ContextProfile:
    """The profile that a text of TOML holds; a name that cannot be right is refused."""
    found = tomllib.loads(text)
    profile = ContextProfile(
        name,
        found["says"],
        tuple(found["sections"]),
        _deep(found["research"]),
        _deep(found["codebase"]),
        tuple(found["references"]),
        found["instructions"],
        tuple(found.get("optional", ())),
        planning=found.get("planning", False),
        building=found.get("building", False),
    )
    for tag in (*profile.sections, *profile.optional):
        if tag not in ORDER:
            raise ProjectError(
                f"The profile {name!r} names the section {tag!r}.{write_nearest_hint(tag, ORDER)}"
            )
    for one in profile.references:
        if one not in REFERENCES:
            raise ProjectError(
                f"The profile {name!r} names {one!r}.{write_nearest_hint(one, REFERENCES)}"
            )
    return profile


def add_skill_to_profile(agent: ContextProfile, skill: ContextProfile) -> ContextProfile:
    """An agent at work in a skill: its own sections, and the files that the skill loads."""
    return replace(
        agent,
        name=f"{agent.name} in {skill.name}",
        research=skill.research,
        codebase=skill.codebase,
        planning=agent.planning or skill.planning,
        building=agent.building or skill.building,
    )


def read_profile_reference(name: str) -> str:
    """A reference document that comes with Director."""
    if name not in REFERENCES:
        raise ProjectError(
            f"There is no reference document {name!r}.{write_nearest_hint(name, REFERENCES)}"
        )
    return files("director.planning").joinpath("references", name).read_bytes().decode("utf-8")


def _deep(value: object) -> Deep:
    if isinstance(value, list):
        names = tuple(str(one) for one in value)
        for one in names:
            if not re.fullmatch(HEADED["codebase"], one):
                raise ProjectError(f"A file of research or codebase is named as X.md, not {one!r}.")
        return names
    for word in _WORDS:
        if value == word:
            return word  # type: ignore[return-value]  # it is one of these words
    raise ProjectError(
        f"Research and codebase are a list of files or one of {_WORDS}, not {value!r}."
    )
