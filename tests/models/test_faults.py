"""Whatever goes wrong, wherever in a run: the layer answers, or fails loudly, and does no harm."""

from __future__ import annotations

import asyncio
from itertools import groupby

import pytest

from director.testing.double import KINDS
from models.faulty import TURNS, Case, cases, expected, run

EVERY = list(cases())
# Of each kind one, each at another place, so that all ways and positions come up.
SAMPLE = [
    case
    for start, kind in enumerate(sorted({case.kind for case in EVERY}))
    for alike in [[case for case in EVERY if case.kind == kind]]
    for case in [alike[17 * start % len(alike)]]
]


def without_position(case: Case) -> str:
    """The way and the fault of a case, wherever it strikes."""
    return str(case).rpartition("-")[0]


# Thousands of tests would take seconds to collect, also where none of them is run.
PLACES = {
    name: list(alike)
    for name, alike in groupby(sorted(EVERY, key=without_position), key=without_position)
}


def check(case: Case) -> None:
    """Play a case and hold it to all that was promised."""
    came = asyncio.run(run(case))
    assert came.defects == []
    assert came.findings == []
    assert came.unlike == [], "the model saw another history than it was given"
    assert came.struck, "the fault never struck"
    failure = came.error.kind if came.error else ""
    assert failure == expected(case), str(came.error)
    if not failure:
        assert len(came.replies) == TURNS


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_a_run_survives_a_fault_or_fails_loudly(case: Case) -> None:
    """No rule broken, nothing asked twice that must not be, the same history seen."""
    check(case)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACES)
def test_a_run_survives_every_fault_at_every_position(name: str) -> None:
    """The same for each fault, on each way to talk, at each of the ten requests."""
    for case in PLACES[name]:
        try:
            check(case)
        except AssertionError as problem:
            problem.add_note(f"{case}")
            raise


def test_every_kind_of_fault_is_among_the_cases() -> None:
    """Those that a run cannot meet have tests of their own."""
    apart = {"cancel_race", "compaction_unavailable"}
    assert {case.kind for case in EVERY} == set(KINDS) - apart
    assert {case.kind for case in SAMPLE} == {case.kind for case in EVERY}
