"""Which branch each item of a loop took, by name: "enter 3 (A, B, C), skip 6 (D, E, …)".

A plain fact, told with every run that has such a loop: what a route leaves out passes, and nothing
else says which items these were. It judges nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from director.runs.row_comparison import name_compared_rows
from director.runs.values import Step
from director.workflow.paths import is_list
from director.workflow.records import Record
from director.workflow.values import Config, Json

NO_BRANCH = "no branch"
_STORED = 200  # names of each branch
_ITEM = re.compile(r"(?P<loop>.*)\[(?P<item>[^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class BranchChoice:
    """The items that went down one branch of a route: how many, and the names of the first."""

    node: str
    alias: str
    branch: str
    count: int
    names: tuple[str, ...]

    def json(self) -> dict[str, Json]:
        """The choice as it is stored with its run."""
        told = {"node": self.node, "alias": self.alias, "branch": self.branch}
        return {**told, "count": self.count, "names": [*self.names]}


def list_branch_choices(steps: Iterable[Step], records: Iterable[Record]) -> list[BranchChoice]:
    """The branches that items of loops took, in the order in which each was taken first."""
    known = {step.key: step for step in steps}
    kept = {record.id: record for record in records}
    taken: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for step in sorted(filter(_has_chosen, known.values()), key=lambda each: each.began):
        within = _ITEM.match(step.key)
        if within is not None:
            chosen = str(step.plan) if step.plan is not None else NO_BRANCH
            place = (within["loop"], within["item"])
            taken.setdefault((step.node, step.alias, chosen), []).append(place)
    names = _name_items({place for each in taken.values() for place in each}, known, kept)
    return [
        BranchChoice(*route, len(places), tuple(names[place] for place in places[:_STORED]))
        for route, places in taken.items()
    ]


def read_branch_choices(summary: Config) -> list[BranchChoice]:
    """The choices that the summary of a run holds."""
    return [
        BranchChoice(
            str(each["node"]),
            str(each["alias"]),
            str(each["branch"]),
            cast("int", each["count"]),
            tuple(map(str, cast("Sequence[Json]", each["names"]))),
        )
        for each in cast("Sequence[Config]", summary.get("branches", ()))
    ]


def _has_chosen(step: Step) -> bool:
    """Whether a route was reached and has decided; a failed one only if it names its branch."""
    decided = step.plan is not None or step.status == "success"
    return step.type == "route" and step.status != "skipped" and decided


def _name_items(
    places: Iterable[tuple[str, str]], steps: Mapping[str, Step], records: Mapping[str, Record]
) -> dict[tuple[str, str], str]:
    """What the items of loops are called: by the key of a record, else by what differs most."""
    loops: dict[str, list[str]] = {}
    for loop, item in sorted(places):
        loops.setdefault(loop, []).append(item)
    found: dict[tuple[str, str], str] = {}
    for loop, items in loops.items():
        rows = [_find_row(steps.get(loop), item, records) for item in items]
        said = name_compared_rows(rows, rows, most=len(rows))
        for item, name in zip(items, said, strict=True):
            key = records[item].key if item in records else ""
            found[loop, item] = key or name or item
    return found


def _find_row(loop: Step | None, item: str, records: Mapping[str, Record]) -> Json:
    """What an item of a loop is: the fields of a record, or an element of its list."""
    if item in records:
        return dict(_list_fields(records[item])) or item
    plan = loop.plan if loop is not None else None
    place = int(item) if item.isdecimal() else -1
    return plan[place] if is_list(plan) and 0 <= place < len(plan) else item


def _list_fields(record: Record) -> Iterator[tuple[str, Json]]:
    """The plain values that nodes found of a record."""
    for name, value in record.fields.items():
        for inner, each in value.items() if isinstance(value, Mapping) else [(name, value)]:
            if isinstance(each, str | int | float) and str(each).strip():
                yield inner, each
