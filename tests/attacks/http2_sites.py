"""A site that speaks HTTP/2 with TLS and sends early hints, run by the node that Playwright brings."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright._impl._driver import compute_driver_executable


@dataclass(slots=True)
class Http2Site:
    """Where it is, and every request by its path and the host that it was for."""

    origin: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)

    def paths(self, host: str) -> set[str]:
        """The paths that were asked for of one host."""
        return {path for path, authority in self.asked if authority.startswith(host)}


@contextmanager
def http2_site(
    certificate: Path, hints: Sequence[str], page: str, *, altsvc: str
) -> Iterator[Http2Site]:
    """Run it under `localhost`; its certificate is also for 127.0.0.1, which is another origin."""
    given: Mapping[str, object] = {
        "certificate": str(certificate),
        "hints": ", ".join(hints),
        "page": page,
        "altsvc": altsvc,
        "origin": "https://localhost:PORT",
        "other": "https://127.0.0.1:PORT",
    }
    node = compute_driver_executable()[0]
    script = str(Path(__file__).with_suffix(".js")).replace("sites.js", "site.js")
    program = subprocess.Popen([node, script, json.dumps(given)], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    made = Http2Site()
    made.origin = f"https://localhost:{json.loads(program.stdout.readline())['port']}"

    def read(lines: Iterator[str]) -> None:
        for line in lines:
            found = json.loads(line)
            made.asked.append((found["path"], found["authority"]))

    reading = threading.Thread(target=read, args=(iter(program.stdout),), daemon=True)
    reading.start()
    try:
        yield made
    finally:
        program.kill()
        program.wait()
        reading.join(5)
        program.stdout.close()
