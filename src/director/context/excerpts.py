"""The mechanical summary: the excerpts of folded turns that a next step most likely needs.

No model is called. Excerpts are taken verbatim, kept in order, and cite the turn they came from;
`excerpt_choice` says which of them are taken. It must never put a word in anyone's mouth.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from director.context.element_references import KNOWN_REFERENCES, strip_references
from director.context.errors import error_line, is_error
from director.context.memory import ChunkMemory, remember
from director.context.notices import is_range_notice, range_notice, without_notice
from director.context.shapes import record
from director.context.shapes.prose import sentences
from director.context.shrink import Shrinking, shrink_text
from director.context.values import AgentTurn, Counter, Summary, Turn

REMEMBERED = 8_192
_LABEL = re.compile(r"t(\d+)(?: ([^\s:]+))?: ?")
_CITED = re.compile(r"\[t?(\d+)[^\[\]]*\]\s*$")
_CUE = re.compile(
    r"\b(?:must|never|always|only|not|don't|cannot|should|need|prefer|instead|decided|decision|"
    r"agreed|because|todo|next|remaining|error|fail\w*|exception|denied|invalid|wrong|fixed)\b"
)
_HEADING = re.compile(r"\[(?:Checkpoint|(?:Phase|Completed phases|Page|Done): .*)\]$")
_OUTCOME = re.compile(
    r"\b(?:done|completed|finished|succeeded|success(?:fully)?|confirmed|confirmation|logged in"
    r"|signed in|submitted|saved|created|deleted|updated|placed|booked|paid|sent|installed|merged"
    r"|passed|solved|fixed|resolved|decided|chose)\b"
)
_FAILED, _ERROR, _HUGE = 1.5, 3.0, 2_000
_WHOLE = 600
_SPLIT_ABOVE = 360
_WEIGHTS = {"user": 3.0, "call": 1.6, "agent": 0.8, "result": 1.0}


_Said: TypeAlias = tuple[str, str, float]
_CallTexts: TypeAlias = tuple[str, str, str, bool]


class Excerpt(NamedTuple):
    """A verbatim stretch of a turn: who said it, and where it stood."""

    at: int
    who: str
    text: str
    rank: float = 1.0


def extract(
    turn: Turn, room: int, worth: float = 1.0, references: re.Pattern[str] = KNOWN_REFERENCES
) -> list[Excerpt]:
    """Cut one turn into excerpts: what was said, each call, each line of a result.

    `references` finds those of a page that is no longer shown: they are taken out of a line.
    """
    if not worth:
        return []
    said = turn.text if turn.original is None else turn.original
    if isinstance(turn, AgentTurn):
        calls = tuple(
            (c.tool, c.args, c.result if c.original is None else c.original, c.failed)
            for c in turn.calls
        )
        found = _list_agents(said, calls, room, references)
    else:
        found = _list_users(said)
    at = turn.at
    return [Excerpt(at, who, text, rank * worth) for who, text, rank in found]


def _list_users(said: str) -> tuple[_Said, ...]:
    whole = (said.strip(),) if len(said) <= _HUGE else _stretches(said)
    return tuple(("user", text, _WEIGHTS["user"]) for text in whole)


@remember
def _list_agents(
    said: str, calls: tuple[_CallTexts, ...], room: int, references: re.Pattern[str]
) -> tuple[_Said, ...]:
    """What an agent said, called and got, each with its rank: the same texts give the same."""
    found = [("agent", text, _WEIGHTS["agent"] * _lasting(text)) for text in _stretches(said)]
    for tool, args, original, failed in calls:
        rank = _FAILED if failed or is_error(original) else 1.0
        arguments = args if args.strip() not in ("", "{}") else ""
        called = rank * _WEIGHTS["call"]
        found += [(tool, text, called) for text in _stretches(arguments) or ("",)]
        found += [
            ("→", text, (_ERROR if error_line(text) else rank) * _lasting(text))
            for line in _list_facts(original, room, references)
            for text in _stretches(line)
        ]
    return tuple(found)


def _list_facts(original: str, room: int, references: re.Pattern[str]) -> Sequence[str]:
    found = record.facts(original, room)
    if found:
        return found
    lines = without_notice(shrink_text(original, Shrinking(), room)).splitlines()
    return strip_references(lines, references)


def _lasting(text: str) -> float:
    """More for what says an outcome, a state that changed or a decision."""
    return 1.4 if _read_signs(text)[0] else 1.0


@lru_cache(maxsize=REMEMBERED)
def _read_signs(text: str) -> tuple[bool, bool]:
    """Whether a text says an outcome, and whether it says what must be or is open.

    A pattern is searched only where a chunk of the text holds its first word.
    """
    low = text.lower()
    begun = set(map(_SIGNS.__getitem__, low.split()))
    return (
        any(begun & {1, 3}) and _OUTCOME.search(low) is not None,
        any(begun & {2, 3}) and _CUE.search(low) is not None,
    )


def _find_signs(chunk: str) -> int:
    outcome = "logged" in chunk or "signed" in chunk or _OUTCOME.search(chunk) is not None
    return outcome + 2 * (_CUE.search(chunk) is not None)


_SIGNS = ChunkMemory(_find_signs)


def _stretches(text: str) -> tuple[str, ...]:
    text = text.strip()
    if len(text) <= _SPLIT_ABOVE or (len(text) <= _WHOLE and "\n" not in text):
        return (text,) if text else ()
    return _sentences(text)


@remember
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(part for sentence in sentences(text) if (part := sentence.strip()))


def weighs(excerpt: Excerpt) -> bool:
    """Whether a user or an agent says here what must be, was decided, failed or is still open."""
    return excerpt.who in ("user", "agent") and has_cue(excerpt.text)


def has_cue(text: str) -> bool:
    """Whether a text says what must be, was decided, failed or is still open."""
    return _read_signs(text)[1]


def earlier(summary: Summary | None) -> list[Excerpt]:
    """The excerpts of a summary made here, or one excerpt per line of any other."""
    if summary is None:
        return []
    found: list[Excerpt] = []
    at, who = (summary.covers or (0,))[0], "agent"
    for line in summary.text.splitlines():
        if is_range_notice(line) or not line.strip() or _HEADING.match(line):
            continue
        label = _LABEL.match(line)
        cited = _CITED.search(line)
        if label:
            at, who = int(label[1]), label[2] or who
        elif cited and int(cited[1]) in summary.covers:
            at = int(cited[1])
        elif not line.startswith(" "):
            at += 1
        said = line[label.end() :] if label else line.removeprefix(" ")
        found.append(Excerpt(at, who, said, _rank_of(who)))
    return found


def _rank_of(who: str) -> float:
    if who in _WEIGHTS:
        return _WEIGHTS[who]
    return _WEIGHTS["result"] if who == "→" else _WEIGHTS["call"]


def _prefix(excerpt: Excerpt, before: Excerpt | None) -> str:
    if before and (before.at, before.who) == (excerpt.at, excerpt.who):
        return " "
    if before and before.who == excerpt.who == "user" and before.at + 1 == excerpt.at:
        return ""
    return (
        f"t{excerpt.at}: "
        if before and before.who == excerpt.who
        else f"t{excerpt.at} {excerpt.who}: "
    )


def heading(lines: Sequence[str], room: int, counter: Counter) -> str:
    """A checkpoint's first lines, as many as the room takes, each ended by a line break."""
    said = "[Checkpoint]\n" if lines else ""
    for line in lines:
        if counter(f"{said}[{line}]\n") > room:
            break
        said += f"[{line}]\n"
    return said if said != "[Checkpoint]\n" else ""


def write(chosen: Sequence[Excerpt], covers: Collection[int], *, recalls: bool = True) -> str:
    """The text of a summary: the turns that left, then a line for each excerpt with its turn."""
    lines = [range_notice(covers, excerpts=bool(chosen), recalls=recalls)]
    before = None
    for excerpt in chosen:
        lines.append(_prefix(excerpt, before) + excerpt.text)
        before = excerpt
    return "\n".join(lines)
