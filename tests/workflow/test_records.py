"""Records are named once, keep what was gathered, and are chosen by queries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from director.workflow.records import Record, chosen, discovered, record_from, record_json
from director.workflow.values import Json, WorkflowError

MAILS: list[Json] = [{"sender": "Ada <ada@example.org>"}, {"sender": "Bob"}]


def test_each_item_becomes_a_record_with_a_number() -> None:
    """Of a list, of the items of an object, or of one object."""
    made = discovered(MAILS, kind="email", source="find")
    assert [record.id for record in made] == ["email_001", "email_002"]
    assert made[1] == Record("email_002", "email", "find", fields={"find": {"sender": "Bob"}})
    assert discovered({"items": MAILS, "count": 2}, kind="email", source="find") == made
    assert [r.id for r in discovered({"sender": "x"}, kind="email", source="f")] == ["email_001"]
    assert discovered([], kind="email", source="find") == ()


def test_a_pattern_names_records_by_what_they_hold() -> None:
    """In letters that a template can name; two of one name are refused."""
    made = discovered(MAILS, kind="email", source="find", pattern="email_{{sender}}")
    assert [record.id for record in made] == ["email_ada_ada_example_org", "email_bob"]
    assert discovered([7], kind="n", source="f", pattern="n_1")[0].id == "n_1"
    with pytest.raises(WorkflowError, match="Two records would be called 'email_x'"):
        discovered(MAILS, kind="email", source="find", pattern="x")
    with pytest.raises(WorkflowError, match="Did you mean 'sender'"):
        discovered(MAILS, kind="email", source="find", pattern="email_{{sendr}}")


@pytest.mark.parametrize("result", [5, "text", None, True])
def test_what_has_no_items_makes_no_records(result: Json) -> None:
    """The error says what would."""
    with pytest.raises(WorkflowError, match="No record was made"):
        discovered(result, kind="email", source="find")


def test_a_type_of_records_is_a_plain_word() -> None:
    """So that templates can name its records."""
    with pytest.raises(WorkflowError, match="'E-Mail'"):
        discovered(MAILS, kind="E-Mail", source="find")


def test_finding_a_record_again_keeps_all_that_was_gathered() -> None:
    """Its vars, targets, history and status stay; only what that node found is new."""
    first = discovered(MAILS, kind="email", source="find")[0]
    worked = replace(
        first,
        status="complete",
        vars={"kind": "spam"},
        fields={**first.fields, "open": {"body": "Hello"}},
        history=("read",),
        retries=2,
    )
    again = discovered([{"sender": "New"}], kind="email", source="find", known=[worked])
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
    assert record_from(record_json(record)) == record
    assert set(record_json(record)["data"]) == {"fields", "vars", "targets", "history"}  # type: ignore[arg-type]
    with pytest.raises(WorkflowError, match="no data"):
        record_from({"id": "x", "data": 3})


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
    assert [record.id for record in chosen(query, records)] == ids


def test_a_record_that_is_named_must_exist() -> None:
    """The nearest is named."""
    with pytest.raises(WorkflowError, match="Did you mean 'email_001'"):
        chosen("email_01", [Record("email_001", "email")])
