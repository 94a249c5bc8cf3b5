"""An audit as data for programs and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from director.audit.session_audit import SessionAudit

_SHOWN = 12


def encode_audit(audit: SessionAudit) -> dict[str, Any]:
    """The audit as JSON; what was said is not in it but for the names that were lost."""
    session, costs, estimate = audit.session, audit.costs, audit.estimate
    return {
        "client": session.client,
        "name": session.name,
        "path": session.path,
        "calls": len(session.calls),
        "skipped": dict(session.skipped),
        "windows": [asdict(each) | {"total": each.total} for each in audit.windows],
        "compactions": [asdict(each) for each in audit.compactions],
        "lost_and_needed_again": [asdict(each) for each in audit.lost],
        "read_again": [asdict(each) for each in audit.repeated],
        "cost_dollars": None
        if costs.unknown
        else {
            "total": float(costs.total),
            "new": float(costs.new),
            "sent_again_from_cache": float(costs.cached),
            "sent_again_in_full": float(costs.again),
            "output": float(costs.output),
        },
        "cost_unknown": costs.unknown,
        "director": None
        if estimate is None
        else {
            "budget_tokens": estimate.budget,
            "kept": sorted(estimate.kept),
            "input_cost_ratio": estimate.ratio,
        },
    }


def list_audit_lines(audit: SessionAudit) -> Iterator[str]:
    """The audit in a screen of text."""
    session, costs = audit.session, audit.costs
    yield f"{session.client}, {session.name}: {len(session.calls)} calls, {session.path}"
    yield "Read from the file alone; nothing was sent, no model was called."
    for reason, count in session.skipped.items():
        yield f"Not read: {count:,} {reason}."
    if costs.unknown:
        yield f"Cost: not known, {costs.unknown}."
    else:
        sent = costs.cached + costs.again
        share = round(100 * sent / costs.total) if costs.total else 0
        yield f"Cost: ${costs.total:.2f}, {share}% of it for what had been sent before."
    largest = max(audit.windows, key=lambda each: each.total)
    yield f"Largest request: {largest.total:,} tokens, {largest.results:,} of them tool results."
    for number, each in enumerate(audit.compactions, start=1):
        size = f"{each.before:,} → {each.after:,} tokens"
        yield f"Compaction {number}, before call {each.call}: {size}."
    yield from _list_lost(audit)
    if audit.repeated:
        tokens = sum(each.tokens for each in audit.repeated)
        yield f"Read again, with the same result: {len(audit.repeated)}, {tokens:,} tokens."
        for read in audit.repeated[:_SHOWN]:
            yield f"  {read.times} × {read.tool} {read.what}  {read.tokens:,} tokens"
    if audit.estimate is not None:
        kept, of = len(audit.estimate.kept), len(audit.lost)
        yield (
            f"Director at the same size ({audit.estimate.budget:,} tokens of messages): "
            f"{kept} of {of} lost facts kept, input at {audit.estimate.ratio:.2f} times the cost "
            "(estimate)."
        )


def _list_lost(audit: SessionAudit) -> Iterator[str]:
    if not audit.compactions:
        yield "The client compacted nothing, so nothing was lost."
        return
    yield f"Lost at a compaction and needed again: {len(audit.lost)}."
    for fact in audit.lost[:_SHOWN]:
        back = f"found again in {fact.found}" if fact.found else "nothing had shown it again"
        yield (
            f"  {fact.text}  (compaction {fact.compaction}; {fact.stood}) needed at call "
            f"{fact.call} by {fact.used_in}: {back}"
        )
    if len(audit.lost) > _SHOWN:
        yield f"  and {len(audit.lost) - _SHOWN} more: --json lists them all"
