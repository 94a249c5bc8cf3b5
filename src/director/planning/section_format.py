"""Sections of a fresh context: their tags and order, how they are written and read back. Pure.

No content can forge or close a tag, or pass for another file: a look-alike gets a backslash, and
loses it again when the context is read back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from director.context.boundary_escapes import escape_boundaries, split_bounded, unescape_boundaries
from director.context.values import Section

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
    def full_text(self) -> str:
        """The text as it stands in the context, before it is guarded."""
        kept = self.text if self.spans is None else "".join(self.text[a:b] for a, b in self.spans)
        if self.notice and kept and not kept.endswith("\n"):
            kept += "\n"
        return f"{self.lead}{kept}{self.notice}{self.tail}"


@dataclass(frozen=True, slots=True)
class TaggedSection(Section):
    """A section between its two lines, with the sources that it was written from, in order."""

    sources: tuple[Source, ...] = ()

    def only(self, *sources: Source) -> TaggedSection:
        """The same section with other sources."""
        return write_section(self.name, sources)


def escape_section_name(name: str) -> str:
    """A name as one word: what would end a line or a word is written as %XX."""
    return _HIDDEN.sub(lambda found: f"%{ord(found[0]):02X}", name)


def write_section(tag: str, sources: Sequence[Source]) -> TaggedSection:
    """The section of these sources, as it stands in a context."""
    text = f"<{tag}>\n{escape_boundaries(_content(tag, sources), ORDER)}\n</{tag}>"
    return TaggedSection(tag, text, pinned=tag in PROTECTED, sources=tuple(sources))


def render_context(sections: Sequence[Section], order: Sequence[str] = ORDER) -> str:
    """The whole context: sections in order, a blank line between, one line feed at the end."""
    ranked = sorted(sections, key=lambda one: order.index(one.name))
    return "\n\n".join(section.text for section in ranked) + "\n" if ranked else ""


def read_context(text: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Tags with the names and texts in them, as they were before writing; else ValueError."""
    if text and not text.endswith("\n"):
        raise ValueError("The last section has no line feed behind it.")
    found = [
        (opening[1], _texts(opening[1], unescape_boundaries(inside, ORDER)))
        for opening, inside in split_bounded(text.rstrip("\n"), _OPENING)
    ]
    tags = [tag for tag, _ in found]
    if len(set(tags)) < len(tags):
        raise ValueError("A section is there twice.")
    return found


def _content(tag: str, sources: Sequence[Source]) -> str:
    if tag not in HEADED:
        return "".join(source.full_text for source in sources)
    texts = []
    for source in sources:
        ahead = f"## {escape_section_name(source.name)}\n" if source.name else ""
        texts.append(ahead + _FILE[tag].sub(r"\\\1\2", source.full_text))
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
