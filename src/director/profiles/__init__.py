"""Profiles: who sees what and where, with which tools and limits. Data files and their reader."""

from director.profiles.reading import ProfileError, load_profile, moded, read_profile
from director.profiles.values import (
    TOOLS,
    Compression,
    Placed,
    Profile,
    TurnLimits,
    placed,
    with_mode,
)

__all__ = [
    "TOOLS",
    "Compression",
    "Placed",
    "Profile",
    "ProfileError",
    "TurnLimits",
    "load_profile",
    "moded",
    "placed",
    "read_profile",
    "with_mode",
]
