"""Plays MiniWoB++ and prints the table: `python tests/beds/report.py [--seeds 1,2] [task …]`."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from beds.miniwob.bed import Bed, Episode, pages, served
from beds.miniwob.tasks import SEEDS, TASKS
from director.browser import Origins, open_browser
from director.store import open_store


@asynccontextmanager
async def bed() -> AsyncIterator[Bed]:
    """The pages, a session and a store that is thrown away."""
    found = pages()
    if found is None:
        raise SystemExit("MiniWoB++ is not installed: pip install miniwob==1.1.0")
    with (
        tempfile.TemporaryDirectory() as folder,
        served(found) as origin,
        open_store(Path(folder) / "runs.db") as store,
    ):
        async with open_browser() as browser, browser.session(Origins([origin])) as session:
            yield Bed(origin, session, store)


def row(task: str, episodes: list[Episode]) -> str:
    """The row of a task: its scores, seed by seed."""
    scores = " ".join("–" if each.score is None else f"{each.score:g}" for each in episodes)
    return f"| {task} | {scores} |"


async def play(tasks: list[str], seeds: list[int]) -> None:
    """Play and print, row by row; what went wrong goes to standard error."""
    say = sys.stdout.write
    say(f"| task | score with seed {', '.join(map(str, seeds))} |\n|---|---|\n")
    async with bed() as opened:
        for task in tasks:
            episodes = [await opened.play(task, TASKS[task], seed) for seed in seeds]
            say(f"{row(task, episodes)}\n")
            sys.stdout.flush()
            for each in episodes:
                if each.score != 1:
                    sys.stderr.write(f"{each}\n")


def main() -> None:
    """Play what is asked for."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("tasks", nargs="*", choices=[*TASKS, []])
    asked.add_argument("--seeds", default=",".join(map(str, SEEDS)))
    given = asked.parse_args()
    asyncio.run(play(given.tasks or list(TASKS), [int(seed) for seed in given.seeds.split(",")]))


if __name__ == "__main__":
    main()
