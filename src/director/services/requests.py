"""The requests that were made, as the inspector shows them: by part, with tokens and price."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from director.agent.request_log.kept_requests import (
    KIND,
    compute_kept_request_price,
    read_kept_request,
    sent_bytes,
)
from director.agent.request_log.request_replay import Replayed, read_kept_request_tools, replayed
from director.context.report import Loss
from director.models import Usage
from director.services.errors import NotFound
from director.services.outgoing import redact_result
from director.services.request_texts import texts_of
from director.services.workspace import Workspace
from director.store import Store, Versioned
from director.store.compression import list_compression_history

_MOST = 4_000  # lines of a difference


@dataclass(frozen=True, slots=True)
class Size:
    """A part of a request: its tokens, its share, what it cost as far as that is known."""

    place: str
    name: str
    tokens: int
    share: float
    price: float | None


@dataclass(frozen=True, slots=True)
class RequestRow:
    """A request in a list; `cached` and `written` are of its input, `cut` is what it lost."""

    number: int
    at: float
    purpose: str
    model: str
    profile: str
    turn: int
    head: int
    size: int
    warn: int
    limit: int
    outcome: str
    input: int | None
    cached: int | None
    written: int | None
    output: int | None
    cost: float | None
    lost: int
    cut: int
    seconds: float = 0.0

    @property
    def from_cache(self) -> float | None:
        """The share of its input that came from a cache, if it is known."""
        return self.cached / self.input if self.cached is not None and self.input else None


@dataclass(frozen=True, slots=True)
class Detail:
    """A request in full: what it was made of, what was cut and why, how each attempt ended."""

    line: RequestRow
    parts: tuple[Size, ...]
    before: int
    counter: str
    error: float
    gap: str
    losses: tuple[Loss, ...]
    attempts: tuple[Mapping[str, object], ...]
    bytes: tuple[int, ...]
    warnings: tuple[str, ...]
    failure: str
    sections: tuple[Mapping[str, object], ...]
    tools: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """A point of the timeline: the size of a request, or a compression."""

    at: float
    what: str
    number: int
    size: int
    cost: float | None = None


@redact_result
def count_requests(workspace: Workspace, thread: str) -> int:
    """The number of the last request of a thread; 0 if none was made."""
    return _count(workspace.reads, thread)


@redact_result
def list_requests(
    workspace: Workspace, thread: str, *, before: int | None = None, limit: int | None = None
) -> list[RequestRow]:
    """The requests of a thread, the newest first: all, or so many before one."""
    return _list_rows(workspace.reads, thread, before=before, limit=limit)


@redact_result
def read_request(workspace: Workspace, thread: str, number: int) -> Detail:
    """One request by part; `NotFound` if there is none."""
    found = _get(workspace, thread, number)
    body = cast("Mapping[str, Any]", found.body)
    report = body["report"]
    return Detail(
        line=_line(found),
        parts=_sizes(body),
        before=report["before"],
        counter=report["counter"],
        error=report["error"],
        gap=report["gap"],
        losses=tuple(Loss(**loss) for loss in report["losses"]),
        attempts=tuple({**one, "body": ""} for one in body["attempts"]),
        bytes=tuple(one["bytes"] for one in body["sent"]),
        warnings=tuple(body.get("warnings") or ()),
        failure=str(body.get("failure") or ""),
        sections=tuple(body["context"]["sections"]),
        tools=tuple(
            {"name": one.name, "description": one.description, "parameters": one.parameters}
            for one in read_kept_request_tools(workspace.reads, body)
        ),
    )


@redact_result
def list_request_records(workspace: Workspace, thread: str) -> list[Versioned]:
    """The requests of a thread as they are kept, the oldest first."""
    return list(workspace.reads.versions(KIND, thread))


@redact_result
def read_request_record(workspace: Workspace, thread: str, number: int) -> Versioned:
    """A request as it is kept."""
    return read_kept_request(workspace.reads, thread, number)


@redact_result
def list_request_texts(
    workspace: Workspace, thread: str, number: int
) -> dict[tuple[str, str], str]:
    """The text of each part of a request, by its place and name, as it was sent."""
    return texts_of(workspace.reads, thread, _get(workspace, thread, number).body, workspace.clean)


@redact_result
def read_request_body(workspace: Workspace, thread: str, number: int, attempt: int = 1) -> bytes:
    """The body of a request as it left, byte for byte but for what the vault holds now."""
    _get(workspace, thread, number)
    return sent_bytes(workspace.reads, thread, number, attempt)


@redact_result
def compare_request_bodies(
    workspace: Workspace, thread: str, one: int, other: int, *, around: int = 2
) -> list[str]:
    """How two requests differ, line by line of their bodies."""
    before, after = (
        _lines(read_request_body(workspace, thread, number)) for number in (one, other)
    )
    names = (f"request {one}", f"request {other}")
    found = difflib.unified_diff(before, after, names[0], names[1], lineterm="", n=around)
    return [line for line, _ in zip(found, range(_MOST), strict=False)]


@redact_result
async def replay_request(workspace: Workspace, thread: str, number: int) -> Replayed:
    """Make a request again from the store, offline, and compare it byte for byte."""
    return await replayed(workspace.store, thread, number)


@redact_result
def list_request_moments(workspace: Workspace, thread: str, *, limit: int = 500) -> list[Moment]:
    """How the size of the context went, with the compressions, in their order."""
    store = workspace.reads
    turns = (line for line in _list_rows(store, thread, limit=limit) if line.purpose == "turn")
    moments = [Moment(one.at, "request", one.number, one.size, one.cost) for one in turns]
    made = [
        Moment(one.at, one.state, one.seq, one.after)
        for one in list_compression_history(store, thread)
    ]
    return sorted([*moments, *made], key=lambda moment: moment.at)


def _count(store: Store, thread: str) -> int:
    found = store.get(KIND, thread)
    return found.version if found else 0


def _get(workspace: Workspace, thread: str, number: int) -> Versioned:
    found = workspace.reads.get(KIND, thread, number)
    if found is None:
        raise NotFound(f"This conversation has no request {number}.")
    return found


def _list_rows(
    store: Store, thread: str, *, before: int | None = None, limit: int | None = None
) -> list[RequestRow]:
    end = _count(store, thread)
    end = end if before is None else min(end, before - 1)
    start = 0 if limit is None else max(0, end - limit)
    return [_line(one) for one in reversed(store.versions(KIND, thread, after=start, upto=end))]


def _line(one: Versioned) -> RequestRow:
    body = cast("Mapping[str, Any]", one.body)
    usage, report = body.get("usage"), body["report"]
    return RequestRow(
        number=one.version,
        at=body["at"],
        purpose=body["purpose"],
        model=body["model"],
        profile=body["profile"],
        turn=body["turn"],
        head=body["head"],
        size=sum(part["tokens"] for part in body["parts"]),
        warn=report["warn"] or report["limit"],
        limit=report["limit"],
        outcome=body["outcome"],
        input=Usage(**usage).input if usage else None,
        cached=usage["read"] if usage else None,
        written=sum(usage["writes"].values()) if usage else None,
        output=usage["output"] if usage else None,
        cost=float(body["cost"]) if body.get("cost") else None,
        lost=report["lost"],
        cut=report["before"] - report["after"],
        seconds=sum(one.get("seconds", 0) + one.get("waited", 0) for one in body["attempts"]),
    )


def _sizes(body: Mapping[str, Any]) -> tuple[Size, ...]:
    parts: Sequence[Mapping[str, Any]] = body["parts"]
    total = sum(part["tokens"] for part in parts) or 1
    price = compute_kept_request_price(body)
    return tuple(
        Size(
            part["place"],
            part["name"],
            part["tokens"],
            part["tokens"] / total,
            None if price is None else price * part["tokens"] / total,
        )
        for part in parts
    )


def _lines(sent: bytes) -> list[str]:
    return json.dumps(json.loads(sent), indent=1, ensure_ascii=False).splitlines()
