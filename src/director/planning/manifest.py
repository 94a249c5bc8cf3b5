"""The manifest of a context: what stands in it, from where, by which rule, in how many tokens.

It holds no clock, no place of this machine and nothing that depends on chance: the same inputs
give the same manifest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from director.context.values import Counter
from director.planning.budget_report import ContextReport, count_report_tokens
from director.planning.section_format import Source, TaggedSection, render_context
from director.planning.values import encode_file_text

VERSION = 1
Json: TypeAlias = "str | int | float | bool | list[Json] | Mapping[str, Json] | None"
CommitOf: TypeAlias = Callable[[str, bytes], str | None]


def hash_content(content: bytes) -> str:
    """The hash by which contents are named."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files behind a context: `read` gives the bytes of one, `commit_of` its commit."""

    read: Callable[[str], bytes | None]
    commit_of: CommitOf


def make_manifest(
    report: ContextReport,
    files: SourceFiles,
    *,
    asked: Mapping[str, Json],
    order: tuple[str, ...],
    evidence: Mapping[str, Json],
) -> dict[str, Json]:
    """The manifest of sections that were fitted."""
    text = render_context(report.sections, order)
    ranked = sorted(report.sections, key=lambda one: order.index(one.name))
    count = report.counting
    return {
        "manifest": VERSION,
        "context": {
            "sha256": hash_content(encode_file_text(text)),
            "bytes": len(encode_file_text(text)),
        },
        "asked": dict(asked),
        "window": report.budget.window,
        "budget": report.limit,
        "tokens": report.after,
        "tokens_before": report.before,
        "counter": {"name": report.counter, "error": report.error},
        "evidence": dict(evidence),
        "cuts": [
            {"rule": cut.rule, "section": cut.section, "before": cut.before, "after": cut.after}
            for cut in report.cuts
        ],
        "sections": [_section(one, count, files) for one in ranked],
    }


def encode_manifest(manifest: Mapping[str, Json]) -> str:
    """A manifest as it is kept: one form, whatever machine writes it."""
    return json.dumps(manifest, indent=2, ensure_ascii=True) + "\n"


def _section(section: TaggedSection, count: Counter, files: SourceFiles) -> dict[str, Json]:
    sources = [_source(one, count, files) for one in section.sources]
    return {"tag": section.name, "tokens": count(section.text), "sources": list(sources)}


def _source(source: Source, count: Counter, files: SourceFiles) -> dict[str, Json]:
    file = files.read(source.source) if source.kind in ("file", "part") else None
    content = encode_file_text(source.text) if file is None else file
    before, after = count_report_tokens(source, count)
    return {
        "source": source.source,
        "name": source.name,
        "kind": source.kind,
        "sha256": hash_content(content),
        "bytes": len(content),
        "commit": files.commit_of(source.source, content) if file is not None else None,
        "ranges": [list(span) for span in list_shown_ranges(source)],
        "shown_sha256": hash_content(encode_file_text(source.full_text)),
        "rule": source.rule,
        "cut": source.notice.strip(),
        "tokens_before": before,
        "tokens_after": after,
    }


def list_shown_ranges(source: Source) -> list[tuple[int, int]]:
    """The bytes of the source that are shown."""
    spans = ((0, len(source.text)),) if source.spans is None else source.spans
    found = []
    for start, end in spans:
        first = source.offset + len(encode_file_text(source.text[:start]))
        found.append((first, first + len(encode_file_text(source.text[start:end]))))
    return found
