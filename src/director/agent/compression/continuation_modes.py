"""The ways to go on from a summary when nothing but the conversation is shown.

`reset` begins anew with it as the first user message, `checkpoint` keeps it in the instructions
until the next one; where it stands is the profile's affair. `refresh` is a reset that also shows
the state every so many messages. Pure.
"""

from __future__ import annotations

from dataclasses import replace

from director.context.values import Context, UserTurn
from director.profiles import Profile

# What the retrieval tools would tell, all at once.
STATE = ("description", "plan", "workflow", "variables", "browser")


def apply_refresh(profile: Profile, said: Context) -> Profile:
    """The profile for the next request: with the state behind the history when that is due.

    It is due with every so-many-th message of the user that is in view, for all requests that are
    made for that message. Those are not chained: a server would remember what they show for good.
    """
    how = profile.compression
    if how.mode != "refresh" or how.every < 1:
        return profile
    messages = sum(isinstance(turn, UserTurn) for turn in said.turns)
    if messages == 0 or messages % how.every:
        return profile
    missing = tuple(name for name in STATE if name not in profile.sections)
    return replace(profile, last=(*profile.last, *missing), chain="never") if missing else profile
