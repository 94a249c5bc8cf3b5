"""Who is let in: a link that works once, perhaps a password, and the keys that they give.

A key is sent in a header, by our own pages and by programs. There is no cookie: a browser sends
cookies to every port of a host, and so to whoever else listens on this machine. Keys and the host
name of the pages end with the program: whoever takes its port afterwards gets keys that open
nothing, and leaves its own pages and workers behind under a name that is never used again. Windows
that are still open get a handover. Nothing here is ever logged or printed but the link itself.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from director.web.handovers import Handover, Handovers

_SECONDS = 30.0
_MOST = 200


@dataclass(eq=False, slots=True)
class Tickets:
    """The tickets that were given out and not used yet; the oldest give way to new ones."""

    seconds: float = _SECONDS
    _issued: dict[str, tuple[str, float]] = field(default_factory=dict)

    def issue(self, path: str) -> str:
        """A ticket for one request of a path."""
        while len(self._issued) >= _MOST:
            del self._issued[next(iter(self._issued))]
        ticket = secrets.token_urlsafe(24)
        self._issued[ticket] = (path, time.monotonic() + self.seconds)
        return ticket

    def redeem(self, ticket: str, path: str) -> bool:
        """Whether a ticket is good for a path now; it is used up, whatever the answer."""
        wanted, until = self._issued.pop(ticket, ("", 0.0))
        return wanted == path and time.monotonic() < until


_AGE = 30 * 24 * 3600.0
_TRIES = 5
_PAUSE = 30.0
_HANDED = 100


class TooMany(Exception):
    """The password was tried too often; wait a little."""


class Sessions:
    """The keys of one program, the tickets that they ask for, and the host name of its pages."""

    def __init__(self, file: Path, *, password: str = "") -> None:
        self.password = bool(password)
        self.tickets = Tickets()
        self.handovers = Handovers(file)
        self._password = _digest(password)
        self._links: set[str] = set()
        self._wrong: list[float] = []
        self._keys: dict[str, tuple[float, Handover]] = {}
        # A link for a handover gives way to later ones, so that asking fills no memory.
        self._handed: deque[str] = deque(maxlen=_HANDED)
        # Browsers lead every name under `localhost` to this machine. Under a name that nobody
        # else knows, our pages are another site than whatever runs on 127.0.0.1.
        self.host = f"d{secrets.token_hex(10)}.localhost"

    def link(self) -> str:
        """A token for a link that lets one browser in, once."""
        token = secrets.token_urlsafe(32)
        self._links.add(_digest(token))
        return token

    def enter(self, token: str) -> str | None:
        """A new key for a token that was not used yet."""
        digest = _digest(token)
        if digest not in self._links:
            return None
        self._links.discard(digest)
        return self._make_key()

    def login(self, password: str) -> str | None:
        """A new key for the right password."""
        now = time.monotonic()
        self._wrong = [at for at in self._wrong if now - at < _PAUSE]
        if len(self._wrong) >= _TRIES:
            raise TooMany
        if not self.password or not hmac.compare_digest(_digest(password), self._password):
            self._wrong.append(now)
            return None
        return self._make_key()

    def knows(self, key: str) -> bool:
        """Whether a key was given out here, and is not too old."""
        made, _ = self._keys.get(_digest(key), (0.0, None))
        return bool(made) and time.monotonic() - made < _AGE

    def handover(self, key: str) -> Handover:
        """What the windows of a browser that was let in keep for the next start."""
        return self._keys[_digest(key)][1]

    def hand_over(self, id_: str) -> dict[str, str] | None:
        """A sealed link for a window of an earlier start."""
        token = secrets.token_urlsafe(32)
        sealed = self.handovers.seal(id_, json.dumps({"link": token, "host": self.host}))
        if sealed is not None:
            if len(self._handed) == _HANDED:
                self._links.discard(self._handed[0])
            self._handed.append(_digest(token))
            self._links.add(_digest(token))
        return sealed

    def _make_key(self) -> str:
        key = secrets.token_urlsafe(32)
        self._keys[_digest(key)] = (time.monotonic(), self.handovers.make(self.host))
        return key


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
