"""What a client did wrong, judged from the journal."""

from director.testing.double.verdict.finders import FINDERS, judge, notes
from director.testing.double.verdict.finding import ConformanceFinding

__all__ = ["FINDERS", "ConformanceFinding", "judge", "notes"]
