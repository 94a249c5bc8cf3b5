"""Started as a program of its own: confines itself to a project, then runs a command.

`python confine.py BYTES ROOT COMMAND …`: the command may print so many bytes, change no file, and
read none but those below ROOT and the system's programs. It uses Linux's Landlock and ends with
125, having run nothing, where that is not to be had. Standard library only, and no import of
Director: it is started by its path.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_VERSION = 1
_PATH_BENEATH = 1
_NAMED = getattr(os, "O_PATH", 0) | getattr(os, "O_CLOEXEC", 0)
_WRITE, _READ, _LIST = 1 << 1, 1 << 2, 1 << 3
# Writing, removing and making anything; then moving, cutting short and device control as known.
_RIGHTS = _WRITE | _READ | _LIST | sum(1 << bit for bit in range(4, 13))
_LATER = ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
# What a program needs to start at all: itself, its libraries, its texts.
_SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store")
_FILES = ("/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/dev/urandom")
NOT_CONFINED = 125


def confined(root: str) -> bool:
    """Leave to this process, and all that it starts, only to read below a root and the system's."""
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
    allowed = [(os.devnull, _WRITE | _READ), *((file, _READ) for file in _FILES)]
    for path, right in [*allowed, *((path, _READ | _LIST) for path in (*_SYSTEM, *_own(root)))]:
        if Path(path).exists():
            rule = struct.pack("=Qi", right, os.open(path, _NAMED))
            call.syscall(_ADD, ruleset, _PATH_BENEATH, rule, ctypes.c_uint(0))
    if call.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return bool(call.syscall(_RESTRICT, ruleset, ctypes.c_uint(0)) == 0)


def _own(root: str) -> list[str]:
    """The root, and the repository that it is a worktree of, if that one says so too."""
    link = Path(root, ".git")
    try:
        folder = Path(root, link.read_text("utf-8").removeprefix("gitdir: ").strip()).resolve()
        back = Path((folder / "gitdir").read_text("utf-8").strip())
        common = folder / (folder / "commondir").read_text("utf-8").strip()
    except (OSError, ValueError):
        return [root]
    same = not link.is_symlink() and back.resolve() == link.resolve()
    return [root, str(folder), str(common.resolve())] if same else [root]


def main(most: int, root: str, command: list[str]) -> None:
    """Confine, then become the command."""
    try:
        import resource  # noqa: PLC0415  not on every system, and out of reach once confined
    except ImportError:
        sys.exit(NOT_CONFINED)
    if not confined(root):
        sys.exit(NOT_CONFINED)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    try:
        os.execvp(command[0], command)  # noqa: S606  no shell is what is wanted
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
