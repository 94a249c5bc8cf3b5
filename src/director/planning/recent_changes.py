"""Recent changes in plain language, made of the subjects of commits. Pure.

Commits that only keep the tool's own books are left out and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST = 10
# Narrow on purpose: a project may well have commits about sessions of its own.
_BOOKS = re.compile(
    r"session: (?:updated?|saved?) (?:timestamps?|state)\b|log undo: ", re.IGNORECASE
)
_TYPED = re.compile(r"(\w+)(?:\(([^()]*)\))?(!?):\s+(.+)")
_LOGGED = re.compile(r"([0-9a-f]{7,64})\s+(?:\d{4}-\d\d-\d\d\s+)?(.*)")
_NUMBER = re.compile(r"\s*\(#\d+\)\s*$")
_PULL = re.compile(r"Merge pull request #\d+ from (\S+)")
_BRANCH = re.compile(r"Merge (?:remote-tracking )?branch '([^']+)'.*")
_WORDS = {
    "feat": "New",
    "feature": "New",
    "fix": "Fixed",
    "bugfix": "Fixed",
    "hotfix": "Fixed",
    "docs": "Documentation",
    "doc": "Documentation",
    "test": "Tests",
    "tests": "Tests",
    "refactor": "Reworked",
    "perf": "Faster",
    "style": "Tidied",
    "chore": "Upkeep",
    "build": "Upkeep",
    "ci": "Upkeep",
    "revert": "Undone",
}


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its id and the first line of its message."""

    id: str
    subject: str


@dataclass(frozen=True, slots=True)
class RecentChanges:
    """The newest changes in plain language, and how many commits of bookkeeping lay between."""

    lines: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def text(self) -> str:
        """What an agent is shown."""
        if not self.lines:
            return "No earlier progress is recorded.\n"
        listed = "".join(f"- {line}\n" for line in self.lines)
        return f"Recent progress:\n{listed}{self.tail}"

    @property
    def tail(self) -> str:
        """The line that says what was left out, if anything was."""
        many = (
            f"{self.left_out} commits that only keep"
            if self.left_out > 1
            else "1 commit that only keeps"
        )
        return f"\n({many} the tool's own books left out.)\n" if self.left_out else ""


def read_recent_changes(commits: Iterable[Commit], most: int = MOST) -> RecentChanges:
    """The newest commits, at most so many, without those of bookkeeping."""
    lines: list[str] = []
    left_out = 0
    for commit in commits:
        if len(lines) == most:
            break
        if _BOOKS.match(commit.subject):
            left_out += 1
        else:
            lines.append(simplify_change_subject(commit.subject))
    return RecentChanges(tuple(lines), left_out)


def simplify_change_subject(subject: str) -> str:
    """A subject as a person would say it: no type codes, no numbers of pull requests."""
    told = _NUMBER.sub("", " ".join(subject.split()))
    for form, says in ((_PULL, "Merged {}"), (_BRANCH, "Merged {}")):
        if found := form.fullmatch(told):
            return says.format(found[1])
    if told.startswith("[quick] "):
        return f"Quick change: {_sentence(told.removeprefix('[quick] '))}"
    found = _TYPED.fullmatch(told)
    word = _WORDS.get(found[1].lower()) if found else None
    if found is None or word is None:
        return _sentence(told) or "(a commit without a subject)"
    scope = found[2] or ""
    place = f" in {scope}" if re.fullmatch(r"[A-Za-z][A-Za-z ._/-]*", scope) else ""
    changed = " (breaks what was)" if found[3] else ""
    return f"{word}{place}{changed}: {found[4]}"


def read_change_log(text: str) -> list[Commit]:
    """Commits from a written log, one a line: an id, perhaps a date, and the subject."""
    return [
        Commit(found[1], found[2]) for line in text.splitlines() if (found := _LOGGED.match(line))
    ]


def find_change_spans(text: str, keep: int) -> Sequence[tuple[int, int]]:
    """Where the newest `keep` changes stand in the text that an agent is shown."""
    ends = [found.end() for found in re.finditer(r"^- .*\n", text, re.MULTILINE)]
    if not ends or keep >= len(ends):
        return ((0, len(text)),)
    first = text.index("- ")
    return ((0, ends[keep - 1] if keep else first), (ends[-1], len(text)))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
