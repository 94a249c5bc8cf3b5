"""Tickets for what cannot send a header: an event stream and a download, in a browser.

Each is good for one request of one path, for a few seconds. It stands in an address, so it must
be worth nothing to whoever reads that address afterwards.
"""

from __future__ import annotations

import secrets
import time

_SECONDS = 30.0
_MOST = 200


class Tickets:
    """The tickets that were given out and not used yet; the oldest give way to new ones."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._issued: dict[str, tuple[str, float]] = {}

    def issue(self, path: str) -> str:
        """A ticket for one request of a path."""
        while len(self._issued) >= _MOST:
            del self._issued[next(iter(self._issued))]
        ticket = secrets.token_urlsafe(24)
        self._issued[ticket] = (path, time.monotonic() + self._seconds)
        return ticket

    def redeem(self, ticket: str, path: str) -> bool:
        """Whether a ticket is good for a path now; it is used up, whatever the answer."""
        wanted, until = self._issued.pop(ticket, ("", 0.0))
        return wanted == path and time.monotonic() < until
