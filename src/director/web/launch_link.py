"""The launch link: for people to open, and as a private file that a browser can be started with.

The token stands after the `#`, so that it is in no request's address. It is good for one browser.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from director.home import home, write_private
from director.web.app_state import AppState

_FILE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Director</title>
<meta name="referrer" content="no-referrer"></head>
<body><p>Director is being opened.</p><noscript>Its pages need JavaScript.</noscript>
<script>
const {named, plain} = %s;
const probe = new URL("/here", named);
fetch(probe, {mode: "no-cors", cache: "no-store"})
  .then(() => named, () => plain)
  .then((link) => location.replace(link));
</script></body></html>
"""


@dataclass(frozen=True, slots=True)
class LaunchLink:
    """A link under the address that is listened on, and under the name that only we know."""

    place: str
    plain: str
    named: str

    @classmethod
    def to(cls, studio: AppState, host: str, port: int) -> LaunchLink:
        """A new link to the app of a studio."""
        place = f"http://{host}:{port}"
        token = studio.sessions.link()
        own = studio.sessions.host
        named = f"http://{own}:{port}" if f"{own}:{port}" in studio.names else place
        return cls(place, f"{place}/launch#{token}", f"{named}/launch#{token}")

    def write_file(self) -> Path:
        """Write a page for its owner alone, which leads to the link; by our name if it is found."""
        port = self.place.rpartition(":")[2]
        file = home() / f"launch-{port}.html"
        links = json.dumps({"named": self.named, "plain": self.plain}).replace("<", "\\u003c")
        write_private(file, (_FILE % links).encode())
        return file
