"""Grid: rows are added, changed, filtered, sorted, and go out and in as CSV."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal

import pytest

from demo.visitor import Answer, Visitor
from director.demo.site import Site

ROW = {
    "supplier": "Hay, Wain & Co",
    "number": "H1",
    "due": "2026-12-01",
    "amount": "12.50",
    "status": "open",
    "note": 'said "soon"',
}
_HEADINGS = "Supplier,Invoice,Due,Amount,Status,Note"


def column(page: Answer, key: str) -> list[str]:
    """The texts of a column, from top to bottom."""
    return page.all(rf'data-edit="{key}"[^>]*>([^<]*)</td>')


def upload(visitor: Visitor, text: str) -> Answer:
    """Send a file as the form does."""
    body = (
        '--cut\r\nContent-Disposition: form-data; name="file"; filename="more.csv"\r\n'
        f"Content-Type: text/csv\r\n\r\n{text}\r\n--cut--\r\n"
    )
    kind = "multipart/form-data; boundary=cut"
    return visitor.post("/grid/upload", body.encode(), **{"Content-Type": kind})


def test_a_row_is_added_at_the_end(visitor: Visitor) -> None:
    """And the table says so."""
    page = visitor.post("/grid/rows", ROW)
    assert "Invoice H1 added." in page.text
    assert visitor.state()["rows"][-1] == {"id": 19, **ROW}
    assert column(page, "supplier")[-1] == "Hay, Wain & Co"


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        ("supplier", "", "Supplier is missing."),
        ("due", "01.12.2026", "Due must be a date"),
        ("due", "20261201", "Due must be a date"),
        ("amount", "much", "Amount must be a number"),
        ("amount", "NaN", "Amount must be a number"),
        ("status", "lost", "Status must be one of open, paid, disputed"),
        ("note", "x" * 201, "Note is longer than 200"),
    ],
)
def test_a_wrong_cell_is_named_and_nothing_is_kept(
    visitor: Visitor, key: str, text: str, words: str
) -> None:
    """In the form and in the cell; what was typed is still in the form."""
    before = visitor.state()["rows"]
    page = visitor.post("/grid/rows", {**ROW, key: text})
    assert page.status == 422
    assert words in page.all('role="alert">([^<]*)')[0]
    assert "data-shown" in page.text
    assert 'value="H1"' in page.text
    answer = visitor.post("/grid/rows/1", {"column": key, "value": text})
    assert answer.status == 422
    assert words in json.loads(answer.text)["problem"]
    assert visitor.state()["rows"] == before


def test_a_cell_is_changed_in_place(visitor: Visitor) -> None:
    """One cell of one row; a row that is gone is said to be gone."""
    before = visitor.state()["rows"]
    answer = visitor.post("/grid/rows/2", {"column": "note", "value": " new "})
    assert json.loads(answer.text) == {"value": "new"}
    after = visitor.state()["rows"]
    assert after[1] == {**before[1], "note": "new"}
    assert [*after[:1], *after[2:]] == [*before[:1], *before[2:]]
    visitor.post("/grid/rows/2/delete")
    assert visitor.post("/grid/rows/2", {"column": "note", "value": "x"}).status == 404
    assert [row["id"] for row in visitor.state()["rows"]] == [1, *range(3, 19)]


def test_rows_are_sorted_by_what_a_column_holds(visitor: Visitor) -> None:
    """Amounts as numbers; the heading says the direction and leads to the other."""
    up = visitor.get("/grid?sort=amount")
    amounts = column(up, "amount")
    assert amounts == sorted(amounts, key=Decimal)
    assert 'aria-sort="ascending"' in up.text
    (other,) = up.all(r'href="(/grid\?[^"]*dir=down)"')
    assert column(visitor.get(other), "amount") == sorted(amounts, key=Decimal, reverse=True)


def test_a_filter_shows_only_what_matches(visitor: Visitor) -> None:
    """By words and by status, also in the file."""
    page = visitor.get("/grid?status=paid")
    assert set(column(page, "status")) == {"paid"}
    supplier = column(page, "supplier")[0]
    both = f"?q={supplier.split()[0].upper()}&status=paid"
    assert set(column(visitor.get(f"/grid{both}"), "supplier")) == {supplier}
    rows = list(csv.DictReader(io.StringIO(visitor.get(f"/grid/rows.csv{both}").text)))
    assert {(row["Supplier"], row["Status"]) for row in rows} == {(supplier, "paid")}


def test_what_is_downloaded_can_be_uploaded(visitor: Visitor) -> None:
    """Commas, quotes and all."""
    visitor.post("/grid/rows", ROW)
    came = visitor.get("/grid/rows.csv")
    assert 'filename="invoices.csv"' in came.headers["Content-Disposition"]
    before = visitor.state()["rows"]
    assert "19 rows added from more.csv." in upload(visitor, came.text.strip()).text
    state = visitor.state()
    assert [{**row, "id": 0} for row in state["rows"]] == [{**row, "id": 0} for row in before] * 2
    assert state["uploads"] == ["more.csv"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2", f"The first line must be {_HEADINGS}."),
        ("", f"The first line must be {_HEADINGS}."),
        (f"{_HEADINGS}\nA,1,2026-12-01,1,open,\n\nB,2,soon,1,open,", "Line 4: Due must be a date"),
        (f"{_HEADINGS}\nA,1", "Line 2: Due is missing."),
        (f'{_HEADINGS}\n"A', "not CSV in UTF-8"),
    ],
)
def test_a_wrong_file_adds_nothing(site: Site, visitor: Visitor, text: str, words: str) -> None:
    """And says which line is wrong."""
    page = upload(visitor, text)
    assert page.status == 422
    assert words in page.all('role="alert">([^<]*)')[0]
    assert "Nothing was added." in page.text
    assert len(site.state.rows) == 18
