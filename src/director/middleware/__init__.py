"""Director between any agent and its model: frameworks, clients, and a proxy for everyone else.

Messages come in as the host made them and go out in the same form; the host's own history is never
touched. Nothing here imports a framework before it is asked for.
"""

from __future__ import annotations

from director.middleware.clients import wrap
from director.middleware.managed_threads import FittedThreads, Managing

__all__ = ["FittedThreads", "Managing", "wrap"]


# Names of one release ago; they go with the next.
Threads = FittedThreads
