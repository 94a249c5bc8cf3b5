"""MiniWoB++ as a test-bed: small tasks on pages that nobody here wrote, which score themselves.

The pages are those of the package `miniwob` on PyPI, served on loopback as they are. For each
episode the page is loaded, its randomness seeded and the task started; then a workflow has it, and
in the end the page is asked for the score. Between start and score nothing but the workflow
touches the page.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

from beds.miniwob.building import Node, workflow
from director.browser import Session
from director.runs import RunDependencies, run_workflow
from director.store import Store

# A task has no hurry here: what is measured is whether it is done, on a machine of any speed.
_SEEDED = "seed => { Math.seedrandom(seed); core.EPISODE_MAX_TIME = 1e6; }"
_SCORE = "() => WOB_DONE_GLOBAL ? WOB_RAW_REWARD_GLOBAL : null"


@dataclass(frozen=True, slots=True)
class Episode:
    """How one task went with one seed; no score means that it was not brought to an end."""

    task: str
    seed: int
    score: float | None
    state: str
    error: str = ""
    run: str = ""

    def __str__(self) -> str:
        return (
            f"{self.task} seed {self.seed}: score {self.score}, {self.state} {self.error}".strip()
        )


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


def pages() -> Path | None:
    """Where the package keeps its pages; found without importing it, for it wants a simulator."""
    found = find_spec("miniwob")
    places = found.submodule_search_locations if found else None
    return Path(places[0]) / "html" if places else None


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder on loopback; gives its origin."""
    answer = partial(_Quiet, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass(frozen=True, slots=True)
class Bed:
    """The pages, a session to visit them and a store for the runs."""

    origin: str
    session: Session
    store: Store

    async def play(self, task: str, nodes: tuple[Node, ...], seed: int) -> Episode:
        """One episode: seed, start, run the workflow, read the score."""
        await self.session.navigate(f"{self.origin}/miniwob/{task}.html")
        page = self.session.page()
        await page.evaluate(_SEEDED, str(seed))
        await page.locator("#sync-task-cover").click()
        means = RunDependencies(session=self.session, pictures="none")
        run = await run_workflow(self.store, workflow(task, nodes, self.origin), means)
        error = str(run.error["message"]) if run.error else ""
        node = f" at {run.error['node']!r}" if run.error else ""
        score = await page.evaluate(_SCORE)
        return Episode(task, seed, score, run.state + node, error, run.id)
