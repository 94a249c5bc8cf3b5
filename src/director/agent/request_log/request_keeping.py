"""Every request is kept however it ends: what was sent, and what came of it.

Nothing here decides what is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from director.agent.compression.thread_compression import KIND
from director.agent.conversation.current_thread import find_current_request
from director.agent.request_log.kept_requests import StoredRequest, keep_request
from director.agent.request_log.request_record import RequestRecord
from director.store import Store


@contextmanager
def keep_record(
    store: Store, record: RequestRecord, clean: Callable[[str], str] = str
) -> Iterator[RequestRecord]:
    """Make a request inside; it is kept, however it ends. What a provider said is cleaned."""
    try:
        yield record
    except BaseException as stopped:
        record.ended = stopped
        raise
    finally:
        _keep(store, record, clean)


def _keep(store: Store, record: RequestRecord, clean: Callable[[str], str]) -> None:
    asked = record.asked
    keep_request(
        store,
        StoredRequest(
            asked.thread,
            record.head,
            asked.workflow,
            asked.profile,
            find_current_request(store, asked.thread),
            "turn" if asked.by == "director" else asked.by,
            asked.tools,
            asked.policy,
            streaming=asked.streaming,
            gap=_gap(store, asked.thread, record),
            sent_as="" if asked.by == "director" else asked.by,
        ),
        model=asked.model,
        report=record.report,
        ended=record.ended,
        clean=clean,
        told=record.told,
        attempts=record.attempts,
    )


def _gap(store: Store, thread: str, record: RequestRecord) -> str:
    """Why turns were left out of this one request, if no summary stood for them."""
    tried = store.get(KIND, thread)
    if tried is None or tried.body.get("outcome") == "done" or record.report.sent.fold is None:
        return ""
    return str(tried.body.get("why") or "Automatic compression has stopped.")
