"""Restart points: what a session needs to go on in another browser.

A point holds cookies and storage, which are as good as a password: it is shown without them, and
the only form that is written down is sealed.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from playwright.async_api import Page

from director.secrets import Seal

Storage: TypeAlias = dict[str, Any]
_PURPOSE: Final = "restart point"


@dataclass(frozen=True, slots=True)
class RestartPoint:
    """The storage of a session, its tabs as names and addresses, and which one is active."""

    storage: Storage = field(repr=False)
    tabs: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    active: str = ""

    def showing(self, url: str) -> RestartPoint:
        """The same with another address in the active tab."""
        tabs = tuple((name, url if name == self.active else own) for name, own in self.tabs)
        return replace(self, tabs=tabs)

    def encrypt(self, seal: Seal) -> str:
        """The point as a text that only the same key opens: fit for a store or a file."""
        plain = {"storage": self.storage, "tabs": self.tabs, "active": self.active}
        return base64.b64encode(seal.close(json.dumps(plain).encode(), _PURPOSE)).decode()

    @classmethod
    def decrypt(cls, text: str, seal: Seal) -> RestartPoint:
        """The point that was sealed."""
        plain = json.loads(seal.open(base64.b64decode(text), _PURPOSE))
        tabs = tuple((name, url) for name, url in plain["tabs"])
        return cls(plain["storage"], tabs, plain["active"])

    # Names of one release ago; they go with the next.
    sealed = encrypt
    unsealed = decrypt


def get_restart_address(page: Page) -> str:
    """The address that a tab is opened with again; one that only its browser knew is left out."""
    return page.url if page.url.startswith(("http://", "https://")) else "about:blank"
