"""Recorded runs that are not part of the project, where they are at hand: what must be reached.

The folder is named by DIRECTOR_SHARED, or stands beside the project; its measure is used as it is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("DIRECTOR_SHARED", ROOT.parent / "shared"))
MEASURE = SHARED / "eval" / "run.py"
OURS = "director.testing.replay:make"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not MEASURE.exists(), reason="no recorded runs beside the project"),
]

BOUNDS = {
    "tau_airline": (
        "0.5",
        {"hard_%": 95, "hard_ctx_%": 94.5, "fresh_%": 99.7, "recent_%": 93, "user_%": 99},
        {"cost_ratio": 1.02, "changed_under": 0},
    ),
    "bfcl_long": (
        "0.5",
        {"hard_%": 98, "hard_ctx_%": 97.5, "fresh_%": 98, "recent_%": 97, "user_%": 97.5},
        {"cost_ratio": 0.93, "changed_under": 0},
    ),
    "trail_gaia": (
        "0.5",
        {"hard_%": 96, "hard_ctx_%": 94, "fresh_%": 98, "recent_%": 93},
        {"cost_ratio": 0.98, "changed_under": 0},
    ),
    "docs_walk": (
        "32000",
        {"hard_%": 97, "hard_ctx_%": 85, "ref_%": 99.5, "fresh_%": 97, "recent_%": 90},
        {"cost_ratio": 0.93, "changed_under": 0},
    ),
    "swe_mini": (
        "0.5",
        {"hard_%": 98, "hard_ctx_%": 96, "fresh_%": 99.7, "recent_%": 99, "user_%": 99},
        {"cost_ratio": 0.85, "changed_under": 0},
    ),
}


def measured(tmp_path: Path, *arguments: str) -> dict[str, dict[str, float]]:
    """Run the measure in a process of its own and read what it wrote."""
    out = tmp_path / "out.json"
    done = subprocess.run(
        [sys.executable, str(MEASURE), *arguments, "--limit", "0", "--json", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    if "No module named 'bfcl_eval'" in done.stderr:
        pytest.skip("bfcl-eval is not installed: pip install --no-deps bfcl-eval mpmath")
    assert done.returncode == 0, done.stderr[-2_000:]
    results = json.loads(out.read_text())["results"]
    return next(iter(results.values()))


@pytest.mark.parametrize("name", BOUNDS)
def test_a_recorded_set_reaches_its_bounds(name: str, tmp_path: Path) -> None:
    """What the next step needs is kept, at the price, and every request is valid."""
    budget, least, most = BOUNDS[name]
    rows = measured(tmp_path, "-d", name, "-m", "floor", OURS, "--budget", budget)
    ours, floor = rows[OURS], rows["floor"]
    assert (ours["crashed"], ours["mutated"]) == (0, 0)
    assert ours["valid_openai_%"] == ours["valid_anthropic_%"] == 100
    assert ours["over_budget_%"] <= floor["over_budget_%"]
    assert {key: ours[key] for key, bound in least.items() if ours[key] < bound} == {}
    assert {key: ours[key] for key, bound in most.items() if ours[key] > bound} == {}


def test_meetings_keep_their_evidence_without_seeing_the_question(tmp_path: Path) -> None:
    """A quarter of the size holds half of the evidence."""
    arguments = ("--evidence", "-d", "qmsum", "-m", OURS, "--budget", "0.25")
    ours = measured(tmp_path, *arguments)[OURS]
    assert ours["turn_%"] >= 48
    assert ours["answer_%"] >= 60
    assert ours["over_budget"] == 0
