"""The mechanical summary: the excerpts of folded turns that a next step most likely needs.

No model is called. Excerpts are taken verbatim, ranked by what they alone still say, kept in order,
and cite the turn they came from. It must never put a word in anyone's mouth.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter as Tally
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from director.context.element_references import References, strip_known_references
from director.context.errors import error_line, is_error
from director.context.literals import form_of, is_literal
from director.context.memory import remember
from director.context.notices import is_range_notice, range_notice, without_notice
from director.context.shapes import record
from director.context.shapes.prose import sentences
from director.context.shrink import Shrinking, shrink_text
from director.context.values import AgentTurn, Call, Counter, Summary, Turn

REMEMBERED, LATEST = 8_192, 64
_WIDEST = (1_000, 9_999)
_LONGEST_NOTICE = range_notice(_WIDEST, excerpts=True, recalls=True)
_LABEL = re.compile(r"t(\d+)(?: ([^\s:]+))?: ?")
_CITED = re.compile(r"\[t?(\d+)[^\[\]]*\]\s*$")
_WORD = re.compile(r"[A-Za-z0-9_][\w.@/+-]*\w|\w")
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
_HEADS = re.compile(r"(?:- )?[A-Za-z_][\w .-]{0,40}:")
_FAILED, _ERROR, _HUGE = 1.5, 3.0, 2_000
_WHOLE = 600
_SPLIT_ABOVE = 360
_EXPONENT = 0.85
_USER_EXPONENT = 1.85
_TYPICAL = 20
_RECENT = 0.1
_AGAIN = 0.03
_BESIDE = 0.2
_FATIGUE = 24.0
_ELSEWHERE = 0.1
_NAMED = 2.0
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
    return excerpt.who in ("user", "agent") and _has_cue(excerpt.text)


@lru_cache(maxsize=REMEMBERED)
def _has_cue(text: str) -> bool:
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


def select(
    found: Sequence[Excerpt],
    room: int,
    counter: Counter,
    elsewhere: Iterable[str] = (),
    forms: Collection[str] = (),
) -> list[Excerpt]:
    """The excerpts worth most for their size, to the room, in their order.

    What a chosen excerpt says counts little in the next; what stands `elsewhere` counts less, and
    literals of the `forms` that calls named before count more.
    """
    chosen = _rank(tuple(found), room, counter, tuple(elsewhere), frozenset(forms))
    return [found[i] for i in chosen]


@lru_cache(maxsize=LATEST)
def _rank(
    found: tuple[Excerpt, ...],
    room: int,
    counter: Counter,
    elsewhere: tuple[str, ...],
    forms: frozenset[str],
) -> tuple[int, ...]:
    """The places of the excerpts that are worth most.

    Whoever keeps no state gives the same history again at the next call, with all its compactions.
    """
    return tuple(_Ranking(found, counter, elsewhere, forms).fill(room))


class _Ranking:
    """A greedy choice that looks again at an excerpt before it takes it: worth only ever falls."""

    def __init__(
        self,
        found: Sequence[Excerpt],
        counter: Counter,
        elsewhere: Iterable[str],
        forms: Collection[str],
    ) -> None:
        self.found, self.counter = found, counter
        self.words = [_words(excerpt.text) for excerpt in found]
        self.costs = [counter(excerpt.text) + 2 for excerpt in found]
        self.cheapest = sorted(range(len(found)), key=self.costs.__getitem__, reverse=True)
        self.steady = [self._steady(i) for i in range(len(found))]
        self.heads = [
            excerpt.text.endswith(":") and _HEADS.fullmatch(excerpt.text) is not None
            for excerpt in found
        ]
        self.value = self._values(elsewhere, forms)
        self.value_of = self.value.__getitem__
        self.taken: set[int] = set()
        self.order: list[int] = []
        self.told: Tally[int] = Tally()

    def _steady(self, i: int) -> float:
        """The part of an excerpt's worth that no other excerpt changes."""
        excerpt = self.found[i]
        cue = 1.3 if _has_cue(excerpt.text) else 1.0
        recent = 1 - _RECENT * (1 - excerpt.at / (self.found[-1].at + 1))
        power = _USER_EXPONENT if excerpt.who == "user" else _EXPONENT
        return float(excerpt.rank * cue * recent / (self.costs[i] / _TYPICAL) ** power)

    def _values(self, elsewhere: Iterable[str], forms: Collection[str]) -> dict[str, float]:
        """Rare words are worth more than common ones, literals three times as much.

        What a run names in its calls has a form (`HAT028`, `card_99`): others of it come next.
        """
        shared = Tally(chain.from_iterable(self.words))
        rarity = {n: math.log(1 + len(self.found) / n) for n in set(shared.values())}
        value = {}
        for word, n in shared.items():
            value[word] = rarity[n]
            if is_literal(word):
                value[word] *= 3.0 * (_NAMED if forms and form_of(word) in forms else 1.0)
        for word in set[str]().union(*map(_words, elsewhere)) & value.keys():
            value[word] *= _ELSEWHERE
        return value

    def gain(self, i: int) -> float:
        """What an excerpt adds now: a heading nothing without what stands below it."""
        after = i + 1 in self.taken
        if self.heads[i] and not after:
            return 0.0
        beside = 1.0 + _BESIDE * ((i - 1 in self.taken) + after)
        tired = 1.0 + self.told.get(self.found[i].at, 0) / _FATIGUE
        return sum(map(self.value_of, self.words[i])) * self.steady[i] * beside / tired

    def fill(self, room: int) -> list[int]:
        """Take excerpts until the room is full; what rounding left over is filled again.

        Gives the places of those that were taken, in order.
        """
        room -= self.counter.per_message
        left = room - self.counter(_LONGEST_NOTICE) - 1
        open_ = list(range(len(self.found)))
        for _ in range(3):
            open_ = self._take(open_, left)
            left = room - self._measure_written()
            open_ = [i for i in open_ if self.costs[i] <= left]
            if not open_:
                break
        while left < 0 and self.order:
            # Labels and joints came dearer than assumed: what was chosen last goes again.
            while left < 0 and self.order:
                last = self.order.pop()
                self.taken.discard(last)
                left += self.costs[last]
            left = room - self._measure_written()
        return sorted(self.taken)

    def _measure_written(self) -> int:
        return self.counter(write([self.found[i] for i in sorted(self.taken)], _WIDEST))

    def _take(self, open_: Sequence[int], left: int) -> list[int]:
        first, following = self._find_repeats(open_)
        heap = [(-self.gain(i), i) for i in first]
        heapq.heapify(heap)
        least = self._least()
        while heap and least <= left:
            score, i = heapq.heappop(heap)
            if i in self.taken:
                continue
            now = -self.gain(i)
            if not now:
                continue
            if now > score * 0.999 and heap and now > heap[0][0]:
                heapq.heappush(heap, (now, i))
            elif self.costs[i] <= left:
                left -= self.costs[i]
                self._choose(i)
                least = self._least()
                for other in (i - 1, i + 1, following.pop(i, -1)):
                    if 0 <= other < len(self.found) and other not in self.taken:
                        heapq.heappush(heap, (-self.gain(other), other))
        return [i for i in open_ if i not in self.taken]

    def _find_repeats(self, open_: Iterable[int]) -> tuple[list[int], dict[int, int]]:
        """The excerpts that a turn says for the first time, and after each the one that repeats it.

        One of a hundred equal excerpts is weighed, not all of them again whenever one was taken.
        """
        latest: dict[tuple[int, str, str, float], int] = {}
        first: list[int] = []
        following: dict[int, int] = {}
        for i in open_:
            excerpt = self.found[i]
            key = (excerpt.at, excerpt.who, excerpt.text, excerpt.rank)
            before = latest.get(key)
            if before is None:
                first.append(i)
            else:
                following[before] = i
            latest[key] = i
        return first, following

    def _least(self) -> int:
        """What the cheapest excerpt costs that was not taken."""
        while self.cheapest and self.cheapest[-1] in self.taken:
            self.cheapest.pop()
        return self.costs[self.cheapest[-1]] if self.cheapest else 0

    def _choose(self, i: int) -> None:
        self.taken.add(i)
        self.order.append(i)
        self.told[self.found[i].at] += 1
        for word in self.words[i]:
            self.value[word] *= _AGAIN


@lru_cache(maxsize=REMEMBERED)
def _words(text: str) -> tuple[str, ...]:
    # In their order, not a set: sums of floats depend on it, and a set's order on the process.
    found = dict.fromkeys(map(_normalise, _WORD.findall(text)))
    found.pop("", None)
    return tuple(found)


@lru_cache(maxsize=65_536)
def _normalise(word: str) -> str:
    """A literal as it is, any other word in small letters, one of a single letter not at all."""
    if len(word) <= 1:
        return ""
    return word if is_literal(word) else word.lower()


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
