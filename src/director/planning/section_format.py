"""Sections of a fresh context: their tags and order, how they are written and read back. Pure.

No content can forge or close a tag, or pass for another file: a look-alike gets a backslash, and
loses it again when the context is read back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from director.context.boundary_escapes import escape_boundaries, unescape_boundaries

# The order of a context: what it is for, what is to be done, what helps, the rules.
ORDER = (
    "vision",
    "gameplan",
    "current_step",
    "decisions",
    "task",
    "step_research",
    "research_summary",
    "research",
    "codebase_summary",
    "codebase",
    "working_files",
    "recent_changes",
    "project_state",
    "instructions",
)
# What changes least comes first, so that one context begins as the one before it began.
STABLE = (
    "instructions",
    "vision",
    "research_summary",
    "research",
    "codebase_summary",
    "codebase",
    "gameplan",
    "current_step",
    "decisions",
    "step_research",
    "working_files",
    "project_state",
    "recent_changes",
    "task",
)
ORDERS = {"seed": ORDER, "stable": STABLE}
DEEP = ("step_research", "research_summary", "research", "codebase_summary", "codebase")
# Sections that may hold several files, each under a heading with its name: the form of the names.
HEADED = {
    "research": r"[A-Z]+\.md",
    "codebase": r"[A-Z]+\.md",
    "working_files": r"\.director/\S+",
    "instructions": r"\S*[./]\S*",
}
PROTECTED = ("vision", "decisions", "task")

_OPENING = re.compile(rf"<({'|'.join(ORDER)})>\n")
_FILE = {
    tag: re.compile(rf"^(\\*)(## {name}[ \t\r]*)$", re.MULTILINE) for tag, name in HEADED.items()
}
_TEXT = {tag: re.compile(rf"^## ({name})[ \t\r]*$", re.MULTILINE) for tag, name in HEADED.items()}
_HIDDEN = re.compile(r"[\s%\x00-\x1f\x7f-\xa0]")


@dataclass(frozen=True, slots=True)
class Source:
    """What a section shows of one source.

    `spans` are the characters of the text that are shown, all of them if None; `lead`, `tail` and
    `notice` are our own words around it. `offset` is the byte of the file at which the text begins.
    """

    source: str
    text: str
    rule: str
    name: str = ""
    spans: tuple[tuple[int, int], ...] | None = None
    lead: str = ""
    tail: str = ""
    notice: str = ""
    offset: int = 0
    kind: str = "file"
    injected: tuple[tuple[int, int], ...] = ()

    @property
    def shown(self) -> str:
        """The text as it stands in the context, before it is guarded."""
        kept = self.text if self.spans is None else "".join(self.text[a:b] for a, b in self.spans)
        if self.notice and kept and not kept.endswith("\n"):
            kept += "\n"
        return f"{self.lead}{kept}{self.notice}{self.tail}"


@dataclass(frozen=True, slots=True)
class TaggedSection:
    """A tag and the sources in it, in order."""

    tag: str
    sources: tuple[Source, ...]

    def only(self, *sources: Source) -> TaggedSection:
        """The same section with other sources."""
        return replace(self, sources=sources)


def heading(name: str) -> str:
    """A name as one word: what would end a line or a word is written as %XX."""
    return _HIDDEN.sub(lambda found: f"%{ord(found[0]):02X}", name)


def render_section(section: TaggedSection) -> str:
    """A section between its two lines."""
    return f"<{section.tag}>\n{escape_boundaries(_content(section), ORDER)}\n</{section.tag}>"


def render_context(
    sections: Sequence[TaggedSection],
    order: Sequence[str] = ORDER,
    write: Callable[[TaggedSection], str] = render_section,
) -> str:
    """The whole context: sections in order, a blank line between, one line feed at the end."""
    ranked = sorted(sections, key=lambda one: order.index(one.tag))
    return "\n\n".join(write(section) for section in ranked) + "\n" if ranked else ""


def read_context(text: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Tags with the names and texts in them, as they were before writing; else ValueError."""
    found: list[tuple[str, tuple[tuple[str, str], ...]]] = []
    start = 0
    while start < len(text):
        opening = _OPENING.match(text, start)
        close = f"\n</{opening[1]}>" if opening else ""
        end = text.find(close, opening.end()) if opening else -1
        if opening is None or end < 0:
            raise ValueError(f"No whole section begins at character {start}.")
        inside = unescape_boundaries(text[opening.end() : end], ORDER)
        found.append((opening[1], _texts(opening[1], inside)))
        start = end + len(close)
        joiner = "\n" if start + 1 == len(text) else "\n\n"
        if not text.startswith(joiner, start):
            raise ValueError(f"Something stands behind the section {opening[1]!r}.")
        start += len(joiner)
    tags = [tag for tag, _ in found]
    if len(set(tags)) < len(tags):
        raise ValueError("A section is there twice.")
    return found


def _content(section: TaggedSection) -> str:
    if section.tag not in HEADED:
        return "".join(source.shown for source in section.sources)
    texts = []
    for source in section.sources:
        ahead = f"## {heading(source.name)}\n" if source.name else ""
        texts.append(ahead + _FILE[section.tag].sub(r"\\\1\2", source.shown))
    return "\n".join(texts)


def _texts(tag: str, content: str) -> tuple[tuple[str, str], ...]:
    if tag not in HEADED:
        return (("", content),)
    marks = list(_TEXT[tag].finditer(content))
    first = marks[0].start() if marks else len(content) + 1
    found = [("", content[: first - 1])] if first else []
    for place, mark in enumerate(marks):
        last = place + 1 == len(marks)
        end = len(content) if last else marks[place + 1].start() - 1
        found.append((mark[1], content[mark.end() + 1 : end]))
    return tuple((name, _FILE[tag].sub(_bare, text)) for name, text in found)


def _bare(found: re.Match[str]) -> str:
    return found[1][1:] + found[2]
