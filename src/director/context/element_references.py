"""References of elements, in any format of a page: learned from the run itself.

A token of a result that a later call names as an argument (`B12`, `[31]`, `e45`, `node-7`, `#12`)
shows how this page format writes references: the letters around a number, and what encloses it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from director.context.memory import remember
from director.context.values import AgentTurn, Turn

_TOKEN = re.compile(r"[#@]?[A-Za-z]{0,12}[-_:]?(?:\d{1,3}[_-])?\d{1,6}")
_KNOWN = (
    r"\[ref=\w+\]",
    r"\[\d{1,5}\]<",
    r"^\s*\*?\[\d{1,5}\]",
    r"\buid=\d+_\d+",
    r"\bref=\w+",
    r"^\s*\[[A-Z]{1,2}\d{1,4}\]",
    r"@e\d+\b",
)
_FEWEST, _PAGE = 3, 5
_SAMPLE = 60_000
KNOWN_REFERENCES = re.compile("|".join(_KNOWN))


def find_references(turns: Sequence[Turn]) -> re.Pattern[str]:
    """What finds a reference in a line, in the formats known or learned from these turns."""
    return re.compile("|".join((*_KNOWN, *learn_patterns(turns))))


def strip_references(lines: Sequence[str], found: re.Pattern[str]) -> Sequence[str]:
    """The lines of a page without its references; lines of anything else as they are."""
    carrying = (line for line in lines if found.search(line) is not None)
    few = min(_PAGE, len(lines) or 1)
    if len(list(islice(carrying, few))) < few:
        return lines
    return tuple(" ".join(found.sub(" ", line).split()) for line in lines)


def learn_patterns(turns: Sequence[Turn]) -> tuple[str, ...]:
    """The ways in which results of these turns write what later calls named as arguments."""
    patterns: dict[str, None] = {}
    results: list[str] = []
    for turn in turns:
        if not isinstance(turn, AgentTurn):
            continue
        for call in turn.calls:
            for token in _arguments(call.args):
                for text in results[-3:]:
                    patterns.update(dict.fromkeys(_patterns(token, text)))
        results += [
            (call.result if call.original is None else call.original)[:_SAMPLE]
            for call in turn.calls
        ]
    return tuple(patterns)


@remember
def _arguments(args: str) -> tuple[str, ...]:
    """The short tokens with a number that a call names."""
    try:
        value = json.loads(args)
    except ValueError:
        return ()
    found = (leaf.strip("[]") for leaf in _leaves(value))
    return tuple(dict.fromkeys(leaf for leaf in found if _TOKEN.fullmatch(leaf)))


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        yield str(value)


@remember
def _patterns(token: str, text: str) -> tuple[str, ...]:
    """How a text writes a token, as a pattern that at least three other lines follow."""
    number = re.search(r"\d[\d_-]*$", token)
    if number is None:
        return ()
    stem = re.escape(token[: number.start()])
    found: dict[str, None] = {}
    for place in re.finditer(rf"(?<![\w]){re.escape(token)}(?![\w])", text):
        before, after = text[place.start() - 1 : place.start()], text[place.end() : place.end() + 1]
        enclosed = before in ("[", "(", "=", "#", "@", '"', "<", "{") and bool(before)
        if not stem and not enclosed:
            continue
        edge = re.escape(before) if enclosed else r"(?<!\w)"
        close = re.escape(after) if enclosed and after in ("]", ")", '"', ">", "}") else r"(?!\w)"
        pattern = rf"{edge}{stem}\d[\d_-]*{close}"
        if pattern not in found and len(re.findall(pattern, text)) > _FEWEST:
            found[pattern] = None
    return tuple(found)
