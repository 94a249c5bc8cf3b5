"""What is recorded of a run: times by test and fixture, the table, and what a resumed run leaves out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.durations import render_page, summarise_costs
from scripts.recorder import deal_out, measure_processor
from scripts.records import Records, read_records
from scripts.summary import Tier, render_summary, summarise_tier

ROOT = Path(__file__).parent.parent.parent
TESTS = """
import time
import pytest

@pytest.fixture(scope="module")
def server():
    time.sleep(0.2)
    yield 1

def test_good(server): pass
def test_bad(server): assert not server
def test_no(): pytest.skip("no such | thing")

@pytest.mark.slow
def test_slow(): pass

@pytest.mark.xfail
def test_known(): assert 0

def test_broken_end(request):
    request.addfinalizer(lambda: 1 / 0)
"""


def run(folder: Path, *arguments: str) -> str:
    """Run the tests of a folder, recorded; what was printed."""
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow: of the slow tier\n")
    (folder / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "scripts.recorder", "-p", "xdist"]
    command += [f"--rootdir={folder}", "-c", str(folder / "pytest.ini"), str(folder)]
    done = subprocess.run(
        [*command, "--record", str(folder / "out"), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # which takes seconds
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fast tests ran in two workers, then in one process what had not passed, and the slow one."""
    made = tmp_path_factory.mktemp("recorded")
    printed = run(made, "-n", "2", "-m", "not slow", "--record-cpu")
    assert "1 failed, 2 passed, 1 skipped, 1 xfailed, 1 error" in printed, printed
    cases = read_records(made / "out").cases.values()
    passed = [case.test for case in cases if case.outcome == "passed" and case.is_whole]
    (made / "passed.txt").write_text("\n".join(passed))
    printed = run(made, "--leave-out", str(made / "passed.txt"))
    assert "1 failed, 2 passed, 1 skipped, 2 deselected, 1 error" in printed, printed
    return made


@pytest.fixture(scope="module")
def records(folder: Path) -> Records:
    """What both runs recorded."""
    return read_records(folder / "out")


def test_every_outcome_is_kept(records: Records) -> None:
    """A test that fails when it is torn down has failed; an expected failure passes."""
    outcomes = {name.partition("::")[2]: case.outcome for name, case in records.cases.items()}
    assert outcomes == {
        "test_good": "passed",
        "test_bad": "failed",
        "test_no": "skipped",
        "test_slow": "passed",
        "test_known": "passed",
        "test_broken_end": "failed",
    }


def test_fixtures_are_measured_by_name_in_the_workers(records: Records) -> None:
    """With how often they were set up."""
    server = next(each for each in records.fixtures if each.name == "server")
    assert server.scope == "module"
    assert server.seconds >= 0.2 * server.count > 0


def test_processor_time_is_that_of_a_process_and_all_below_it() -> None:
    """Of those that have ended and of those that still run."""
    before = measure_processor()
    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
    ended = measure_processor()
    assert ended > before
    line = "sum(range(3_000_000)); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", line], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        assert measure_processor() > ended
        running.communicate(b"\n")


def test_processor_time_is_recorded_for_each_test(folder: Path, records: Records) -> None:
    """By the process that ran it, where that was asked for."""
    lines = [
        line for path in (folder / "out").glob("*gw*") for line in path.read_text().split("\n")
    ]
    told = {json.loads(line)["used_by"] for line in lines if "used_by" in line}
    assert {test.partition("::")[2] for test in told if test} == {
        "test_good",
        "test_bad",
        "test_no",
        "test_known",
        "test_broken_end",
    }
    assert all(case.processor >= 0 for case in records.cases.values())


def test_a_resumed_run_leaves_out_what_passed(folder: Path) -> None:
    """Each part is a file; the second holds neither passed test."""
    parts = sorted((folder / "out").glob("*-main.jsonl"))
    assert len(parts) == 2
    assert "test_good" in parts[0].read_text()
    assert "test_good" not in parts[1].read_text()
    assert "test_bad" in parts[1].read_text()


def test_each_worker_begins_with_whole_files_that_take_long() -> None:
    """None is lost; the other files follow as they came, in parts of the same length."""
    files = {"a": 4, "b": 1, "c": 2, "d": 1, "e": 1}
    tests = [f"{file}::{test}" for file, count in files.items() for test in range(count)]
    dealt = deal_out(tests, 3, {"c": 30.0, "e": 9.0, "d": 20.0, "gone": 40.0})
    assert sorted(dealt) == sorted(tests)
    parts = ["".join(test[0] for test in part) for part in (dealt[:3], dealt[3:6], dealt[6:])]
    assert parts == ["cca", "daa", "eab"]


def test_a_record_that_was_cut_off_is_read_up_to_there(folder: Path, tmp_path: Path) -> None:
    """What was killed in the middle of a line."""
    whole = min((folder / "out").glob("*-main.jsonl")).read_text()
    (tmp_path / "1-main.jsonl").write_text(whole[: len(whole) // 2])
    assert 0 < len(read_records(tmp_path).cases) < 5


def test_the_table_says_tier_cases_time_and_why_tests_were_skipped(records: Records) -> None:
    """And what failed, by name."""
    fast = summarise_tier("fast", records, slow=False)
    assert (fast.cases, len(fast.failed), fast.skipped) == (5, 2, {"no such | thing": 1})
    assert fast.seconds > 0
    table = render_summary([fast, Tier("slow", 1, [], 3725.0, {})])
    assert "| fast | 5 | 2 | 1 | 0 min 0" in table
    assert "| slow | 1 | 0 | 0 | 62 min 05 s |" in table
    assert "- 1 fast: no such | thing" in table
    assert "test_it.py::test_bad` (fast)" in table


def test_the_table_names_no_folder_of_a_machine() -> None:
    """Reasons may; addresses stay as they are."""
    reasons = {"nothing at /opt/x/shared/set; see http://127.0.0.1:1/a/b and docs/a.md": 2}
    table = render_summary([Tier("fast", 2, [], 1.0, reasons)])
    assert "nothing at …/set; see http://127.0.0.1:1/a/b and docs/a.md" in table


def test_the_costs_name_long_tests_by_themselves(records: Records) -> None:
    """Only the fast tier, and nothing that was skipped."""
    costs = summarise_costs(records.cases.values())
    (inside,) = costs.values()
    assert inside["cases"] == 4


def test_the_page_has_folders_files_fixtures_and_tests(records: Records) -> None:
    """With the date and the machine that is handed in."""
    page = render_page(records, "2026-01-02, 2 cores.")
    assert "2026-01-02, 2 cores." in page
    assert "| `server` |" in page
    assert "The slowest 5% (1 cases)" in page
