"""How quickly the app answers a second client while the first ones, or their inputs, are hostile.

The app as a program of its own, on loopback. Each row: what the hostile clients do or give it to work
on, and the median and the longest time of a page for somebody who was let in. Prints markdown for
`docs/measured.md`; `--quick` takes about three minutes on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import chain
from typing import Any

import httpx
from hostile_provider import PIECES, hostile_provider

CROWD = 500
PATIENCE = 60.0
HEAD = "POST /launch HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
BODY = HEAD + "content-type: application/json\r\ncontent-length: 900\r\n\r\n{{"
STREAM = "GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nauthorization: {key}\r\n\r\n"
FLOOD = "GET /api/workflows HTTP/1.1\r\nHost: evil.example\r\n\r\n" * 50
# What each of the hostile clients sends, and then no more.
SENT = {
    "nobody": None,
    f"{CROWD} connect and say nothing": "",
    f"{CROWD} stop in the middle of the head": HEAD,
    f"{CROWD} stop in the middle of the body": BODY,
    f"{CROWD} open an event stream and never read": STREAM,
    f"{CROWD} send 50 requests for another host at once and never read": FLOOD,
}

FOLDED = "x = []\nfor i in range(60):\n    x = [x, x]\nx"
# Code of workflows that are run again and again meanwhile.
CODE = {
    "a run whose code unfolds a value without end": FOLDED,
    "a run whose code never ends": "while True:\n    pass\n1",
    "a run that makes 5,000 records": "[{'id': i} for i in range(5_000)]",
}
# Patterns that a model's answer is checked by: RE2 reads the first, a worker is ended over the other.
PATTERNS = {
    "a run whose schema has a pattern that backtracks": "(a+)+$",
    "the same with one that RE2 does not know": "(?=a)(a+)+$",
}
_WIDE = "(?i)" + "[\x80-\uffff]" * 50
# Nodes of documents that are sent again and again meanwhile.
NODES = {
    "a document nested 100,000 deep": "[" * 100_000 + "]" * 100_000,
    "a document of half a million braces": json.dumps(
        [
            {
                "id": "n",
                "alias": "n",
                "type": "context",
                "config": {"variables": {"a": "{{" * 250_000}},
            }
        ]
    ),
    "a document of 300 conditions with wide patterns": json.dumps(
        [
            {
                "id": f"n{at}",
                "alias": f"a{at}",
                "type": "transform",
                "config": {"code": "1"},
                "requires": [{"url_matches": f"{_WIDE}{at}"}],
            }
            for at in range(300)
        ]
    ),
}


@contextmanager
def served(model: str = "scripted:none") -> Iterator[tuple[int, str]]:
    """The app of an empty store: its port, and the header of a client that was let in."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "director.cli", "app", "--no-open", "--port", "0"]
        environ = {**os.environ, "DIRECTOR_HOME": folder, "DIRECTOR_MODEL": model}
        program = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)
        lines = iter(program.stdout or ())
        found = next(filter(None, (re.search(r":(\d+)/launch#(\S+)", line) for line in lines)))
        made = httpx.post(
            f"http://127.0.0.1:{found[1]}/launch", json={"link": found[2]}, timeout=PATIENCE
        )
        try:
            yield int(found[1]), f"Bearer {made.json()['key']}"
        finally:
            program.kill()
            program.communicate()


def answered(port: int, key: str, rounds: int) -> list[float]:
    """Milliseconds of each page, on a connection of its own."""
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        page = httpx.get(
            f"http://127.0.0.1:{port}/", headers={"authorization": key}, timeout=PATIENCE
        )
        page.raise_for_status()
        took.append(1e3 * (time.perf_counter() - began))
    return took


def run_again(client: httpx.Client, type_: str, config: dict[str, Any]) -> None:
    """Take in a workflow with this node, and run it to its end."""
    node = {"id": "n", "alias": "n", "type": type_, "config": config}
    document = {"version": 1, "id": "h", "name": "H", "nodes": [node]}
    made = client.post("/api/workflows/import", json={"document": document}).json()
    run = client.post(f"/api/workflows/{made['id']}/runs", json={}).json()["run"]
    while run["state"] in ("queued", "running"):
        run = client.get(f"/api/runs/{run['id']}").json()["run"]


def talk_again(client: httpx.Client) -> None:
    """Say something to a model that never ends its answer, and stop the turn after a while."""
    made = client.post("/api/workflows", json={"name": "Talk"}).json()
    place = f"/api/workflows/{made['id']}"
    client.post(f"{place}/say", json={"text": "Hello?"}).raise_for_status()
    time.sleep(2)
    client.post(f"{place}/stop")


def send_document(client: httpx.Client, nodes: str) -> None:
    """Send a document with these nodes."""
    body = f'{{"document": {{"version": 1, "id": "h", "name": "H", "nodes": {nodes}}}}}'
    headers = {"content-type": "application/json"}
    client.post("/api/workflows/import", content=body.encode(), headers=headers)


@contextmanager
def repeated(port: int, key: str, work: Callable[[httpx.Client], None]) -> Iterator[None]:
    """Do something again and again in a thread."""
    over = threading.Event()

    def repeat() -> None:
        given: dict[str, Any] = {"base_url": f"http://127.0.0.1:{port}", "timeout": PATIENCE}
        # The app is ended when enough was measured, also in the middle of a run.
        with (
            suppress(httpx.HTTPError),
            httpx.Client(**given, headers={"authorization": key}) as client,
        ):
            while not over.is_set():
                work(client)

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(PATIENCE)


def measured_inputs(rounds: int) -> Iterator[tuple[str, list[float]]]:
    """Each hostile input with the times of the pages meanwhile."""
    kept = {"store": True, "create_records": "thing"}
    works = [
        (name, partial(run_again, type_="transform", config={"code": code, **kept}))
        for name, code in CODE.items()
    ]
    for name, pattern in PATTERNS.items():
        asked = {"instruction": "x", "schema": {"type": "string", "pattern": pattern}}
        works.append((name, partial(run_again, type_="cognition", config=asked)))
    works += [(name, partial(send_document, nodes=nodes)) for name, nodes in NODES.items()]
    with hostile_provider(b"") as model:
        for name, work in works:
            with served(model) as (port, key), repeated(port, key, work):
                yield name, answered(port, key, rounds)


def measured_streams(rounds: int) -> Iterator[tuple[str, list[float]]]:
    """Each stream of a provider that never ends, with the times of the pages meanwhile."""
    for name, piece in PIECES.items():
        with (
            hostile_provider(piece) as model,
            served(model) as (port, key),
            repeated(port, key, talk_again),
        ):
            time.sleep(1)
            yield f"a provider streams without end: {name}", answered(port, key, rounds)


def measured(rounds: int) -> Iterator[tuple[str, list[float]]]:
    """Each kind of hostility with the times of the pages meanwhile."""
    for name, sent in SENT.items():
        with served() as (port, key), ExitStack() as stack:
            for _ in range(0 if sent is None else CROWD):
                made = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
                stack.callback(made.close)
                made.sendall((sent or "").format(port=port, key=key).encode())
            yield name, answered(port, key, rounds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--quick", action="store_true", help="ten pages for each row")
    given = parser.parse_args()
    rounds = 10 if given.quick else given.rounds
    every = chain(measured(rounds), measured_inputs(rounds), measured_streams(rounds))
    print("| hostile clients and inputs | a page meanwhile, ms | the longest, ms |\n|---|--:|--:|")
    for name, took in every:
        print(f"| {name} | {statistics.median(took):.0f} | {max(took):.0f} |", flush=True)


if __name__ == "__main__":
    main()
