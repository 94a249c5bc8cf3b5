"""Planted faults: what found them is read from what pytest prints, and holds while it is the same."""

from __future__ import annotations

from pathlib import Path

from scripts.faults import FAULTS, ROOT, describe_state, read_failures

PRINTED = """== short test summary info ==
FAILED tests/runs/test_going_on.py::test_it[it happened-1] - AssertionError: no
FAILED tests/store/test_thread_log.py::TestLog::test_x
ERROR tests/web/test_api.py - ImportError: gone
1 failed in 2.00s"""


def test_a_failure_is_read_with_its_whole_name() -> None:
    """A name may hold blanks; the reason behind it is no part of it."""
    assert read_failures(PRINTED) == [
        "tests/runs/test_going_on.py::test_it[it happened-1]",
        "tests/store/test_thread_log.py::TestLog::test_x",
        "tests/web/test_api.py",
    ]


def test_every_fault_can_be_planted_in_a_package_of_its_own() -> None:
    """Its line is in its file, once."""
    assert len({fault.package for fault in FAULTS}) == len(FAULTS) == 10
    assert [
        fault.file for fault in FAULTS if (ROOT / fault.file).read_text().count(fault.line) != 1
    ] == []


def test_a_result_holds_until_the_source_or_the_test_changes(tmp_path: Path) -> None:
    """What was not found never holds, nor what a test found that is gone."""
    fault = FAULTS[0]
    for name in (fault.file, "tests/test_x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    before = describe_state(tmp_path, fault, ["tests/test_x.py::test_it"])
    assert before
    (tmp_path / "tests/test_x.py").write_text("2")
    assert describe_state(tmp_path, fault, ["tests/test_x.py::test_it"]) not in {before, ""}
    assert describe_state(tmp_path, fault, []) == ""
    assert describe_state(tmp_path, fault, ["tests/test_gone.py::test_it"]) == ""
