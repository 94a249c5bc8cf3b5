"""For any folder, window and profile: never over budget, protected verbatim, read back, the same."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

_CASES = Path(__file__).with_name("cases.py")
_SOURCE = Path(__file__).parents[2] / "src"
# Two machines that differ in all that must not matter, each with the year that it is there.
_HERE = {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "LANG": "C"}
_THERE = {
    "PYTHONHASHSEED": "4711",
    "TZ": "America/St_Johns",
    "LC_ALL": "tr_TR.UTF-8",
    "LANG": "tr_TR.UTF-8",
}


def digests(first: int, count: int) -> set[str]:
    """What two processes say of the same cases; each checks every one of them."""
    base = {"PATH": os.environ["PATH"], "PYTHONPATH": str(_SOURCE)}
    running = [
        subprocess.Popen(
            [sys.executable, str(_CASES), str(first), str(count), year],
            env=base | one,
            stdout=subprocess.PIPE,
            text=True,
        )
        for one, year in ((_HERE, "1999"), (_THERE, "2038"))
    ]
    told = [one.communicate()[0].strip() for one in running]
    assert [one.returncode for one in running] == [0, 0]
    return set(told)


@pytest.mark.promise("B2")
@pytest.mark.promise("B3")
@pytest.mark.promise("B4")
@pytest.mark.promise("B7")
def test_any_context_fits_is_verbatim_reads_back_and_is_the_same_everywhere() -> None:
    """A sample: hash seed, zone, locale and the time of day change no byte."""
    assert len(digests(0, 600)) == 1


@pytest.mark.slow
def test_a_hundred_thousand_contexts_hold_all_of_it() -> None:
    """The same, more often."""
    for first in range(0, 100_000, 10_000):
        assert len(digests(first, 10_000)) == 1


def test_nothing_that_makes_a_context_asks_for_the_time_or_for_chance() -> None:
    """No clock, no randomness, no locale is imported; git and the disk are read at the edge."""
    banned = {"time", "datetime", "random", "locale", "uuid", "secrets", "getpass", "socket"}
    found = {
        f"{path.name}: {name}"
        for path in (_SOURCE / "director/planning").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None), *(one.name for one in node.names)]
        if name in banned
    }
    assert found == set()
