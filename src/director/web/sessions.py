"""Who is let in: a link that works once, perhaps a password, and the sessions they open.

Of a session only the hash is kept, in a private file, so that a browser that was let in stays so
when the program is started again. Nothing here is ever logged or printed but the link itself.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from pathlib import Path

from director.home import locked, write_private

_AGE = 30 * 24 * 3600.0
_TRIES = 5
_PAUSE = 30.0


class TooMany(Exception):  # noqa: N818  it says what happened
    """The password was tried too often; wait a little."""


class Sessions:
    """The sessions of one program on one port."""

    def __init__(self, file: Path, *, port: int, password: str = "") -> None:
        # Cookies do not know ports: two programs on one machine must not take each other's.
        self.cookie = f"director_{port}"
        self.password = bool(password)
        self._file = file
        self._password = _digest(password)
        self._links: set[str] = set()
        self._known = self._read()
        self._wrong: list[float] = []

    def link(self) -> str:
        """A token for a link that lets one browser in, once."""
        token = secrets.token_urlsafe(32)
        self._links.add(_digest(token))
        return token

    def enter(self, token: str) -> str | None:
        """The key of a new session for a token that was not used yet."""
        digest = _digest(token)
        if digest not in self._links:
            return None
        self._links.discard(digest)
        return self._made()

    def login(self, password: str) -> str | None:
        """The key of a new session for the right password."""
        now = time.monotonic()
        self._wrong = [at for at in self._wrong if now - at < _PAUSE]
        if len(self._wrong) >= _TRIES:
            raise TooMany
        if not self.password or not hmac.compare_digest(_digest(password), self._password):
            self._wrong.append(now)
            return None
        return self._made()

    def knows(self, key: str) -> bool:
        """Whether a key is that of a session."""
        if not key:
            return False
        made = self._known.get(_digest(key))
        return made is not None and time.time() - made < _AGE

    def _made(self) -> str:
        key = secrets.token_urlsafe(32)
        with locked(self._file):
            now = time.time()
            fresh = {one: at for one, at in self._read().items() if now - at < _AGE}
            self._known = {**fresh, _digest(key): now}
            write_private(self._file, json.dumps(self._known).encode())
        return key

    def _read(self) -> dict[str, float]:
        try:
            found = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            # Without it everyone is let in anew; that is all that is lost.
            return {}
        return found if isinstance(found, dict) else {}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
