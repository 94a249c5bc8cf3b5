"""Which machine a program runs on, exactly enough to judge its process number by.

A process number means something only within one boot of one kernel and one namespace of numbers:
two containers of one host name may both have a process 7. What cannot be told is never guessed.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACE = Path("/proc/self/ns/pid")


@functools.cache
def read_machine_id() -> str:
    """The boot and the namespace of process numbers of this program; empty where nobody tells."""
    try:
        return f"{_BOOT.read_text(encoding='ascii').strip()}/{_NAMESPACE.readlink()}"
    except OSError:
        return ""


def has_ended(machine: str, pid: int) -> bool:
    """Whether a process of a machine is known to have ended; false for another machine's."""
    if not machine or machine != read_machine_id() or os.name != "posix":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
