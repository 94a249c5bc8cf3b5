"""Grid: a table of invoices in the manner of a spreadsheet database."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal

from director.demo.site.content.invoices import COLUMNS, STATUSES, Column, problem, problems
from director.demo.site.html_tree import Element, el
from director.demo.site.http_values import Response, SiteVisit, address, download, redirect
from director.demo.site.pages.pieces import (
    alert,
    button,
    choice,
    field,
    missing,
    page,
    render_hidden_field,
    table,
)
from director.demo.site.values import TableRow

_MOST_ROWS = 5_000


def grid(visit: SiteVisit, trouble: tuple[str, ...] = ()) -> Response:
    """The table, with what is needed to change it."""
    shown = _select_rows(visit)
    new = visit.look.says("Add row", "New row")
    tools = el(
        "div",
        _filter(visit),
        el(
            "div",
            button(new, type="button", data_opens="new-row"),
            el(
                "a",
                visit.look.says("Download CSV", "Export as CSV"),
                href=address("/grid/rows.csv", **_read_query(visit)),
                class_="button plain",
                download=True,
            ),
            class_="actions",
        ),
        class_="spread",
    )
    return page(
        visit,
        "Invoices",
        alert(" ".join(trouble)),
        *visit.look.order(
            el("div", tools, _table(visit, shown), class_="stack"),
            _upload(visit),
        ),
        _dialog(visit, new, open_=bool(trouble) and not visit.form.file_name),
        part="grid",
        lead=el(
            "p",
            f"{len(shown)} of {len(visit.state.rows)} rows. Click a cell to edit it.",
            class_="quiet",
        ),
        status=422 if trouble else 200,
    )


def _read_query(visit: SiteVisit) -> dict[str, str]:
    return {name: visit.query.text(name) for name in ("q", "status", "sort", "dir")}


def _select_rows(visit: SiteVisit) -> list[TableRow]:
    asked = _read_query(visit)
    words = asked["q"].casefold()
    rows = [
        row
        for row in visit.state.rows.values()
        if words in " ".join(row.cells.values()).casefold()
        and asked["status"] in ("", row.cells["status"])
    ]
    column = next((each for each in COLUMNS if each.key == asked["sort"]), None)
    if column is not None:
        rows.sort(key=lambda row: _order(row, column), reverse=asked["dir"] == "down")
    return rows


def _order(row: TableRow, column: Column) -> tuple[Decimal, str]:
    text = row.cells[column.key]
    return (Decimal(text), "") if column.kind == "number" else (Decimal(0), text.casefold())


def _filter(visit: SiteVisit) -> Element:
    asked = _read_query(visit)
    statuses = [("", "Any status"), *((each, each) for each in STATUSES)]
    return el(
        "form",
        field(visit.look.says("Filter", "Show rows with"), "q", type="search", value=asked["q"]),
        choice("Status", "status", options=statuses, chosen=asked["status"], id_="filter-status"),
        render_hidden_field("sort", asked["sort"]) if asked["sort"] else None,
        render_hidden_field("dir", asked["dir"]) if asked["dir"] else None,
        button(visit.look.says("Apply", "Show"), kind="plain"),
        method="get",
        action="/grid",
        role="search",
        class_="bar",
    )


def _table(visit: SiteVisit, shown: list[TableRow]) -> Element:
    headings = [_heading(visit, column) for column in COLUMNS]
    remove = visit.look.says("Delete", "Remove")
    rows = [
        el(
            "tr",
            [
                el(
                    "td",
                    row.cells[column.key],
                    tabindex=0,
                    data_edit=column.key,
                    data_title=column.title,
                    data_choices=" ".join(STATUSES) if column.kind == "choice" else None,
                    class_=f"cell cell-{column.kind}",
                )
                for column in COLUMNS
            ],
            el(
                "td",
                el(
                    "form",
                    button(
                        remove,
                        kind="plain small",
                        aria_label=f"{remove} invoice {row.cells['number']}",
                    ),
                    method="post",
                    action=f"/grid/rows/{row.id}/delete",
                ),
            ),
            data_row=row.id,
        )
        for row in shown
    ]
    last = el("th", el("span", "Actions", class_="unseen"), scope="col")
    return table("Invoices", [*headings, last], rows)


def _heading(visit: SiteVisit, column: Column) -> Element:
    asked = _read_query(visit)
    here = asked["sort"] == column.key
    down = here and asked["dir"] != "down"
    to = address("/grid", **{**asked, "sort": column.key, "dir": "down" if down else ""})
    order = "descending" if asked["dir"] == "down" else "ascending"
    mark = (" ↓" if asked["dir"] == "down" else " ↑") if here else ""
    return el(
        "th",
        el("a", column.title, el("span", mark, aria_hidden="true") if mark else None, href=to),
        scope="col",
        aria_sort=order if here else None,
        class_=f"cell-{column.kind}",
    )


def _dialog(visit: SiteVisit, title: str, *, open_: bool) -> Element:
    fields = [
        choice(
            column.title,
            column.key,
            options=[(each, each) for each in STATUSES],
            chosen=visit.form.text(column.key),
        )
        if column.kind == "choice"
        else field(
            column.title,
            column.key,
            type="date" if column.kind == "date" else "text",
            inputmode="decimal" if column.kind == "number" else None,
            required=column.required,
            value=visit.form.text(column.key),
        )
        for column in COLUMNS
    ]
    return el(
        "dialog",
        el("h2", title, id="new-row-title"),
        el(
            "form",
            fields,
            el(
                "div",
                button(visit.look.says("Save row", "Add to the table")),
                button("Cancel", kind="plain", type="button", data_closes=True),
                class_="actions",
            ),
            method="post",
            action="/grid/rows",
            class_="stack",
        ),
        id="new-row",
        class_="dialog",
        aria_labelledby="new-row-title",
        data_shown=open_,
    )


def _upload(visit: SiteVisit) -> Element:
    return el(
        "form",
        el("h2", visit.look.says("Upload rows", "Import rows")),
        el(
            "p",
            "A CSV file with the headings ",
            el("code", ",".join(_titles())),
            ".",
            class_="quiet",
        ),
        field(
            visit.look.says("CSV file", "File"),
            "file",
            type="file",
            accept=".csv,text/csv",
            required=True,
        ),
        button(visit.look.says("Upload", "Import"), kind="plain"),
        method="post",
        action="/grid/upload",
        enctype="multipart/form-data",
        class_="panel stack",
    )


def _titles() -> list[str]:
    return [column.title for column in COLUMNS]


def add(visit: SiteVisit) -> Response:
    """Add the row of the dialog."""
    cells = {column.key: visit.form.text(column.key) for column in COLUMNS}
    if found := problems(cells):
        return grid(visit, tuple(found.values()))
    if len(visit.state.rows) >= _MOST_ROWS:
        return grid(visit, ("The table is full. Delete rows first.",))
    visit.state.add_row(cells)
    visit.session.notice = f"Invoice {cells['number']} added."
    return redirect("/grid")


def edit(visit: SiteVisit) -> Response:
    """Change one cell; the answer is what the cell holds now, or what is wrong."""
    row, key = visit.state.rows.get(int(visit.arguments[0])), visit.form.text("column")
    if row is None or key not in row.cells:
        return _json({"problem": "This cell does not exist any more."}, 404)
    text = visit.form.text("value")
    if words := problem(key, text):
        return _json({"problem": words}, 422)
    visit.state.rows[row.id] = replace(row, cells={**row.cells, key: text})
    return _json({"value": text}, 200)


def _json(answer: dict[str, str], status: int) -> Response:
    return Response(json.dumps(answer).encode(), status, type="application/json")


def delete(visit: SiteVisit) -> Response:
    """Take a row out of the table."""
    row = visit.state.rows.pop(int(visit.arguments[0]), None)
    if row is None:
        return missing(visit, "grid")
    visit.session.notice = f"Invoice {row.cells['number']} deleted."
    return redirect("/grid")


def export(visit: SiteVisit) -> Response:
    """The rows that are shown, as CSV."""
    out = io.StringIO()
    lines = csv.writer(out)
    lines.writerow(_titles())
    lines.writerows([row.cells[column.key] for column in COLUMNS] for row in _select_rows(visit))
    return download(out.getvalue(), "invoices.csv")


def upload(visit: SiteVisit) -> Response:
    """Add the rows of a file: all of them, or none if one is wrong."""
    try:
        read = list(csv.reader(io.StringIO(visit.form.file.decode("utf-8-sig")), strict=True))
    except (UnicodeDecodeError, csv.Error):
        return grid(visit, ("The file is not CSV in UTF-8. Nothing was added.",))
    if not read or read[0] != _titles():
        wanted = ",".join(_titles())
        return grid(visit, (f"The first line must be {wanted}. Nothing was added.",))
    keys = [column.key for column in COLUMNS]
    rows = {
        number: dict(zip(keys, line, strict=False))
        for number, line in enumerate(read[1:], 2)
        if line
    }
    wrong = [
        f"Line {number}: {words}"
        for number, cells in rows.items()
        for words in problems(cells).values()
    ]
    if wrong:
        return grid(visit, (*wrong[:5], "Nothing was added."))
    if len(visit.state.rows) + len(rows) > _MOST_ROWS:
        return grid(visit, ("The table would be too long. Nothing was added.",))
    for cells in rows.values():
        visit.state.add_row({key: cells.get(key, "") for key in keys})
    visit.state.uploads.append(visit.form.file_name)
    visit.session.notice = f"{len(rows)} rows added from {visit.form.file_name}."
    return redirect("/grid")
