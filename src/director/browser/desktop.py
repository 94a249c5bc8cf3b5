"""Keeps pages from starting programs of the desktop.

Chromium hands an address such as `mailto:` to the program that the desktop has for it, without a
question, through a command that it finds on its path. Its path begins with commands of the same
names that do nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

OPENERS: Final = ("xdg-open", "xdg-email")


@contextmanager
def disable_desktop_openers(environ: Mapping[str, str] | None = None) -> Iterator[dict[str, str]]:
    """An environment for a browser in which the commands that open programs do nothing."""
    found = dict(os.environ if environ is None else environ)
    with TemporaryDirectory(prefix="director-path-") as folder:
        for name in OPENERS:
            opener = Path(folder, name)
            opener.write_text("#!/bin/sh\nexit 0\n", encoding="ascii")
            opener.chmod(0o500)
        found["PATH"] = os.pathsep.join(filter(None, (folder, found.get("PATH", os.defpath))))
        yield found
