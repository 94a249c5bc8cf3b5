"""The edge that runs a skill's command: no shell, nothing writable, bounded time and output.

Nor can it read anything of the user's outside the project, start another program, or open a socket,
whatever its arguments, the project's files or the repository's settings lead to.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile

from director.planning.confine import NOT_CONFINED
from director.planning.injection import Output, Run
from director.planning.repository import (
    ForeignRepositoryError,
    find_repository,
    make_git_environment,
)

SECONDS = 10.0
BYTES = 30_000
_PATH = "/usr/local/bin:/usr/bin:/bin"
# Scripts of the system that only start another program, which is denied: what they start.
_STANDS_FOR = {"egrep": ("grep", "-E"), "fgrep": ("grep", "-F"), "zcat": ("gzip", "-cd")}


def make_skill_command_runner(root: Path, *, seconds: float = SECONDS, most: int = BYTES) -> Run:
    """Runs commands in a project that they can read and cannot change."""
    home = Path(os.path.realpath(root))

    def run(argv: Sequence[str]) -> Output:
        argv = [*_STANDS_FOR.get(argv[0], argv[:1]), *argv[1:]]
        found = shutil.which(argv[0], path=_PATH)
        if found is None:
            return Output("", f"there is no command {argv[0]!r}")
        for argument in argv[1:]:
            if _leads_out(home, argument):
                return Output("", f"{argument!r} leads out of the project")
        if argv[0] == "git":
            return _run_git([found, *argv[1:]], home, seconds, most)
        return _run_command([found, *argv[1:]], [home], seconds, most, {})

    return run


def _leads_out(home: Path, argument: str) -> bool:
    """Whether an argument, or its value, names a file whose real place is outside."""
    for text in {argument, argument.partition("=")[2]} - {""}:
        path = home / text
        if os.path.lexists(path) and not Path(os.path.realpath(path)).is_relative_to(home):
            return True
    return False


def _run_git(argv: Sequence[str], home: Path, seconds: float, most: int) -> Output:
    """Git, without the settings of the repository: they may name programs to run."""
    try:
        repository = find_repository(home)
    except ForeignRepositoryError as error:
        return Output("", f"{error}, outside of the project")
    if repository is None:
        return Output("", "the project has no git repository")
    folders = [home, repository.folder, repository.common]
    with make_git_environment(repository) as neutral:
        folders.append(Path(neutral["GIT_DIR"]))
        return _run_command(
            [argv[0], "-c", "safe.directory=*", *argv[1:]], folders, seconds, most, neutral
        )


def _run_command(
    argv: Sequence[str],
    folders: Sequence[Path],
    seconds: float,
    most: int,
    neutral: Mapping[str, str],
) -> Output:
    calm = {**neutral, "PATH": _PATH, "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": os.devnull}
    confine = str(Path(__file__).with_name("confine.py"))
    readable = json.dumps([str(folder) for folder in folders])
    launcher = [sys.executable, "-I", confine, str(most + 1), readable]
    with TemporaryFile() as out:
        try:
            child = subprocess.Popen(  # noqa: S603  no shell, allowed, confined
                [*launcher, *argv],
                cwd=folders[0],
                env=calm,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return Output("", error.strerror or "it cannot be started")
        try:
            code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return Output("", f"it took more than {seconds:g} seconds")
        out.seek(0)
        return _read_output(code, out.read(most + 1), most)


def _read_output(code: int, content: bytes, most: int) -> Output:
    """What a command said, cut where it is too long, and why it failed if it did."""
    if code == NOT_CONFINED and not content:
        return Output(
            "", "this system cannot confine it (Linux with Landlock and seccomp is needed)"
        )
    text = content[:most].decode("utf-8", "ignore" if len(content) > most else "replace")
    if code and len(content) <= most:
        return Output(text, f"it ended with {code}: {text.strip()[:200]}")
    if len(content) > most:
        text = text[: text.rfind("\n") + 1] + f"[… only the first {most:,} bytes are shown]\n"
    return Output(text)
