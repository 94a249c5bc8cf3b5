"""What happens in a turn, told to whoever watches it, as it happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Progress:
    """One thing that just happened: a model is asked, has answered, a call begins or has ended."""

    what: Literal["asking", "answered", "calling", "called", "compressed", "ended"]
    text: str = ""
    tool: str = ""
    call: str = ""
    failed: bool = False
