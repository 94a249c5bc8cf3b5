"""Ports on loopback that count what reaches them, for channels that ask for no path."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Listener:
    """A port that counts connections and datagrams, and answers none."""

    def __init__(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.place = f"127.0.0.1:{self.tcp.getsockname()[1]}"
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(self.tcp.getsockname())
        self.reached = 0

    def accept_connections(self) -> None:
        """Count connections until the port is closed."""
        with contextlib.suppress(OSError):
            while True:
                self.tcp.accept()[0].close()
                self.reached += 1

    def receive_datagrams(self) -> None:
        """Count datagrams until an empty one arrives."""
        while self.udp.recv(2_048):
            self.reached += 1

    def stop(self) -> None:
        """Close the port; the listeners are woken."""
        self.udp.sendto(b"", self.udp.getsockname())
        self.tcp.shutdown(socket.SHUT_RDWR)
        self.tcp.close()


@contextmanager
def listen() -> Iterator[Listener]:
    """Count what reaches a port while the block lasts."""
    listener = Listener()
    threads = [
        threading.Thread(target=listener.accept_connections, daemon=True),
        threading.Thread(target=listener.receive_datagrams, daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield listener
    finally:
        listener.stop()
        for thread in threads:
            thread.join(5)
        listener.udp.close()
