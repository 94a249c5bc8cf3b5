"""A program in a network of its own, which reaches some ports of the machine until it is cut off.

    unshare -n python apart.py PORT=SOCKET... -- COMMAND...

In the new network each port is a relay to a socket in a folder, which another relay outside passes
on: so the network can be taken down as a whole, and the machine's own stays as it is.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

_RELAY = str(Path(__file__).parent / "relay.py")
_PATIENCE = 60.0
UP = ("ip", "link", "set", "lo", "up")
DOWN = ("ip", "link", "set", "lo", "down")


def main() -> int:
    """Bring the network up, start the relays, then the command; all end when it ends."""
    middle = sys.argv.index("--")
    subprocess.run(UP, check=True)
    pairs = [pair.partition("=") for pair in sys.argv[1:middle]]
    relays = [subprocess.Popen([sys.executable, _RELAY, port, path]) for port, _, path in pairs]
    try:
        for port, _, _ in pairs:
            _await_port(int(port))
        return subprocess.run(sys.argv[middle + 1 :], check=False).returncode
    finally:
        for relay in relays:
            relay.kill()


def _await_port(port: int) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 5).close()
        except OSError:
            time.sleep(0.05)
        else:
            return


def in_network_of(pid: int, command: tuple[str, ...]) -> None:
    """Do something in the network of a process that may have ended."""
    subprocess.run(["nsenter", "-t", str(pid), "-n", *command], check=False, capture_output=True)


def has_networks() -> bool:
    """Whether this machine lets us make a network of our own and take it down."""
    try:
        made = subprocess.run(["unshare", "-n", *UP], capture_output=True, check=False)
        entered = subprocess.run(
            ["nsenter", "-t", str(os.getpid()), "-n", "true"], capture_output=True, check=False
        )
    except FileNotFoundError:
        return False
    return made.returncode == 0 and entered.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
