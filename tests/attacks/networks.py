"""A network of a test's own: names that change where they lead, public addresses on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from director.browser.network import Network, Pair

PUBLIC = "93.184.216.34"
OTHER_PUBLIC = "2606:2800:220:1:248:1893:25c8:1946"


@dataclass(slots=True)
class Table:
    """What names lead to, one answer after the other, the last one for ever; where addresses are.

    `routes` maps an address and a port to a port on loopback. An address without a route is the
    machine's own if it is on loopback, and otherwise answers nothing.
    """

    names: Mapping[str, Sequence[Sequence[str]]]
    routes: Mapping[tuple[str, int], int] = field(default_factory=dict)
    lookups: list[str] = field(default_factory=list)
    connections: list[str] = field(default_factory=list)

    def network(self, *private: str) -> Network:
        """The table as the network of a guard."""
        return Network(self.look_up, self.connect, frozenset(private))

    async def look_up(self, name: str) -> Sequence[str]:
        """The next answer for a name."""
        self.lookups.append(name)
        answers = self.names.get(name)
        if answers is None:
            raise OSError(name)
        return answers[min(self.lookups.count(name), len(answers)) - 1]

    async def connect(self, address: str, port: int) -> Pair:
        """A connection, which is counted before it is made."""
        self.connections.append(address)
        if route := self.routes.get((address, port)):
            return await asyncio.open_connection("127.0.0.1", route)
        if not address.startswith(("127.", "::1")):
            raise ConnectionRefusedError(address)
        return await asyncio.open_connection(address, port)
