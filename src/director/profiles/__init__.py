"""Profiles: who sees what and where, with which tools and limits. Data files and their reader."""

from director.profiles.profile_files import ProfileError, apply_mode, load_profile, read_profile
from director.profiles.values import (
    TOOLS,
    Compression,
    Placed,
    Profile,
    TurnLimits,
    place_sections,
    with_mode,
)

__all__ = [
    "TOOLS",
    "Compression",
    "Placed",
    "Profile",
    "ProfileError",
    "TurnLimits",
    "apply_mode",
    "load_profile",
    "place_sections",
    "read_profile",
    "with_mode",
]


# Names of one release ago; they go with the next.
placed = place_sections
