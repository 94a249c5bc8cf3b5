"""What a client did wrong, judged from the journal."""

from director.testing.double.conformance_report.finders import FINDERS, find_notes, run_finders
from director.testing.double.conformance_report.finding import ConformanceFinding

__all__ = ["FINDERS", "ConformanceFinding", "find_notes", "run_finders"]

# Names of one release ago; they go with the next.
judge = run_finders
notes = find_notes
