"""What the model saw: the requests of a thread, one of them by part, and two of them compared.

Everything is read from the records of `director.agent.requests`; nothing is counted anew.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from director.agent.requests import cost_of, input_price, request
from director.store import Store, Versioned
from director.store.checkpoints import Checkpoint
from director.store.compress import history
from director.store.values import Json
from director.web.views.meter import GROUPS, Slice, group_of, input_of, slices
from director.web.views.sent import parts_in, texts_of

_MOST_LINES = 2_000


@dataclass(frozen=True, slots=True)
class Row:
    """A request in the list."""

    number: int
    at: float
    purpose: str
    model: str
    profile: str
    tokens: int
    limit: int
    warn: int
    cached: float | None
    cost: float | None
    output: int
    outcome: str
    cut: int
    lost: int


@dataclass(frozen=True, slots=True)
class Point:
    """A request on the timeline: where it stands on the page, in per cent and per mille."""

    row: Row
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A checkpoint on the timeline."""

    x: float
    text: str
    state: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """The size of the requests of a conversation, drawn on 1000 by 200."""

    points: tuple[Point, ...]
    marks: tuple[Mark, ...]
    warn: float
    limit: float
    warn_at: int
    limit_at: int
    most: int

    @property
    def line(self) -> str:
        """The line through all points."""
        return " ".join(
            f"{'L' if nth else 'M'}{p.x:.1f} {p.y:.1f}" for nth, p in enumerate(self.points)
        )

    @property
    def area(self) -> str:
        """What is under the line."""
        first, last = self.points[0], self.points[-1]
        return f"{self.line} L{last.x:.1f} 190 L{first.x:.1f} 190 Z"


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of a request: tokens, its share, how much of it came from the cache, its price."""

    group: str
    name: str
    place: str
    tokens: int
    share: float
    cached: float | None
    price: float | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """Something that became smaller or left, and why."""

    turn: int
    what: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Inspected:
    """One request, exactly as it was made."""

    row: Row
    parts: tuple[PartRow, ...]
    slices: tuple[Slice, ...]
    cuts: tuple[Cut, ...]
    gap: str
    counter: str
    error: float
    failure: str
    warnings: tuple[str, ...]
    attempts: tuple[str, ...]
    usage: Mapping[str, int]
    bytes: int
    newest: int


@dataclass(frozen=True, slots=True)
class Compared:
    """How a part of one request differs from the same part of another."""

    group: str
    name: str
    before: int
    after: int
    lines: tuple[tuple[str, str], ...]


def rows(store: Store, thread: str) -> list[Row]:
    """The requests of a thread, the oldest first."""
    return [_row(one) for one in store.versions("request", thread)]


def timeline(store: Store, thread: str) -> Timeline | None:
    """The size over the conversation, of Director's own requests, with every checkpoint."""
    kept = [one for one in store.versions("request", thread) if one.body["purpose"] == "turn"]
    if not kept:
        return None
    found = [_row(one) for one in kept]
    limit_at, warn_at = found[-1].limit, found[-1].warn
    most = max(row.tokens for row in found)
    # A conversation that is far from its limit is drawn to its own size.
    top = max(limit_at, most) * 1.06 if most > limit_at / 3 else most * 1.4 or 1
    step = 1000 / max(1, len(found) - 1)

    def height(tokens: float) -> float:
        return 190 - 180 * tokens / top

    points = tuple(
        Point(row, nth * step if len(found) > 1 else 500, height(row.tokens))
        for nth, row in enumerate(found)
    )
    heads = [cast("int", one.body["head"]) for one in kept]
    marks = tuple(_mark(one, heads, step) for one in history(store, thread))
    return Timeline(points, marks, height(warn_at), height(limit_at), warn_at, limit_at, most)


def _mark(one: Checkpoint, heads: Sequence[int], step: float) -> Mark:
    before = sum(head < one.seq for head in heads)
    x = max(0.0, min(1000.0, (before - 0.5) * step))
    text = f"{len(one.added)} messages, {one.before:,} → {one.after:,}"
    return Mark(x, text, one.state)


def inspected(store: Store, thread: str, number: int) -> Inspected:
    """A request by part; StoreError if there is none of this number."""
    kept = request(store, thread, number)
    body = kept.body
    report = cast("Mapping[str, object]", body["report"])
    parts = parts_in(body)
    texts = texts_of(store, thread, body)
    usage = body.get("usage")
    read = cast("int", usage["read"]) if isinstance(usage, Mapping) else None
    total = sum(tokens for _, _, tokens in parts) or 1
    shares = _cached(parts, read, input_of(usage) if isinstance(usage, Mapping) else 0)
    price = input_price(body)
    told = tuple(
        PartRow(
            group_of(place, name),
            GROUPS.get(group_of(place, name), name) if place != "tools" else name,
            place,
            tokens,
            tokens / total,
            shares[nth] if shares else None,
            None if price is None else price * tokens / total,
            texts.get((place, name), ""),
        )
        for nth, (place, name, tokens) in enumerate(parts)
    )
    newest = store.get("request", thread)
    return Inspected(
        _row(kept),
        told,
        slices(parts, total),
        tuple(_cut(one) for one in cast("Sequence[Mapping[str, object]]", report["losses"])),
        str(report["gap"] or ""),
        str(report["counter"]),
        cast("float", report["error"]),
        str(body.get("failure") or ""),
        tuple(map(str, cast("Sequence[str]", body.get("warnings") or ()))),
        tuple(
            str(one["outcome"]) for one in cast("Sequence[Mapping[str, object]]", body["attempts"])
        ),
        _usage(usage),
        sum(cast("int", one["bytes"]) for one in cast("Sequence[Json]", body["sent"])[:1]),
        newest.version if newest else number,
    )


def compared(store: Store, thread: str, one: int, other: int) -> list[Compared]:
    """Two requests part by part; a part that is the same in both has no lines."""
    sides = [request(store, thread, number).body for number in (one, other)]
    sizes = [{(p, n): t for p, n, t in parts_in(body)} for body in sides]
    texts = [texts_of(store, thread, body) for body in sides]
    keys = list(dict.fromkeys([*sizes[0], *sizes[1]]))
    return [
        Compared(
            group_of(*key),
            GROUPS.get(group_of(*key), key[1]) if key[0] != "tools" else key[1],
            sizes[0].get(key, 0),
            sizes[1].get(key, 0),
            tuple(_difference(texts[0].get(key, ""), texts[1].get(key, ""))),
        )
        for key in keys
    ]


def _difference(before: str, after: str) -> Iterator[tuple[str, str]]:
    if before == after:
        return
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
    for nth, line in enumerate(lines):
        if nth < 2:
            continue
        if nth > _MOST_LINES:
            yield "note", "… more lines differ"
            return
        kind = {"+": "added", "-": "gone", "@": "note"}.get(line[:1], "same")
        yield kind, line


def _row(one: Versioned) -> Row:
    body = one.body
    report = cast("Mapping[str, object]", body["report"])
    usage = body.get("usage")
    known = usage if isinstance(usage, Mapping) else None
    whole = input_of(known) if known else 0
    cost = cost_of(body)
    tokens = sum(tokens for _, _, tokens in parts_in(body))
    return Row(
        one.version,
        cast("float", body["at"]),
        str(body["purpose"]),
        str(body["model"]),
        str(body["profile"]),
        tokens,
        cast("int", report["limit"]),
        cast("int", report["warn"] or report["limit"]),
        cast("int", known["read"]) / whole if known and whole else None,
        None if cost is None else float(cost),
        cast("int", known["output"]) if known else 0,
        str(body["outcome"]),
        cast("int", report["before"]) - cast("int", report["after"]),
        cast("int", report["lost"]),
    )


def _cached(
    parts: Sequence[tuple[str, str, int]], read: int | None, whole: int
) -> list[float] | None:
    """How much of each part came from a cache: a cache holds the front of a request."""
    if read is None or not whole:
        return None
    total = sum(tokens for _, _, tokens in parts) or 1
    left = total * read / whole
    history = sum(tokens for place, _, tokens in parts if place == "history")
    order = sorted(range(len(parts)), key=lambda nth: (parts[nth][0] != "tools", nth))
    found = [0.0] * len(parts)
    told = 0.0
    for nth in order:
        place, _, tokens = parts[nth]
        size = history if place == "history" else tokens
        if place != "history" or not told:
            taken = min(left, size)
            left -= taken
            share = taken / size if size else 0.0
            told = share if place == "history" else 0.0
        found[nth] = share
    return found


def _usage(usage: object) -> Mapping[str, int]:
    if not isinstance(usage, Mapping):
        return {}
    writes = sum(cast("Mapping[str, int]", usage["writes"]).values())
    told = {
        "new": usage["uncached"],
        "from the cache": usage["read"],
        "written to it": writes,
        "out": usage["output"],
    }
    return {name: cast("int", tokens) for name, tokens in told.items()}


def _cut(one: Mapping[str, object]) -> Cut:
    return Cut(
        cast("int", one["turn"]),
        str(one["what"]),
        cast("int", one["before"]),
        cast("int", one["after"]),
    )
