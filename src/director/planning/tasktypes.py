"""What kind of task it is, by whole words in it, with those words as evidence. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from director.planning.markdown import read_markdown_section


@dataclass(frozen=True, slots=True)
class TaskType:
    """A kind of task: the words that tell it, the files about the codebase that it needs."""

    name: str
    words: tuple[str, ...]
    files: tuple[str, ...]


UI = TaskType(
    "UI",
    tuple(
        "page component form layout button modal style CSS Tailwind responsive visual screen view "
        "template render".split()
    ),
    ("CONVENTIONS.md", "STRUCTURE.md"),
)
API = TaskType(
    "API",
    tuple(
        "endpoint route API request response database query schema model migration REST GraphQL "
        "server middleware".split()
    ),
    ("ARCHITECTURE.md", "CONVENTIONS.md"),
)
TESTING = TaskType(
    "Testing",
    (*"test spec coverage assert expect mock fixture e2e".split(), "unit test", "integration test"),
    ("TESTING.md", "CONVENTIONS.md"),
)
GENERAL = TaskType("General", (), ("CONVENTIONS.md",))
TYPES = (UI, API, TESTING)
# A task that sets something up needs to know with what.
SETUP = tuple("setup install installation dependency dependencies scaffold bootstrap".split())
_PLURALS = {"query": "queries", "dependency": "dependencies"}


@dataclass(frozen=True, slots=True)
class Typed:
    """The kinds that a task has, each with the words that were found."""

    evidence: Mapping[str, tuple[str, ...]]

    @property
    def types(self) -> tuple[TaskType, ...]:
        """The kinds; General if no word was found."""
        return tuple(one for one in TYPES if self.evidence.get(one.name)) or (GENERAL,)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of all kinds, each once."""
        return tuple(dict.fromkeys(file for one in self.types for file in one.files))

    def why(self, file: str) -> str:
        """Which kinds ask for a file, and by which words."""
        told = [
            f"{one.name} ({', '.join(self.evidence[one.name])})"
            if one is not GENERAL
            else "General"
            for one in self.types
            if file in one.files
        ]
        return f"task type {' and '.join(told)}"


def find_task_types(task: str) -> Typed:
    """The kinds of a task, from what is to do and when it is done; without both, from all of it."""
    text = extract_task_request(task)
    found = {one.name: tuple(w for w in one.words if contains_task_word(w, text)) for one in TYPES}
    return Typed({name: words for name, words in found.items() if words})


def extract_task_request(task: str) -> str:
    """What a task asks for: its What To Do and its Done When; without both, all of it."""
    return (
        f"{read_markdown_section(task, 'What To Do')}\n"
        f"{read_markdown_section(task, 'Done When')}".strip()
        or task
    )


def contains_task_word(word: str, text: str) -> bool:
    """Whether a text holds a word, whole, alone or as a plural.

    REST counts in capitals only: in small letters it is what remains.
    """
    plural = _PLURALS.get(word, f"{word}s")
    either = "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in (word, plural))
    flags = re.NOFLAG if word == "REST" else re.IGNORECASE
    return bool(re.search(rf"(?<![\w])(?:{either})(?![\w])", text, flags))
