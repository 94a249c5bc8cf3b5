"""The value that the judgement of a client is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConformanceFinding:
    """One thing that a client did: its kind, the exchange where it showed, and words for it."""

    kind: str
    exchange: int
    message: str

    def __str__(self) -> str:
        return f"#{self.exchange} {self.kind}: {self.message}"
