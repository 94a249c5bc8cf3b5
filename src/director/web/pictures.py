"""Pictures of live tabs: taken when asked for, a few a second, and one for all who ask at once."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from director.browser import BrowserError, Session

_AGE = 0.3  # seconds for which a picture is new enough


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, and the tag that tells whether it is the same as another."""

    content: bytes
    tag: str
    at: float


@dataclass(eq=False, slots=True)
class Pictures:
    """The newest picture of each workflow's active tab."""

    session: Callable[[str], Session | None]
    _newest: dict[str, Picture] = field(default_factory=dict)
    _taking: defaultdict[str, asyncio.Lock] = field(
        default_factory=lambda: defaultdict(asyncio.Lock)
    )

    async def of(self, workflow: str) -> Picture | None:
        """The active tab as it looks now; None if no browser is open."""
        async with self._taking[workflow]:
            session = self.session(workflow)
            if session is None:
                self._newest.pop(workflow, None)
                return None
            known = self._newest.get(workflow)
            if known is not None and time.monotonic() - known.at < _AGE:
                return known
            try:
                content = await session.screenshot()
            except BrowserError:
                # A page that is just changing has no picture; the one before is still true.
                return known
            tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            self._newest[workflow] = Picture(content, tag, time.monotonic())
            return self._newest[workflow]
