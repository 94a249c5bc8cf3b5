"""The ways to go on from a summary when nothing but the conversation is shown.

`reset` begins anew with it as the first user message, `checkpoint` keeps it in the instructions
until the next one; where it stands is the profile's affair. `refresh` shows the state again every
so many messages. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from director.profiles import Profile
from director.store import Entry

# What the retrieval tools would tell, all at once.
STATE = ("description", "plan", "workflow", "variables", "browser")


def refreshed(profile: Profile, entries: Sequence[Entry]) -> Profile:
    """The profile for the next request: with the state behind the history when that is due.

    It is due with every so-many-th message of the user since the last summary, for all requests
    that are made for that message.
    """
    how = profile.compression
    if how.mode != "refresh" or how.every < 1:
        return profile
    said = 0
    for entry in entries:
        if entry.kind in ("checkpoint", "restore"):
            said = 0
        elif entry.kind == "user":
            said += 1
    if said == 0 or said % how.every:
        return profile
    missing = tuple(name for name in STATE if name not in profile.sections)
    return replace(profile, last=(*profile.last, *missing))
