"""What `director doctor` looks at in a project: its files against one another.

Nothing here fails: what goes wrong in a look is what it found.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from director.cli.findings import SetupFinding

if TYPE_CHECKING:
    from director.planning.drift import Drift

_ROUNDS = 3


def look_at_project(root: Path) -> Iterator[SetupFinding]:
    """The project in a folder: one finding, and one more for each file that drifted."""
    from director.planning.drift import find_drift
    from director.planning.project_files import open_project
    from director.planning.values import FOLDER, ProjectError

    if not (root / FOLDER).exists():
        yield SetupFinding(
            "Project", "absent", f"no {FOLDER} here", mend="director init, or --project FOLDER"
        )
        return
    try:
        project = open_project(root)
        found = find_drift(project)
    except (ProjectError, OSError) as error:
        yield SetupFinding("Project", "broken", str(error), mend="fix the folder, then look again")
        return
    tasks = [task.done for goal in project.goals for task in goal.tasks]
    said = f"{len(project.goals)} goals, {sum(tasks)} of {len(tasks)} tasks done"
    yield SetupFinding("Project", "works", said, str(root / FOLDER))
    by_path: dict[str, list[Drift]] = {}
    for each in found:
        by_path.setdefault(each.path, []).append(each)
    for path, drifted in by_path.items():
        offered = any(each.text is not None for each in drifted)
        mend = "; ".join(each.mend for each in drifted)
        mend += " (director doctor --fix does it)" if offered else ""
        said = "; ".join(each.said for each in drifted)
        hints = all(each.hint for each in drifted)
        yield SetupFinding(f"Project {path}", "absent" if hints else "broken", said, "", mend)


def apply_fixes(root: Path) -> list[str]:
    """Apply what is offered until nothing is; the paths that were written."""
    from director.planning.drift import find_drift
    from director.planning.project_files import open_project
    from director.planning.project_setup import write_offered_files
    from director.planning.values import FOLDER, ProjectError

    written: list[str] = []
    try:
        # Two offers for one file are taken one after the other.
        for _ in range(_ROUNDS if (root / FOLDER).exists() else 0):
            written += write_offered_files(root, find_drift(open_project(root)))
    except (ProjectError, OSError):
        # The look that follows says what is wrong.
        pass
    return list(dict.fromkeys(written))
