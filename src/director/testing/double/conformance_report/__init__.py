"""What a client did wrong, judged from the journal."""

from director.testing.double.conformance_report.finders import FINDERS, judge, notes
from director.testing.double.conformance_report.finding import ConformanceFinding

__all__ = ["FINDERS", "ConformanceFinding", "judge", "notes"]
