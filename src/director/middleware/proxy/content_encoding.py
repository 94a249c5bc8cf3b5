"""Bodies that were sent compressed, read within a bound. Never writes a compressed body."""

from __future__ import annotations

import zlib

_GZIP = zlib.MAX_WBITS | 16


def decode_body(body: bytes, coding: bytes, most: int) -> bytes | None:
    """A body without its compression, at most so many bytes.

    None for what is larger, damaged, or compressed in a way that is not known here.
    """
    decoders = {b"gzip": _inflate, b"x-gzip": _inflate, b"deflate": _inflate}
    decoders |= {b"zstd": _decode_zstd, b"br": _decode_brotli}
    for name in reversed([part.strip().lower() for part in coding.split(b",")]):
        if name == b"identity" or not name:
            continue
        decode = decoders.get(name)
        found = decode(body, most) if decode is not None else None
        if found is None or len(found) > most:
            return None
        body = found
    return body


def _inflate(body: bytes, most: int) -> bytes | None:
    # "deflate" is sent with zlib's head or without one; only trying tells.
    for bits in (_GZIP, zlib.MAX_WBITS, -zlib.MAX_WBITS):
        reader = zlib.decompressobj(bits)
        try:
            found = reader.decompress(body, most + 1)
        except zlib.error:
            continue
        if reader.eof and not reader.unused_data:
            return found
    return None


def _decode_zstd(body: bytes, most: int) -> bytes | None:
    try:
        import zstandard
    except ImportError:
        return None
    try:
        reader = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(body)
        with reader:
            found = bytes(reader.read(most + 1))
        stated = zstandard.frame_content_size(body)
    except zstandard.ZstdError:
        return None
    # The reader takes the end of the input for the end of the frame.
    return None if len(found) <= most and 0 <= stated != len(found) else found


def _decode_brotli(body: bytes, most: int) -> bytes | None:
    try:
        import brotli
    except ImportError:
        return None
    reader, found = brotli.Decompressor(), bytearray()
    try:
        found += reader.process(body, output_buffer_limit=most + 1)
        while not reader.is_finished() and len(found) <= most and not reader.can_accept_more_data():
            found += reader.process(b"", output_buffer_limit=most + 1 - len(found))
    except brotli.error:
        return None
    return bytes(found) if reader.is_finished() or len(found) > most else None
