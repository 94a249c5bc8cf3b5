"""For anyone's tests: the ten laws, a seeded generator of histories, and a conformance suite."""

from director.context.laws import LAWS, Broken, broken_laws
from director.testing.conformance import Conformance, check_strategy
from director.testing.histories import histories, history

__all__ = [
    "LAWS",
    "Broken",
    "Conformance",
    "broken_laws",
    "check_strategy",
    "histories",
    "history",
]
