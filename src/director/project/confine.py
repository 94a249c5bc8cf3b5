"""Started as a program of its own: takes the right to write away from itself, then runs a command.

`python confine.py BYTES COMMAND …`: the command may print so many bytes. It uses Linux's Landlock
and ends with 125, having run nothing, where that is not to be had. Standard library only, and no
import of Director: it is started by its path.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_VERSION = 1
_PATH_BENEATH = 1
_WRITE = 1 << 1
# Writing, removing and making anything; then moving, cutting short and device control as known.
_RIGHTS = _WRITE | sum(1 << bit for bit in range(4, 13))
_LATER = ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
NOT_CONFINED = 125


def confined() -> bool:
    """Take from this process, and all that it starts, the right to change any file."""
    if sys.platform != "linux":
        return False
    call = ctypes.CDLL(None, use_errno=True)
    version = call.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION))
    if version < 1:
        return False
    rights = _RIGHTS | sum(right for since, right in _LATER if version >= since)
    rules = struct.pack("=Q", rights)
    ruleset = call.syscall(_CREATE, rules, ctypes.c_size_t(len(rules)), ctypes.c_uint(0))
    if ruleset < 0:
        return False
    # Programs throw output away; that changes nothing.
    null = os.open(os.devnull, os.O_RDONLY)
    allowed = struct.pack("=Qi", _WRITE, null)
    call.syscall(_ADD, ruleset, _PATH_BENEATH, allowed, ctypes.c_uint(0))
    if call.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return bool(call.syscall(_RESTRICT, ruleset, ctypes.c_uint(0)) == 0)


def main(most: int, command: list[str]) -> None:
    """Confine, then become the command."""
    if not confined():
        sys.exit(NOT_CONFINED)
    import resource  # noqa: PLC0415  not on every system, and this is not reached there

    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    try:
        os.execvp(command[0], command)  # noqa: S606  no shell is what is wanted
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
