"""The strict double: a provider on loopback that refuses what the real one refuses."""

from director.testing.double.double import Defect, Double
from director.testing.double.exchange import Fault
from director.testing.double.faults import KINDS
from director.testing.double.keys import Limits
from director.testing.double.profiles import PROFILES, Profile
from director.testing.double.verdict import Finding

__all__ = ["KINDS", "PROFILES", "Defect", "Double", "Fault", "Finding", "Limits", "Profile"]
