"""The events of this program: one shared list, which every window reads at its own speed.

Telling never waits for anyone. The newest events stay for a while, so that a window that lost its
connection goes on where it was; one that comes too late is told to load everything again.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import deque
from collections.abc import AsyncIterator, Mapping

_KEPT = 4_096
_ALIVE = 15.0  # seconds after which a silent stream says that it lives
_RETRY = 1_000  # milliseconds until a browser connects again


class Hub:
    """Events with rising numbers; `tell` is called on the loop that the app runs on."""

    def __init__(self, kept: int = _KEPT) -> None:
        # Another program numbers anew: its events must not be taken for ours.
        self._epoch = secrets.token_hex(4)
        self._events: deque[bytes] = deque(maxlen=kept)
        self._last = 0
        self._news = asyncio.Event()
        self._closed = False
        self.listeners = 0

    def tell(self, event: Mapping[str, object]) -> None:
        """Tell everyone."""
        self._last += 1
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        self._events.append(f"id: {self._epoch}-{self._last}\ndata: {text}\n\n".encode())
        self._ring()

    @property
    def newest(self) -> str:
        """The id of the newest event: what a page that is made now need not be told."""
        return f"{self._epoch}-{self._last}"

    def close(self) -> None:
        """End every stream."""
        self._closed = True
        self._ring()

    async def stream(self, last_seen: str = "") -> AsyncIterator[bytes]:
        """What is told from now on, or after the event that was seen last."""
        self.listeners += 1
        try:
            async for piece in self._pieces(last_seen):
                yield piece
        finally:
            self.listeners -= 1

    async def _pieces(self, last_seen: str) -> AsyncIterator[bytes]:
        at = self._place(last_seen)
        yield f"retry: {_RETRY}\n: hello\n\n".encode()
        if at is None:
            at = self._last
            yield self._reload()
        while not self._closed:
            news = self._news
            missed = self._last - at
            if missed > len(self._events):
                at = self._last
                yield self._reload()
            elif missed:
                at, waiting = self._last, list(self._events)[-missed:]
                yield b"".join(waiting)
            else:
                yield await self._waited(news)

    async def _waited(self, news: asyncio.Event) -> bytes:
        """Nothing, as soon as there is something; a sign of life if there is not for long."""
        try:
            async with asyncio.timeout(_ALIVE):
                await news.wait()
        except TimeoutError:
            return b": alive\n\n"
        return b""

    def _place(self, last_seen: str) -> int | None:
        """How far a window is; None if that cannot be told any more."""
        if not last_seen:
            return self._last
        epoch, _, number = last_seen.partition("-")
        if epoch != self._epoch or not number.isdecimal():
            return None
        at = int(number)
        return at if self._last - len(self._events) <= at <= self._last else None

    def _reload(self) -> bytes:
        return f'id: {self._epoch}-{self._last}\ndata: {{"reload":true}}\n\n'.encode()

    def _ring(self) -> None:
        rung, self._news = self._news, asyncio.Event()
        rung.set()
