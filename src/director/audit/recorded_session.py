"""A session of a coding agent as its client recorded it: what was said, and each call of a model.

Messages are those of Chat Completions, whatever the client speaks. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from director.audit.recorded_texts import Message
from director.models.values import Usage


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call of a model: the answer stands at `at` of the history; `time` is in seconds."""

    at: int
    time: float = 0.0
    model: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class ClientCompaction:
    """The client put `summary` and what it `keeps` in place of the history before `at`."""

    at: int
    summary: str
    keeps: tuple[int, ...] = ()
    reported: int | None = None


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """What one session file tells. `skipped` counts what was not read, by the reason."""

    client: str
    name: str
    path: str
    history: Sequence[Message]
    calls: Sequence[RecordedCall]
    compactions: Sequence[ClientCompaction] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)

    def list_windows(self) -> Iterator[tuple[RecordedCall, tuple[Message, ...], list[Message]]]:
        """Each call with the summary messages and the messages that its model saw."""
        for call in self.calls:
            passed = [one for one in self.compactions if one.at <= call.at]
            if not passed:
                yield call, (), list(self.history[: call.at])
                continue
            last = passed[-1]
            kept = [self.history[place] for place in last.keeps if place < last.at]
            summary: Message = {"role": "user", "content": last.summary}
            yield call, (summary,), [*kept, *self.history[last.at : call.at]]
