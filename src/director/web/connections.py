"""Connections of clients that take too long, or are too many: they end, and others are served.

A request must arrive whole in a while, and what is answered must be read. Whoever has not sent a
whole request yet is one of a bounded number: the oldest of them gives way. An answer that is being
given is never cut short for its length; an event stream lasts as long as it is read. A client that
is gone without a word, its machine asleep or its network cut, is noticed by the system.
"""

from __future__ import annotations

import asyncio
import json
import socket
from typing import cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from director.home import limit_connections
from director.web.guard.refusal_responses import error_body

ARRIVES = 30.0  # seconds for a whole request
READS = 30.0  # seconds in which some of an answer must be read
# Seconds until a silent client is asked whether it is there, between two questions, how many of
# them; milliseconds until what was sent must have arrived.
_SILENCE = {
    "TCP_KEEPIDLE": 20,
    "TCP_KEEPINTVL": 5,
    "TCP_KEEPCNT": 4,
    "TCP_USER_TIMEOUT": 40_000,
}
PENDING = 200  # connections without a whole request
_LATE = json.dumps(
    error_body(
        "The request did not arrive in time.", kept="Nothing was changed.", next_="Send it again."
    )
).encode()
_TOO_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(_LATE), _LATE)
)


def drop_half_open(connection: socket.socket) -> None:
    """Let the system end a connection whose other side answers nothing for a while."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    # Not every system has all of these: it then keeps to its own limits.
    for name, value in _SILENCE.items():
        if (option := getattr(socket, name, None)) is not None:
            connection.setsockopt(socket.IPPROTO_TCP, option, value)


class BoundedProtocol(H11Protocol):
    """A connection that must send its request, and read what it is answered, in time."""

    _arrival: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        drop_half_open(transport.get_extra_info("socket"))
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what came, and see whether it is all."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        self._stop_reading()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read: it gets some time."""
        super().pause_writing()
        self._stop_reading()
        self._reading = self.loop.call_later(READS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._stop_reading()

    @property
    def due(self) -> float:
        """When the request must have arrived; 0 if none is waited for."""
        return self._arrival.when() if self._arrival is not None else 0.0

    def _watch(self) -> None:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        answers = cycle is not None and not cycle.response_complete and not cycle.more_body
        if answers or self.transport.is_closing():
            self._stop_waiting()
        elif self._arrival is None:
            self._arrival = self.loop.call_later(ARRIVES, self.end)
            self._make_room()

    def _make_room(self) -> None:
        waiting = [
            each for each in self.connections if isinstance(each, BoundedProtocol) and each.due
        ]
        if len(waiting) > limit_connections(PENDING):
            min(waiting, key=lambda each: each.due).end()

    def end(self) -> None:
        """Close the connection: the request did not arrive."""
        self._stop_waiting()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_TOO_LATE)
        self.transport.close()

    def _stop_waiting(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
