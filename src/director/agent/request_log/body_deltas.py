"""Bodies of requests as what differs from the one before: a conversation is kept once, not n times.

A body is cut where messages begin; what stood in the body before is named by its place there. Put
together again it is the same, byte for byte, whatever it holds. Pure.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence

_MESSAGE = re.compile(rb'(?=\{"(?:role|type|name)":)')


def encode_delta_frame(body: bytes, before: bytes | None = None) -> bytes:
    """A body as a frame: pieces of its own, and spans of the pieces of the body before."""
    old = _pieces(before) if before is not None else []
    place = {piece: nth for nth, piece in reversed(list(enumerate(old)))}
    found: list[list[int] | str] = []
    for piece in _pieces(body):
        at = place.get(piece)
        last = found[-1] if found else None
        if isinstance(last, list) and last[1] < len(old) and old[last[1]] == piece:
            last[1] += 1
        elif at is not None:
            found.append([at, at + 1])
        else:
            found.append(piece.decode("latin-1"))
    return zlib.compress(json.dumps(found, separators=(",", ":")).encode())


def decode_delta_frame(frame: bytes, before: bytes | None = None) -> bytes:
    """The body of a frame; `before` is the body it was framed against."""
    old = _pieces(before) if before is not None else []
    found: Sequence[list[int] | str] = json.loads(zlib.decompress(frame))
    return b"".join(
        one.encode("latin-1") if isinstance(one, str) else b"".join(old[one[0] : one[1]])
        for one in found
    )


def _pieces(body: bytes) -> list[bytes]:
    return [piece for piece in _MESSAGE.split(body) if piece]
