"""The strict double: a provider on loopback that refuses what the real one refuses."""

from director.testing.double.double import Defect, Double
from director.testing.double.exchange import Fault
from director.testing.double.faults import KINDS
from director.testing.double.keys import RateLimits
from director.testing.double.profiles import PROFILES, ServerProfile
from director.testing.double.verdict import ConformanceFinding

__all__ = [
    "KINDS",
    "PROFILES",
    "ConformanceFinding",
    "Defect",
    "Double",
    "Fault",
    "RateLimits",
    "ServerProfile",
]
