"""Log and console output, and the folding of lines that the other line shapes share.

Lines are grouped by template (numbers, ids and varying values masked). Errors, rare templates and
odd numbers within a template stay verbatim; a template that repeats is told by its first line,
its last and a count. Never judges a line by its level alone: one bad INFO line has to survive.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import median

from director.context.shapes.prose import clip, join_repeats, squeeze, tidy
from director.context.values import Level

NEVER = 9
BAD = re.compile(
    r"error|exception|fatal|critical|panic|traceback|fail(?:ed|ure|ing)?\b|\bdenied|declined|refused"
    r"|reject|time(?:d[ -]?)?out|\babort|crash|unable to|cannot|can't|could not|invalid|unexpected"
    r"|missing|corrupt|killed|out of memory|segfault|segmentation|unauthori[sz]ed|forbidden"
    r"|not found|undefined|\bwarn|deprecat|\bE/|✗|✘|❌",
    re.IGNORECASE,
)
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRIT(?:ICAL)?|PANIC|LOG|SEVERE)"
_TIME = re.compile(
    r"\[ *\d+\.\d{6}\]"
    r"|[\[(]?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d?[-/ ][A-Za-z]{3}[-/ ]\d{4}|\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:|\d{10,13}\b|\d\d-\d\d \d\d:\d\d)"
)
_LEVELLED = re.compile(
    rf"[\[(<]?{_LEVEL}\b|[VDIWEF]/\S|.{{0,60}}?[\s\[(:|]{_LEVEL}[\])\s:|]|[IWEF]\d{{4}} "
    r"|\{.{0,200}?\"(?:level|severity|lvl)\"\s*:|.{0,200}?\blevel=\w|\S+ - \S+ \[\d\d/"
)
_FRAME = re.compile(r"\s+(?:at \S|File \"|in \S|from \S|\S+\.\w+:\d+|\.\.\. \d+ more)|\s*\^+\s*$")
_TRACE = re.compile(r"(?:.*\s)?Traceback \(most recent call last\)")
_DATED = re.compile(r"[\[(]?(\d{4}[-/]\d\d[-/]\d\d)[T ](?=\d\d:\d\d)")
_VARIES = re.compile(
    r"\b0x[0-9a-fA-F]+\b|\b[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}\b|\b(?=[a-f]{0,8}\d)[0-9a-f]{7,64}\b"
    r"|\d+(?:[.:,/-]\d+)*"
)
_VALUE = re.compile(r'"[^"\n]{0,200}"(?!\s*:)|\'[^\'\n]{0,200}\'|=[^\s,;&]{1,200}')
_WORDS = re.compile(r"[A-Za-z]{3,}")


def recognise(text: str) -> bool:
    """Whether most lines carry a time or a level, or belong to a stack trace."""
    lines = [line for line in text[:40_000].split("\n") if line.strip()][:200]
    told = [line for line in lines if _TIME.match(line) or _LEVELLED.match(line)]
    traced = any(_TRACE.match(line) for line in lines)
    frames = sum(1 for line in lines if _FRAME.match(line)) if told or traced else 0
    enough = len(told) >= 3 or (frames >= 2 and (traced or len(told) > 0))
    # An exception names itself on a line of its own, between the log line and its frames.
    return enough and (len(told) + frames) * 2 + traced >= len(lines)


def render(text: str, level: Level, room: int) -> str:
    """The log at a level, in about `room` characters from "medium" on."""
    if level == "none":
        return text
    compact = low(text)
    if level != "low" and len(compact) > room:
        lines = compact.split("\n")
        compact = fold(lines, _marks(lines), level, room)
    return compact if len(compact) < len(text) else text


def low(text: str) -> str:
    """The same lines in normal form, a run of equal ones once, and a shared date hoisted."""
    return "\n".join(_dates_hoisted(join_repeats(tidy(text).split("\n"))))


def _dates_hoisted(lines: list[str]) -> list[str]:
    """Each date as a line of its own above the lines of that day, if that really saves."""
    dates = [found.group(1) if (found := _DATED.match(line)) else "" for line in lines]
    if sum(1 for date in dates if date) < 20 or any(re.match(r"\(\d{4}", line) for line in lines):
        return lines
    shown: list[str] = []
    today = ""
    for line, date in zip(lines, dates, strict=True):
        if date and date != today:
            shown.append(f"({date})")
            today = date
        shown.append(line.replace(date, "", 1).replace("T", "", 1).lstrip() if date else line)
    before, after = (sum(map(len, each)) for each in (lines, shown))
    return shown if after < before * 0.93 else lines


def template(line: str) -> str:
    """The line with its numbers, times and ids masked."""
    return _VARIES.sub("#", line[:600])


def kinds(lines: Sequence[str]) -> list[str]:
    """The template of each line; quoted and assigned values are masked where they vary widely."""
    fine = [template(line) for line in lines]
    coarse = [_VALUE.sub("@", each) for each in fine]
    sizes = Counter(coarse)
    variants: defaultdict[str, set[str]] = defaultdict(set)
    for narrow, wide in zip(fine, coarse, strict=True):
        variants[wide].add(narrow)
    varied = {wide for wide, found in variants.items() if len(found) > max(5, sizes[wide] // 3)}
    return [w if w in varied else n for n, w in zip(fine, coarse, strict=True)]


def _odd(lines: Sequence[str], groups: dict[str, list[int]]) -> set[int]:
    """The lines that hold a number far from its siblings, or more rare words than they do."""
    spread = Counter(word for line in lines for word in set(_WORDS.findall(line[:600])))
    odd: set[int] = set()
    for members in groups.values():
        if len(members) < 8:
            continue
        few = max(2, len(members) // 100)
        found = ([_number(s) for s in _VARIES.findall(lines[at][:600])] for at in members)
        slots = zip(*found, strict=False)
        scores = [_distances(list(slot)) for slot in slots]
        rare = [
            float(sum(spread[w] < 2 for w in _WORDS.findall(lines[at][:600]))) for at in members
        ]
        usual = median(rare)
        scores.append([max(0.0, score - usual - 1) for score in rare])
        for slot in scores:
            far = [at for at, distance in zip(members, slot, strict=True) if distance > 0]
            odd.update(far if len(far) <= few else ())
    return odd


def _number(token: str) -> float | None:
    try:
        return float(token) if len(token) < 16 else None
    except ValueError:
        return None


def _distances(values: list[float | None]) -> list[float]:
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        return [0.0] * len(values)
    middle = median(numbers)
    reach = 10 * median(abs(number - middle) for number in numbers)
    return [max(0.0, abs(number - middle) - reach) for number in numbers]


def _marks(lines: Sequence[str]) -> list[int]:
    """How soon each line may go: 0 stays longest, NEVER is told only by a count."""
    return rank_lines(lines, [0 if BAD.search(line[:2_000]) else None for line in lines])


def rank_lines(lines: Sequence[str], given: Sequence[int | None]) -> list[int]:
    """Ranks for lines of which some are judged already: 0 is bad, None is unknown."""
    names = kinds(lines)
    groups: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        groups.setdefault(name, []).append(at)
    odd = _odd(lines, groups)
    ranks = [NEVER if lines[at].strip() else NEVER - 1 for at in range(len(lines))]
    for members in groups.values():
        first, last = members[0], members[-1]
        worth = given[first]
        if worth is None:
            worth = 1 if len(members) <= 2 else 3
        ranks[first] = worth
        if last != first:
            ranks[last] = worth if len(members) == 2 else max(worth, 4)
    for at in odd:
        ranks[at] = 0
    _around(lines, ranks, [at for at in range(len(lines)) if given[at] == 0 and ranks[at] == 0])
    _frames(lines, ranks, Counter(names), names)
    return ranks


def _around(lines: Sequence[str], ranks: list[int], bad: list[int]) -> None:
    for at in bad:
        for near in range(max(0, at - 2), min(len(lines), at + 3)):
            ranks[near] = min(ranks[near], 2) if lines[near].strip() else ranks[near]


def _frames(lines: Sequence[str], ranks: list[int], sizes: Counter[str], names: list[str]) -> None:
    """Of a stack trace the frames nearest the error stay: last ones in Python, first elsewhere."""
    at = 0
    seen: set[str] = set()
    while at < len(lines):
        if not _FRAME.match(lines[at]):
            at += 1
            continue
        end = at
        while end < len(lines) and (_FRAME.match(lines[end]) or lines[end][:2] in ("  ", "\t\t")):
            end += 1
        python = at > 0 and _TRACE.match(lines[at - 1]) is not None
        near = range(max(at, end - 4), end) if python else range(at, min(at + 3, end))
        for frame in range(at, end):
            ranks[frame] = 1 if frame in near and names[frame] not in seen else NEVER - 1
        if python and end < len(lines):
            ranks[end] = 0 if sizes[names[end]] == 1 or names[end] not in seen else NEVER
            ranks[at - 1] = min(ranks[at - 1], 1) if names[end] not in seen else NEVER
        seen.update(names[at : end + 1])
        at = end + 1 if python else end


def fold(lines: Sequence[str], ranks: Sequence[int], level: Level, room: int) -> str:
    """The lines worth most within `room`, each repeated kind with its count, gaps counted."""
    wide = max(200, room // 3)
    shown = [line if len(line) <= wide else squeeze(line, wide) for line in lines]
    names = kinds(lines)
    sizes = Counter(names)
    told: set[str] = set()
    for at, name in enumerate(names):
        counted = sizes[name] > 3 and ranks[at] < NEVER and name.strip()
        if counted and name not in told and not _FRAME.match(name):
            shown[at] += f" (×{sizes[name]} alike)"
            told.add(name)

    def label(start: int, end: int) -> str:
        found = dict.fromkeys(name for name in names[start:end] if name.strip())
        if len(found) == 1 and end - start > 1:
            return f"… {end - start} lines like: {clip(next(iter(found)).strip(), 60)}"
        kinds_told = f" of {len(found)} kinds" if 1 < len(found) <= (end - start) // 2 else ""
        return f"… {end - start} line{'s' if end - start > 1 else ''}{kinds_told}"

    return fit(shown, ranks, level, room, label)


def fit(
    lines: Sequence[str],
    ranks: Sequence[int],
    level: Level,
    room: int,
    label: Callable[[int, int], str],
) -> str:
    """The lines of the lowest ranks that fit, in order, with a label for what is left out."""
    whole = "\n".join(lines)
    if len(whole) <= room:
        return whole
    left = room
    woven = ""
    for _ in range(6):
        woven = "\n".join(weave(lines, _pick(lines, ranks, left), label))
        if len(woven) <= room:
            return woven
        left -= max(len(woven) - room, 16)
    return clip(woven, room) if level == "high" or len(woven) > room * 1.2 else woven


def _pick(lines: Sequence[str], ranks: Sequence[int], room: int) -> bytearray:
    keep = bytearray(len(lines))
    buckets: defaultdict[int, list[int]] = defaultdict(list)
    for at, rank in enumerate(ranks):
        buckets[rank].append(at)
    left = room
    for rank in sorted(rank for rank in buckets if rank < NEVER):
        # Both ends of a run tell more than its first half: what overflows loses its middle.
        members = buckets[rank]
        whole = sum(len(lines[at]) + 1 for at in members) <= left
        turns = (
            members if whole else [at for p in zip(members, members[::-1], strict=True) for at in p]
        )
        for at in turns:
            beside = (at > 0 and keep[at - 1]) or (at + 1 < len(lines) and keep[at + 1])
            cost = len(lines[at]) + (1 if beside or not at else 20)
            if not keep[at] and cost <= left:
                keep[at] = 1
                left -= cost
        if left < 20:
            break
    return keep


def weave(lines: Sequence[str], keep: Sequence[int], label: Callable[[int, int], str]) -> list[str]:
    """The kept lines in order, with each gap labelled, or shown where its label is no shorter."""
    woven: list[str] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and not keep[end]:
            end += 1
        if end > at:
            gap = label(at, end)
            size = sum(len(line) + 1 for line in lines[at:end]) - 1
            blank = not any(line.strip() for line in lines[at:end])
            if len(gap) < size and not blank:
                woven.append(gap)
            else:
                woven += lines[at:end] if not blank else [""]
        if end < len(lines):
            woven.append(lines[end])
        at = end + 1
    return woven
