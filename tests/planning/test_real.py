"""A real project, if one is at hand: every profile assembles, verifies, and its drift is found.

`DIRECTOR_SHARED` names the folder that holds `examples/`.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from director.cli.project_findings import look_at_project
from director.fresh_context import fresh, keep_context, replay_context, verify_context
from director.planning.agent_profiles import AGENTS, SKILLS
from director.planning.project_files import open_project
from director.planning.project_progress import find_next_task
from director.planning.section_format import read_context
from director.planning.values import ProjectError

_SHARED = Path(os.environ.get("DIRECTOR_SHARED") or Path(__file__).parents[3] / "shared")
_REAL = _SHARED / "examples/shipfast"


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """A copy that can be written to."""
    if not (_REAL / ".director").is_dir():
        pytest.skip(
            f"no real project at {_REAL}; DIRECTOR_SHARED names the folder that holds examples/"
        )
    root = tmp_path / "real"
    shutil.copytree(_REAL, root, copy_function=shutil.copyfile)
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return root


@pytest.mark.parametrize("window", [200_000, 16_000, 6_000])
def test_every_profile_assembles_verifies_and_replays(real: Path, window: int) -> None:
    """Within its budget, read back, made again."""
    for name in (*AGENTS, *SKILLS):
        made = fresh(real, name, window=window, log=real / "recent-log.txt")
        assert made.tokens <= window * 3 // 10
        assert [tag for tag, _ in read_context(made.text)]
        assert "session: update timestamps" not in made.text
        keep_context(real, made)
        assert all(check.holds for check in verify_context(real))
        assert replay_context(real)[1]


def test_a_window_that_is_too_small_is_refused(real: Path) -> None:
    """Its vision alone is larger."""
    with pytest.raises(ProjectError, match="vision 1,0"):
        fresh(real, "builder", window=3_000)


def test_its_drift_is_found_and_its_next_task_right(real: Path) -> None:
    """The gameplan is two steps behind, two goals call themselves not started."""
    found = {each.name: each.said for each in look_at_project(real)}
    assert "next is goal 3, step 1, task 1" in found["Project .director/GAMEPLAN.md"]
    assert sum("'Not started'" in said for said in found.values()) == 2
    place = find_next_task(open_project(real)).place
    assert place is not None
    assert str(place) == "goal 3, step 1, task 1"
