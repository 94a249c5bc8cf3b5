"""Started as a program of its own: confines itself to some folders, then runs a command.

`python confine.py BYTES FOLDERS COMMAND …` (the folders as a JSON list): the command may print so
many bytes, change no file, read none but those below the folders and the system's programs, start
no other program, open no socket and signal nobody. It uses Linux's Landlock and seccomp and ends
with 125, having run nothing, where either is not to be had. Standard library only, and no import of
Director: it is started by its path.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import struct
import sys
from pathlib import Path
from typing import BinaryIO

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_SECCOMP, _FILTER = 22, 2
_VERSION = 1
_PATH_BENEATH = 1
_NAMED = getattr(os, "O_PATH", 0) | getattr(os, "O_CLOEXEC", 0)
_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
# Starting, writing, removing and making anything; then moving, cutting short and device control as
# known.
_RIGHTS = _EXECUTE | _WRITE | _READ | _LIST | sum(1 << bit for bit in range(4, 13))
_LATER = ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
# What a program needs to start at all: itself, its libraries, its texts.
_SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store")
_FILES = ("/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/dev/urandom")
NOT_CONFINED = 125
_ELF, _HEADER, _INTERPRETER = b"\x7fELF\x02\x01", 64, 3
_PAGE, _MOST_STARTED = 4096, 5

# Filters of system calls, by machine: the kernel's number of it, those of `clone` and `execve`, and
# what is denied: sockets of any kind, processes, signals, ways to act through another process, and
# `execveat`.
_NEW_CALLS = (424, 425, 438)  # pidfd_send_signal, io_uring_setup, pidfd_getfd
_CLONE3 = 435
_THREAD = 0x10000
_MACHINES = {
    "x86_64": (0xC000003E, 56, 59, (41, 42, 53, 57, 58, 62, 101, 129, 200, 234, 310, 311, 322)),
    "aarch64": (0xC00000B7, 220, 221, (198, 199, 203, 117, 129, 130, 131, 138, 270, 271, 281)),
}
_ALLOW, _DENY, _MISSING, _KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06


def confine_process(folders: list[str], program: ctypes.Array[ctypes.c_char]) -> bool:
    """Leave to this process only to read below the folders and the system's; False if it cannot.

    It may become one program, the one that the buffer names.
    """
    if sys.platform != "linux" or os.uname().machine not in _MACHINES:
        return False
    call = ctypes.CDLL(None, use_errno=True)
    started = _list_programs(os.fsdecode(program.value))
    return _confine_files(call, folders, started) and _confine_calls(
        call, ctypes.addressof(program)
    )


def _list_programs(program: str) -> list[str]:
    """The files that the kernel starts for a program: itself, its interpreter or its loader."""
    found: list[str] = []
    while program and len(found) < _MOST_STARTED:
        found.append(program)
        with Path(program).open("rb") as file:
            head = file.read(_PAGE)
            if head.startswith(b"#!"):
                words = head[2:].partition(b"\n")[0].split()
                program = os.fsdecode(words[0]) if words else ""
            else:
                program = os.fsdecode(_loader(file, head))
    return found


def _loader(file: BinaryIO, head: bytes) -> bytes:
    """The loader that a program of 64 bits names; nothing if it names none."""
    if head[:6] != _ELF or len(head) < _HEADER:
        return b""
    (table,), (size, count) = (
        struct.unpack_from("=Q", head, 32),
        struct.unpack_from("=HH", head, 54),
    )
    for number in range(count):
        file.seek(table + number * size)
        kind, _, start, _, _, length = struct.unpack("=IIQQQQ", file.read(40))
        if kind == _INTERPRETER:
            file.seek(start)
            return file.read(length).rstrip(b"\0")
    return b""


def _confine_calls(call: ctypes.CDLL, program: int) -> bool:
    machine, clone, execute, denied = _MACHINES[os.uname().machine]
    lines = [
        *((_LOAD, 0, 0, 4), (_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)),
        # The other numbering of the same calls on x86_64.
        *((_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _DENY)),
    ]
    for number in (*denied, *_NEW_CALLS):
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _DENY)]
    lines += [
        # Only the name that lies there now is started: in another program it lies there no more.
        *((_EQUAL, 0, 6, execute), (_LOAD, 0, 0, 16), (_EQUAL, 0, 3, program & 0xFFFFFFFF)),
        *((_LOAD, 0, 0, 20), (_EQUAL, 0, 1, program >> 32)),
        *((_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _DENY)),
        # Where clone3 is missing, programs make their threads by clone, whose flags can be seen.
        *((_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _MISSING), (_EQUAL, 0, 3, clone)),
        *((_LOAD, 0, 0, 16), (_ANY_BIT, 1, 0, _THREAD), (_RETURN, 0, 0, _DENY)),
        (_RETURN, 0, 0, _ALLOW),
    ]
    packed = b"".join(struct.pack("=HBBI", *line) for line in lines)
    kept = ctypes.create_string_buffer(packed, len(packed))
    described = struct.pack("@HP", len(lines), ctypes.addressof(kept))
    return bool(call.prctl(_SECCOMP, _FILTER, described, 0, 0) == 0)


def _confine_files(call: ctypes.CDLL, folders: list[str], started: list[str]) -> bool:
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
    allowed += [(file, _EXECUTE | _READ) for file in started]
    for path, right in [*allowed, *((path, _READ | _LIST) for path in (*_SYSTEM, *folders))]:
        if Path(path).exists():
            rule = struct.pack("=Qi", right, os.open(path, _NAMED))
            call.syscall(_ADD, ruleset, _PATH_BENEATH, rule, ctypes.c_uint(0))
    if call.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return bool(call.syscall(_RESTRICT, ruleset, ctypes.c_uint(0)) == 0)


def main(most: int, folders: list[str], command: list[str]) -> None:
    """Confine, then become the command."""
    try:
        import resource
    except ImportError:
        sys.exit(NOT_CONFINED)
    program = ctypes.create_string_buffer(os.fsencode(shutil.which(command[0]) or command[0]))
    arguments = (ctypes.c_char_p * (len(command) + 1))(*map(os.fsencode, command), None)
    library = ctypes.CDLL(None, use_errno=True)
    environment = ctypes.c_void_p.in_dll(library, "environ")
    try:
        if not confine_process(folders, program):
            sys.exit(NOT_CONFINED)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        library.execve(program, arguments, environment)
        problem = os.strerror(ctypes.get_errno())
    except OSError as error:
        problem = str(error.strerror)
    sys.stderr.write(f"{command[0]}: {problem}\n")
    sys.exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:])
