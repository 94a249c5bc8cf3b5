"""Counting tokens outside the engine: exact where the vocabulary is known, each text once.

A counter states its name and its error. Nothing is fetched: vocabularies come with the package.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from director.context.values import Counter, chars4

__all__ = ["Calibration", "calibrate_counter", "chars4", "counter_for", "exact", "remembering"]

_VOCABULARIES = (
    ("o200k_base", ("gpt-", "o1", "o3", "o4", "chatgpt", "openai:")),
    ("qwen3", ("qwen",)),
    ("llama3", ("llama",)),
    ("deepseek_v3", ("deepseek",)),
    ("mistral_v3", ("mistral", "mixtral")),
)
_DEFAULT = "o200k_base"
_ESTIMATES = {"claude": ("o200k_base", 1.15, 0.15), "gemini": ("o200k_base", 1.0, 0.15)}
_REMEMBERED, _CHARACTERS = 8_192, 4_000_000
_LONG, _LINES = 4_000, 32_768
_LINE_END = re.compile(r"(?<=\n)(?= ?[A-Za-z])")
_LEAST, _MOST = 0.25, 4.0


class TextSizes(dict[str, int]):
    """The sizes of texts, each counted when it is first asked for.

    Past so many texts, or characters of them, the oldest are forgotten. To read one that is known
    takes no call of Python.
    """

    def __init__(
        self, count: Callable[[str], int], most: int | None = None, characters: int | None = None
    ) -> None:
        """Remember how to count, and how many texts to keep; without a number, all."""
        super().__init__()
        self._count, self._most, self._characters = count, most, characters
        self._held = 0

    def __missing__(self, text: str) -> int:
        """Count a text that is not known."""
        size = self[text] = self._count(text)
        self._held += len(text)
        while (self._most is not None and len(self) > self._most) or (
            self._characters is not None and self._held > self._characters
        ):
            oldest = next(iter(self))
            self._held -= len(oldest)
            del self[oldest]
        return size


def remembering(
    count: Callable[[str], int], most: int = _REMEMBERED, *, characters: int = _CHARACTERS
) -> Callable[[str], int]:
    """The same count, each text counted once; past so many texts the oldest are forgotten."""
    return TextSizes(count, most, characters).__getitem__


def _split_lines(text: str) -> list[str]:
    """The lines of a text with their breaks, cut only where no token spans the cut.

    No token of these vocabularies goes on from a line break to a letter, or to a space before
    one. A long text that was changed in one place, such as a summary, is counted in that place.
    """
    return _LINE_END.split(text)


@cache
def exact(
    vocabulary: str, name: str | None = None, factor: float = 1.0, error: float = 0.0
) -> Counter:
    """A counter by a byte-pair vocabulary; with a factor, an estimate that says so."""
    from splintr import Tokenizer

    tokenizer = Tokenizer.from_pretrained(vocabulary)

    def count_whole(text: str) -> int:
        try:
            return len(tokenizer.encode_ordinary(text))
        except (UnicodeEncodeError, ValueError):
            return len(tokenizer.encode_ordinary(text.encode("utf-8", "replace").decode()))

    known = TextSizes(count_whole, _LINES, _CHARACTERS)

    def count(text: str) -> int:
        if len(text) < _LONG:
            return round(count_whole(text) * factor)
        return round(sum(map(known.__getitem__, _split_lines(text))) * factor)

    return Counter(remembering(count), name or vocabulary, error)


@cache
def counter_for(model: str | None = None) -> Counter:
    """The counter for a model's name; without one, the vocabulary of current OpenAI models."""
    if model == "chars4":
        return chars4
    name = (model or "gpt-").lower()
    for family, (vocabulary, factor, error) in _ESTIMATES.items():
        if family in name:
            return exact(vocabulary, f"{vocabulary} × {factor:g} (estimate)", factor, error)
    bare = name.rpartition(":")[2].rpartition("/")[2]
    for vocabulary, starts in _VOCABULARIES:
        if name.startswith(starts) or bare.startswith(starts):
            return exact(vocabulary)
    return exact(_DEFAULT, f"{_DEFAULT} (estimate)", error=0.25)


def calibrate_counter(counter: Counter, factor: float, error: float) -> Counter:
    """A counter whose counts, framing included, are multiplied by a factor that was observed."""
    count = counter.count

    def count_scaled(text: str) -> int:
        return round(count(text) * factor)

    return Counter(
        count_scaled,
        f"{counter.name} × {factor:.3g} (calibrated)",
        error,
        per_message=round(counter.per_message * factor),
        per_call=round(counter.per_call * factor),
        per_image=round(counter.per_image * factor),
    )


class Calibration:
    """Learns from reported usage how far a counter is off.

    The factor is what was reported over what was estimated in the latest observations, within
    bounds, so that one strange report cannot spoil it. `base` is the counter as it was given;
    each text is counted by it once.
    """

    def __init__(self, counter: Counter, latest: int = 20) -> None:
        self.base = replace(counter, count=remembering(counter.count))
        self._seen: deque[tuple[float, int]] = deque(maxlen=latest)

    def observe(self, estimated: int, reported: int, *, factor: float = 1.0) -> float:
        """Learn from one request and give the new factor.

        `factor` is the one that the estimate was made with: 1 for the counter as it was given.
        A request of no tokens teaches nothing.
        """
        if estimated > 0 and reported > 0 and factor > 0:
            self._seen.append((estimated / factor, reported))
        return self.factor

    @property
    def factor(self) -> float:
        """Reported over estimated, within bounds; 1 before anything was seen."""
        if not self._seen:
            return 1.0
        ratio = sum(reported for _, reported in self._seen) / sum(raw for raw, _ in self._seen)
        return min(_MOST, max(_LEAST, ratio))

    @property
    def error(self) -> float:
        """The largest relative error observed with this factor.

        A few observations prove little: it is not below the counter's own over their number.
        """
        if not self._seen:
            return self.base.error
        factor = self.factor
        worst = max(abs(reported - raw * factor) / reported for raw, reported in self._seen)
        return max(worst, self.base.error / len(self._seen))

    def counter(self) -> Counter:
        """The counter as it is now known; before anything was seen, the one that was given."""
        if not self._seen:
            return self.base
        return calibrate_counter(self.base, self.factor, self.error)


# A name of one release ago; it goes with the next.
calibrated = calibrate_counter
