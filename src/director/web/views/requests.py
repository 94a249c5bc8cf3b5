"""What the model saw, drawn: the size over a conversation, a request by part, two compared.

Requests are read in `director.services.requests`; nothing is counted anew.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from director.services.conversations import read_conversation_entries
from director.services.requests import (
    Detail,
    RequestRow,
    Size,
    list_request_texts,
    list_requests,
    read_request,
)
from director.services.workspace import Workspace
from director.store.checkpoints import Checkpoint
from director.store.compression import list_compression_history
from director.web.views.calls import make_call_card
from director.web.views.meter import GROUPS, Slice, get_meter_group, make_meter_slices
from director.web.views.step_groups import StepLine, step_lines

_MOST_LINES = 2_000
_MOST_POINTS = 500


@dataclass(frozen=True, slots=True)
class Point:
    """A request on the timeline: where it stands on the page, in per cent and per mille."""

    line: RequestRow
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
    """A part of a request by the name people know it by, how much of it was cached, its text."""

    group: str
    name: str
    size: Size
    cached: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Inspected:
    """One request, exactly as it was made."""

    detail: Detail
    parts: tuple[PartRow, ...]
    slices: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """How a part of one request differs from the same part of another."""

    group: str
    name: str
    before: int
    after: int
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TracedRequest:
    """A request with the calls of its answer, each with how it ended and how long it took."""

    row: RequestRow
    calls: tuple[StepLine, ...]


@dataclass(frozen=True, slots=True)
class TracedTurn:
    """A turn of the user with its requests; `said` is its first line, empty for a compression."""

    turn: int
    said: str
    requests: tuple[TracedRequest, ...]

    @property
    def tokens(self) -> int:
        """What its requests sent together."""
        return sum(one.row.size for one in self.requests)

    @property
    def seconds(self) -> float:
        """How long its requests took together."""
        return sum(one.row.seconds for one in self.requests)

    @property
    def cost(self) -> float | None:
        """What they cost together, as far as it is known."""
        known = [one.row.cost for one in self.requests if one.row.cost is not None]
        return sum(known) if known else None


def trace(workspace: Workspace, thread: str, *, before: int, limit: int) -> list[TracedTurn]:
    """Some requests by the turn that they were made for, the oldest first, each with its calls."""
    rows = list_requests(workspace, thread, before=before, limit=limit)[::-1]
    if not rows:
        return []
    first = max(0, min(row.turn or row.head for row in rows) - 1)
    entries = read_conversation_entries(
        workspace, thread, after=first, upto=rows[-1].head + 1, longest=4_000
    )
    by_seq = {one.seq: one for one in entries}
    found = workspace.reads.entries(thread, first, rows[-1].head + 60)
    ends = {str(one.body.get("call")): one.at for one in found if one.kind == "result"}

    def calls(row: RequestRow) -> tuple[StepLine, ...]:
        answer = by_seq.get(row.head + 1) if row.purpose == "turn" else None
        if answer is None or answer.kind != "agent":
            return ()
        cards = [make_call_card(call, running=False, asked="") for call in answer.calls]
        return step_lines(cards, (), began=answer.at, ends=ends)

    return [
        TracedTurn(
            turn,
            (by_seq[turn].text.strip().splitlines() or [""])[0] if turn in by_seq else "",
            tuple(TracedRequest(row, calls(row)) for row in group),
        )
        for turn, group in groupby(rows, key=lambda row: row.turn)
    ]


def make_request_timeline(workspace: Workspace, thread: str) -> Timeline | None:
    """The size over the conversation, of Director's own requests, with every checkpoint."""
    newest = list_requests(workspace, thread, limit=_MOST_POINTS)
    found = [line for line in reversed(newest) if line.purpose == "turn"]
    if not found:
        return None
    limit_at, warn_at = found[-1].limit, found[-1].warn
    most = max(line.size for line in found)
    # A conversation that is far from its limit is drawn to its own size.
    top = max(limit_at, most) * 1.06 if most > limit_at / 3 else most * 1.4 or 1
    step = 1000 / max(1, len(found) - 1)

    def height(tokens: float) -> float:
        return 190 - 180 * tokens / top

    points = tuple(
        Point(line, nth * step if len(found) > 1 else 500, height(line.size))
        for nth, line in enumerate(found)
    )
    marks = tuple(
        _mark(one, [line.head for line in found], step)
        for one in list_compression_history(workspace.reads, thread)
    )
    return Timeline(points, marks, height(warn_at), height(limit_at), warn_at, limit_at, most)


def _mark(one: Checkpoint, heads: Sequence[int], step: float) -> Mark:
    before = sum(head < one.seq for head in heads)
    x = max(0.0, min(1000.0, (before - 0.5) * step))
    text = f"{len(one.added)} messages, {one.before:,} → {one.after:,}"
    return Mark(x, text, one.state)


def inspect_request_view(workspace: Workspace, thread: str, number: int) -> Inspected:
    """A request by part; NotFound if there is none of this number."""
    found = read_request(workspace, thread, number)
    texts = list_request_texts(workspace, thread, number)
    shares = _cached(found.parts, found.line)
    parts = tuple(
        PartRow(*_named(size), size, share, texts.get((size.place, size.name), ""))
        for size, share in zip(found.parts, shares, strict=True)
    )
    told = [(size.place, size.name, size.tokens) for size in found.parts]
    return Inspected(found, parts, make_meter_slices(told, found.line.size or 1))


def _named(size: Size) -> tuple[str, str]:
    """The group of a part, and its name."""
    group = get_meter_group(size.place, size.name)
    return group, size.name if size.place == "tools" else GROUPS.get(group, size.name)


def compare_request_views(
    workspace: Workspace, thread: str, one: int, other: int
) -> list[Compared]:
    """Two requests part by part; a part that is the same in both has no lines."""
    sides = [
        {(size.place, size.name): size for size in read_request(workspace, thread, number).parts}
        for number in (one, other)
    ]
    texts = [list_request_texts(workspace, thread, number) for number in (one, other)]
    return [
        Compared(
            *_named(size),
            sides[0][key].tokens if key in sides[0] else 0,
            sides[1][key].tokens if key in sides[1] else 0,
            tuple(_difference(texts[0].get(key, ""), texts[1].get(key, ""))),
        )
        for key, size in {**sides[0], **sides[1]}.items()
    ]


def _difference(before: str, after: str) -> Iterator[tuple[str, str]]:
    if before == after:
        return
    found = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
    for nth, line in enumerate(found):
        if nth < 2:
            continue
        if nth > _MOST_LINES:
            yield "note", "… more lines differ"
            return
        kind = {"+": "added", "-": "gone", "@": "note"}.get(line[:1], "same")
        yield kind, line


def _cached(parts: Sequence[Size], line: RequestRow) -> list[float | None]:
    """How much of each part came from a cache: a cache holds the front of a request."""
    found: list[float | None] = [None] * len(parts)
    if line.from_cache is None:
        return found
    left = line.size * line.from_cache
    history = sum(size.tokens for size in parts if size.place == "history")
    order = sorted(range(len(parts)), key=lambda nth: (parts[nth].place != "tools", nth))
    share = told = 0.0
    for nth in order:
        is_history = parts[nth].place == "history"
        size = history if is_history else parts[nth].tokens
        if not is_history or not told:
            taken = min(left, size)
            left -= taken
            share = taken / size if size else 0.0
            told = share if is_history else 0.0
        found[nth] = share
    return found
