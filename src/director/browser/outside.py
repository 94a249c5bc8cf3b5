"""What actions may reach outside the browser; each is refused unless it is handed in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Outside:
    """`keep` takes a picture and gives its hash, `file` the path of a file to upload."""

    keep: Callable[[bytes], str] | None = None
    file: Callable[[str], Path] | None = None
