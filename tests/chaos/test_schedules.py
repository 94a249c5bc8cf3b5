"""Whatever is killed or away for a while, every effect happens once and every run ends or asks."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from scripts.chaos.checker import ACTS, Verdict, judge, play
from scripts.chaos.faults import KINDS, Fault, explain_skips, make_schedule
from scripts.chaos.postgres import NoPostgres

PLANTED = Path(__file__).parent / "planted.py"
# By hand it is a minute; here many tests share the machine, and what counts is that it ends.
PATIENT = 240.0
SEEDS = range(1, 6)
pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
        reason="there is no Chromium",
    ),
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]


def verdict_of(schedule: list[Fault], database: str, **more: object) -> Verdict:
    """The verdict on a schedule, or why it cannot be played here."""
    try:
        return play(schedule, database, say=print, **{"limit": PATIENT, **more})  # type: ignore[arg-type]
    except NoPostgres as reason:
        pytest.skip(str(reason))


@pytest.mark.promise("A6")
def test_a_worker_and_the_browsers_are_killed_and_every_effect_happens_once() -> None:
    """A short schedule: two kills over three runs, on a file."""
    schedule = [Fault("kill a worker", 0.0, 0.0, 0), Fault("kill the browsers", 1.0, 0.0, 0)]
    verdict = verdict_of(schedule, "sqlite", runs=1)
    assert verdict.wrong == []
    assert set(verdict.states.values()) == {"done"}
    assert sorted(verdict.effects) == [
        f"run{run}-{effect}" for run in range(3) for effect in (1, 2)
    ]


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.promise("A6")
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_schedule_of_faults_loses_nothing_doubles_nothing_and_ends(
    seed: int, database: str
) -> None:
    """Four faults from a seed; what cannot be done here is named in the output."""
    print(explain_skips(database))  # noqa: T201
    verdict = verdict_of(make_schedule(seed, database, count=4), database)
    assert verdict.wrong == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_checker_finds_a_reconciler_that_is_switched_off() -> None:
    """Nobody takes the runs of dead workers: they are running for ever, and the checker says so."""
    launcher = (sys.executable, str(PLANTED), "reconciler")
    schedule = [Fault("kill all workers", 0.0, 0.0, 0)]
    verdict = verdict_of(schedule, "sqlite", launcher=launcher, limit=90.0)
    assert any("is still running" in each for each in verdict.wrong)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_checker_finds_a_heartbeat_that_nothing_guards() -> None:
    """The first outage ends it, so the workers stop their runs and never go on."""
    launcher = (sys.executable, str(PLANTED), "heartbeat")
    schedule = [Fault("end the database", 0.0, 20.0, 0)]
    verdict = verdict_of(schedule, "postgresql", launcher=launcher, limit=90.0)
    assert any("is still" in each for each in verdict.wrong)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ("interrupted", []),
        ("repeated", ["run0-2 happened 2 times"]),
        ("taken for done", ["run0 is done, but run0-2 never happened"]),
    ],
)
def test_the_checker_finds_a_recovery_that_does_not_look(planted: str, found: list[str]) -> None:
    """The store breaks off as an effect is written: it is repeated, or never done."""
    launcher = (sys.executable, str(PLANTED), planted)
    assert verdict_of([], "sqlite", launcher=launcher, runs=1).wrong == found


def test_the_judge_names_what_was_doubled_lost_and_left() -> None:
    """A run that is done without its effect, an effect twice, a run that does not end."""
    verdict = Verdict("sqlite", [], {}, states={"a": "done", "b": "running", "c": "asks"})
    judge(verdict, ["a", "b", "c"], Counter({"a-1": 2, "c-1": 1, "x": 1}), limit=60)
    assert verdict.wrong == [
        "a-1 happened 2 times",
        "a is done, but a-2 never happened",
        "b is still running 60 s after the last fault",
        "x was never asked for",
    ]


def test_a_seed_gives_the_same_schedule_again_and_every_fault_can_be_made() -> None:
    """So that what was found once can be looked at again."""
    assert make_schedule(7, "sqlite", count=5) == make_schedule(7, "sqlite", count=5)
    assert make_schedule(7, "sqlite", count=5) != make_schedule(8, "sqlite", count=5)
    assert set(ACTS) == set(KINDS)
