"""The server name that a TLS client asks for, read from the first bytes of its connection.

Only the unencrypted hello is read; nothing is decrypted and nothing is changed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from director.errors import DirectorError

HANDSHAKE: Final = b"\x16"
_HELLO: Final = 1
_SERVER_NAME: Final = 0
_RECORD: Final = 5


class HelloError(DirectorError, ValueError):
    """The bytes are not the hello of a TLS client."""


def is_complete_tls_hello(received: bytes) -> bool:
    """Whether these bytes hold a whole hello, which may be spread over several records."""
    message = _join_records(received)
    return len(message) >= 4 and len(message) >= 4 + int.from_bytes(message[1:4])


def read_tls_server_name(received: bytes) -> str:
    """The name in a whole hello, in lower case; empty if it asks for none."""
    if not is_complete_tls_hello(received):
        raise HelloError("The hello of a TLS client ends too early.")
    try:
        return _read_name(_join_records(received))
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise HelloError("The hello of a TLS client cannot be read.") from error


def _join_records(received: bytes) -> bytes:
    """What the handshake records hold, without their heads."""
    message, at = b"", 0
    while received[at : at + 1] == HANDSHAKE and len(received) >= at + _RECORD:
        end = at + _RECORD + int.from_bytes(received[at + 3 : at + 5])
        message += received[at + _RECORD : end]
        at = end
    return message


def _read_name(message: bytes) -> str:
    if message[0] != _HELLO:
        raise HelloError("A TLS client begins with a hello.")
    # Type and length, version, random; then three fields that tell their own length.
    at = 4 + 2 + 32
    at += 1 + message[at]
    at += 2 + struct.unpack_from(">H", message, at)[0]
    at += 1 + message[at]
    if at == len(message):
        return ""
    names = [name for kind, name in _extensions(message, at) if kind == _SERVER_NAME]
    if not names:
        return ""
    # A list with one entry: its length, the kind of name, the length of the name, the name.
    kind, length = struct.unpack_from(">BH", names[0], 2)
    name = names[0][5 : 5 + length]
    if len(names) > 1 or kind != 0 or len(names[0]) != 5 + length:
        raise HelloError("The hello of a TLS client names more than one server.")
    return name.decode("ascii").lower()


def _extensions(message: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    end = at + 2 + struct.unpack_from(">H", message, at)[0]
    at += 2
    while at < end:
        kind, length = struct.unpack_from(">HH", message, at)
        yield kind, message[at + 4 : at + 4 + length]
        at += 4 + length
