"""Makes the recordings: `python bench/record.py` (needs playwright, pytest, git and Chromium).

The same seeds give the same recordings. Nothing outside the loopback address is reached.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from recorder import coding, terminal, walks
from recorder.served import HOSTS, serving
from recorder.walker import Recording, Walker

OUT = Path(__file__).parent / "recordings"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --no-proxy-server"
).split()
RUNS = {"docs": 3, "shop": 3, "tracker": 3, "travel": 2}
MACHINE = re.compile(r"/tmp\b|/root\b|/home/|/usr/|/var/|127\.0\.0\.1:\d|localhost:\d")
SCRATCH = re.compile(r"/tmp\b/tmp|/root\b|site-packages")


def browser_runs(scratch: Path) -> Iterator[tuple[str, Recording]]:
    """Walk every site with every seed in a fresh browser context."""
    with serving(scratch) as (port, names), sync_playwright() as playwright:
        rules = ", ".join(f"MAP {host}:80 127.0.0.1:{port}" for host in HOSTS)
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=[*FLAGS, f"--host-resolver-rules={rules}"]
        )
        for family, count in RUNS.items():
            for seed in range(count):
                yield family, _walk(browser, family, seed, names)
        browser.close()


def _walk(browser: Browser, family: str, seed: int, names: dict[str, list[str]]) -> Recording:
    recording = Recording(f"{family}-{seed + 1}", random.Random(f"{family} {seed}"))
    context = browser.new_context()
    walker = Walker(context.new_page(), recording)
    if family == "docs":
        walks.docs(walker, names)
    else:
        {"shop": walks.shop, "tracker": walks.tracker, "travel": walks.travel}[family](walker, seed)
    context.close()
    return recording


def write(family: str, rows: list[dict[str, Any]], machine: re.Pattern[str] = MACHINE) -> None:
    """Write a family as compressed JSON lines, byte for byte the same for the same rows."""
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    leak = machine.search(lines)
    if leak:
        around = lines[max(0, leak.start() - 80) : leak.end() + 40]
        raise ValueError(f"{family} names this machine: {around!r}; make the script neutral")
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream:
        stream.write(lines.encode())
    (OUT / f"{family}.jsonl.gz").write_bytes(packed.getvalue())
    sizes = ", ".join(f"{row['id']}: {len(row['messages'])} messages" for row in rows)
    print(f"{family}: {len(packed.getvalue()) / 1024:.0f} KB; {sizes}")


def main() -> None:
    """Record all families, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["browser", "terminal", "coding"])
    only = parser.parse_args().only
    families: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as place:
        if only in (None, "browser"):
            for family, recording in browser_runs(Path(place)):
                families.setdefault(family, []).append(recording.row())
        if only in (None, "coding"):
            families["coding"] = [r.row() for r in coding.runs(Path(place))]
        if only in (None, "terminal"):
            families["terminal"] = [r.row() for r in terminal.runs(Path(place))]
    for family, rows in families.items():
        # What others wrote may name common folders; a scratch folder must not be named.
        write(family, rows, SCRATCH if family == "coding" else MACHINE)


if __name__ == "__main__":
    main()
