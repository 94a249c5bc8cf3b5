"""What left for a provider, byte for byte, for whoever wants to keep it.

Only bodies are noted: keys travel in headers and are never seen here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from director.errors import DirectorError

_SENT: ContextVar[list[bytes] | None] = ContextVar("sent", default=None)


class Leaving(Protocol):
    """What is needed of a request that an HTTP client is about to send."""

    @property
    def content(self) -> bytes:
        """Its body."""


class TransportError(DirectorError):
    """Nothing was sent, because the model is offline."""


@contextmanager
def capturing() -> Iterator[list[bytes]]:
    """The bodies of all requests that are made inside, in their order, also of failed ones."""
    sent: list[bytes] = []
    before = _SENT.set(sent)
    try:
        yield sent
    finally:
        _SENT.reset(before)


def note(body: bytes) -> None:
    """Note a body that leaves now, if somebody listens."""
    sent = _SENT.get()
    if sent is not None and body:
        sent.append(body)


async def note_request(request: Leaving) -> None:
    """The hook of an HTTP client: called with each request just before it is sent."""
    note(request.content)


async def hold_back_request(request: Leaving) -> None:
    """The same for a client that is offline: nothing leaves."""
    note(request.content)
    raise TransportError("the model is offline")
