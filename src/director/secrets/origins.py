"""Origins: the scheme, host and port that a secret is bound to, compared exactly.

The reading is narrower than a browser's on purpose: what two programs could read in two ways is
refused, never guessed at. A message never repeats the user, path or query of an address.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from director.errors import DirectorError

_PORTS = {"https": 443, "http": 80}
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
_ADDRESS = re.compile(r"(?P<scheme>[a-z]+)://(?P<place>[^/?#]*)(?P<rest>.*)", re.DOTALL)
_PLACE = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>[0-9]{1,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# A browser reads a host as an IPv4 address when its last label looks like a number.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


class OriginError(DirectorError, ValueError):
    """The text is no origin that can be trusted; the message says why."""

    status = 422


@dataclass(frozen=True, slots=True)
class Origin:
    """A scheme, a host in lower case, and a port: equal only if all three are."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        port = "" if self.port == _PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"


def parse_page_origin(url: str) -> Origin:
    """The origin of a page's address."""
    return _read(url)[0]


def parse_origin_binding(text: str) -> Origin:
    """An origin that a secret may be bound to: https, or http on this machine; nothing after it."""
    origin, rest = _read(text)
    if rest not in {"", "/"}:
        raise OriginError(
            f"A secret is bound to a whole origin: write {str(origin)!r}, with nothing after it."
        )
    if origin.scheme == "http" and origin.host not in _LOCAL:
        raise OriginError(
            f"{str(origin)!r} is not encrypted: a secret is bound to https, "
            f"or to http on {', '.join(sorted(_LOCAL))}."
        )
    return origin


def _read(text: str) -> tuple[Origin, str]:
    # Before lower(): some letters outside ASCII become ASCII ones by it.
    if not text.isascii():
        raise OriginError(
            "An origin is written in ASCII: give the host in its punycode form (xn--…)."
        )
    if any(letter <= " " or letter in "\\\x7f" for letter in text):
        raise OriginError("An origin has no spaces, control characters or backslashes.")
    scheme, found, tail = text.partition("://")
    address = _ADDRESS.fullmatch(f"{scheme.lower()}{found}{tail}")
    if address is None or address["scheme"] not in _PORTS:
        raise OriginError("An origin begins with https:// (or http://).")
    if "@" in address["place"]:
        raise OriginError("An origin names no user: leave out what stands before the '@'.")
    place = _PLACE.fullmatch(address["place"])
    if place is None:
        raise OriginError("An origin is scheme://host or scheme://host:port.")
    port = int(place["port"] or _PORTS[address["scheme"]])
    if not 0 < port < 65_536:
        raise OriginError(f"{port} is not a port: it lies between 1 and 65535.")
    return Origin(address["scheme"], _host(place["host"].lower()), port), address["rest"]


def _host(host: str) -> str:
    if host.startswith("["):
        return _ipv6(host)
    if "*" in host:
        raise OriginError(f"The host {host!r} has a wildcard: list each host by itself.")
    if host.endswith("."):
        raise OriginError(f"The host {host!r} ends in a dot: a browser takes it for another host.")
    labels = host.split(".")
    if len(host) > 253 or not all(map(_LABEL.fullmatch, labels)):
        raise OriginError(f"{host!r} is not the name of a host.")
    if _NUMBER.fullmatch(labels[-1]):
        return _ipv4(host)
    return host


def _ipv4(host: str) -> str:
    try:
        return str(ipaddress.IPv4Address(host))
    except ValueError:
        raise OriginError(
            f"{host!r} is not an IPv4 address in its usual form, such as 127.0.0.1."
        ) from None


def _ipv6(host: str) -> str:
    try:
        address = ipaddress.IPv6Address(host[1:-1])
    except ValueError:
        raise OriginError(f"{host!r} is not an IPv6 address.") from None
    if address.scope_id is not None:
        raise OriginError(f"{host!r} names a network card: an origin has none.")
    return f"[{address.compressed}]"
