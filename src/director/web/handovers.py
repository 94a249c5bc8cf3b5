"""Handovers: how a window that outlives the program gets to the pages of the next start.

Keys and the host name end with the program. A window that is still open then asks whoever answers
for a handover: a new launch link, sealed with a key that only this window holds in memory and this
user's disk. A stranger who took the port can neither make one nor open one, and whatever pages it
leaves behind belong to the old name.
"""

from __future__ import annotations

import json
import secrets
import time
from pathlib import Path
from typing import NamedTuple

from director.home import lock_file, write_private
from director.secrets.vault import load_cipher

_AGE = 24 * 3600.0
_MOST = 200
_NONCE = 12


class Handover(NamedTuple):
    """What a window keeps in memory: a name for it, and the key that opens what is sealed."""

    id: str
    key: str


class _Kept(NamedTuple):
    key: str
    host: str
    at: float


class Handovers:
    """The handovers of earlier starts, which are answered, and of this one, which are only kept."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._earlier = self._read()

    def make(self, host: str) -> Handover:
        """A new one for windows under a host name, kept in a private file for the next start."""
        made = Handover(secrets.token_urlsafe(16), secrets.token_hex(32))
        with lock_file(self._file):
            known = {**self._read(), made.id: _Kept(made.key, host, time.time())}
            kept = {id_: list(one) for id_, one in list(known.items())[-_MOST:]}
            write_private(self._file, json.dumps({"handovers": kept}).encode())
        return made

    def knows(self, host: str) -> bool:
        """Whether windows of an earlier start may be open under a host name."""
        return any(one.host == host for one in self._earlier.values())

    def seal(self, id_: str, link: str) -> dict[str, str] | None:
        """A link for the windows of an earlier start; nobody else can read it."""
        found = self._earlier.get(id_)
        if found is None:
            return None
        nonce = secrets.token_bytes(_NONCE)
        sealed = load_cipher()(bytes.fromhex(found.key)).encrypt(nonce, link.encode(), None)
        return {"nonce": nonce.hex(), "sealed": sealed.hex()}

    def _read(self) -> dict[str, _Kept]:
        try:
            found = json.loads(self._file.read_bytes())["handovers"].items()
            kept = {id_: _Kept(str(key), str(host), float(at)) for id_, (key, host, at) in found}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            # Without it windows are opened anew; that is all that is lost.
            return {}
        return {id_: one for id_, one in kept.items() if time.time() - one.at < _AGE}
