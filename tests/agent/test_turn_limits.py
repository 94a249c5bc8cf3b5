"""A turn takes what it may and nothing more: each limit, at its value and just below it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from director.agent.turn_limits import Limit, Spent
from director.profiles import TurnLimits

LIMITS = TurnLimits(rounds=5, tokens=1_000, seconds=60, money=0.5)


@pytest.mark.parametrize(
    ("spent", "limit"),
    [
        (Spent(rounds=4, tokens=999, money=Decimal("0.49")), None),
        (Spent(rounds=5), "rounds"),
        (Spent(tokens=1_000), "tokens"),
        (Spent(money=Decimal("0.5")), "money"),
    ],
)
def test_a_limit_is_reached_at_its_value(spent: Spent, limit: Limit | None) -> None:
    """No further call may be made then."""
    assert spent.over(LIMITS) == limit
