"""The context of a request as its record keeps it: by what it shares with the log, and what not.

Turns that were sent as the log has them are named by their place; what was put around them or
shortened is written out. Together with the log it gives the context back as it was sent. Pure.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from director.context.report import Report, by_kind
from director.context.sizes import section_size, turn_size
from director.context.values import (
    AgentTurn,
    Call,
    Context,
    Counter,
    Section,
    Summary,
    Turn,
    UserTurn,
)
from director.models import Tool
from director.sections.boundary import read_sections

IN_LOG = "as the log has it"


def make_context_body(sent: Context, told: Context) -> dict[str, object]:
    """A context that was sent, next to what the log told then."""
    place = dict(zip(_keys(told.turns), range(len(told.turns)), strict=True))
    turns: list[object] = []
    for key, turn in zip(_keys(sent.turns), sent.turns, strict=True):
        at = place.get(key)
        known = told.turns[at] if at is not None else None
        if at is None or known is None or not _alike(turn, known):
            turns.append(_describe_turn(turn))
        elif _same(turn, known):
            _span(turns, at)
        else:
            turns.append(_describe_changes(at, cast("AgentTurn", turn), cast("AgentTurn", known)))
    sections = [{**asdict(replace(one, native=None)), "native": None} for one in sent.sections]
    # Of the log's own summary only that it was there: it names every turn that it covers.
    shared = sent.summary is not None and sent.summary == told.summary
    summary = asdict(sent.summary) if sent.summary and not shared else None
    return {"sections": sections, "turns": turns, "summary": IN_LOG if shared else summary}


def read_context_record(body: Mapping[str, Any], told: Context) -> Context:
    """The context that was sent, from its record and the log as it stood."""
    turns: list[Turn] = []
    for one in body["turns"]:
        if isinstance(one, list):
            turns += told.turns[one[0] : one[1]]
        elif "place" in one:
            turns.append(_apply_changes(cast("AgentTurn", told.turns[one["place"]]), one))
        else:
            turns.append(_read(one))
    found = body["summary"]
    sections = tuple(Section(**one) for one in body["sections"])
    if found == IN_LOG:
        return Context(sections, tuple(turns), told.summary)
    summary = Summary(found["text"], tuple(found["covers"]), found["trust"]) if found else None
    return Context(sections, tuple(turns), summary)


def _keys(turns: Sequence[Turn]) -> list[tuple[int, int]]:
    """The number of each turn, and which of those with that number it is."""
    seen: Tally[int] = Tally()
    found = []
    for turn in turns:
        found.append((turn.at, seen[turn.at]))
        seen[turn.at] += 1
    return found


def _alike(turn: Turn, known: Turn) -> bool:
    """Whether a turn is the one that the log has, shortened or not."""
    if isinstance(turn, AgentTurn) and isinstance(known, AgentTurn):
        calls = [(call.id, call.tool, call.args) for call in turn.calls]
        return turn.text == known.text and calls == [(c.id, c.tool, c.args) for c in known.calls]
    return type(turn) is type(known) and (turn.text, turn.native) == (known.text, known.native)


def _same(turn: Turn, known: Turn) -> bool:
    if not isinstance(turn, AgentTurn) or not isinstance(known, AgentTurn):
        return True
    results = [(call.result, call.images) for call in turn.calls]
    return turn.thinking == known.thinking and results == [
        (call.result, call.images) for call in known.calls
    ]


def _span(turns: list[object], at: int) -> None:
    last = turns[-1] if turns else None
    if isinstance(last, list) and last[1] == at:
        last[1] = at + 1
    else:
        turns.append([at, at + 1])


def _describe_turn(turn: Turn) -> dict[str, object]:
    if isinstance(turn, UserTurn):
        return {"who": "user", "at": turn.at, "text": turn.text, "pinned": turn.pinned}
    calls = [{**asdict(replace(call, native=None))} for call in turn.calls]
    return {"who": "agent", "at": turn.at, "text": turn.text, "calls": calls}


def _read(one: Mapping[str, Any]) -> Turn:
    if one["who"] == "user":
        return UserTurn(one["at"], one["text"], pinned=one["pinned"])
    return AgentTurn(one["at"], one["text"], tuple(Call(**call) for call in one["calls"]))


def _describe_changes(at: int, turn: AgentTurn, known: AgentTurn) -> dict[str, object]:
    results = [
        [nth, call.result, call.images, call.original]
        for nth, (call, before) in enumerate(zip(turn.calls, known.calls, strict=True))
        if (call.result, call.images) != (before.result, before.images)
    ]
    thinking = [nth for nth, one in enumerate(known.thinking) if one in turn.thinking]
    return {"place": at, "results": results, "thinking": thinking}


def _apply_changes(known: AgentTurn, one: Mapping[str, Any]) -> AgentTurn:
    calls = list(known.calls)
    for nth, result, images, original in one["results"]:
        calls[nth] = replace(calls[nth], result=result, images=images, original=original)
    thinking = tuple(known.thinking[nth] for nth in one["thinking"])
    return replace(known, calls=tuple(calls), thinking=thinking)


_SHOWN_LOSSES = 50


def make_report_body(report: Report, gap: str) -> dict[str, object]:
    """What the report of a request says, as its record keeps it."""
    losses = report.losses
    return {
        "before": report.before,
        "after": report.after,
        "limit": report.limit,
        "warn": report.warn,
        "fits": report.fits,
        "warns": report.warns,
        "counter": report.counter,
        "error": report.error,
        "lost": len(losses),
        "losses": [asdict(loss) for loss in losses[:_SHOWN_LOSSES]],
        "gap": gap if report.sent.fold else "",
    }


@dataclass(frozen=True, slots=True)
class RequestPart:
    """A part of a request: where it stands, its name, its tokens."""

    place: str
    name: str
    tokens: int


def measure_tools_part(tools: Iterable[Tool], counter: Counter) -> int:
    """Tokens of the tools as a model reads them."""
    return sum(counter(f"{one.name}{one.description}{one.parameters}") for one in tools)


def list_request_parts(
    context: Context,
    tools: Sequence[Tool],
    counter: Counter,
    *,
    count: Callable[[Context, Counter], Mapping[str, int]] = by_kind,
) -> tuple[RequestPart, ...]:
    """The parts of a request in their order; their sizes add up to its size.

    `count` counts the history by kind.
    """
    found = [
        RequestPart("instructions", one.name, section_size(one, counter))
        for one in context.sections
    ]
    if tools:
        found.append(
            RequestPart("tools", f"{len(tools)} tools", measure_tools_part(tools, counter))
        )
    ahead, history, behind = split_request(context.turns)
    found += _block("first", ahead, counter)
    kinds = count(Context((), history, context.summary), counter)
    found += [RequestPart("history", name, size) for name, size in kinds.items() if size]
    found += _block("last", behind, counter)
    return tuple(found)


def split_request(
    turns: tuple[Turn, ...],
) -> tuple[tuple[Turn, ...], tuple[Turn, ...], tuple[Turn, ...]]:
    """The block ahead of the history, the history, and the block behind it."""
    start = 1 if turns and _names(turns[0]) else 0
    end = len(turns) - (1 if len(turns) > start and _names(turns[-1]) else 0)
    return turns[:start], turns[start:end], turns[end:]


def _names(turn: Turn) -> list[str]:
    """The sections that a turn is made of, if it is such a block."""
    if not isinstance(turn, UserTurn) or not turn.pinned or not turn.text.startswith("<"):
        return []
    try:
        return [one.name for one in read_sections(turn.text)]
    except ValueError:
        return []


def _block(place: str, turns: Sequence[Turn], counter: Counter) -> list[RequestPart]:
    found: list[RequestPart] = []
    for turn in turns:
        names = _names(turn)
        texts = turn.text.split("\n\n<")
        if len(texts) != len(names):
            found.append(RequestPart(place, " and ".join(names), turn_size(turn, counter)))
            continue
        sizes = [counter(text) for text in texts]
        sizes[0] += turn_size(turn, counter) - sum(sizes)
        found += [RequestPart(place, name, size) for name, size in zip(names, sizes, strict=True)]
    return found
