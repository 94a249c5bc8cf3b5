"""What happens in a turn, told to whoever watches it, as it happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

What: TypeAlias = Literal[
    "asking",
    "background",
    "thinking",
    "text",
    "again",
    "answered",
    "calling",
    "waiting",
    "called",
    "compressed",
    "ended",
]


@dataclass(frozen=True, slots=True)
class TurnProgress:
    """One thing that just happened: a model is asked, has answered, a call begins or has ended.

    `text` and `thinking` are pieces of an answer as they arrive; `again` makes those void.
    `waiting` says what the user is asked for while a call waits. `source` says of a call that its
    arguments came from a page, if they did.
    """

    what: What
    text: str = ""
    tool: str = ""
    call: str = ""
    failed: bool = False
    source: str = ""
