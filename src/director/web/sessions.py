"""Who is let in: a link that works once, perhaps a password, and the keys that they give.

A key is sent in a header, by our own pages and by programs. There is no cookie: a browser sends
cookies to every port of a host, and so to whoever else listens on this machine. Of a key only the
hash is kept, in a private file, so that a browser that was let in stays so when the program is
started again. Nothing here is ever logged or printed but the link itself.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from pathlib import Path
from typing import NamedTuple

from director.home import locked, write_private
from director.web.tickets import Tickets

_AGE = 30 * 24 * 3600.0
_TRIES = 5
_PAUSE = 30.0


class TooMany(Exception):
    """The password was tried too often; wait a little."""


class _Stored(NamedTuple):
    host: str
    keys: dict[str, float]


class Sessions:
    """The keys of one program, the tickets that they ask for, and the host name of its pages."""

    def __init__(self, file: Path, *, password: str = "") -> None:
        self.password = bool(password)
        self.tickets = Tickets()
        self._file = file
        self._password = _digest(password)
        self._links: set[str] = set()
        self._wrong: list[float] = []
        stored = self._read()
        if not stored.host:
            stored = self._write({})
        # Browsers lead every name under `localhost` to this machine. Under a name that nobody
        # else knows, our pages are another site than whatever runs on 127.0.0.1.
        self.host = stored.host
        self._keys = stored.keys

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
        if not key:
            return False
        made = self._keys.get(_digest(key))
        return made is not None and time.time() - made < _AGE

    def _make_key(self) -> str:
        key = secrets.token_urlsafe(32)
        self._keys = self._write({_digest(key): time.time()}).keys
        return key

    def _write(self, fresh: dict[str, float]) -> _Stored:
        with locked(self._file):
            now = time.time()
            host, known = self._read()
            kept = {each: at for each, at in known.items() if now - at < _AGE}
            stored = _Stored(host or f"d{secrets.token_hex(10)}.localhost", {**kept, **fresh})
            write_private(self._file, json.dumps(stored._asdict()).encode())
        return stored

    def _read(self) -> _Stored:
        try:
            found = json.loads(self._file.read_bytes())
            return _Stored(str(found["host"]), dict(found["keys"]))
        except (OSError, ValueError, TypeError, KeyError):
            # Without it everyone is let in anew; that is all that is lost.
            return _Stored("", {})


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
