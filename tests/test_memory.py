"""What programs that run for long do about their memory."""

from __future__ import annotations

import subprocess
import sys

_ASK = """
import gc
from director.memory import settle_memory
before = gc.get_threshold()
settle_memory()
after = gc.get_threshold()
print(gc.isenabled(), gc.get_freeze_count() > 1_000, after[0] > before[0], after[1:] == before[1:])
"""


def test_a_program_that_settled_its_memory_still_looks_for_garbage_but_less_often() -> None:
    """What was loaded is not looked at again, and the rest is looked at after more objects."""
    done = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 4
