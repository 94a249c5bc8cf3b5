"""Records are named once, keep what was gathered, and are chosen by queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from director.runs.run_report import flatten_report_record
from director.workflow.records import (
    Naming,
    Record,
    RecordsFound,
    encode_record,
    find_records,
    look_up_record_path,
    parse_record,
    select_records,
)
from director.workflow.values import Json, WorkflowError

MAILS: list[Json] = [{"sender": "Ada <ada@example.org>"}, {"sender": "Bob"}]


def found(
    result: Json,
    type_: str = "email",
    *,
    visit: str = "find",
    key: str = "",
    pattern: str = "",
    known: Iterable[Record] = (),
) -> RecordsFound:
    """What a visit of the node `find` finds."""
    naming = Naming(type_, key, pattern)
    return find_records(result, naming, source="find", visit=visit, known=known)


def test_each_item_becomes_a_record_with_a_number() -> None:
    """Of a list, of the items of an object, or of one object."""
    made = found(MAILS).records
    assert [record.id for record in made] == ["email_001", "email_002"]
    assert made[1] == Record(
        "email_002", "email", "find", fields={"find": {"sender": "Bob"}}, visit="find#1"
    )
    assert found({"items": MAILS, "count": 2}).records == made
    assert [r.id for r in found({"sender": "x"}).records] == ["email_001"]
    assert found([]) == RecordsFound((), 0, 0)


def test_records_of_all_visits_add_up() -> None:
    """The second page numbers on; the same page again finds its own records."""
    first = found(MAILS, visit="each[0].find")
    second = found(MAILS, visit="each[1].find", known=first.records)
    assert [record.id for record in second.records] == ["email_003", "email_004"]
    both = [*first.records, *second.records]
    again = found(MAILS, visit="each[0].find", known=both)
    assert again.records == first.records
    assert (again.made, again.merged, again.dropped) == (2, 0, ())


def test_a_visit_that_finds_less_than_before_drops_what_it_made() -> None:
    """And nothing of any other visit."""
    other = found(MAILS, visit="elsewhere").records
    first = found(MAILS, known=other).records
    again = found(MAILS[:1], known=[*other, *first])
    assert again.dropped == ("email_004",)
    assert [record.id for record in again.records] == ["email_003"]


def test_items_of_one_key_are_one_record() -> None:
    """In one visit and across visits; how many were merged is counted."""
    first = found(MAILS, key="sender")
    more: list[Json] = [{"sender": "Bob", "read": True}, {"sender": "Cy"}, {"sender": "Cy"}]
    second = found(more, key="sender", visit="next", known=first.records)
    assert [record.id for record in second.records] == ["email_002", "email_003"]
    assert (second.made, second.merged) == (1, 2)
    assert second.records[0].fields == {"find": {"sender": "Bob", "read": True}}
    with pytest.raises(WorkflowError, match="Item 1 has no value for the key 'sender'"):
        found([{"sender": " "}], key="sender")


def test_a_key_tells_records_apart_whatever_the_pattern_calls_them() -> None:
    """Two keys under one name would be one thing lost."""
    items: list[Json] = [{"id": 1, "name": "Lamp"}, {"id": 2, "name": "Desk"}]
    made = found(items, "ware", key="id", pattern="ware_{{name}}")
    assert [record.id for record in made.records] == ["ware_lamp", "ware_desk"]
    with pytest.raises(WorkflowError, match="Two records with the keys '1' and '3'"):
        found(
            [{"id": 3, "name": "Lamp"}],
            "ware",
            key="id",
            pattern="ware_{{name}}",
            visit="next",
            known=made.records,
        )


def test_a_pattern_names_records_by_what_they_hold() -> None:
    """In letters that a template can name; two of one name are refused."""
    made = found(MAILS, pattern="email_{{sender}}").records
    assert [record.id for record in made] == ["email_ada_ada_example_org", "email_bob"]
    assert found([7], "n", pattern="n_1").records[0].id == "n_1"
    with pytest.raises(WorkflowError, match="Two records would be called 'email_x'"):
        found(MAILS, pattern="x")
    with pytest.raises(WorkflowError, match="Did you mean 'sender'"):
        found(MAILS, pattern="email_{{sendr}}")


@pytest.mark.parametrize("result", [5, "text", None, True])
def test_what_has_no_items_makes_no_records(result: Json) -> None:
    """The error says what would."""
    with pytest.raises(WorkflowError, match="No record was made"):
        found(result)


def test_a_type_of_records_is_a_plain_word() -> None:
    """So that templates can name its records."""
    with pytest.raises(WorkflowError, match="'E-Mail'"):
        found(MAILS, "E-Mail")


def test_finding_a_record_again_keeps_all_that_was_gathered() -> None:
    """Its vars, targets, history and status stay; only what that node found is new."""
    first = found(MAILS).records[0]
    worked = replace(
        first,
        status="complete",
        vars={"kind": "spam"},
        fields={**first.fields, "open": {"body": "Hello"}},
        history=("read",),
        retries=2,
    )
    again = found([{"sender": "New"}], known=[worked]).records
    assert again == (
        replace(worked, fields={"find": {"sender": "New"}, "open": {"body": "Hello"}}),
    )


def test_a_record_is_stored_and_comes_back() -> None:
    """With everything that it holds."""
    record = Record(
        "email_001",
        "email",
        "find",
        status="failed",
        error="gone",
        retries=1,
        fields={"find": {"a": [1]}},
        vars={"b": None},
        targets={"c": "#d"},
        history=({"at": 1},),
    )
    assert parse_record(encode_record(record)) == record
    assert set(encode_record(record)["data"]) == {"fields", "vars", "targets", "history"}  # type: ignore[arg-type]
    with pytest.raises(WorkflowError, match="no data"):
        parse_record({"id": "x", "data": 3})


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("*", ["email_002", "user_001", "email_001"]),
        ("email_*", ["email_002", "email_001"]),
        ("email_001", ["email_001"]),
        ("user_001, email_002", ["email_002", "user_001"]),
        ("order_*", []),
    ],
)
def test_a_query_chooses_records_in_the_order_in_which_they_were_made(
    query: str, ids: list[str]
) -> None:
    """A pattern may match none."""
    records = [
        Record("email_002", "email"),
        Record("user_001", "user"),
        Record("email_001", "email"),
    ]
    assert [record.id for record in select_records(query, records)] == ids


def test_a_record_that_is_named_must_exist() -> None:
    """The nearest is named."""
    with pytest.raises(WorkflowError, match="Did you mean 'email_001'"):
        select_records("email_01", [Record("email_001", "email")])


def test_what_a_page_calls_id_or_status_is_what_a_path_means() -> None:
    """A record's own id, type and status are found only where nothing else has that name."""
    found = Record("order_001", "order", fields={"read": {"id": "8", "status": "resolved"}})
    assert [look_up_record_path(found, (name,)) for name in ("id", "status", "type")] == [
        "8",
        "resolved",
        "order",
    ]
    row = flatten_report_record(found)
    assert list(row) == ["id", "status", "_record", "_type", "_status"]
    assert (row["status"], row["_status"]) == ("resolved", "discovered")
