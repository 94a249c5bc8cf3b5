"""The strict double: a provider on loopback that refuses what the real one refuses."""

from director.testing.double.api_keys import RateLimits
from director.testing.double.conformance_report import ConformanceFinding
from director.testing.double.double import Defect, Double
from director.testing.double.exchange import Fault
from director.testing.double.faults import KINDS
from director.testing.double.provider_profiles import PROFILES, ServerProfile

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
