"""The mechanical summary: the excerpts of folded turns that a next step most likely needs.

No model is called. Excerpts are taken verbatim, kept in order, and cite the turn they came from;
`excerpt_choice` says which of them are taken. It must never put a word in anyone's mouth.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from director.context.element_references import References, strip_known_references
from director.context.errors import error_line, is_error
from director.context.memory import remember
from director.context.notices import is_range_notice, range_notice, without_notice
from director.context.shapes import record
from director.context.shapes.prose import sentences
from director.context.shrink import Shrinking, shrink_text
from director.context.values import AgentTurn, Call, Counter, Summary, Turn

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


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A verbatim stretch of a turn: who said it, and where it stood."""

    at: int
    who: str
    text: str
    rank: float = 1.0


def extract(
    turn: Turn, room: int, worth: float = 1.0, references: References | None = None
) -> list[Excerpt]:
    """Cut one turn into excerpts: what was said, each call, each line of a result.

    `references` takes those of a page that is no longer shown out of a line.
    """
    if not worth:
        return []
    return [
        Excerpt(one.at, one.who, one.text, one.rank * worth)
        for one in _extract(turn, room, references or strip_known_references)
    ]


def _extract(turn: Turn, room: int, references: References) -> list[Excerpt]:
    said = turn.text if turn.original is None else turn.original
    if not isinstance(turn, AgentTurn):
        return [
            Excerpt(turn.at, "user", text, _WEIGHTS["user"])
            for text in ((said.strip(),) if len(said) <= _HUGE else _stretches(said))
        ]
    found = [
        Excerpt(turn.at, "agent", text, _WEIGHTS["agent"] * _lasting(text))
        for text in _stretches(said)
    ]
    for call in turn.calls:
        wrong = call.failed or is_error(call.result if call.original is None else call.original)
        rank = _FAILED if wrong else 1.0
        arguments = call.args if call.args.strip() not in ("", "{}") else ""
        found += [
            Excerpt(turn.at, call.tool, text, rank * _WEIGHTS["call"])
            for text in _stretches(arguments) or ("",)
        ]
        found += [
            Excerpt(turn.at, "→", text, (_ERROR if error_line(text) else rank) * _lasting(text))
            for line in _facts(call, room, references)
            for text in _stretches(line)
        ]
    return found


def _facts(call: Call, room: int, references: References) -> list[str]:
    original = call.result if call.original is None else call.original
    found = _record_facts(original, room)
    if found:
        return found
    lines = without_notice(shrink_text(original, Shrinking(), room)).splitlines()
    return references(lines)


@lru_cache(maxsize=REMEMBERED)
def _lasting(text: str) -> float:
    """More for what says an outcome, a state that changed or a decision."""
    return 1.4 if _OUTCOME.search(text.lower()) else 1.0


_record_facts = remember(record.facts)


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


@lru_cache(maxsize=REMEMBERED)
def has_cue(text: str) -> bool:
    """Whether a text says what must be, was decided, failed or is still open."""
    return _CUE.search(text.lower()) is not None


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
