"""Which Chromium is started, and with which switches.

The switches close every way around the guard that a switch can close. Nothing listens on TCP: the
browser is driven through a pipe.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from director.browser.errors import BrowserError

VARIABLE: Final = "DIRECTOR_CHROMIUM"
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SWITCHES: Final = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    # Names are looked up by the guard, after its check, and never by the browser.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    # Calls between browsers use UDP, past any proxy. Builds differ in which of the two they heed.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)


def find_chromium(own: str = "", environ: Mapping[str, str] | None = None) -> str:
    """The browser to start: the one named in DIRECTOR_CHROMIUM, Playwright's own, the system's."""
    named = (os.environ if environ is None else environ).get(VARIABLE, "")
    if named:
        if found := shutil.which(named):
            return found
        raise BrowserError(f"{VARIABLE} names {named!r}, which is no program: correct or unset it.")
    if own and Path(own).is_file():
        return own
    if found := next(filter(None, map(shutil.which, _NAMES)), None):
        return found
    raise BrowserError(
        "There is no Chromium. Install one: 'apt-get install chromium' on Debian and Ubuntu, or "
        f"'playwright install chromium'; or name the one you have in {VARIABLE}."
    )


def list_chromium_switches() -> list[str]:
    """The switches for this user: the sandbox is off only where it cannot work."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*_SWITCHES, *(["--no-sandbox"] if root else [])]


def has_display(environ: Mapping[str, str] | None = None) -> bool:
    """Whether a window can be shown; where this is not Linux, it is taken to be so."""
    known = os.environ if environ is None else environ
    shown = known.get("DISPLAY") or known.get("WAYLAND_DISPLAY")
    return not sys.platform.startswith("linux") or bool(shown)
