"""Every MiniWoB++ task that is done here, and the seeds it is done with."""

from __future__ import annotations

from beds.miniwob import choosing, clicking, sites, typing
from beds.miniwob.building import Tasks

SEEDS = (1, 2, 3, 4, 5)
TASKS: Tasks = {**clicking.TASKS, **typing.TASKS, **choosing.TASKS, **sites.TASKS}
