"""The edge: the only module here that reads a project's files. Never reads outside the root.

A link may point anywhere inside the root; what leads out of it, or is no plain file, is refused
and named. Nothing is written here.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from director.planning.values import CONTEXTS, FOLDER, ProjectError

_DEEP = 8
# Some systems have neither; there the check of the real path stands alone.
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Disk:
    """The files of a project on a disk; each is read once."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self._read: dict[str, bytes | None] = {}
        self._refused: list[str] = []
        top = self.root / FOLDER
        if not top.is_dir():
            raise ProjectError(
                f"There is no folder {FOLDER!r} in {str(root)!r}. "
                "Make one with `director init`, or name another project with --project."
            )
        if not self._inside(top):
            raise ProjectError(f"{str(top)!r} leads out of the project: nothing was read.")

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every file below `.director/`, by its path from the root, sorted."""
        return tuple(sorted(self._walk(FOLDER, _DEEP)))

    @property
    def refusals(self) -> tuple[str, ...]:
        """What is there and is not read: it leads out of the root, or is no plain file."""
        known = set(self.paths)
        return tuple(sorted(path for path in self._refused if path not in known))

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, None if it is not there or may not be read."""
        if path not in self._read:
            self._read[path] = self._bytes(path)
        return self._read[path]

    def _walk(self, folder: str, deep: int) -> Iterator[str]:
        try:
            found = sorted(os.scandir(self.root / folder), key=lambda one: one.name)
        except OSError:
            self._refused.append(folder)
            return
        for one in found:
            path = f"{folder}/{one.name}"
            if path == CONTEXTS:
                continue
            if one.is_dir(follow_symlinks=False):
                yield from self._walk(path, deep - 1) if deep else ()
            # No link was followed to get here, so what is no link itself lies inside.
            elif one.is_file(follow_symlinks=False) or (
                one.is_symlink() and self._plain(self.root / path)
            ):
                yield path
            else:
                self._refused.append(path)

    def _plain(self, path: Path) -> bool:
        # A link that leads to itself is no file, and says so by failing.
        try:
            return self._inside(path) and stat.S_ISREG(path.stat().st_mode)
        except OSError:
            return False

    def _inside(self, path: Path) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(self.root)

    def _bytes(self, path: str) -> bytes | None:
        parts = path.split("/")
        if "\0" in path or "\\" in path or ".." in parts or path.startswith("/"):
            return None
        real = Path(os.path.realpath(self.root / path))
        if not real.is_relative_to(self.root):
            return None
        try:
            # The real path holds no link; one that is put there meanwhile is not followed, and
            # a pipe that nobody writes to does not keep us waiting.
            handle = os.open(real, os.O_RDONLY | _CAREFUL)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                self._refused.append(path)
            return None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            return None
        with os.fdopen(handle, "rb") as file:
            return file.read()
