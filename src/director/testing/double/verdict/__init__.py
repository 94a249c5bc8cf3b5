"""What a client did wrong, judged from the journal."""

from director.testing.double.verdict.finders import FINDERS, judge, notes
from director.testing.double.verdict.finding import Finding

__all__ = ["FINDERS", "Finding", "judge", "notes"]
