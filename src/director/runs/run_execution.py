"""From the queue to the end of a run: what a worker does with the id of a run that it is handed.

A run ends in the store, whatever happens: done, failed, waiting or cancelled, never "running" for
ever. A store that is away is never a run's result, and a browser that ended only when it ends again
and again. What else is no node's failure is `internal`, without any secret in its words.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from director.browser import BrowserError, BrowserGone
from director.browser.errors import is_target_closed
from director.runs.engine import FAILURES
from director.runs.questions import answer_run_question, list_run_questions
from director.runs.run_control import drive_run, load_run_workflow
from director.runs.run_journal import encode_run, list_run_steps, read_run
from director.runs.run_queue import Queue
from director.runs.values import Question, Run, RunDependencies, RunTaken
from director.secrets import Seal, VaultError
from director.store import Store, StoreError, VersionConflict
from director.store.run_variables import is_draft_run_id

MeansOf: TypeAlias = Callable[[Run], Awaitable[RunDependencies]]
GOING = ("queued", "running", "waiting")
_TRIES = 4  # attempts at a run whose browser ends each time before it has come any further
_FIRST, _LONGEST = 0.5, 2.0  # seconds before the second attempt, and before later ones at most
_LOOK = 0.5  # seconds between two looks whether a run that pauses was cancelled
_LOG = logging.getLogger("director.runs")


def execute(store: Store, means: MeansOf) -> Callable[[str], Awaitable[None]]:
    """What a worker does with a run: drive it to an end that is written in the store.

    What is no node's doing is waited out: a store that is away for as long as it takes, a browser
    that ended for a few attempts, which are counted anew whenever the run has come further.
    """

    async def one(run: str) -> None:
        outages = Outages(run)
        while True:
            try:
                await _through(store, run, means)
            except RunTaken:
                return
            except StoreError as problem:
                await outages.wait_for_store(problem)
            except BrowserGone as gone:
                with contextlib.suppress(StoreError):
                    if outages.are_too_many(count_finished(store, run)):
                        fail_run(store, run, str(gone), kind="browser")
                        return
                await outages.wait_for_browser(lambda: _is_over(store, run))
            else:
                return

    return one


class Outages:
    """What kept one run from going on, how often, and how long to wait now."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._pause = _FIRST
        self._lost = 0
        self._finished = -1
        self._told = False

    async def wait_for_store(self, problem: StoreError) -> None:
        """Pause before the store is asked again; logged once for each time it was away."""
        if not self._told:
            _LOG.warning("The run %s waits for the store: %s", self._run, problem)
        self._told = True
        await asyncio.sleep(self._pause)
        self._pause = min(self._pause * 2, _LONGEST)

    def are_too_many(self, finished: int) -> bool:
        """Whether the browser ended too often without a step having been finished between."""
        self._told = False
        self._lost = 1 if finished > self._finished else self._lost + 1
        self._pause = _FIRST if self._lost == 1 else self._pause
        self._finished = finished
        return self._lost >= _TRIES

    async def wait_for_browser(self, is_over: Callable[[], bool]) -> None:
        """Pause before another browser is tried, unless the run is cancelled meanwhile."""
        left = self._pause
        self._pause = min(self._pause * 2, _LONGEST)
        while left > 0:
            await asyncio.sleep(min(left, _LOOK))
            left -= _LOOK
            with contextlib.suppress(StoreError):
                if is_over():
                    return


def _is_over(store: Store, run: str) -> bool:
    return read_run(store, run).state not in GOING


def count_finished(store: Store, run: str) -> int:
    """How many steps of a run are finished."""
    return sum(step.state == "finished" for step in list_run_steps(store, run))


async def _through(store: Store, run: str, means: MeansOf) -> None:
    """Drive a run as far as it goes; what is no node's doing is raised."""
    found, given = read_run(store, run), None
    if found.state not in GOING:
        return
    try:
        given = await _get_means(means, found)
        ended = await drive_run(store, run, given)
        while is_parked(ended) and not list_open_run_questions(store, run):
            ended = await drive_run(store, run, given)
    except (RunTaken, StoreError, BrowserGone):
        raise
    except Exception as problem:  # noqa: BLE001  whatever it is, the run must not seem to go on
        if is_target_closed(problem):
            raise BrowserGone(_describe_problem(problem, given)) from None
        fail_run(store, run, _describe_problem(problem, given), kind="internal")


async def _get_means(means: MeansOf, run: Run) -> RunDependencies:
    try:
        return replace(await means(run), outlasts=True)
    except BrowserError as problem:
        # It ended while it was started, or could not be: another attempt tells.
        raise BrowserGone(str(problem)) from None


def is_parked(run: Run) -> bool:
    """Whether a run was put aside until its question is answered; nobody works on it."""
    return run.state == "waiting" and (run.error or {}).get("kind") == "waiting"


def list_open_run_questions(store: Store, run: str) -> list[Question]:
    """The questions of a run that nobody has answered yet."""
    return [each for each in list_run_questions(store, run) if each.answer is None]


def submit_run_execution(store: Store, queue: Queue, run: str) -> None:
    """Let a worker execute a run; runs of one site wait for one another."""
    queue.submit(run, site=get_run_site(store, read_run(store, run)))


def get_run_site(store: Store, run: Run) -> str:
    """The site whose runs wait for one another."""
    origins = load_run_workflow(store, run).origins
    return origins[0] if origins else ""


def answer_question(  # noqa: PLR0913  each has a name
    store: Store,
    question: str,
    text: str,
    *,
    go_on: Callable[[str], None],
    seal: Seal | None = None,
    vault: object | None = None,
) -> Question:
    """Answer a question; a run that was put aside for it, and only for it, is given to `go_on`."""
    said = answer_run_question(store, question, text, seal=seal, vault=vault)
    # A draft run is the conversation's own: whoever talks goes on with it in the live browser.
    if is_draft_run_id(said.run):
        return said
    if is_parked(read_run(store, said.run)) and not list_open_run_questions(store, said.run):
        go_on(said.run)
    return said


def fail_run(store: Store, run: str, message: str, *, kind: str) -> None:
    """Write that a run failed for a reason outside its nodes, unless somebody else has it now."""
    found = store.get("run", run)
    if found is None or found.body["state"] not in GOING:
        return
    failed = replace(read_run(store, run), state="failed", error={"message": message, "kind": kind})
    with contextlib.suppress(VersionConflict):
        store.put("run", run, encode_run(failed), "could not go on", expect=found.version)


def _describe_problem(problem: Exception, means: RunDependencies | None) -> str:
    """The words of an exception, without a secret; of a strange one perhaps only its name."""
    if isinstance(problem, FAILURES):
        return str(problem)
    name = type(problem).__name__
    if means is None or means.secrets is None:
        return name
    try:
        return means.secrets.net().clean(f"{name}: {problem}")
    except VaultError:
        return name
