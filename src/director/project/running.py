"""The edge that runs a skill's command: no shell, nothing writable, bounded time and output.

Nor can it read anything of the user's outside the project, whatever its arguments lead to.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

from director.project.confine import NOT_CONFINED
from director.project.injection import Output, Run

SECONDS = 10.0
BYTES = 30_000
_PATH = "/usr/local/bin:/usr/bin:/bin"


def runner(root: Path, *, seconds: float = SECONDS, most: int = BYTES) -> Run:
    """Runs commands in a project that they can read and cannot change."""
    home = Path(os.path.realpath(root))

    def run(argv: Sequence[str]) -> Output:
        found = shutil.which(argv[0], path=_PATH)
        if found is None:
            return Output("", f"there is no command {argv[0]!r}")
        for argument in argv[1:]:
            if _leads_out(home, argument):
                return Output("", f"{argument!r} leads out of the project")
        return _ran([found, *argv[1:]], home, seconds, most)

    return run


def _leads_out(home: Path, argument: str) -> bool:
    """Whether an argument, or its value, names a file whose real place is outside."""
    for text in {argument, argument.partition("=")[2]} - {""}:
        path = home / text
        if os.path.lexists(path) and not Path(os.path.realpath(path)).is_relative_to(home):
            return True
    return False


def _ran(argv: Sequence[str], home: Path, seconds: float, most: int) -> Output:
    calm = {
        "PATH": _PATH,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": "false",
        "GIT_CONFIG_KEY_1": "safe.directory",
        "GIT_CONFIG_VALUE_1": "*",
        "GIT_PAGER": "cat",
    }
    confine = str(Path(__file__).with_name("confine.py"))
    launcher = [sys.executable, "-I", confine, str(most + 1), str(home)]
    with TemporaryFile() as out:
        try:
            child = subprocess.Popen(  # noqa: S603  no shell, allowed, confined
                [*launcher, *argv],
                cwd=home,
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
        content = out.read(most + 1)
    if code == NOT_CONFINED and not content:
        return Output("", "this system cannot confine it (Landlock is needed)")
    text = content[:most].decode("utf-8", "ignore" if len(content) > most else "replace")
    if code and len(content) <= most:
        return Output(text, f"it ended with {code}: {text.strip()[:200]}")
    if len(content) > most:
        text = text[: text.rfind("\n") + 1] + f"[… only the first {most:,} bytes are shown]\n"
    return Output(text)
