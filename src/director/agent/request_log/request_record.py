"""A request that was made and what came of it: as it is kept."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from director.context.report import Report
from director.context.values import Context
from director.models import Attempt, Model, Policy, Reply, Tool


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """Who is asked what kind of thing: a workflow's model, under a profile, with tools.

    `by` is Director itself, a scout or a node.
    """

    workflow: str
    thread: str
    profile: str
    model: Model
    tools: tuple[Tool, ...]
    policy: Policy
    by: Literal["director", "scout", "node"] = "director"
    streaming: bool = False


@dataclass(slots=True)
class RequestRecord:
    """One round: exactly what was sent, what it took to make it fit, and how it ended.

    `ended` is the answer, or what came instead of one; as long as there is neither, it counts as
    cancelled. `told` is what the log told at `head`; a scout is told nothing of it.
    """

    asked: RequestTarget
    report: Report
    head: int = 0
    told: Context = field(default_factory=Context)
    attempts: list[Attempt] = field(default_factory=list)
    ended: Reply | BaseException = field(default_factory=asyncio.CancelledError)
