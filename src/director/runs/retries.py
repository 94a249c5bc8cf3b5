"""Trying a node again while its site is away: with growing pauses, bounded by time.

Each attempt begins in a session as of the last restart point. Whether the node may be repeated is
decided where a crash is: a node that must happen once is looked into first.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from director.browser.errors import is_site_away
from director.workflow.retry import get_retry_seconds
from director.workflow.values import Node

if TYPE_CHECKING:
    from director.runs.stage import Stage

_FIRST, _LONGEST = 0.5, 5.0  # seconds before the second attempt, and before later ones at most


@dataclass(eq=False, slots=True)
class Retries:
    """Since when each visit is tried again, and how long to wait now."""

    _began: dict[str, tuple[float, float]] = field(default_factory=dict)

    async def wait(self, node: Node, key: str, problem: Exception, stage: Stage) -> bool:
        """Whether to visit the node again, after a pause; its session is brought back then."""
        seconds = get_retry_seconds(node)
        if not seconds or not stage.can_reopen:
            return False
        if not is_site_away(problem) and not stage.shows_error:
            return False
        now = time.monotonic()
        began, pause = self._began.setdefault(key, (now, _FIRST))
        if now + pause - began > seconds:
            return False
        self._began[key] = began, min(pause * 2, _LONGEST)
        await stage.close()
        await asyncio.sleep(pause)
        return True
