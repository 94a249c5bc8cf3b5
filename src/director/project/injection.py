"""`` !`command` `` in a skill's text: found always, run only if allowed. Pure but for the runner.

One pass: what a command prints is never looked at again. Nothing inside fences or code spans is a
placeholder. What goes wrong with one placeholder is said in its place; the others go on.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.project.markdown import fences, frontmatter_end

_PLACEHOLDER = re.compile(r"(?:(?<=\s)|^)!`([^`\n]+)`(?!`)", re.MULTILINE)
_WRONG = re.compile(r"(?<![`!\\])`!([^`\n]+)`(?!`)")
_SPAN = re.compile(r"(?<!`)(`{2,})(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_SHELL = re.compile(r"[;&|<>$`(){}\[\]*?~#!\\\n\r\x00]")
_OUTSIDE = re.compile(r"(?:^|=)(?:/|~)|(?:^|[/=])\.\.(?:/|$)")
# Options by which a program that only reads starts another one, writes, or goes elsewhere.
_REACHING = re.compile(
    r"-C|-c|--output(=.*)?|-o.*|--git-dir(=.*)?|--work-tree(=.*)?|--exec-path(=.*)?|--ext-diff"
    r"|-exec|-execdir|-ok|-okdir|--textconv|--no-index|--open-files-in-pager(=.*)?|-O.*|--upload-pack(=.*)?|--config-env(=.*)?"
)
# Programs whose work is to start another one, which no rule would have allowed.
_STARTERS = frozenset(
    "sh bash dash ash ksh zsh csh tcsh fish busybox env xargs parallel sudo doas su runuser setsid "
    "nohup nice ionice timeout stdbuf unshare chroot watch script ssh eval exec command".split()
)
Outcome: TypeAlias = Literal["ran", "not allowed", "refused", "failed"]


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A command in a text: what it says, where it stands, on which line."""

    command: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Output:
    """What a runner brings back: the text, and why it failed if it did."""

    text: str
    failure: str = ""


Run: TypeAlias = Callable[[Sequence[str]], Output]


@dataclass(frozen=True, slots=True)
class Injected:
    """A placeholder and what became of it."""

    placeholder: Placeholder
    outcome: Outcome
    said: str
    output: str = ""


@dataclass(frozen=True, slots=True)
class Expanded:
    """A text with its commands' output in place, where each output stands, and what to say."""

    text: str
    spans: tuple[tuple[int, int], ...]
    injected: tuple[Injected, ...]
    remarks: tuple[str, ...] = ()


def placeholders(text: str) -> list[Placeholder]:
    """Every command of a text, outside of fences, code spans and frontmatter."""
    hidden = [*fences(text), *(found.span() for found in _SPAN.finditer(text))]
    hidden.append((0, frontmatter_end(text)))
    return [
        Placeholder(found[1], found.start(), found.end(), text.count("\n", 0, found.start()) + 1)
        for found in _PLACEHOLDER.finditer(text)
        if not any(start <= found.start() < end for start, end in hidden)
    ]


def wrong_forms(text: str) -> list[str]:
    """Places where the mark stands inside the backticks, where no host would run it."""
    hidden = fences(text)
    return [
        f"line {text.count(chr(10), 0, found.start()) + 1}: `!{found[1]}` is not run by anyone: "
        f"the mark belongs ahead of the backtick, !`{found[1]}`"
        for found in _WRONG.finditer(text)
        if not any(start <= found.start() < end for start, end in hidden)
    ]


def expand(text: str, allowed: Sequence[str], run: Run) -> Expanded:
    """The text with the output of its allowed commands; the others are told in their places."""
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    injected: list[Injected] = []
    at = length = 0
    for one in placeholders(text):
        done = _done(one, allowed, run)
        injected.append(done)
        shown = done.output if done.outcome == "ran" else f"[!{one.command}: {done.said}]"
        parts += [text[at : one.start], shown]
        length += one.start - at
        spans.append((length, length + len(shown)))
        length += len(shown)
        at = one.end
    parts.append(text[at:])
    return Expanded("".join(parts), tuple(spans), tuple(injected), tuple(wrong_forms(text)))


def _done(one: Placeholder, allowed: Sequence[str], run: Run) -> Injected:
    if problem := refusal(one.command):
        return Injected(one, "refused", f"refused, {problem}")
    argv = shlex.split(one.command)
    if not any(argv[: len(rule)] == rule for rule in map(shlex.split, allowed) if rule):
        return Injected(one, "not allowed", "not run, since it is not allowed")
    found = run(argv)
    if found.failure:
        return Injected(one, "failed", f"failed, {found.failure}", found.text)
    return Injected(one, "ran", "ran", found.text)


def refusal(command: str) -> str:
    """Why a command is never run, whatever is allowed; nothing if there is no reason."""
    if found := _SHELL.search(command):
        return f"{found[0]!r} would need a shell"
    try:
        argv = shlex.split(command)
    except ValueError:
        return "its quotes do not match"
    return _reaching(argv) if argv else "it is empty"


def _reaching(argv: Sequence[str]) -> str:
    """Why a command could do more than read below the project; nothing if it could not."""
    if "/" in argv[0]:
        return "the command is named by a path"
    if argv[0] in _STARTERS:
        return f"{argv[0]!r} starts other commands"
    for argument in argv[1:]:
        if _OUTSIDE.search(argument):
            return f"{argument!r} leads out of the project"
        if _REACHING.fullmatch(argument):
            return f"{argument!r} lets a command do more than read"
    return ""
