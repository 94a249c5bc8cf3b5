"""Measures what the proxy adds to a request: `.venv/bin/python bench/proxy.py`.

One upstream that answers at once, asked directly, through a plain reverse proxy that only copies
bytes, through ours with nothing to manage, through ours with a history to fit, and through
Headroom's proxy: that of `bench/.venv`, of the PATH, or one named by `--headroom`. The ways take turns request by request, so that the
machine's moods hit all of them. Prints a table and writes `bench/results/proxy.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "proxy.json"
ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 0,
    "model": "gpt-6-sol",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi."}}
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
SIZES = {"1 message": 0, "20 pages": 20}


async def upstream() -> None:
    """Answer every request at once."""
    body = json.dumps(ANSWER).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await _read(reader)
                writer.write(answer % (len(body), body))
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    await _serve(talk)


async def plain(target: int) -> None:
    """Copy bytes both ways."""

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, to = await asyncio.open_connection("127.0.0.1", target)
        await asyncio.gather(copy(reader, to), copy(behind, writer))

    await _serve(talk)


async def ours(target: int, budget: int) -> None:
    """Director's proxy."""
    from director.middleware.proxy import Proxy  # noqa: PLC0415

    proxy = Proxy(budget, f"http://127.0.0.1:{target}")
    await proxy.open()
    print(proxy.port, flush=True)
    await asyncio.Event().wait()


async def _serve(talk: object) -> None:
    server = await asyncio.start_server(talk, "127.0.0.1", 0)  # type: ignore[arg-type]
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


async def _read(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length")
    )
    return head + await reader.readexactly(length)


def history(pages: int) -> list[dict[str, object]]:
    """A request, and pages that were read for it."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Find the cheapest mug."}]
    for page in range(pages):
        function = {"name": "open_page", "arguments": f'{{"number": {page}}}'}
        call = {"id": f"c{page}", "type": "function", "function": function}
        rows = "\n".join(f"- link 'Mug {page}-{row}' [ref=e{row}]: {row}.50" for row in range(80))
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{page}", "content": rows})
    return messages


async def measured(ports: dict[str, int], body: bytes, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each request, way by way in turn, each on a connection that stays open."""
    head = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Authorization: Bearer sk-any\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    lines = {way: await asyncio.open_connection("127.0.0.1", port) for way, port in ports.items()}
    took: dict[str, list[float]] = {way: [] for way in ports}
    for turn in range(rounds + 5):
        for way, (reader, writer) in lines.items():
            start = time.perf_counter()
            writer.write(head + body)
            await _read(reader)
            if turn >= 5:  # the first ones warm caches
                took[way].append((time.perf_counter() - start) * 1_000)
    for _, writer in lines.values():
        writer.close()
    return took


def started(*args: str) -> tuple[subprocess.Popen[str], int]:
    """A second start of this program, in another role, and the port it says."""
    program = subprocess.Popen([sys.executable, __file__, *args], stdout=subprocess.PIPE, text=True)
    said = program.stdout.readline() if program.stdout is not None else "0"
    return program, int(said)


def installed() -> str:
    """Headroom's program, if it is at hand."""
    beside = Path(__file__).parent / ".venv" / "bin"
    return shutil.which("headroom", path=beside) or shutil.which("headroom") or ""


def headroom(program: str, target: int) -> tuple[subprocess.Popen[bytes], int]:
    """Headroom's proxy in front of the same upstream, when it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # It would look for prices and models on the network, and wait.
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "HF_HUB_OFFLINE": "1"}
    command = [program, "proxy", "--port", str(port)]
    with tempfile.TemporaryFile() as said:
        running = subprocess.Popen(
            [*command, "--openai-api-url", f"http://127.0.0.1:{target}"],
            env=env,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and running.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                time.sleep(0.5)
            else:
                return running, port
        running.terminate()
        said.seek(0)
        message = f"Headroom's proxy did not start: {said.read().decode()[-500:]}"
    raise SystemExit(message)


def told(took: Sequence[float]) -> tuple[float, float]:
    """Median and 99th percentile."""
    ranked = sorted(took)
    return round(ranked[len(ranked) // 2], 2), round(ranked[int(len(ranked) * 0.99)], 2)


def main() -> None:
    """Start everything, measure, stop everything."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("role", nargs="*")
    options.add_argument("--rounds", type=int, default=300)
    options.add_argument("--headroom", default=installed(), help="Headroom's program")
    options.add_argument("--dry", action="store_true", help="write nothing")
    chosen = options.parse_args()
    if chosen.role:
        name, *numbers = chosen.role
        asyncio.run({"upstream": upstream, "plain": plain, "ours": ours}[name](*map(int, numbers)))
        return
    programs = []
    rows = []
    try:
        first, target = started("upstream")
        programs.append(first)
        ports = {"direct": target}
        for way, args in {
            "plain reverse proxy": ("plain", str(target)),
            "Director, nothing to manage": ("ours", str(target), "1000000"),
            "Director, 3,000 tokens": ("ours", str(target), "3000"),
        }.items():
            program, ports[way] = started(*args)
            programs.append(program)
        if not chosen.headroom:
            print("Headroom is left out: see bench/README.md", file=sys.stderr)
        else:
            other, ports["Headroom"] = headroom(chosen.headroom, target)
            programs.append(other)  # type: ignore[arg-type]
        print("| request | way | p50 ms | p99 ms |\n|---|---|--:|--:|")
        for size, pages in SIZES.items():
            body = json.dumps({"model": "gpt-6-sol", "messages": history(pages)}).encode()
            took = asyncio.run(measured(ports, body, chosen.rounds))
            for way, each in took.items():
                p50, p99 = told(each)
                rows.append({"size": size, "bytes": len(body), "way": way, "p50": p50, "p99": p99})
                print(f"| {size} ({len(body):,} bytes) | {way} | {p50} | {p99} |", flush=True)
    finally:
        for program in programs:
            program.terminate()
    if not chosen.dry:
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
