"""What a provider's response may be at most, so that no server can hold or fill this program.

Bounds the bytes, the time, one event and its lines, and what is inside an answer. A redirect is
never followed: it would carry the key and the conversation to another server. Whatever is beyond
the bounds is refused as a whole; nothing of it is used. The HTTP library of a provider's client is
known by its fields, so none has to be imported.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol

from director.models.failures import RefusedResponse

LARGEST = 64 * 1024 * 1024  # bytes of one response
LARGEST_EVENT = 16 * 1024 * 1024
LINES = 200  # in one event
EVENTS = 300_000  # in one response
LONGEST = 3_600.0  # seconds from its beginning to its end
_BOUNDARIES = (b"\n\n", b"\r\n\r\n", b"\r\r")
_BOUNDARY = re.compile(rb"\r?\n\r?\n|\r\r")


class ByteStream(Protocol):
    """The bytes of a response, as an HTTP library gives them."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The next bytes."""

    async def aclose(self) -> None:
        """Close the connection."""


class HttpResponse(Protocol):
    """What is needed of a response whose headers have come."""

    stream: Any
    has_redirect_location: bool
    headers: Mapping[str, str]


async def limit_response(response: HttpResponse) -> None:
    """The hook of an HTTP client: called when the headers of a response have come."""
    if response.has_redirect_location:
        target = response.headers["location"][:200]
        raise RefusedResponse(
            f"the server answered with a redirect to {target!r}, which was not followed: nothing "
            "was sent there."
        )
    coding = response.headers.get("content-encoding", "identity")
    if coding != "identity":
        raise RefusedResponse(f"the response is compressed ({coding[:40]!r}), unasked.")
    events = response.headers.get("content-type", "").startswith("text/event-stream")
    response.stream = _class_beside(type(response.stream))(response.stream, events=events)


class _LimitedStream:
    """A response's bytes, within the bounds; events are passed on whole."""

    def __init__(self, inner: ByteStream, *, events: bool) -> None:
        self._inner = inner
        self._events = events
        self._until = time.monotonic() + LONGEST
        self._size = self._count = 0
        self._rest = bytearray()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            self._size += len(piece)
            if self._size > LARGEST:
                raise RefusedResponse(f"the response is larger than {LARGEST:,} bytes.")
            if time.monotonic() > self._until:
                raise RefusedResponse(f"the response did not end within {LONGEST:,.0f} seconds.")
            if not self._events:
                yield piece
            elif whole := self._whole_events(piece):
                yield whole
        if _lines(self._rest) > LINES:
            raise RefusedResponse(f"an event has more than {LINES} lines.")
        if self._rest:
            yield bytes(self._rest)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._inner.aclose()

    def _whole_events(self, piece: bytes) -> bytes:
        """The events that are complete with this piece; libraries join lines one by one."""
        start = max(0, len(self._rest) - 3)
        self._rest += piece
        ends = [(self._rest.rfind(each, start), len(each)) for each in _BOUNDARIES]
        end = max(at + size for at, size in ends) if any(at >= 0 for at, _ in ends) else 0
        whole = bytes(self._rest[:end])
        del self._rest[:end]
        if len(self._rest) > LARGEST_EVENT:
            raise RefusedResponse(f"an event is larger than {LARGEST_EVENT:,} bytes.")
        events = _BOUNDARY.split(whole)
        self._count += len(events) - 1
        if self._count > EVENTS:
            raise RefusedResponse(f"the response has more than {EVENTS:,} events.")
        if any(_lines(event) > LINES for event in events):
            raise RefusedResponse(f"an event has more than {LINES} lines.")
        return whole


_CLASSES: dict[type, type[_LimitedStream]] = {}


def _class_beside(stream: type) -> type[_LimitedStream]:
    """The limited stream as a stream of the library that this one is of, which checks for it."""
    if stream not in _CLASSES:
        base = next((one for one in stream.__mro__ if one.__name__ == "AsyncByteStream"), object)
        _CLASSES[stream] = type("LimitedStream", (_LimitedStream, base), {})
    return _CLASSES[stream]


def _lines(event: bytes | bytearray) -> int:
    return event.count(b"\n") + event.count(b"\r")
