"""A request that was made and what came of it: handed to whoever keeps the reports."""

from __future__ import annotations

from dataclasses import dataclass

from director.context.report import Report
from director.context.values import Context
from director.models import Model, Policy, Reply, Tool


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked what kind of thing: a workflow's model, under a profile, with tools.

    `by` is Director itself or a scout.
    """

    workflow: str
    thread: str
    profile: str
    model: Model
    tools: tuple[Tool, ...]
    policy: Policy
    by: str = "director"
    streaming: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """One round: exactly what was sent, what it took to make it fit, and the answer."""

    asked: Asking
    context: Context
    report: Report
    reply: Reply
