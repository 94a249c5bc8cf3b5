"""The checker that is run after a crash does see what it is there to see."""

from __future__ import annotations

from pathlib import Path

from director.store.store_opening import open_store
from director.testing.store_drafts import draft_user_message
from store.crash.checker import faults_after_crash
from store.engines import prepared


def test_lost_doubled_and_halved_steps_are_reported(tmp_path: Path) -> None:
    """An acknowledged entry that is not there, a text that is there twice, a step without its end."""
    url = prepared("sqlite", tmp_path)
    with open_store(url) as store:
        said = [
            draft_user_message("<t:1:0:1> once"),
            draft_user_message("<t:2:0:1> twice"),
            draft_user_message("<t:2:0:1> twice"),
        ]
        first, *_ = store.append("t", [*said, draft_user_message("<t:3:0:2> half")])
    lines = [{"thread": "t", "step": 1, "entries": [[1, first.hash], [9, "gone"]]}]
    found = faults_after_crash(url, "t", lines)
    for fault in ("LOST: entry 9 of t", "TWICE: ", "HALF: step 3 of t", "never acknowledged"):
        assert any(fault in each for each in found), fault


def test_a_whole_store_has_no_faults(tmp_path: Path) -> None:
    """What was acknowledged is there, once and whole."""
    url = prepared("sqlite", tmp_path)
    with open_store(url) as store:
        reference = {"step": "<t:1:0:1>"}
        (said,) = store.append("t", [draft_user_message("<t:1:0:1> once")], reference=reference)
    lines = [{"thread": "t", "step": 1, "entries": [[1, said.hash]]}]
    assert faults_after_crash(url, "t", lines) == []
