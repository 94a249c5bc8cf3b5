"""A doubt: a reason to think that a run that passed is wrong, with what was seen.

Values only. What finds doubts is in the files beside this one, one kind of reason each; none of
them looks at a page, a store or a clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from director.store.run_variables import is_draft_run_id
from director.workflow.doubt_checks import DoubtKind, is_doubt_check_by_model
from director.workflow.values import Config, Json

OF_ALL_VISITS: tuple[DoubtKind, ...] = ("total", "next", "fewer", "repeated")


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a run may be wrong: about which node, in one sentence, with the counts on both sides.

    `explained` is why Director's model thinks that it is right as it is; it stays a doubt.
    """

    kind: DoubtKind
    node: str
    alias: str
    sentence: str
    evidence: Config = field(default_factory=dict)
    explained: str = ""

    @property
    def field_name(self) -> str:
        """The field of the rows that it is about, if it is about one."""
        return str(self.evidence.get("field", ""))

    def json(self) -> dict[str, Json]:
        """The doubt as it is stored with its run."""
        return {
            "kind": self.kind,
            "node": self.node,
            "alias": self.alias,
            "sentence": self.sentence,
            "evidence": self.evidence,
            **({"explained": self.explained} if self.explained else {}),
        }


def parse_doubt(stored: Mapping[str, Json]) -> Doubt:
    """The doubt that `json` gave."""
    return Doubt(
        cast("DoubtKind", stored["kind"]),
        str(stored["node"]),
        str(stored["alias"]),
        str(stored["sentence"]),
        cast("Config", stored.get("evidence") or {}),
        str(stored.get("explained", "")),
    )


@dataclass(frozen=True, slots=True)
class RowVisit:
    """One visit of a node that reads rows: what it read and what the page said meanwhile.

    `rows` are those that hold anything. `of` is how many rows of that kind the page showed, `own`
    how many the table has that they are taken from (0 if they are of none), and
    `limited` says that the node was told to read only some; `skips`, that it left some out by their
    place alone, which is no choice. `made` counts the records that it made. `trouble` is what the
    page says went wrong, `later` how many elements there were a moment after, if others, `covered`
    in how many rows a field is not in its column, `room` how many rows a list has room for that
    draws only those in sight, `distinct` how many rows differ in anything that the page shows,
    `preceding` what leads to the page before, unless the node turned pages itself,
    `empty` how many elements had nothing in any field, `pictured` which fields show something that
    is no text, in how many rows, `headings` what stands over the columns of the fields that are
    read by their place, `columns` all headings of its table, `unturned` what should turn its pages
    and fits nothing, `marked` the texts of elements whose class says that they are missing,
    loading or a placeholder, `drawn` how many elements could be seen that the selector fits,
    `hidden` how many rows of their form the page does not show, `hidden_at` how many that it shows
    stand before each of those, and `is_touched` whether the run did something on the page before.
    `parts` are the rows of each page that the node turned itself.
    """

    key: str
    url: str
    rows: Sequence[Json]
    counters: tuple[Config, ...] = ()
    following: Config | None = None
    preceding: Config | None = None
    pages: Config | None = None
    of: int = 0
    own: int = 0
    skips: bool = False
    matched: int = 0
    limited: bool = False
    absent: tuple[str, ...] = ()
    cut: Config = field(default_factory=dict)
    pictured: Config = field(default_factory=dict)
    words: str = ""
    made: int | None = None
    merged: int = 0
    trouble: str = ""
    asks_login: bool = False
    later: Config = field(default_factory=dict)
    covered: Config = field(default_factory=dict)
    room: int = 0
    distinct: int = 0
    empty: int = 0
    headings: Config = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    unturned: str = ""
    marked: tuple[str, ...] = ()
    drawn: int = 0
    hidden: int = 0
    hidden_at: tuple[int, ...] = ()
    is_touched: bool = False
    parts: tuple[int, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it was to read every row of the list, so that counts can be compared."""
        return not self.limited and (self.skips or len(self.rows) >= self.of)


@dataclass(frozen=True, slots=True)
class RowReading:
    """A node that reads rows, with all its visits in one run; `key` is that of its records.

    One that only counts them is compared with the run before, and with nothing else. `is_one` says
    that it means one element, and `inputs` what the run was given. `merges` says that its items can
    become part of a known record, and `kind` is the same for nodes that read the same of a list
    into records of one type. `headings_before` and `page_size_before` are of the last run that
    passed, headings also of the node's test. `rows_known` are what it read then, newest first, and
    `rows_before` of the runs with the same inputs alone; `run_before` is the one that counts are
    compared with. `limit` is how many it reads at most, if its node says that as a plain number.
    `decided_by` are the texts that its rows are looked through for, if they only choose a branch.
    """

    node: str
    alias: str
    visits: tuple[RowVisit, ...]
    makes_records: bool = False
    key: str = ""
    checks: tuple[Config, ...] = ()
    only_counts: bool = False
    is_one: bool = False
    merges: bool = False
    kind: str = ""
    headings_before: Mapping[str, Json] = field(default_factory=dict)
    page_size_before: int = 0
    rows_known: tuple[Sequence[Json], ...] = ()
    inputs: Mapping[str, Json] = field(default_factory=dict)
    rows_before: tuple[Sequence[Json], ...] = ()
    run_before: str = ""
    limit: int = 0
    decided_by: tuple[str, ...] = ()

    @property
    def name_before(self) -> str:
        """The run that it is compared with, in a sentence."""
        if is_draft_run_id(self.run_before):
            return "its test"
        return f"run {self.run_before}" if self.run_before else "the last run that passed"

    @property
    def rows(self) -> list[Json]:
        """All rows of all visits."""
        return [row for visit in self.visits for row in visit.rows]

    @property
    def page_sizes(self) -> tuple[int, ...]:
        """How many rows each page held: each visit is one, or the only visit turned them itself."""
        turned = self.visits[0].parts if len(self.visits) == 1 else ()
        return turned or tuple(len(visit.rows) for visit in self.visits)

    @property
    def page_size(self) -> int:
        """How many rows each page but the last held, if two or more held equally many; else 0."""
        sizes = self.page_sizes[:-1]
        return sizes[0] if len(sizes) > 1 and len(set(sizes)) == 1 else 0

    def check(self, kind: str, field_name: str = "") -> Config:
        """What the node's own check of a kind says, if it has one."""
        return next(
            (
                each
                for each in self.checks
                if each.get("kind") == kind
                and str(each.get("field", "")) == field_name
                and not is_doubt_check_by_model(each)
            ),
            {},
        )

    def has_known_columns(self, visits: Sequence[RowVisit]) -> bool:
        """Whether pages without rows have the headings that stood over the fields before."""

        def letters(said: Json) -> str:
            return "".join(filter(str.isalpha, str(said).casefold()))

        given = [each["heading"] for each in self.checks if each.get("heading")]
        known = {letters(each) for each in (*given, *self.headings_before.values())} - {""}
        return bool(known) and all(known <= set(map(letters, one.columns)) for one in visits)

    def doubt(self, kind: DoubtKind, sentence: str, **evidence: Json) -> Doubt:
        """A doubt about this node."""
        return Doubt(kind, self.node, self.alias, sentence, evidence)


def is_dismissed(doubt: Doubt, checks: Sequence[Config]) -> bool:
    """Whether a person has said for good that this is right as it is."""
    return any(not is_doubt_check_by_model(each) for each in dismissals_of(doubt, checks))


def explain_doubt(doubt: Doubt, checks: Sequence[Config]) -> Doubt:
    """The doubt with what Director's model says about it, if it thinks that it is right."""
    said = [str(each.get("because", "")) for each in dismissals_of(doubt, checks)]
    return replace(doubt, explained=said[0] or "it is right as it is") if said else doubt


def dismissals_of(doubt: Doubt, checks: Sequence[Config]) -> list[Config]:
    """What was said of such a doubt: that it is right as it is."""
    return [
        each
        for each in checks
        if each.get("dismissed") is True
        and each.get("kind") == doubt.kind
        and str(each.get("field", "")) in ("", doubt.field_name)
    ]


def list_doubt_columns(rows: Sequence[Json]) -> dict[str, list[str]]:
    """The texts of rows by field; rows that are plain texts have the field `""`."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for name, value in row.items() if isinstance(row, Mapping) else [("", row)]:
            if value is None or isinstance(value, str | int | float):
                text = "" if value is None else str(value)
                found.setdefault(name, []).append(" ".join(text.split()))
    return found


def is_same_text(one: str, other: str) -> bool:
    """Whether two texts are the same but for case and blanks."""
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def is_blank(row: Json) -> bool:
    """Whether a row holds nothing, such as the head of a table."""
    values = row.values() if isinstance(row, Mapping) else [row]
    return all(value is None or value is False or not str(value).strip() for value in values)


def name_of(field_name: str) -> str:
    """A field in a sentence."""
    return f"field {field_name!r}" if field_name else "text"
