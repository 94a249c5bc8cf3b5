"""Which excerpts of folded turns a summary holds: those worth most for their size, to a room.

An excerpt is worth what its words say that no chosen one says yet, the rare ones most. It must
never change an excerpt or their order.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter as Tally
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain

from director.context.excerpts import REMEMBERED, Excerpt, has_cue, write
from director.context.joined_scripts import letter_pairs, separate_names
from director.context.literals import form_of, is_literal
from director.context.memory import ChunkMemory
from director.context.notices import range_notice
from director.context.values import Counter

LATEST, _BLOCK = 64, 48
_WIDEST = (1_000, 9_999)
_LONGEST_NOTICE = range_notice(_WIDEST, excerpts=True, recalls=True)
_WORD = re.compile(r"\w[\w.@/+-]*\w|\w")
_HEADS = re.compile(r"(?:- )?[A-Za-z_][\w .-]{0,40}:")
_NUMBER_CELL = re.compile(r"(?:^|\|)\s*-?[\d.,]+%?\s*(?:\||$)")
_MEASURED = re.compile(r"\d+\.\d+")
_COLUMNS, _FEW = 2, 3
_EXPONENT = 0.85
_USER_EXPONENT = 1.85
_TYPICAL = 20
_RECENT = 0.1
_AGAIN = 0.03
_BESIDE = 0.2
_FATIGUE = 24.0
_ELSEWHERE = 0.1
_NAMED, _SAID = 2.0, 2.0


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
        self.headers = _find_headers(found)
        self.taken: set[int] = set()
        self.order: list[int] = []
        self.told: Tally[int] = Tally()
        self.tired = {excerpt.at: 1.0 for excerpt in found}

    def _steady(self, i: int) -> float:
        """The part of an excerpt's worth that no other excerpt changes."""
        excerpt = self.found[i]
        cue = 1.3 if has_cue(excerpt.text) else 1.0
        recent = 1 - _RECENT * (1 - excerpt.at / (self.found[-1].at + 1))
        power = _USER_EXPONENT if excerpt.who == "user" else _EXPONENT
        return float(excerpt.rank * cue * recent / (self.costs[i] / _TYPICAL) ** power)

    def _values(self, elsewhere: Iterable[str], forms: Collection[str]) -> dict[str, float]:
        """Rare words are worth more than common ones, literals three times as much.

        What a run names in its calls has a form (`HAT028`, `card_99`): others of it come next. What
        the user or the agent said of all that results hold is what they go on with.
        """
        shared = Tally(chain.from_iterable(self.words))
        said = self._list_said()
        rarity = {n: math.log(1 + len(self.found) / n) for n in set(shared.values())}
        value = {word: rarity[n] * _WEIGHTS[word] for word, n in shared.items()}
        for word in value if forms or said else ():
            if _WEIGHTS[word] > 1:
                # In this order: a product of floats depends on it.
                named = _NAMED if forms and form_of(word) in forms else 1.0
                value[word] = rarity[shared[word]] * (_LITERAL * named)
                value[word] *= _SAID if word in said else 1.0
        for word in _find_words(value, tuple(elsewhere)):
            value[word] *= _ELSEWHERE
        return value

    def _list_said(self) -> set[str]:
        """The words that were said; none of a transcript, in which nothing else is."""
        spoken = [excerpt.who in ("user", "agent") for excerpt in self.found]
        if all(spoken):
            return set()
        return {word for i, words in enumerate(self.words) if spoken[i] for word in words}

    def gain(self, i: int) -> float:
        """What an excerpt adds now: a heading nothing without what stands below it."""
        taken = self.taken
        after = i + 1 in taken
        if self.heads[i] and not after:
            return 0.0
        worth = sum(map(self.value_of, self.words[i])) * self.steady[i]
        if after or i - 1 in taken:
            worth *= 1.0 + _BESIDE * ((i - 1 in taken) + after)
        return worth / self.tired[self.found[i].at]

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
                header = self.headers.get(i)
                if header is not None and header not in self.taken and self.costs[header] <= left:
                    left -= self.costs[header]
                    self._choose(header)
                least = self._least()
                for other in (i - 1, i + 1, following.pop(i, -1)):
                    if 0 <= other < len(self.found) and other not in self.taken:
                        heapq.heappush(heap, (-self.gain(other), other))
        return [i for i in open_ if i not in self.taken]

    def _find_repeats(self, open_: Iterable[int]) -> tuple[list[int], dict[int, int]]:
        """The excerpts that a turn says for the first time, and after each the one that repeats it.

        One of a hundred equal excerpts is weighed, not all of them again whenever one was taken.
        """
        latest: dict[Excerpt, int] = {}
        first: list[int] = []
        following: dict[int, int] = {}
        for i in open_:
            excerpt = self.found[i]
            before = latest.get(excerpt)
            if before is None:
                first.append(i)
            else:
                following[before] = i
            latest[excerpt] = i
        return first, following

    def _least(self) -> int:
        """What the cheapest excerpt costs that was not taken."""
        while self.cheapest and self.cheapest[-1] in self.taken:
            self.cheapest.pop()
        return self.costs[self.cheapest[-1]] if self.cheapest else 0

    def _choose(self, i: int) -> None:
        self.taken.add(i)
        self.order.append(i)
        at = self.found[i].at
        self.told[at] += 1
        self.tired[at] = 1.0 + self.told[at] / _FATIGUE
        for word in self.words[i]:
            self.value[word] *= _AGAIN


def _find_headers(found: Sequence[Excerpt]) -> dict[int, int]:
    """For each row of a table the line that names its columns: without it a row says little."""
    headers: dict[int, int] = {}
    header, at, columns = -1, -1, 0
    for i, excerpt in enumerate(found):
        bars = excerpt.text.count("|") if excerpt.who == "→" else 0
        if bars < _COLUMNS:
            continue
        if (excerpt.at, bars) != (at, columns):
            header = -1 if _NUMBER_CELL.search(excerpt.text) else i
            at, columns = excerpt.at, bars
        elif header >= 0:
            headers[i] = header
    return headers


def _find_words(wanted: Collection[str], texts: tuple[str, ...]) -> set[str]:
    """Those of the words that stand in texts.

    Most texts stood there at the compaction before, in the same order: block by block they are
    known.
    """
    blocks = (_join_words(texts[at : at + _BLOCK]) for at in range(0, len(texts), _BLOCK))
    return set[str]().union(*(block.intersection(wanted) for block in blocks))


@lru_cache(maxsize=LATEST)
def _join_words(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(chain.from_iterable(map(_words, texts)))


@lru_cache(maxsize=REMEMBERED)
def _words(text: str) -> tuple[str, ...]:
    # In their order, not a set: sums of floats depend on it, and a set's order on the process.
    found = dict.fromkeys(chain.from_iterable(map(_BY_CHUNK, dict.fromkeys(text.split()))))
    # A row of measured values is one fact: were each worth as much as a name, such rows fill all.
    measured = [word for word in found if "0" <= word < ":" and _MEASURED.fullmatch(word)]
    for word in measured[_FEW:]:
        del found[word]
    return tuple(found)


def _list_words(chunk: str) -> tuple[str, ...]:
    found = _WORD.findall(separate_names(chunk)) + letter_pairs(chunk)
    return tuple(word for one in found if (word := _normalise(one)))


_BY_CHUNK = ChunkMemory(_list_words).__getitem__
_LITERAL = 3.0
_WEIGHTS = ChunkMemory(lambda word: _LITERAL if is_literal(word) else 1.0)


def _normalise(word: str) -> str:
    """A literal as it is, any other word in small letters, one of a single letter not at all."""
    if len(word) <= 1:
        return ""
    return word if is_literal(word) else word.lower()
