"""The data folder, and how a private file is written into it: whole or not at all, for its owner.

Never warns, never prints, and never alters a folder that was there before.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path

from director.distribution import install_line
from director.errors import DirectorError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl
    import resource

VARIABLE = "DIRECTOR_HOME"


class HomeError(DirectorError):
    """The data folder cannot be used; the message says why and what to do."""


def home(environ: Mapping[str, str] | None = None) -> Path:
    """The data folder: `DIRECTOR_HOME`, or the usual place of this system; made if missing."""
    chosen = (os.environ if environ is None else environ).get(VARIABLE, "")
    folder = Path(os.path.abspath(Path(chosen).expanduser())) if chosen else _usual()  # noqa: PTH100  a link stays a link
    try:
        # It is asked for with every page: once it is there, one look is enough.
        if not folder.is_dir():
            make_private(folder)
    except OSError as error:
        raise HomeError(
            f"The data folder {str(folder)!r} cannot be made: {error.strerror}. "
            f"Name another one in {VARIABLE}."
        ) from error
    return folder


def make_private(folder: Path) -> None:
    """Make a folder that only its owner may enter; one that is there stays as it is."""
    for missing in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def make_file_private(file: Path) -> bool:
    """Make a file that only its owner may read, empty if it is not there.

    Whether others could read one that was there: they no longer can.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        return False
    if not is_loose(file):
        return False
    file.chmod(0o600)
    return True


def is_loose(file: Path) -> bool:
    """Whether others than its owner may read or write a file."""
    return os.name == "posix" and file.is_file() and bool(file.stat().st_mode & 0o077)


def is_loopback(host: str) -> bool:
    """Whether an address is of this machine only, so that no other can reach it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def limit_connections(most: int) -> int:
    """How many connections may wait at once: `most`, or a third of the files that may be open."""
    if sys.platform == "win32":
        return most
    return min(most, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 3)


def write_private(path: Path, content: bytes) -> None:
    """Put `content` in place of the file in one step, on the disk, readable by its owner only."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise
    _sync_folder(path.parent)


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Hold the lock of a file: one thread of one process at a time, freed even by a kill."""
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            msvcrt.locking(lock, msvcrt.LK_LOCK, 1)
        else:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        # Closing frees it. The lock file stays: removing it would let two holders in.
        os.close(lock)


def _usual() -> Path:
    try:
        from platformdirs import user_data_path
    except ImportError as error:
        raise HomeError(
            f"The usual data folder of this system is not known without platformdirs: "
            f"{install_line('store')}, or name a folder in {VARIABLE}."
        ) from error
    return user_data_path("director", appauthor=False)


def _sync_folder(folder: Path) -> None:
    # Windows has no way to ask for this, and does it by itself.
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
