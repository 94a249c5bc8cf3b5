"""Exactly what every agent and skill is shown of the shipped example, in files.

`GOLDEN=write ./test tests/project/test_golden.py` writes the files anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from director.planning.agent_profiles import AGENTS, SKILLS
from planning.example import bakery

GOLDEN = Path(__file__).parent / "golden"
_ALL = {
    **{name: {} for name in (*AGENTS, *SKILLS)},
    "deep-researcher.step": {"agent": "deep-researcher", "step": "1.2"},
    "verifier.inspect": {"agent": "verifier", "skill": "inspect"},
    "builder.small": {"agent": "builder", "window": 3_600},
    "builder.stable": {"agent": "builder", "order": "stable", "fill": True},
    "brainstorm.small": {"agent": "brainstorm", "window": 3_600},
    "planner.small": {"agent": "planner", "window": 2_600},
}


@pytest.mark.parametrize("name", _ALL)
def test_a_context_is_the_text_in_its_file(name: str) -> None:
    """Byte for byte, with its report."""
    options = {"agent": name, **_ALL[name]}
    made = bakery(**options)  # type: ignore[arg-type]
    for kind, content in (("md", made.content), ("report.txt", str(made.report).encode())):
        path = GOLDEN / f"{name}.{kind}"
        if os.environ.get("GOLDEN") == "write":
            path.write_bytes(content)
        assert content == path.read_bytes()


def test_every_file_is_still_asked_for() -> None:
    """None is left over."""
    asked = {f"{name}.{kind}" for name in _ALL for kind in ("md", "report.txt")}
    assert {path.name for path in GOLDEN.iterdir()} == asked
