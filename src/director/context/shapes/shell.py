"""Command output: what a terminal showed, with the noise of installers and passing tests folded.

Prompts, exit codes, failures and summaries stay verbatim; paths in a listing keep their names under
their directory. Never drops a failing test or the command that was run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from director.context.shapes import log
from director.context.shapes.prose import join_repeats, tidy
from director.context.values import Level

_PROMPT = re.compile(r"(?:\$|>>>|❯|PS [A-Z]:\\\S*>) \S|[\w.-]+@[\w.-]+:\S*[$#] |[+]{1,3} \S+ ")
_STATUS = re.compile(
    r"exit(?:ed)?(?: with)?(?: code| status)?:? *-?\d|.*\b(?:exit|return) ?code\b|real\t"
    r"|Command exited|Process exited|.*\breturned (?:non-zero|\d)|Exit code",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"Collecting |\s*Downloading |\s*Using cached |Requirement already|\s*(?:Installing|Preparing"
    r"|Getting|Building|Created|Attempting|Found existing|Uninstalling|Stored) "
    r"|\s*Compiling |\s*Downloaded |\s*Fresh |Get:\d+ |Hit:\d+ |Ign:\d+ |Selecting previously"
    r"|Unpacking |Setting up |Preparing to unpack|Processing triggers|[0-9a-f]{12}: \w"
    r"|npm http |npm timing |(?:remote: )?(?:Counting|Compressing|Receiving|Resolving|Enumerating) "
    r"|.{0,80}\d{1,3}%\s?[|\[(]|.{0,80}[━█▉#=]{8}.{0,80}\d|[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]"
)
_PASS = re.compile(
    r".{0,300} PASSED\b|\s*--- PASS|=== (?:RUN|PAUSE|CONT) |ok\s+\S+\s+[\d.(]|\s*[✓✔√] |PASS\b"
    r"|test \S.{0,200} \.\.\. ok$|[.sx]{5,}|\S+\.py [.sx]+ *(?:\[ *\d+%\])?$|\?\s+\S+\s+\[no test"
)
_SUMMARY = re.compile(
    r"=+ .*\b(?:passed|failed|errors?|summary|skipped)\b|Tests?(?: Suites| Files)?:?\s+\d"
    r"|test result:|FAIL|ERROR|Successfully |added \d+ package|\d+ (?:passing|failing|packages)"
    r"|Ran \d+ tests|OK\b|BUILD |\s*Finished |found \d+ vuln|error(?:\[|:)|E   |\d+ (?:up|new)"
)
_FAILURE = re.compile(
    r"=+ (?:FAILURES|ERRORS) =+|_{3,} .* _{3,}|\s*● |\s*--- FAIL|-{4} .* stdout -{4}|failures:"
    r"|(?:FAIL|ERROR): "
)
_PATH = re.compile(r"(?:\.{0,2}|~|[A-Za-z]:)?/?[\w.@+~-]+(?:/[\w.@+~=,-]+)+/?$|/[\w.@+~-]+/?$")
_LONG = re.compile(
    r"(([-dlbcps])[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+(\d+(?:\.\d+)?[KMGT]?)\s+"
    r"(?:[A-Z][a-z]{2}\s+\d+\s+[\d:]+|[\d-]+\s+[\d:.]+(?:\s+[+-]\d{4})?))\s+(\S.*)$"
)
_SHORT = re.compile(r"[dlbcps]? ?\d+(?:\.\d+)?[KMGT]? \S+(?: -> \S+)?$")
_GROUPED = re.compile(r"\S{3,200}/: \S")
_KINDS = (_PROMPT, _STATUS, _NOISE, _PASS, _SUMMARY, _PATH, _LONG, _GROUPED)


def recognise(text: str) -> bool:
    """Whether the text looks like what commands print: prompts, progress, test runs, listings."""
    lines = [line for line in text[:40_000].split("\n") if line.strip()][:200]
    if len(lines) < 3:
        return False
    told = sum(1 for line in lines if any(kind.match(line[:400]) for kind in _KINDS))
    prompted = _PROMPT.match(lines[0]) is not None or _STATUS.match(lines[-1]) is not None
    failed = any(_FAILURE.match(line[:400]) for line in lines) and told >= 3
    overwritten = text[:40_000].replace("\r\n", "\n").count("\r") >= 3
    return overwritten or failed or told * 2 >= len(lines) or (prompted and told >= 2)


def render(text: str, level: Level, room: int) -> str:
    """The output at a level, in about `room` characters from "medium" on."""
    if level == "none":
        return text
    lines = [_single_spaced(line) for line in join_repeats(tidy(_overwritten(text)).split("\n"))]
    compact = "\n".join(_shorten_paths(lines))
    if level != "low" and len(compact) > room:
        lines = _shorten_paths(_sizes(lines))
        compact = "\n".join(lines)
        if len(compact) > room:
            compact = log.fold(lines, _ranks(lines), level, room)
    return compact if len(compact) < len(text) else text


def _overwritten(text: str) -> str:
    """What remains on the screen: of a line written over with carriage returns, its last state."""
    if "\r" not in text:
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(
        next((s for s in reversed(line.split("\r")) if s.strip()), "") for line in lines
    )


def _shorten_paths(lines: Sequence[str]) -> list[str]:
    """Runs of paths with their common directories written once, where that is shorter."""
    shown: list[str] = []
    for is_path, run in groupby(lines, key=lambda line: _PATH.match(line) is not None):
        paths = list(run)
        if is_path and len(paths) >= 5:
            best = min(_by_root(paths), _by_directory(paths), key=lambda each: len("\n".join(each)))
            # A path in one piece is worth something, so a small gain is no reason to cut it.
            shown += best if len("\n".join(best)) + 60 < len("\n".join(paths)) else paths
        else:
            shown += paths
    return shown


def _by_root(paths: list[str]) -> list[str]:
    low, high = min(paths), max(paths)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    root = low[: low.rfind("/", 0, same) + 1]
    if len(root) < 8 or any(len(path) <= len(root) for path in paths):
        return paths
    return [f"{root}:", *(f" {path[len(root) :]}" for path in paths)]


def _by_directory(paths: list[str]) -> list[str]:
    shown: list[str] = []
    cuts = [path.rfind("/", 0, len(path) - 1) + 1 for path in paths]
    parts = zip(paths, cuts, strict=True)
    for directory, run in groupby(parts, key=lambda part: part[0][: part[1]]):
        names = [path[cut:] for path, cut in run]
        joined = len(names) > 1 and len(directory) > 3
        whole = [directory + name for name in names]
        shown += [f"{directory}: {' '.join(names)}"] if joined else whole
    return shown


def _single_spaced(line: str) -> str:
    found = _LONG.match(line)
    return f"{' '.join(found[1].split())} {found[4]}" if found else line


def _sizes(lines: Sequence[str]) -> list[str]:
    """A long listing reduced to kind, size and name."""
    found = [_LONG.match(line) for line in lines]
    if sum(1 for each in found if each) < 5:
        return list(lines)
    return [
        f"{each[2].replace('-', '')} {each[3]} {each[4]}".strip() if each else line
        for line, each in zip(lines, found, strict=True)
    ]


def _ranks(lines: Sequence[str]) -> list[int]:
    given: list[int | None] = []
    # After the head of a failure its body stays, until the next section or a limit of lines.
    failing = 0
    for line in lines:
        cut = line[:400]
        if _FAILURE.match(cut):
            failing = 40
        elif re.match(r"={8}|-{8}|Ran \d|test result|Tests: ", cut):
            failing = 0
        failing = max(0, failing - 1)
        given.append(_worth(cut, failing=failing > 0))
    ranks = log.rank_lines(lines, given)
    return [_settle_rank(rank, worth) for rank, worth in zip(ranks, given, strict=True)]


def _worth(line: str, *, failing: bool) -> int | None:
    if _PROMPT.match(line) or _STATUS.match(line) or _SUMMARY.match(line):
        return 0
    if failing or _GROUPED.match(line):
        return 1
    if _PATH.match(line) or _SHORT.match(line):
        return 3
    if _NOISE.match(line) or _PASS.match(line):
        return 5
    return 0 if log.BAD.search(line) else None


def _settle_rank(rank: int, worth: int | None) -> int:
    """Noise stays noise however rare it is; a failure's body and a listed name are never folded."""
    if worth is None or rank == worth:
        return rank
    if worth == 5:
        return max(rank, 6) if rank != 2 else 5
    return min(rank, worth) if worth != 0 else rank
