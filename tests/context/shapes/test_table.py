"""Tables: a header, rows without what never varies, and no odd row lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.context.shapes import table

HEADER = ["id", "name", "status", "region", "total"]
ROWS = [[str(1_000 + n), f"user{n}", "ok", "eu", str(10 + n * 37 % 80)] for n in range(120)]
ROWS[57][2] = "parked"
ROWS[80][4] = "99999"
FORMS = {
    "markdown": "\n".join(
        f"| {' | '.join(row)} |" for row in [HEADER, ["---"] * len(HEADER), *ROWS]
    ),
    "csv": "\n".join(",".join(row) for row in [HEADER, *ROWS]),
    "tsv": "\n".join("\t".join(row) for row in [HEADER, *ROWS]),
    "psql": "\n".join(
        [" id | name | status | region | total", "----+------+------+-----+----"]
        + [" " + " | ".join(row) for row in ROWS]
        + ["(120 rows)"]
    ),
    "aligned": "\n".join("".join(cell.ljust(12) for cell in row) for row in [HEADER, *ROWS]),
}
forms = pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())


@forms
def test_low_keeps_every_cell_and_tells_a_constant_column_once(text: str) -> None:
    """Each form becomes the same compact rows."""
    assert table.recognise(text)
    lines = table.render(text, "low", 0).split("\n")
    assert lines[:3] == ["all rows: region=eu", "id|name|status|total", "1000|user0|ok|10"]
    for row in ROWS:
        assert "|".join([row[0], row[1], row[2], row[4]]) in lines


@forms
def test_a_rare_value_and_an_extreme_survive(text: str) -> None:
    """The row that differs is the row that is looked for."""
    for level, room in (("medium", 900), ("high", 400)):
        shown = table.render(text, level, room)
        assert "1057|user57|parked|" in shown
        assert "1080|user80|ok|99999" in shown
        assert len(shown) <= room


def test_the_ids_of_folded_rows_are_listed_where_there_is_room() -> None:
    """A next step may name any row, so at medium its id stays."""
    shown = table.render(FORMS["csv"], "medium", 900)
    assert "1058-1079" in shown


def test_the_text_around_a_table_stays() -> None:
    """A caption and a remark are not rows."""
    shown = table.render(
        f"Orders of 2024-05-01:\n\n{FORMS['markdown']}\n\nAll paid.", "medium", 900
    )
    assert shown.startswith("Orders of 2024-05-01:\n\nall rows: region=eu\n")
    assert shown.endswith("\n\nAll paid.")


def test_the_columns_of_a_process_list_are_read_by_their_header() -> None:
    """A command in the last column may hold blanks."""
    text = "USER PID %CPU COMMAND\n" + "\n".join(
        f"root {n}  0.{n} /bin/serve --port {n}" for n in range(1, 9)
    )
    shown = table.render(text, "low", 0).split("\n")
    assert shown[0] == "all rows: USER=root"
    assert shown[2] == "1|0.1|/bin/serve --port 1"


def test_rows_without_a_header_name_no_column() -> None:
    """A first row that looks like the others is a row."""
    text = "\n".join(f"{n},ok,eu" for n in range(9))
    assert table.render(text, "low", 0) == text


def test_prose_with_commas_is_no_table() -> None:
    """Commas with blanks after them separate clauses."""
    assert not table.recognise(
        "One, two, three.\nFour, five, six.\nRed, blue, or.\nA, b, c.\nD, e, f."
    )


@given(st.integers(0, 3_000), st.integers(0, 3_000), st.integers(0, 500), st.text(max_size=40))
def test_a_mangled_table_is_rendered_within_its_room(a: int, b: int, room: int, noise: str) -> None:
    """Whatever is cut out or put in, nothing raises and nothing grows."""
    source = FORMS["markdown"][:1_500] + "\n" + FORMS["csv"][:1_500]
    text = source[: min(a, b)] + noise + source[max(a, b) :]
    shown = table.render(text, "high", room)
    assert len(shown) <= min(len(text), room) or shown == text
    assert len(table.render(text, "low", room)) <= len(text)
