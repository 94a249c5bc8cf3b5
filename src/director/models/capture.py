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
def capture_bodies() -> Iterator[list[bytes]]:
    """The bodies of all requests that are made inside, in their order, also of failed ones."""
    sent: list[bytes] = []
    before = _SENT.set(sent)
    try:
        yield sent
    finally:
        _SENT.reset(before)


def capture_body(body: bytes) -> None:
    """Note a body that leaves now, if somebody listens."""
    sent = _SENT.get()
    if sent is not None and body:
        sent.append(body)


async def capture_request(request: Leaving) -> None:
    """The hook of an HTTP client: called with each request just before it is sent."""
    capture_body(request.content)


async def capture_offline_request(request: Leaving) -> None:
    """The same for a client that is offline: nothing leaves."""
    capture_body(request.content)
    raise TransportError("the model is offline")
