"""What each node type does, one small file each.

`EXECUTE` does it and gives its result. `PLAN` is for nodes that run others: what they decided
before they began, so that a resumed run decides the same.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from director.runs.nodes import (
    agent,
    browser_action,
    browser_query,
    cognition,
    context,
    group,
    handle,
    iterate,
    route,
    transform,
)
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit

Doing: TypeAlias = "Callable[[NodeVisit], Awaitable[Json]]"
_ALL = (browser_action, browser_query, transform, cognition, iterate, route, handle, context)
EXECUTE: Mapping[str, Doing] = {
    module.__name__.rpartition(".")[2]: module.execute for module in (*_ALL, group, agent)
}
PLAN: Mapping[str, Doing] = {"iterate": iterate.plan, "route": route.plan}
CONTROL = ("iterate", "route", "handle", "group")
