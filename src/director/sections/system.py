"""The system section: the prompt as it stands in its file now. It has no boundary of its own."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from director.context.values import Section
from director.sections.boundary import guard_boundary


def read_system_prompt(name: str, folder: Traversable | None = None) -> str:
    """The text of a prompt, read anew each time, so that no old one is ever sent."""
    folder = folder or files("director.sections").joinpath("prompts")
    return folder.joinpath(f"{name}.md").read_text("utf-8").strip()


def render_system_section() -> Section:
    """The newest system prompt."""
    return Section("system", guard_boundary(read_system_prompt("system")), "system")
