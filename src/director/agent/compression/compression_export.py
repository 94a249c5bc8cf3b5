"""The compressions of a thread to read elsewhere: as Markdown for people, as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime

from director.agent.compression.thread_compression import list_compression_attempts
from director.sections.section_texts import write_summary_spans
from director.store import Store
from director.store.checkpoints import Checkpoint
from director.store.compression import list_compression_history


def export_compressions(store: Store, thread: str, form: str = "markdown") -> str:
    """Every compression of a thread with its summary, oldest first."""
    found = [(one, _attempt(store, thread, one)) for one in list_compression_history(store, thread)]
    if form == "json":
        listed = [_fields(one, tried) for one, tried in found]
        return json.dumps({"thread": thread, "compressions": listed}, indent=2, ensure_ascii=False)
    lines = [f"# Compressions of {thread}", ""]
    for nth, (one, tried) in enumerate(found, 1):
        told = _fields(one, tried)
        ratio = one.after / one.before if one.before else 1.0
        lines += [
            f"## {nth}. {told['at']} ({one.by}, {one.state})",
            "",
            f"Turns {write_summary_spans(one.added)}; {one.before:,} → {one.after:,} tokens"
            f" ({ratio:.0%}); entry {one.seq}; trust: {one.summary.trust}."
            + (f" Builds on entry {one.previous}." if one.previous else ""),
            "",
            one.summary.text,
            "",
        ]
    return "\n".join(lines)


def _fields(one: Checkpoint, tried: Mapping[str, object]) -> dict[str, object]:
    return {
        "entry": one.seq,
        "at": datetime.fromtimestamp(one.at, UTC).isoformat(timespec="seconds"),
        "by": one.by,
        "state": one.state,
        "turns": list(one.added),
        "covers": list(one.summary.covers),
        "builds_on": one.previous,
        "before": one.before,
        "after": one.after,
        "ratio": one.after / one.before if one.before else 1.0,
        "trust": one.summary.trust,
        "model": tried.get("model", ""),
        "cost": tried.get("cost"),
        "request": tried.get("request"),
        "summary": one.summary.text,
    }


def _attempt(store: Store, thread: str, one: Checkpoint) -> Mapping[str, object]:
    tried = (each.body for each in list_compression_attempts(store, thread))
    return next((body for body in tried if body.get("checkpoint") == one.seq), {})


# Names of one release ago; they go with the next.
exported = export_compressions
