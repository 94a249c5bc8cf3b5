"""From the queue to the end of a run: what a worker does with the id of a run that it is handed.

A run ends in the store, whatever happens: done, failed, waiting or cancelled, never "running" for
ever. What is no node's failure is written down as `internal`, without any secret in its words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from director.runs.again import reopen_failed, reopen_from
from director.runs.engine import FAILURES
from director.runs.ledger import Ledger, run_json, run_of
from director.runs.questions import answer, questions
from director.runs.queue import Queue
from director.runs.running import drive, workflow_of
from director.runs.values import Means, Question, Run, RunError, Taken
from director.secrets import Seal, VaultError
from director.store import Moved, Store, StoreError
from director.store.variables import is_workbench
from director.workflow.selection import place_of

MeansOf: TypeAlias = Callable[[Run], Awaitable[Means]]
_GOING = ("queued", "running", "waiting")
_TRIES = 4  # attempts at a run while the store or the browser is away
_PAUSE = 0.5  # seconds before the second of them


def execute(store: Store, means: MeansOf) -> Callable[[str], Awaitable[None]]:
    """What a worker does with a run: drive it to an end that is written in the store."""

    async def one(run: str) -> None:
        for tried in range(1, _TRIES + 1):
            try:
                ended = await _through(store, run, means)
            except Taken:
                return
            except StoreError:
                if tried == _TRIES:
                    raise
            else:
                if not _without_browser(ended) or tried == _TRIES:
                    return
                reopen(store, run)
            await asyncio.sleep(_PAUSE * tried)

    return one


async def _through(store: Store, run: str, means: MeansOf) -> Run:
    """Drive a run as far as it goes."""
    ended, given = run_of(store, run), None
    if ended.state not in _GOING:
        return ended
    try:
        given = await means(ended)
        ended = await drive(store, run, given)
        while is_parked(ended) and not waits_for(store, run):
            ended = await drive(store, run, given)
    except (Taken, StoreError):
        raise
    except Exception as problem:  # noqa: BLE001  whatever it is, the run must not seem to go on
        _give_up(store, run, _said(problem, given))
        return run_of(store, run)
    return ended


def _without_browser(run: Run) -> bool:
    return run.state == "failed" and (run.error or {}).get("kind") == "browser"


def is_parked(run: Run) -> bool:
    """Whether a run was put aside until its question is answered; nobody works on it."""
    return run.state == "waiting" and (run.error or {}).get("kind") == "waiting"


def waits_for(store: Store, run: str) -> list[Question]:
    """The questions of a run that nobody has answered yet."""
    return [each for each in questions(store, run) if each.answer is None]


def submit(store: Store, queue: Queue, run: str) -> None:
    """Let a worker execute a run; runs of one site wait for one another."""
    origins = workflow_of(store, run_of(store, run)).origins
    queue.submit(run, site=origins[0] if origins else "")


def answer_question(  # noqa: PLR0913  each has a name
    store: Store,
    queue: Queue,
    question: str,
    text: str,
    *,
    seal: Seal | None = None,
    vault: object | None = None,
) -> Question:
    """Answer a question; a run that was put aside for it is queued again."""
    said = answer(store, question, text, seal=seal, vault=vault)
    if is_workbench(said.run):
        return said
    if is_parked(run_of(store, said.run)) and not waits_for(store, said.run):
        submit(store, queue, said.run)
    return said


def reopen(store: Store, run: str, *, node: str = "") -> Run:
    """Make a run that has ended one that is to be done: from a node on, or from where it failed."""
    found = run_of(store, run)
    if found.state == "done" and not node:
        raise RunError(
            f"The run {run!r} is done. To do part of it again, name a node to go back to."
        )
    ledger = Ledger(store, found, worker="")
    workflow = workflow_of(store, found)
    id_ = workflow.nodes[place_of(node, workflow.nodes)].id if node else ""
    ledger.take()
    if id_:
        reopen_from(ledger, id_)
    elif found.state in ("failed", "cancelled"):
        reopen_failed(ledger)
    return ledger.set_run(state="queued", error=None)


def _give_up(store: Store, run: str, message: str) -> None:
    """Write that a run failed for a reason outside its nodes, unless somebody else has it now."""
    found = store.get("run", run)
    if found is None:
        return
    error = {"message": message, "kind": "internal"}
    failed = replace(run_of(store, run), state="failed", error=error)
    try:
        store.put("run", run, run_json(failed), "could not go on", expect=found.version)
    except Moved:
        return


def _said(problem: Exception, means: Means | None) -> str:
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
