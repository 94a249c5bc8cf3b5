"""Profiles: who sees what and where, with which tools and limits. Data files and their reader."""

from director.profiles.reading import ProfileError, load_profile, moded, read_profile
from director.profiles.values import TOOLS, Compression, Limits, Placed, Profile, placed, with_mode

__all__ = [
    "TOOLS",
    "Compression",
    "Limits",
    "Placed",
    "Profile",
    "ProfileError",
    "load_profile",
    "moded",
    "placed",
    "read_profile",
    "with_mode",
]
