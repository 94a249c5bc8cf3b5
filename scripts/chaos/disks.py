"""A small disk of one's own, which can be filled up without harming the machine."""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SIZE = 64  # megabytes
_FILLER = "filler"


@functools.cache
def has_disks() -> bool:
    """Whether this machine lets us mount a disk in memory."""
    with tempfile.TemporaryDirectory() as folder:
        return _mount(Path(folder)) and _unmount(Path(folder))


@contextmanager
def own_disk(folder: Path) -> Iterator[Path]:
    """A disk at a folder, gone at the end with what is on it; a plain folder if it cannot be."""
    folder.mkdir()
    mounted = has_disks() and _mount(folder)
    try:
        yield folder
    finally:
        if mounted:
            _unmount(folder)


def fill_disk(folder: Path) -> None:
    """Take all that is left of a disk."""
    with (folder / _FILLER).open("wb", buffering=0) as file, contextlib.suppress(OSError):
        for size in (1 << 20, 1 << 10, 1):
            with contextlib.suppress(OSError):
                while file.write(b"x" * size) == size:
                    pass
        os.fsync(file.fileno())


def free_disk(folder: Path) -> None:
    """Give it back."""
    (folder / _FILLER).unlink(missing_ok=True)


def _mount(folder: Path) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}m", "tmpfs", str(folder)]
    return _succeeds(command)


def _unmount(folder: Path) -> bool:
    return _succeeds(["umount", "-l", str(folder)])


def _succeeds(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False
