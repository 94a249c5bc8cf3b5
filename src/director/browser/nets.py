"""The net of one session: what every text passes before it leaves the browser."""

from __future__ import annotations

from typing import final

from director.browser.filling import SecretDoor
from director.secrets import Clear, Net


@final
class SessionNet:
    """Removes the values behind the door, and those typed so far even if they changed since."""

    def __init__(self, door: SecretDoor | None) -> None:
        self._door = door
        self._typed: list[Clear] = []
        self._nets: tuple[Net, ...] = ()
        self._renew()

    def add(self, value: Clear) -> None:
        """A value is about to be typed."""
        if value not in self._typed:
            self._typed.append(value)
        self._renew()

    def clean(self, text: str) -> str:
        """The text with a mark in place of every value."""
        for net in self._nets:
            text = net.clean(text)
        return text

    def clean_bytes(self, content: bytes) -> bytes:
        """The bytes with a mark in place of every value."""
        for net in self._nets:
            content = net.clean_bytes(content)
        return content

    def _renew(self) -> None:
        typed = [Net(self._typed)] if self._typed else []
        self._nets = (*([self._door.net()] if self._door else []), *typed)
