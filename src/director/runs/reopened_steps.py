"""Doing steps again: which ones are opened when a run is resumed or retried from a node.

What they wrote is put back as it was before; everything stays in the history. A step that must
happen once keeps the mark that it may have happened, and is looked into before it is repeated.
"""

from __future__ import annotations

from dataclasses import replace

from director.runs.nodes import CONTROL
from director.runs.run_journal import RunJournal
from director.runs.values import RunError, Step
from director.store import RecordDraft, Store


def reopen_failed(ledger: RunJournal) -> None:
    """Open the steps that made the run fail, so that it goes on from there."""
    failed = [step for step in ledger.steps() if step.state == "finished"]
    first = next((step for step in failed if step.key == _find_failed_key(ledger)), None)
    if first is not None:
        _reopen(ledger, [step for step in failed if step.position >= first.position], first.key)


def reopen_from(ledger: RunJournal, node: str) -> None:
    """Open the first visit of a node and everything that was done after it.

    Of an iterate only those items are opened that did not come to a good end.
    """
    steps = ledger.steps()
    own = [step for step in steps if step.node == node]
    if not own:
        raise RunError(f"The run never came to the node {node!r}, so there is nothing to do again.")
    first = min(own, key=lambda step: (len(step.key), step.began))
    done_well = tuple(
        f"{step.key}."
        for step in steps
        if step.key.startswith(f"{first.key}[")
        and step.type == "item"
        and step.state == "finished"
        and step.status == "success"
    )
    after = [
        step
        for step in steps
        if (step.began >= first.began or _holds(step, first.key))
        and not f"{step.key}.".startswith(done_well or ("\0",))
    ]
    _reopen(ledger, after, first.key if not done_well else f"{first.key}[")


def open_visit(ledger: RunJournal, key: str) -> None:
    """Open one visit and all that is inside it, for another test of a node."""
    inside = [step for step in ledger.steps() if step.key == key or _holds_key(key, step.key)]
    ledger.reopen([replace(step, state="open", acted=False) for step in inside])


def _reopen(ledger: RunJournal, steps: list[Step], key: str) -> None:
    opened: list[Step] = []
    drafts: list[RecordDraft] = []
    put_back: set[tuple[str, str]] = set()
    for step in steps:
        # What runs others and holds the place to go on from keeps its plan.
        goes_on = _holds(step, key) and (step.type in CONTROL or step.type == "item")
        if goes_on:
            opened.append(_begin_again(step))
            continue
        opened.append(replace(step, state="open", wrote=()))
        for kind, id_, version in step.wrote:
            if (kind, id_) not in put_back:
                put_back.add((kind, id_))
                drafts.append(_as_before(ledger.store, kind, id_, version))
    ledger.reopen(opened, drafts)


def _begin_again(step: Step) -> Step:
    attempt = step.attempt + 1
    return replace(step, state="begun", status="success", error="", error_kind="", attempt=attempt)


def _as_before(store: Store, kind: str, id_: str, version: int) -> RecordDraft:
    before = store.get(kind, id_, version) if version else None
    body = before.body if before else {"cleared": True}
    return RecordDraft(kind, id_, body, "put back, because the step is done again")


def _find_failed_key(ledger: RunJournal) -> str:
    return str((ledger.run.error or {}).get("key", ""))


def _holds(step: Step, key: str) -> bool:
    return _holds_key(step.key, key)


def _holds_key(outer: str, inner: str) -> bool:
    return inner.startswith((f"{outer}.", f"{outer}[", f"{outer}("))
