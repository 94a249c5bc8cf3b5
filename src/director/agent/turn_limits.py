"""What a turn has taken so far, and what it may take at most."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from director.models import Reply
from director.profiles import TurnLimits

Limit: TypeAlias = Literal["rounds", "tokens", "money", "time"]


@dataclass(slots=True)
class Spent:
    """Model calls, tokens in all of them, and US dollars, as far as prices are known."""

    rounds: int = 0
    tokens: int = 0
    money: Decimal = Decimal(0)

    def add(self, reply: Reply) -> None:
        """Count one answer of a model, Director's own or a scout's."""
        self.rounds += 1
        if reply.usage is not None:
            self.tokens += reply.usage.input + reply.usage.output
        self.money += reply.cost or Decimal(0)

    def over(self, limits: TurnLimits) -> Limit | None:
        """The limit that is reached, if one is; no further call may be made then."""
        if self.rounds >= limits.rounds:
            return "rounds"
        if self.tokens >= limits.tokens:
            return "tokens"
        return "money" if self.money >= Decimal(str(limits.money)) else None


def describe_turn_limit(limit: Limit, limits: TurnLimits) -> str:
    """What the user is told when a limit ends a turn."""
    reached = {
        "rounds": f"{limits.rounds} model calls",
        "tokens": f"{limits.tokens:,} tokens",
        "money": f"${limits.money:.2f}",
        "time": f"{limits.seconds:,} seconds",
    }
    return (
        f"I stopped here: this turn reached its limit of {reached[limit]}. All that was done is "
        "kept. Say how to go on, or raise the limit in the profile."
    )
