"""The network as the guard uses it: which addresses a name leads to, and connections to them.

A public name may be pointed at this machine or at one behind its firewall at any moment. So every
address is checked after the lookup, and the connection goes to the address that was checked: a
name is never looked up a second time for the same connection.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

VARIABLE: Final = "DIRECTOR_PRIVATE_HOSTS"
_LOOPBACK: Final = ("127.0.0.1", "::1")
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
# Not public, although some versions of Python say so.
_SPECIAL: Final = (
    ipaddress.IPv4Network("192.0.0.0/24"),
    ipaddress.IPv6Network("64:ff9b:1::/48"),
    ipaddress.IPv6Network("3fff::/20"),
    ipaddress.IPv6Network("5f00::/16"),
    ipaddress.IPv6Network("fec0::/10"),
)
_CONNECTS: Final = 20.0
Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Pair: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True, slots=True)
class Resolution:
    """The addresses that a connection to a host may go to, and those that it may not."""

    allowed: tuple[str, ...]
    refused: tuple[str, ...] = ()


async def resolve_network_name(name: str) -> Sequence[str]:
    """The addresses of a name, as this machine looks them up."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(each[4][0]) for each in found))


def load_private_hosts(environ: Mapping[str, str] | None = None) -> frozenset[str]:
    """The names that may lead to private addresses, from DIRECTOR_PRIVATE_HOSTS."""
    text = (os.environ if environ is None else environ).get(VARIABLE, "")
    return frozenset(text.lower().replace(",", " ").split())


@final
@dataclass(frozen=True, slots=True)
class Network:
    """How names are looked up and connections made; `private` names may lead to private addresses.

    `*.example.org` in `private` stands for every subdomain.
    """

    look_up: Callable[[str], Awaitable[Sequence[str]]] = resolve_network_name
    connect: Callable[[str, int], Awaitable[Pair]] = asyncio.open_connection
    private: frozenset[str] = field(default_factory=load_private_hosts)

    async def resolve(self, host: str) -> Resolution:
        """Where a connection to this host may go.

        An address leads to itself. A `localhost` name leads to this machine and is never looked
        up. Any other name leads to public addresses only, unless it is listed as private.
        """
        if is_network_address(host):
            return Resolution((host.strip("[]"),))
        if host == "localhost" or host.endswith(".localhost"):
            return Resolution(_LOOPBACK)
        found = tuple(await self.look_up(host))
        if self._is_private_host(host):
            return Resolution(found)
        allowed = tuple(each for each in found if is_public_address(each))
        return Resolution(allowed, tuple(each for each in found if each not in allowed))

    async def open_connection(self, addresses: Sequence[str], port: int) -> Pair:
        """A connection to the first of these addresses that answers."""
        problem: OSError = ConnectionError("it has no address")
        for address in addresses:
            try:
                async with asyncio.timeout(_CONNECTS):
                    return await self.connect(address, port)
            except OSError as error:
                problem = error
        raise problem

    def _is_private_host(self, host: str) -> bool:
        labels = host.split(".")
        return host in self.private or any(
            f"*.{'.'.join(labels[cut:])}" in self.private for cut in range(1, len(labels))
        )


def is_network_address(host: str) -> bool:
    """Whether a host is an address and not a name."""
    return _address(host) is not None


def is_public_address(text: str) -> bool:
    """Whether an address belongs to the public internet, in every form that it is written in."""
    address = _address(text)
    if address is None:
        return False
    if isinstance(address, ipaddress.IPv6Address) and (inner := _inner(address)):
        return all(map(_is_global, inner))
    return _is_global(address)


def _is_global(address: Address) -> bool:
    special = address.is_multicast or address.is_reserved
    special = special or any(address in network for network in _SPECIAL)
    return address.is_global and not special


def _inner(address: ipaddress.IPv6Address) -> tuple[ipaddress.IPv4Address, ...]:
    """The IPv4 addresses that an IPv6 address stands for or is carried by."""
    if address.ipv4_mapped:
        return (address.ipv4_mapped,)
    if address.sixtofour:
        return (address.sixtofour,)
    if address.teredo:
        return address.teredo
    if address in _NAT64 or int(address) >> 32 == 0:
        return (ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF),)
    return ()


def _address(text: str) -> Address | None:
    try:
        return ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None
