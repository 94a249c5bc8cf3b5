"""What the project's own recordings of coders and of other page formats keep, call by call."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from director.audit.support_replay import replay
from director.testing.replay import make

BENCH = Path(__file__).parent.parent / "bench"


@pytest.fixture
def bench() -> Iterator[Any]:
    """The modules of bench by their names."""
    sys.path.insert(0, str(BENCH))
    try:
        yield importlib.import_module
    finally:
        sys.path.remove(str(BENCH))


@pytest.mark.parametrize("share", [0.5, 0.35])
def test_the_next_edit_of_a_coding_session_can_be_made(bench: Any, share: float) -> None:
    """Its old text stands whole in what was sent, within the budget, for no more than raw costs."""
    coding, material = bench("coding"), bench("material")
    tally = coding.replay(make, material.recorded("coding"), share)
    assert tally.edits > 120
    assert tally.late_readable >= 0.92 * tally.late
    assert tally.above_still == 0
    assert tally.early == 0
    assert tally.refused == 0
    assert tally.paid <= tally.paid_raw


@pytest.mark.parametrize(
    "family",
    [
        "pages_playwright_mcp",
        "pages_agent_browser",
        "pages_browser_use",
        "pages_notte",
        "pages_html",
    ],
)
def test_the_next_element_can_be_named_in_every_page_format(bench: Any, family: str) -> None:
    """Its reference stands in the latest page, with its label.

    At a quarter of the history some pages alone are larger than the budget: they are left out.
    """
    references, material = bench("references"), bench("material")
    runs = material.recorded(family)
    assert len(runs) >= 4
    half = references.replay(make, runs, 0.5, family)
    assert half.needed >= 40
    assert half.share >= 99.5
    assert half.over == 0
    quarter = references.replay(make, runs, 0.25, family)
    assert quarter.fit_kept >= 0.995 * quarter.fit


@pytest.mark.parametrize("share", [0.5, 0.3])
@pytest.mark.parametrize("family", ["shop", "tracker", "travel", "terminal"])
def test_what_the_next_message_uses_of_the_latest_result_was_sent(
    bench: Any, family: str, share: float
) -> None:
    """Fresh: what an agent has just asked for is there when it needs it, as raw history has it."""
    material = bench("material")
    score = replay(make, material.recorded(family), share)
    assert score.calls >= 60
    assert score.fresh_kept == score.fresh
    assert score.above_still == 0
    assert score.early == 0
