"""JSON and Python literals: the same facts with less notation."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from director.context.shapes.record import facts, recognise, render

_SCALARS = st.one_of(
    st.integers(-10_000, 10_000),
    st.booleans(),
    st.text("abcdefXYZ_019-", min_size=1, max_size=12),
)
_RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.integers(0, 999),
            "name": _SCALARS,
            "deep": st.fixed_dictionaries({"x": _SCALARS}),
        }
    ),
    min_size=3,
    max_size=30,
)


@given(_RECORDS)
def test_low_keeps_every_value_of_every_row(rows: list[dict[str, object]]) -> None:
    """A table with a header loses nothing, constant columns included."""
    text = json.dumps(rows)
    small = render(text, "low", 100)
    assert len(small) <= len(text)
    for row in rows:
        assert str(row["id"]) in small
        value = row["name"]
        assert (value if isinstance(value, str) else json.dumps(value)) in small


@given(st.recursive(_SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_any_json_is_rendered_without_an_error_and_never_grows(value: object) -> None:
    """Whatever the shape and the room."""
    text = json.dumps(value)
    for level in ("low", "medium", "high"):
        assert len(render(text, level, 50)) <= len(text)  # type: ignore[arg-type]
    facts(text, 50)


@given(st.text())
def test_any_text_is_answered(text: str) -> None:
    """Recognising never raises, and what is not a record stays as it is."""
    if not recognise(text):
        assert render(text, "medium", 10) == text


def test_rows_have_one_header_and_constant_columns_are_said_once() -> None:
    """Three alike objects and more become a table."""
    rows = [{"flight": f"HAT{n}", "status": "available", "seats": {"economy": n}} for n in range(4)]
    assert render(json.dumps(rows), "low", 1).splitlines() == [
        "4 rows, each status: available",
        "flight|seats.economy",
        "HAT0|0",
        "HAT1|1",
        "HAT2|2",
        "HAT3|3",
    ]


def test_a_dict_of_objects_is_a_table_and_an_id_equal_to_its_key_goes() -> None:
    """The key is the first column."""
    cards = {f"card_{n}": {"id": f"card_{n}", "brand": "visa", "ends": n} for n in range(3)}
    small = render(json.dumps(cards), "low", 1)
    assert small.count("card_1") == 1
    assert "key|ends" in small


def test_objects_that_repeat_in_groups_are_written_once() -> None:
    """Connections that share a first leg."""
    first = {"flight": "A1", "from": "ATL", "to": "ORD", "price": 100}
    legs = [[first, {"flight": f"B{n}", "from": "ORD", "to": "PHL", "price": n}] for n in range(4)]
    small = render(json.dumps(legs), "low", 1)
    assert small.count("A1") == 1
    assert small.endswith("together: 1+2, 1+3, 1+4, 1+5")


def test_a_python_literal_and_a_list_no_parser_takes_are_records_too() -> None:
    """Tools print what their language prints."""
    assert render("{'a': 'x', 'b': None, 'c': True}", "low", 1) == "a: x, b: null, c: true"
    loose = "['NVDA', 'AAPL', 'GOOG', Ellipsis]"
    assert recognise(loose)
    assert "NVDA" in render(loose, "medium", 10)


def test_a_long_series_of_numbers_keeps_its_ends_and_extremes() -> None:
    """Over room, a series is its head, tail, count, least and most."""
    text = json.dumps({"price": 227.16, "series": [200 + n % 50 for n in range(900)]})
    small = render(text, "medium", 300)
    assert "227.16" in small
    assert "900 in all, min 200, max 249" in small
    assert len(small) <= 300


def test_a_long_text_inside_keeps_its_numbers() -> None:
    """A description gives way before the fields around it."""
    text = json.dumps({"id": 12446, "about": "A fine company. " * 300 + "Founded in 1987.", "n": 3})
    small = render(text, "medium", 600)
    assert "12446" in small
    assert "n: 3" in small
    assert len(small) < 1_200


def test_facts_make_sense_one_by_one() -> None:
    """A row of a folded table names its columns."""
    rows = [{"sku": f"M{n}", "price": n} for n in range(5)]
    assert facts(json.dumps(rows), 1_000)[2] == "sku: M2, price: 2"
