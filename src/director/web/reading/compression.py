"""Compressions as they are shown: what one would do, what was proposed, what was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from director.agent.compressing import attempts
from director.agent.proposing import Look, Proposal
from director.store import Store
from director.store.compress import history


@dataclass(frozen=True, slots=True)
class Looked:
    """What a compression would do: how many messages, their tokens, about what is left, the price.

    `units` are the turns that can only leave together; `builds_on` is the summary that it takes in.
    """

    count: int
    users: int
    agents: int
    turns: tuple[int, ...]
    units: tuple[tuple[int, ...], ...]
    builds_on: int | None
    before: int
    after: int
    cap: int
    names: int
    cost: float | None
    note: str
    model: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A summary that can be applied: what it keeps, what it lost, what it cost.

    `written` is what the model or the user wrote, `summary` what was made of it.
    """

    id: str
    summary: str
    written: str
    count: int
    turns: tuple[int, ...]
    builds_on: int | None
    before: int
    after: int
    share: float
    lost: tuple[str, ...]
    trust: str
    by_user: bool
    cost: float | None
    request: int | None


@dataclass(frozen=True, slots=True)
class Past:
    """A compression that was done: the entry it is, how it stands, what it covers."""

    entry: int
    at: float
    by: str
    state: str
    turns: tuple[int, ...]
    builds_on: int | None
    before: int
    after: int
    summary: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt, also one that changed nothing, and why."""

    number: int
    at: float
    by: str
    outcome: str
    why: str
    model: str
    count: int
    before: int
    after: int
    cost: str | None
    entry: int | None


def looked(found: Look, units: Sequence[tuple[int, ...]], model: str) -> Looked:
    """A look as it is shown."""
    preview = found.preview
    return Looked(
        preview.count,
        preview.user_count,
        preview.agent_count,
        _turns(preview.fold.turns),
        tuple(units),
        preview.builds_on,
        preview.tokens,
        found.after,
        found.cap,
        found.names,
        None if found.cost is None else float(found.cost),
        found.note,
        model,
    )


def proposed(id_: str, made: Proposal) -> Proposed:
    """A proposal as it is shown."""
    return Proposed(
        id_,
        made.summary.text,
        made.written,
        made.preview.count,
        _turns(made.preview.fold.turns),
        made.preview.builds_on,
        made.preview.tokens,
        made.after,
        made.share,
        made.lost,
        made.summary.trust,
        made.by_user,
        None if made.cost is None else float(made.cost),
        made.request,
    )


def done(store: Store, thread: str) -> list[Past]:
    """The compressions of a thread, the newest first."""
    return [
        Past(
            one.seq,
            one.at,
            one.by,
            one.state,
            one.added,
            one.previous,
            one.before,
            one.after,
            one.summary.text,
        )
        for one in reversed(history(store, thread))
    ]


def tried(store: Store, thread: str) -> list[Attempt]:
    """Every attempt to compress a thread, the newest first."""
    return [
        Attempt(
            one.version,
            one.at,
            str(one.body["by"]),
            str(one.body["outcome"]),
            str(one.body["why"]),
            str(one.body["model"]),
            int(str(one.body["count"])),
            int(str(one.body["before"])),
            int(str(one.body["after"])),
            None if one.body["cost"] is None else str(one.body["cost"]),
            None if one.body["checkpoint"] is None else int(str(one.body["checkpoint"])),
        )
        for one in reversed(attempts(store, thread))
    ]


def _turns(turns: Sequence[object]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(turn.at for turn in turns))  # type: ignore[attr-defined]
