"""Files that runs may upload: those of a folder that was named, and those attached to a workflow.

A name is looked for in these folders only, whatever it says. Attached files lie in the home folder,
for its owner.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from director.browser.downloads import make_safe_download_name
from director.home import home, make_private, write_private
from director.runs.values import RunError

_UNFIT: Final = re.compile(r"[^A-Za-z0-9_.-]")
_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that a run may upload."""

    name: str
    size: int

    def __str__(self) -> str:
        return f"{self.name} ({self.size} bytes)"


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """The files of some folders; of two with one name, that of the earlier folder."""

    folders: tuple[Path, ...]

    def find(self, name: str) -> Path:
        """The file of a name; RunError with those that there are if it is not there."""
        for folder in self.folders:
            path = (folder / name).resolve()
            if path.is_relative_to(folder.resolve()) and path.is_file():
                return path
        given = [str(one) for one in self.list()]
        raise RunError(
            f"There is no file {name!r} among those that may be uploaded: "
            f"{', '.join(given[:_NAMED]) or 'there are none'}. The user names a folder with "
            "--files DIR, or attaches files in the page of the workflow."
        )

    def list(self) -> Sequence[GivenFile]:
        """The files that lie in these folders, by name."""
        found = {
            path.name: GivenFile(path.name, path.stat().st_size)
            for folder in reversed(self.folders)
            if folder.is_dir()
            for path in folder.iterdir()
            if path.is_file() and not path.name.startswith(".")
        }
        return [found[name] for name in sorted(found)]


def find_attachments(workflow: str) -> Path:
    """Where the files lie that are attached to a workflow; it need not be there."""
    return home() / "files" / _UNFIT.sub("_", workflow)


def attach_given_file(workflow: str, name: str, content: bytes) -> GivenFile:
    """Attach a file to a workflow, in the place of one with that name."""
    folder = find_attachments(workflow)
    make_private(folder)
    path = folder / make_safe_download_name(name)
    write_private(path, content)
    return GivenFile(path.name, len(content))


def remove_given_file(workflow: str, name: str) -> None:
    """Remove an attached file."""
    path = find_attachments(workflow) / name
    if path.name != name or not path.is_file():
        raise RunError(f"There is no attached file {name!r}. Nothing was removed.")
    path.unlink()
