"""A turn as lines of text: what a call is about, what came of it, what the context is made of.

Pure: nothing is printed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import cast

from director.runs.run_text import write_doubts_text

# The first of these that a call has says what it is about.
_ABOUT = (
    *("alias", "node", "nodes", "variableName", "url", "citation", "question"),
    *("selector", "ref", "text", "range", "key", "instruction", "inspectionType", "tabName"),
)
_SPACE = re.compile(r"\s+")
_STATUS = re.compile(r"^(?:task|phase) .*: (?:\w+) → (?:pending|in_progress|completed|failed)$")
_MADE = re.compile(r"position (\d+) \(effect (\w+)\)")
_VERSION = re.compile(r"\bversion \d+\b")
_DOUBT = re.compile(r"DOUBT \(\w+\) about [^:]+: (.+)")
RUNS_NODES = ("test_single_node", "execute_nodes")
_CHANGES = 6
_REST = " · other 999,999"


def about(args: str) -> str:
    """What a call is about, in a word or two."""
    try:
        found = json.loads(args or "{}")
    except ValueError:
        return ""
    if not isinstance(found, dict):
        return ""
    return next((_plain(str(found[name])) for name in _ABOUT if found.get(name)), "")


def outcome(tool: str, text: str, *, failed: bool) -> str:
    """What came of a call, in one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else ""
    if failed:
        told = next((line for line in lines if line.startswith("FAILED:")), first)
        return _plain(told.removeprefix("FAILED:"))
    if tool in RUNS_NODES:
        return _plain(_ran(lines))
    if tool in ("deploy_scout", "send_scout"):
        return _summarise_scouts(lines)
    if first.startswith("<"):
        return f"{len(lines) - 2:,} lines"
    return _plain(_short(first))


def _short(first: str) -> str:
    """What Director's own answers say that a person wants to know."""
    if made := _MADE.search(first):
        return f"at position {made[1]}, {made[2]}"
    version = _VERSION.search(first)
    return version[0] if version else first


def _ran(lines: Sequence[str]) -> str:
    closed = [
        line.rstrip(".").replace("Completed by this: task", "closes task")
        for line in lines
        if line.startswith("Completed by this:")
    ]
    doubts = list_doubts("\n".join(lines))
    if lines and lines[0].startswith("Run "):
        words = lines[0].partition(" of ")[2].rstrip(".")
        return "; ".join([": ".join([words, *doubts[:1]]), *closed])
    green = sum(": success in " in line for line in lines)
    shown = next((line for line in lines if line.startswith("result:")), "")
    told = f"green {shown.removeprefix('result:')}" if shown else f"{green} green"
    if doubts:
        told = f"passed, with {write_doubts_text(len(doubts))}: {doubts[0]}"
    return "; ".join([*closed, told])


def list_doubts(text: str) -> list[str]:
    """What speaks against a run that passed, in the words that the model was told."""
    return [found[1] for line in text.splitlines() if (found := _DOUBT.match(line.strip()))]


def _summarise_scouts(lines: Sequence[str]) -> str:
    dropped = next((at for at, line in enumerate(lines) if line.startswith("Dropped,")), len(lines))
    held = sum(line.startswith("- ") for line in lines[:dropped])
    gone = sum(line.startswith("- ") for line in lines[dropped:])
    many = "1 finding holds" if held == 1 else f"{held} findings hold"
    return f"{many}, {gone} dropped" if gone else many


def plan_changes(text: str) -> list[str]:
    """What an update of the plan changed in the status of phases and tasks."""
    found = [line.replace("_", " ") for line in text.splitlines() if _STATUS.match(line)]
    more = len(found) - _CHANGES
    return [*found[:_CHANGES], *([f"… and {more} more"] if more > 0 else [])]


def context_line(body: Mapping[str, object], *, at: int, width: int) -> str:
    """How large a request was against the mark at which it is compressed, and its largest parts."""
    parts = sorted(parts_of(body), key=lambda one: -one[1])
    told = f"context {sum(size for _, size in parts):,} of {at:,}:"
    for place, (name, size) in enumerate(parts):
        more = f"{' ·' if place else ''} {name} {size:,}"
        if len(told) + len(more) + len(_REST) > width:
            rest = sum(size for _, size in parts[place:])
            return f"{told} · other {rest:,}"
        told += more
    return told


def context_table(body: Mapping[str, object], *, at: int, width: int) -> Iterator[str]:
    """The parts of a request, each with its tokens, its share and a bar."""
    parts = parts_of(body)
    total = sum(size for _, size in parts) or 1
    room = max(8, min(40, width - 40))
    for name, size in parts:
        bar = "█" * round(room * size / total) or "▏"
        yield f"{name:<18} {size:>8,}  {size / total:>4.0%}  {bar}"
    share = f"{total / at:.0%} of {at:,}, where it is compressed"
    yield f"{'all':<18} {total:>8,}  {share}"


def parts_of(body: Mapping[str, object]) -> list[tuple[str, int]]:
    """The parts of a request that was kept, each with its tokens."""
    parts = cast("Sequence[Mapping[str, object]]", body.get("parts") or ())
    return [
        ("tools" if one["place"] == "tools" else str(one["name"]), cast("int", one["tokens"]))
        for one in parts
    ]


def render_spent(rounds: int, tokens: int, money: Decimal, *, priced: bool, scripted: bool) -> str:
    """What a turn took."""
    asked = "1 request" if rounds == 1 else f"{rounds} requests"
    if scripted:
        return f"turn {asked}, {tokens:,} tokens; scripted: no model was asked, nothing to pay"
    price = f"${money:.4f}" if priced else "price not known"
    return f"turn {asked}, {tokens:,} tokens, {price}"


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
