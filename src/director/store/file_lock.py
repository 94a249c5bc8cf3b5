"""A lock between programs of one machine, in a file; freed by the system when its holder dies."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from director.store.values import StoreError

if sys.platform != "win32":
    import fcntl

_PAUSE = 0.05


@contextmanager
def lock_file(path: Path, *, patience: float = 60.0) -> Iterator[None]:
    """Hold the lock of a file; programs that ask for the same one wait for `patience` seconds."""
    if sys.platform == "win32":
        yield
        return
    with path.open("a", encoding="ascii") as file:
        with contextlib.suppress(OSError):
            path.chmod(0o600)
        until = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise StoreError(
                        f"Another program holds {str(path)!r} for too long. Nothing was changed. "
                        "See which program that is, then try again."
                    ) from None
                time.sleep(_PAUSE)
            else:
                break
        yield
