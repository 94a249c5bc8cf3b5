"""How a client treated its background jobs: findings from the journal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from director.testing.double.conformance_report import exchange_content
from director.testing.double.conformance_report.finding import ConformanceFinding
from director.testing.double.world import Exchange

Journal: TypeAlias = Sequence[Exchange]
POLICY = 0.4
_ABOUT = ("responses.get", "responses.cancel", "responses.delete")


def _jobs(journal: Journal) -> dict[str, Exchange]:
    """The background jobs whose ids the client was told."""
    created = (
        exchange
        for exchange in journal
        if exchange.asked.endpoint == "responses.create"
        and exchange.asked.body.get("background") is True
        and _has_told_id(exchange)
    )
    return {exchange_content.read_answer_id(exchange): exchange for exchange in created}


def _has_told_id(exchange: Exchange) -> bool:
    """Whether the client could read the id: a whole answer, or the first event of a stream."""
    answer = exchange.answer
    if answer is None or answer.status >= 300 or not exchange_content.read_answer_id(exchange):
        return False
    unsent = {"stall_after", "reset_after_work"} & {*exchange.struck}
    return exchange.finished or (bool(answer.events) and not unsent)


def _about(journal: Journal, job: str) -> list[Exchange]:
    """The creation of a job and all that was asked about it, in order."""
    return [
        exchange
        for exchange in journal
        if (exchange.asked.endpoint in _ABOUT and job in exchange.asked.path.split("/"))
        or (
            exchange.asked.endpoint == "responses.create"
            and exchange_content.read_answer_id(exchange) == job
        )
    ]


def _over(exchange: Exchange) -> bool:
    """Whether the client learnt by this exchange that the job is over, or gone."""
    answer = exchange.answer
    if answer is None or not exchange.finished:
        return False
    gone = answer.status == 404 or exchange.asked.endpoint == "responses.delete"
    return (
        gone or exchange_content.read_final_object(answer).get("status") in exchange_content.ENDED
    )


def find_fast_job_poll(journal: Journal) -> Iterator[ConformanceFinding]:
    """Polls of a running job that follow each other too fast."""
    for job in _jobs(journal):
        polls = [one for one in _about(journal, job) if one.asked.endpoint == "responses.get"]
        for first, again in pairwise(polls):
            running = exchange_content.has_good_answer(first) and not _over(first)
            if running and again.at - first.at < POLICY - 0.001:
                message = f"polled {again.at - first.at:g}s after #{first.asked.number}"
                yield ConformanceFinding("fast_poll", again.asked.number, message)


def find_job_poll_after_end(journal: Journal) -> Iterator[ConformanceFinding]:
    """Polls of a job that is known to be over."""
    for job in _jobs(journal):
        over: Exchange | None = None
        for exchange in _about(journal, job):
            if over is not None and exchange.asked.endpoint == "responses.get":
                message = f"#{over.asked.number} had said that the job is over"
                yield ConformanceFinding("poll_after_end", exchange.asked.number, message)
            elif _over(exchange):
                over = over or exchange


def find_abandoned_job(journal: Journal) -> Iterator[ConformanceFinding]:
    """Jobs that were neither followed to their end nor cancelled."""
    for job, created in _jobs(journal).items():
        about = _about(journal, job)
        cancelled = any(
            one.asked.endpoint == "responses.cancel" and exchange_content.has_good_answer(one)
            for one in about
        )
        if not cancelled and not any(_over(one) for one in about):
            message = f"{job} was neither polled to its end nor cancelled"
            yield ConformanceFinding("abandoned_job", created.asked.number, message)
