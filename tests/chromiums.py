"""Which Chromium the tests start: the headless shell where there is one, or what users have."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from director.browser.chromium import VARIABLE

_CHOSEN = "DIRECTOR_TESTS_CHOSE_SHELL"  # workers of the tests inherit what was chosen for them
_OWN = "" if _CHOSEN in os.environ else os.environ.get(VARIABLE, "")
FULL = "DIRECTOR_FULL_BROWSER"  # set by `./test --all`


def prefer_shell() -> None:
    """Name the headless shell, which needs a third of the processor of a whole Chromium.

    It is the same engine without the windows. `./test --all` uses the whole one throughout, and
    tests of what a browser itself does (the network, addresses of other programs) always do.
    """
    shell = shutil.which("chromium-headless-shell") or shutil.which("chrome-headless-shell")
    if shell and not _OWN and FULL not in os.environ:
        os.environ.update({VARIABLE: shell, _CHOSEN: "1"})


@contextmanager
def full_chromium() -> Iterator[None]:
    """What is started within is the Chromium that users have."""
    with pytest.MonkeyPatch.context() as patch:
        if not _OWN:
            patch.delenv(VARIABLE, raising=False)
        yield
