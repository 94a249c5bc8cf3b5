"""Two hundred streams at once through the proxy, beside a plain one: `python -m bench.streams`.

An upstream sends each answer in pieces with a known pause between them. The same requests go to it directly,
through a proxy that only copies bytes, and through Director's with a history to fit, one way after
another in one run. Every stream must arrive whole and in order; told are the wait for the first piece, how late the
pieces were, and what the proxy used. Prints markdown for `docs/measured.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.load import quantile
from bench.proxy import _read, _serve, history, started

PIECES = 40
PAUSE = 0.1  # seconds between two pieces
PATIENCE = 120.0


async def upstream() -> None:
    """Answer every request in pieces."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await _read(reader)
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                    b"Transfer-Encoding: chunked\r\n\r\n"
                )
                for number in range(PIECES):
                    writer.write(_chunk(_piece(number)))
                    await writer.drain()
                    await asyncio.sleep(PAUSE)
                writer.write(_chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    await _serve(talk)


def _piece(number: int) -> bytes:
    delta = {"index": 0, "delta": {"content": f"word{number} "}, "finish_reason": None}
    whole = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "gpt-6-sol"}
    return b"data: " + json.dumps({**whole, "choices": [delta]}).encode() + b"\n\n"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


@dataclass(slots=True)
class Streamed:
    """What came of the streams of one way."""

    whole: int = 0
    broken: int = 0
    first: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    lasted: float = 0.0


async def stream(port: int, body: bytes, found: Streamed) -> None:
    """One request; its pieces are counted and timed as they come."""
    head = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Authorization: Bearer sk-any\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    began = time.perf_counter()
    seen, before = 0, 0.0
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head + body)
            while line := await reader.readline():
                now = time.perf_counter()
                if b"[DONE]" in line:
                    break
                if b'"content": "word' not in line and b'"content":"word' not in line:
                    continue
                if f"word{seen} ".encode() not in line:
                    break
                (found.first if seen == 0 else found.late).append(
                    1e3 * (now - began if seen == 0 else now - before - PAUSE)
                )
                seen, before = seen + 1, now
            writer.close()
    except (OSError, TimeoutError):
        pass
    if seen == PIECES:
        found.whole += 1
    else:
        found.broken += 1


async def measure(port: int, body: bytes, streams: int) -> Streamed:
    """All streams at once."""
    found = Streamed()
    began = time.perf_counter()
    await asyncio.gather(*(stream(port, body, found) for _ in range(streams)))
    found.lasted = time.perf_counter() - began
    return found


def _used(pid: int) -> tuple[float, float]:
    """Processor seconds and megabytes of a program."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds, pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def print_row(way: str, found: Streamed, spent: float, memory: float) -> None:
    """One way as a line of markdown."""
    first, late = found.first or [0.0], found.late or [0.0]
    print(
        f"| {way} | {found.whole} / {found.broken} | {quantile(first, 0.5):.0f} / "
        f"{quantile(first, 0.99):.0f} | {quantile(late, 0.5):.1f} / {quantile(late, 0.99):.0f} | "
        f"{found.lasted:.1f} | {spent:.1f} | {memory:.0f} |",
        flush=True,
    )


def main() -> None:
    """Start everything, measure, stop everything."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("role", nargs="?")
    options.add_argument("--streams", type=int, default=200)
    chosen = options.parse_args()
    if chosen.role:
        asyncio.run(upstream())
        return
    body = json.dumps({"model": "gpt-6-sol", "stream": True, "messages": history(20)}).encode()
    command = [sys.executable, "-m", "bench.streams", "upstream"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    programs = [program]
    try:
        target = int(program.stdout.readline() if program.stdout else 0)
        ways = {
            "direct": (program, target),
            "plain proxy": started("plain", str(target)),
            "Director, nothing to manage": started("ours", str(target), "1000000"),
            "Director, into 3,000 tokens": started("ours", str(target), "3000"),
        }
        programs += [each for each, _ in ways.values()]
        print(
            f"| {chosen.streams} streams of {PIECES * PAUSE:.0f} s | whole / broken | first piece, ms,"
            " p50 / p99 | a piece late by, ms, p50 / p99 | all over after, s | processor, s | MB |"
        )
        print("|---|" + "--:|" * 6)
        for way, (behind, port) in ways.items():
            asyncio.run(measure(port, body, 2))
            before, _ = _used(behind.pid)
            found = asyncio.run(measure(port, body, chosen.streams))
            after, memory = _used(behind.pid)
            print_row(way, found, after - before, memory)
    finally:
        for each in programs:
            each.terminate()


if __name__ == "__main__":
    main()
