"""Making a `.director/` folder, and applying edits that were offered. Never replaces unasked.

A file that is there is left as it is; an edit is written whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from director.home import write_private
from director.planning.drift import Drift
from director.planning.values import FOLDER, ProjectError, encode_file_text

FORMS = ("VISION.md", "GAMEPLAN.md", "STATE.md", "IDEAS.md", "config.json")
FOLDERS = ("brainstorms", "goals")


def make_project(root: Path) -> list[str]:
    """Make what is missing of a `.director/` folder and give the paths that were made."""
    if not root.is_dir():
        raise ProjectError(f"{str(root)!r} is no folder: nothing was made.")
    top = root / FOLDER
    if top.is_symlink() and not Path(os.path.realpath(top)).is_relative_to(os.path.realpath(root)):
        raise ProjectError(f"{str(top)!r} leads out of the project: nothing was made.")
    made: list[str] = []
    for name in FOLDERS:
        if not (top / name).exists():
            (top / name).mkdir(parents=True)
            made.append(f"{FOLDER}/{name}/")
    for name in FORMS:
        form = files("director.planning").joinpath("forms", name).read_bytes()
        try:
            with (top / name).open("xb") as file:
                file.write(form)
        except FileExistsError:
            continue
        made.append(f"{FOLDER}/{name}")
    return made


def write_offered_files(root: Path, found: Iterable[Drift]) -> list[str]:
    """Write the texts that are offered and give the paths; the last offer for a path counts."""
    offers = {each.path: each.text for each in found if each.text is not None}
    for path, text in offers.items():
        place = Path(os.path.realpath(root / path))
        if not place.is_relative_to(os.path.realpath(root)):
            raise ProjectError(f"{path!r} leads out of the project: it was not written.")
        mode = place.stat().st_mode
        write_private(place, encode_file_text(text))
        place.chmod(mode & 0o777)
    return list(offers)
