"""Kept logins: the cookies and storage of a session under a name, for later runs.

They open an account as a password does, so they are kept sealed and readable by their owner only.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast, final

from director.browser.errors import BrowserError
from director.browser.points import Storage
from director.home import make_private, write_private
from director.secrets import Seal

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_ENDING: Final = ".login"


@final
@dataclass(eq=False, slots=True)
class Logins:
    """A folder of kept logins, sealed with the vault's key."""

    folder: Path
    seal: Seal

    def names(self) -> tuple[str, ...]:
        """The names of all kept logins, sorted."""
        return tuple(sorted(path.stem for path in self.folder.glob(f"*{_ENDING}")))

    def save(self, name: str, storage: Storage) -> None:
        """Keep a login; replaces what was there."""
        path = self._path(name)
        make_private(self.folder)
        write_private(path, self.seal.close(json.dumps(storage).encode(), f"login {name}"))

    def load(self, name: str) -> Storage:
        """The login that was kept."""
        try:
            sealed = self._path(name).read_bytes()
        except FileNotFoundError:
            raise BrowserError(
                f"There is no login {name!r}. Kept: {', '.join(self.names()) or 'none'}. "
                "Log in by hand in a visible window and keep it."
            ) from None
        return cast("Storage", json.loads(self.seal.open(sealed, f"login {name}")))

    def remove(self, name: str) -> None:
        """Forget a login."""
        self._path(name).unlink(missing_ok=True)

    def check(self, name: str) -> None:
        """Refuse what is no name for a login."""
        if not _NAME.fullmatch(name):
            raise BrowserError(
                f"{name!r} is no name for a login: it has 1 to 64 letters of a-z A-Z 0-9 _ . - "
                "and begins with none of '.' and '-'."
            )

    def _path(self, name: str) -> Path:
        self.check(name)
        return self.folder / f"{name}{_ENDING}"
