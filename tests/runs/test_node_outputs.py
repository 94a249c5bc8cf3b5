"""What is kept of a node's result in its record: what a person wants, not how it was found."""

from __future__ import annotations

import pytest

from director.runs.node_outputs import Keeping
from director.runs.run_report import flatten_report_record, flatten_report_row
from director.workflow.records import Record
from director.workflow.values import Json
from runs.building import flow, node

FOUND: dict[str, Json] = {
    "nth": 0,
    "totalElements": 1,
    "actionableElements": 1,
    "filteredBy": ["visibleOnly"],
}
FILE: dict[str, Json] = {"name": "a.txt", "size": 9, "type": "text/plain"}
CASES: dict[str, tuple[str, Json, Json]] = {
    "a click": ("browser_action", {"clicked": "#a", **FOUND}, True),
    "a download": (
        "browser_action",
        {"clicked": "#a", **FOUND, "downloads": [{**FILE, "lines": 3, "first": ["x"]}]},
        {"downloads": [FILE]},
    ),
    "an address": (
        "browser_action",
        {"navigated": "http://a.test/"},
        {"navigated": "http://a.test/"},
    ),
    "what was not there": ("browser_action", {"skipped": "no #a"}, {"skipped": "no #a"}),
    "a query": (
        "browser_query",
        {"items": [1], "count": 1, "filteredBy": [], "totalElements": 1},
        {"items": [1], "count": 1, "totalElements": 1},
    ),
    "a value": ("transform", {"clicked": "yes"}, {"clicked": "yes"}),
}


@pytest.mark.parametrize(("type_", "result", "kept"), CASES.values(), ids=[*CASES])
def test_a_record_holds_no_mechanics(type_: str, result: Json, kept: Json) -> None:
    """Of a click nothing but its files, or that it was done; the step itself has all."""
    configs: dict[str, dict[str, Json]] = {
        "browser_action": {"action": "click", "selector": "#a"},
        "browser_query": {"method": "deterministic_extract", "selector": "#a"},
        "transform": {"input": {}, "code": "1"},
    }
    made = node("file", type_, **configs[type_], store_to_record=True)
    (one,) = flow(made).nodes
    known = {"a_001": Record("a_001", "a")}
    found = Keeping(one, one.config, result, known, "visit", "a_001").collect_writes()
    assert [record.vars for record in found.records] == [{"file": kept}]
    assert found.warnings == ()


def test_a_downloaded_file_is_in_the_column_of_its_name() -> None:
    """In JSON as one object, in a table under the name that the node gave it."""
    row = flatten_report_record(Record("a_001", "a", vars={"file": {"downloads": [FILE]}}))
    assert row["file"] == {"downloads": [FILE]}
    assert flatten_report_row(row)["file.downloads.name"] == "a.txt"
