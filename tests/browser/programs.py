"""The programs below this one, as Linux shows them: to look at their sockets, or to end one."""

from __future__ import annotations

import re
from pathlib import Path

_PROC = Path("/proc")


def parents() -> dict[int, int]:
    """The parent of every program."""
    found: dict[int, int] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = int(
                    (entry / "stat").read_text().rpartition(")")[2].split()[1]
                )
            except (OSError, ProcessLookupError):
                continue
    return found


def below(root: int) -> list[int]:
    """The programs that a program started, and those that they started."""
    tree = parents()
    found = [root]
    for pid in found:
        found += [child for child, parent in tree.items() if parent == pid]
    return found[1:]


def command(pid: int) -> list[str]:
    """The words a program was started with; none if it is gone."""
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def sockets(pid: int) -> set[str]:
    """The numbers of a program's sockets."""
    found: set[str] = set()
    try:
        for handle in (_PROC / str(pid) / "fd").iterdir():
            if socket := re.fullmatch(r"socket:\[(\d+)\]", str(handle.readlink())):
                found.add(socket[1])
    except OSError:
        pass
    return found


def listening() -> set[str]:
    """The numbers of all TCP sockets that listen."""
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in (_PROC / "net" / table).read_text().splitlines()[1:]
    ]
    return {row[9] for row in rows if row[3] == "0A"}


def browsers_of(root: int) -> set[int]:
    """The main program of each browser below a program: the one its others belong to."""
    found = {
        pid
        for pid in below(root)
        if "--remote-debugging-pipe" in command(pid)
        and not _is_part(command(pid))
        and not _is_shell(pid)
    }
    # What a browser has just started bears its words for a moment.
    tree = parents()
    return {pid for pid in found if tree.get(pid) not in found}


def _is_shell(pid: int) -> bool:
    """Whether a program is a shell: a script that starts a browser bears its words as well."""
    try:
        return (_PROC / str(pid) / "exe").readlink().name in ("bash", "busybox", "dash", "sh")
    except OSError:
        return False


def _is_part(words: list[str]) -> bool:
    return any(word.startswith("--type=") for word in words)
