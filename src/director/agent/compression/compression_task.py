"""What a compression works on: the turns of a thread, who writes their summary, and the limits.

One object in the place of the many that every step of a compression needs. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.agent.compression.thresholds import Marks
from director.models import Model
from director.sections.workflow_state import WorkflowState
from director.store import Store

By: TypeAlias = Literal["manual", "auto"]


@dataclass(frozen=True, slots=True)
class CompressionTask:
    """These turns of a thread, all if none are named, are to be summarised by a model.

    `marks` are those of the model that talks, whoever writes. `beside` are the tokens of history
    that stay, so that all of it comes to about `marks.to`. `turn` is the entry of the user that is
    worked on, if a turn compresses for itself. `clean` takes out of a provider's words what must
    not be kept.
    """

    store: Store
    thread: str
    state: WorkflowState
    writer: Model
    marks: Marks
    turns: Sequence[int] | None = None
    beside: int = 0
    by: By = "manual"
    turn: int = 0
    clean: Callable[[str], str] = str

    @property
    def cap(self) -> int:
        """The most tokens of the summary."""
        return max(1, min(self.marks.to - self.beside, self.marks.to))
