"""What came of nodes, in the words that a model reads: short, by alias, and enough to go on from.

A loop is told by its first visit and by those that ended otherwise. A long result is its size and
its first rows. Nothing that a page says can be taken for a line of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from director.runs import Step
from director.runs.download_facts import describe_download_fact, list_downloads
from director.runs.run_text import write_key_text
from director.sections.value_text import write_compact_value
from director.workflow.paths import is_list
from director.workflow.record_types import RecordType
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Json, Node

ROWS = 3
_LONGEST = 2_000
_TEXT = 400
_OTHERS = 3  # visits that ended otherwise and are told in full
_NESTED = ("iterate", "group", "handle", "route")
_NUMBER = re.compile(r"\[[^\]]*\]")


def describe_steps(steps: Sequence[Step], nodes: Sequence[Node]) -> Iterator[str]:
    """Each step by the alias of its node; the visits of a node in a loop together."""
    visits: dict[str, list[Step]] = {}
    for step in steps:
        visits.setdefault(_NUMBER.sub("[]", step.key), []).append(step)
    for same in visits.values():
        first, others = same[0], same[1:]
        yield from describe_step(first, write_key_text(first.key, nodes))
        otherwise = [each for each in others if each.status != first.status]
        if others:
            yield f" and {len(others)} more visits: {_count(others)}" + (
                "; those that ended otherwise:" if otherwise else ""
            )
        for each in otherwise[:_OTHERS]:
            yield from (f" {line}" for line in describe_step(each, write_key_text(each.key, nodes)))
        if len(otherwise) > _OTHERS:
            yield f"  … {len(otherwise) - _OTHERS} more"


def describe_step(step: Step, name: str) -> Iterator[str]:
    """One visit of a node: how it ended, its result, its evidence."""
    yield f"{name}: {step.status} in {step.took:.1f} s"
    if step.error:
        yield f" error: {indent_step_text(step.error)}"
    if step.result is not None:
        yield f" result: {shorten_step_result(step.result, step.type)}"
    for found in step.evidence:
        holds = "holds" if found.get("holds") else "does not hold"
        holds += ", as it did before" if found.get("before") else ""
        seen = _cut(write_compact_value(found.get("found")))
        yield f" {holds}: {write_compact_value(found.get('condition'))}; found {seen}"
    if step.records is not None:
        count = step.records
        yield (
            f" records: {count['made']} made, {count['merged']} merged with known ones, "
            f"{count['total']} of the type in all"
        )
    for each in list_downloads([step]):
        first = (
            f"; first: {_cut(write_compact_value(mask_sensitive(each['first'])))}"
            if "first" in each
            else ""
        )
        yield f" download: {describe_download_fact(each)}{first}"
    yield from (f" note: {indent_step_text(note)}" for note in step.notes)
    yield from (f" warning: {indent_step_text(warning)}" for warning in step.warnings)


def describe_records(types: Iterable[RecordType], run: str = "") -> Iterator[str]:
    """How many records there are, their first rows, and how to read the rest."""
    for each in types:
        rows = ", ".join(write_compact_value(mask_sensitive(row)) for row in each.rows[:ROWS])
        where = f', run="{run}"' if run else ""
        yield (
            f"Records: {each}; first: {_cut(rows)}; read them with "
            f'get_workflow_variable(variableName="{each.type}_*"{where})'
        )


def shorten_step_result(result: Json, type_: str = "") -> str:
    """A result as JSON: the first rows of each list, the start of each text, counts as they are."""
    if type_ in _NESTED and isinstance(result, Mapping):
        # What was inside is told as steps of its own.
        result = {name: value for name, value in result.items() if name != "results"}
    if isinstance(result, Mapping) and "downloads" in result:
        result = {name: value for name, value in result.items() if name != "downloads"}
    return _cut(write_compact_value(_first(mask_sensitive(result))))


def indent_step_text(text: str) -> str:
    """A text of several lines, of which none can be taken for a line of ours."""
    return "\n  ".join(text.splitlines())


def _first(value: Json) -> Json:
    if isinstance(value, str):
        return value if len(value) <= _TEXT else f"{value[:_TEXT]}… ({len(value):,} characters)"
    if isinstance(value, Mapping):
        return {name: _first(inner) for name, inner in value.items()}
    if is_list(value):
        shown = [_first(inner) for inner in value[:ROWS]]
        return [*shown, f"… {len(value) - ROWS:,} more"] if len(value) > ROWS else shown
    return value


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def _count(steps: Sequence[Step]) -> str:
    words = dict.fromkeys(step.status for step in steps)
    return ", ".join(f"{sum(s.status == word for s in steps)} {word}" for word in words)
