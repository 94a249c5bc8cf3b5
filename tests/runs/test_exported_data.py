"""Records as a table: objects are columns, lists of texts one cell, lists of objects are told."""

from __future__ import annotations

from director.runs.exported_data import export_rows_as_csv, list_exported_json_columns
from director.runs.run_report import flatten_report_record, flatten_report_row
from director.workflow.records import Record

DETAIL = {
    "items": [{"price": "3.50", "size": {"w": 1, "h": 2}}],
    "count": 1,
    "filteredBy": ["visibleOnly"],
    "totalElements": 1,
}


def test_what_was_gathered_of_one_page_becomes_columns() -> None:
    """The one item of a query under the name of its node, and what is inside of it."""
    record = Record("a_001", "a", fields={"read": {"name": "Lamp"}}, vars={"detail": DETAIL})
    head, row = export_rows_as_csv([flatten_report_record(record)]).splitlines()
    assert head == "name,detail.price,detail.size.w,detail.size.h,_record,_type,_status"
    assert row == "Lamp,3.50,1,2,a_001,a,discovered"


def test_lists_are_one_cell_and_lists_of_objects_are_told() -> None:
    """Texts and numbers are joined; objects stay JSON, and their column is named."""
    rows = [{"tags": ["a", "b", 3], "offers": [{"p": 1}, {"p": 2}], "none": [], "empty": {}}]
    assert flatten_report_row(rows[0])["tags"] == "a; b; 3"  # type: ignore[arg-type]
    assert list_exported_json_columns(rows) == ["offers"]  # type: ignore[arg-type]
    assert (
        export_rows_as_csv(rows).splitlines()[1].startswith('"a; b; 3","[{""p"": 1}, {""p"": 2}]"')
    )  # type: ignore[arg-type]
