"""The judgement of a client from the journal: what it did that a good client never does.

Pure functions from exchanges to findings, one for each sort of wrong; `FINDERS` lists them. What
a provider refuses at once is a defect and not judged again here, unless it shows a habit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from director.testing.double.api_keys import read_api_key
from director.testing.double.conformance_report import (
    context_findings,
    exchange_content,
    job_findings,
)
from director.testing.double.conformance_report.finding import ConformanceFinding
from director.testing.double.world import Exchange

Journal: TypeAlias = Sequence[Exchange]

# The work was done or may have been, and its answer was lost on the way.
AMBIGUOUS = frozenset({"stall_after", "reset_after_work", "reset_mid_event", "truncated_json"})
_MAY_RETRY = frozenset(
    {"conversation_locked", "thread_continue_in_flight", "compaction_unavailable"}
)


def _resent(journal: Journal) -> Iterator[tuple[Exchange, Exchange]]:
    """Creates whose answer was lost, with the same request sent again."""
    for index, lost in enumerate(journal):
        if not exchange_content.is_create(lost) or not AMBIGUOUS & set(lost.struck):
            continue
        for again in journal[index + 1 :]:
            if exchange_content.is_same_exchange_request(lost, again):
                yield lost, again
                break


def _resent_job(journal: Journal) -> Iterator[ConformanceFinding]:
    for lost, again in _resent(journal):
        if lost.asked.body.get("background") is True:
            yield ConformanceFinding(
                "resent_job",
                again.asked.number,
                f"a background job was created again although #{lost.asked.number} may have "
                "created it",
            )


def _retries(journal: Journal) -> Iterator[tuple[Exchange, Exchange]]:
    """Requests that failed, each with the next one that asks the same."""
    for index, first in enumerate(journal):
        if not exchange_content.read_error_content(first.answer):
            continue
        for again in journal[index + 1 :]:
            if exchange_content.is_same_exchange_request(first, again):
                yield first, again
                break


def _early_retry(journal: Journal) -> Iterator[ConformanceFinding]:
    for first, again in _retries(journal):
        delay, waited = exchange_content.read_delay(first), again.at - first.at
        if waited < delay - 0.001:
            yield ConformanceFinding(
                "early_retry",
                again.asked.number,
                f"#{first.asked.number} said to wait {delay:g}s, and {waited:g}s were waited",
            )


def _hopeless(exchange: Exchange) -> bool:
    """Whether asking the same again cannot help."""
    answer = exchange.answer
    if answer is None:
        return False
    told = answer.headers.get("x-should-retry")
    code = exchange_content.read_error_code(answer)
    if told is not None:
        return told == "false"
    if code == "insufficient_quota":
        return True
    return (
        400 <= answer.status < 500
        and answer.status not in (408, 409, 429)
        and (code not in _MAY_RETRY)
    )


def _hopeless_retry(journal: Journal) -> Iterator[ConformanceFinding]:
    for first, again in _retries(journal):
        status = first.answer.status if first.answer else 0
        other_key = status == 401 and read_api_key(first.asked.headers) != read_api_key(
            again.asked.headers
        )
        if _hopeless(first) and not other_key:
            code = exchange_content.read_error_code(first.answer)
            yield ConformanceFinding(
                "hopeless_retry",
                again.asked.number,
                f"#{first.asked.number} was refused for good ({status} {code}), "
                "and the same was asked again",
            )


def _thinking_edited(journal: Journal) -> Iterator[ConformanceFinding]:
    for exchange in journal:
        if exchange.defect and exchange.rule.partition(".")[0] in ("M5", "M16"):
            yield ConformanceFinding(
                "thinking_edited", exchange.asked.number, "thinking did not come back as it was"
            )


def _secret(journal: Journal) -> Iterator[ConformanceFinding]:
    for exchange in journal:
        for leak in exchange.leaks:
            yield ConformanceFinding("secret", exchange.asked.number, f"the body holds {leak}")


Finder: TypeAlias = Callable[[Journal], Iterable[ConformanceFinding]]
FINDERS: dict[str, Finder] = {
    "resent_job": _resent_job,
    "early_retry": _early_retry,
    "hopeless_retry": _hopeless_retry,
    "fast_poll": job_findings.find_fast_job_poll,
    "poll_after_end": job_findings.find_job_poll_after_end,
    "abandoned_job": job_findings.find_abandoned_job,
    "tools_forgotten": context_findings.find_forgotten_tools,
    "instructions_forgotten": context_findings.find_forgotten_instructions,
    "result_twice": context_findings.find_repeated_result,
    "dropped_call": context_findings.find_dropped_call,
    "thread_twice": context_findings.find_repeated_thread,
    "partial_as_whole": context_findings.find_partial_as_whole,
    "thinking_edited": _thinking_edited,
    "secret": _secret,
}


def run_finders(journal: Journal) -> list[ConformanceFinding]:
    """All that the client did wrong, in the order in which it showed; nothing for a clean one."""
    found = [finding for finder in FINDERS.values() for finding in finder(journal)]
    return sorted(found, key=lambda finding: (finding.exchange, finding.kind))


def find_notes(journal: Journal) -> list[ConformanceFinding]:
    """What is not wrong but may have cost twice: foreground creates sent again after a loss."""
    return [
        ConformanceFinding(
            "paid_twice", again.asked.number, f"#{lost.asked.number} may have been paid too"
        )
        for lost, again in _resent(journal)
        if lost.asked.body.get("background") is not True
    ]
