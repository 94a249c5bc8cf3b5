"""`` !`command` `` in a skill's text: found always, run only if allowed. Pure but for the runner.

One pass: what a command prints is never looked at again. Nothing inside fences or code spans is a
placeholder. What goes wrong with one placeholder is said in its place; the others go on.
"""

from __future__ import annotations

import re
import shlex
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.planning.markdown import find_frontmatter_end, find_markdown_fences

_PLACEHOLDER = re.compile(r"(?:(?<=\s)|^)!`([^`\n]+)`(?!`)", re.MULTILINE)
_WRONG = re.compile(r"(?<![`!\\])`!([^`\n]+)`(?!`)")
_TICKS = re.compile(r"`{2,}")
_SHELL = re.compile(r"[;&|<>$`(){}\[\]*?~#!\\\n\r\x00]")
_OUTSIDE = re.compile(r"(?:^|=)(?:/|~)|(?:^|[/=])\.\.(?:/|$)")
# Options by which a program that only reads starts another one, writes, or goes elsewhere.
_REACHING = re.compile(
    r"-C|-c|--output(=.*)?|-o.*|--git-dir(=.*)?|--work-tree(=.*)?|--exec-path(=.*)?|--ext-diff"
    r"|-exec|-execdir|-ok|-okdir|--textconv|--no-index|--open-files-in-pager(=.*)?|-O.*|--upload-pack(=.*)?|--config-env(=.*)?"
)
# Programs whose work is to start another one, or to run the project's own files.
_STARTERS = frozenset(
    "sh bash dash ash ksh zsh csh tcsh fish busybox env xargs parallel sudo doas su runuser setsid "
    "nohup nice ionice chrt taskset setarch prlimit flock timeout stdbuf unshare nsenter chroot "
    "watch script ssh eval exec command python node deno bun perl ruby php lua tclsh java go cargo "
    "make cmake ninja npm npx yarn pnpm pip uv".split()
)
_VERSION = re.compile(r"[\d.]+$")
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


def find_injected_commands(text: str) -> list[Placeholder]:
    """Every command of a text, outside of fences, code spans and frontmatter."""
    hidden = [*find_markdown_fences(text), *_spans(text), (0, find_frontmatter_end(text))]
    return [
        Placeholder(found[1], found.start(), found.end(), line)
        for found, line in _find_outside(_PLACEHOLDER, text, hidden)
    ]


def _find_outside(
    pattern: re.Pattern[str], text: str, hidden: Iterable[tuple[int, int]]
) -> Iterator[tuple[re.Match[str], int]]:
    """What a pattern finds outside of hidden parts, with its line: one pass over everything."""
    parts = deque(sorted(hidden))
    line, at, until = 1, 0, 0
    for found in pattern.finditer(text):
        start = found.start()
        line += text.count("\n", at, start)
        at = start
        while parts and parts[0][0] <= start:
            until = max(until, parts.popleft()[1])
        if start >= until:
            yield found, line


def _spans(text: str) -> list[tuple[int, int]]:
    """Code spans between two runs of as many backticks, two or more; each run is seen once."""
    runs = [found.span() for found in _TICKS.finditer(text)]
    closes: dict[int, list[int]] = {}
    for at in reversed(range(len(runs))):
        start, end = runs[at]
        closes.setdefault(end - start, []).append(at)
    spans = []
    at = 0
    while at < len(runs):
        start, end = runs[at]
        alike = closes[end - start]
        while alike and alike[-1] <= at:
            alike.pop()
        if alike:
            spans.append((start, runs[alike[-1]][1]))
            at = alike[-1]
        at += 1
    return spans


def find_wrong_injections(text: str) -> list[str]:
    """Places where the mark stands inside the backticks, where no host would run it."""
    return [
        f"line {line}: `!{found[1]}` is not run by anyone: "
        f"the mark belongs ahead of the backtick, !`{found[1]}`"
        for found, line in _find_outside(_WRONG, text, find_markdown_fences(text))
    ]


def expand_injected_commands(text: str, allowed: Sequence[str], run: Run) -> Expanded:
    """The text with the output of its allowed commands; the others are told in their places."""
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    injected: list[Injected] = []
    at = length = 0
    for one in find_injected_commands(text):
        done = _run_injection(one, allowed, run)
        injected.append(done)
        shown = done.output if done.outcome == "ran" else f"[!{one.command}: {done.said}]"
        parts += [text[at : one.start], shown]
        length += one.start - at
        spans.append((length, length + len(shown)))
        length += len(shown)
        at = one.end
    parts.append(text[at:])
    return Expanded(
        "".join(parts), tuple(spans), tuple(injected), tuple(find_wrong_injections(text))
    )


def _run_injection(one: Placeholder, allowed: Sequence[str], run: Run) -> Injected:
    if problem := refuse_injected_command(one.command):
        return Injected(one, "refused", f"refused, {problem}")
    argv = shlex.split(one.command)
    if not any(argv[: len(rule)] == rule for rule in map(shlex.split, allowed) if rule):
        return Injected(one, "not allowed", "not run, since it is not allowed")
    found = run(argv)
    if found.failure:
        return Injected(one, "failed", f"failed, {found.failure}", found.text)
    return Injected(one, "ran", "ran", found.text)


def refuse_injected_command(command: str) -> str:
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
    if _VERSION.sub("", argv[0]) in _STARTERS:
        return f"{argv[0]!r} starts other commands or runs files of the project"
    for argument in argv[1:]:
        if _OUTSIDE.search(argument):
            return f"{argument!r} leads out of the project"
        if _REACHING.fullmatch(argument):
            return f"{argument!r} lets a command do more than read"
    return ""
