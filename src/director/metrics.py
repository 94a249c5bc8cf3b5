"""What context management did so far: tokens in and out, per event, per strategy, in total."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class CompressionEvent:
    """One call that sent less than it was given."""

    timestamp: datetime
    input_tokens: int
    output_tokens: int
    strategy: str

    @property
    def reduction_percent(self) -> float:
        """How much smaller the output was."""
        return (1 - self.output_tokens / self.input_tokens) * 100 if self.input_tokens else 0.0


@dataclass(frozen=True, slots=True)
class CheckpointEvent:
    """A rewrite: turns up to this one were folded, in this phase."""

    timestamp: datetime
    turn: int
    phase: str | None


@dataclass
class ContextMetrics:
    """Running totals. `parsed`, `counted` and `shrunk` count texts, each once."""

    total_input_tokens: int = 0
    total_output_tokens: int = 0
    calls: int = 0
    parsed: int = 0
    counted: int = 0
    shrunk: int = 0
    compression_events: list[CompressionEvent] = field(default_factory=list)
    checkpoint_events: list[CheckpointEvent] = field(default_factory=list)

    def record_call(self, input_size: int, output_size: int, strategy: str) -> None:
        """Count one call, and an event if it was made smaller."""
        self.calls += 1
        self.total_input_tokens += input_size
        self.total_output_tokens += output_size
        if output_size < input_size:
            event = CompressionEvent(datetime.now(UTC), input_size, output_size, strategy)
            self.compression_events.append(event)

    def record_checkpoint(self, turn: int, phase: str | None) -> None:
        """Count one rewrite."""
        self.checkpoint_events.append(CheckpointEvent(datetime.now(UTC), turn, phase))

    def get_summary(self) -> dict[str, object]:
        """The totals, and the same for each strategy that was used."""
        events = self.compression_events
        if not events:
            return {"status": "no compression events", "calls": self.calls}
        return {
            **_totals(events),
            "checkpoint_count": len(self.checkpoint_events),
            "calls": self.calls,
            "by_strategy": {
                name: _totals([event for event in events if event.strategy == name])
                for name in sorted({event.strategy for event in events})
            },
        }


def _totals(events: list[CompressionEvent]) -> dict[str, object]:
    given = sum(event.input_tokens for event in events)
    sent = sum(event.output_tokens for event in events)
    return {
        "total_input_tokens": given,
        "total_output_tokens": sent,
        "total_reduction": (1 - sent / given) * 100 if given else 0.0,
        "compression_count": len(events),
        "average_reduction": sum(event.reduction_percent for event in events) / len(events),
    }
