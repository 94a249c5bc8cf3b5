"""The edge to git: the log, the commit, and files as they were committed. Only ever reads.

Only a repository of the project itself is asked, never one around it. Git is started without a
shell, a pager or anything that a repository's own settings could start.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from functools import cached_property
from pathlib import Path

from director.project.history import Commit
from director.project.values import FOLDER

_SAFE = (
    *("-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "core.hooksPath="),
    *("-c", "core.quotePath=false", "-c", "core.pager=cat", "--no-pager", "--literal-pathspecs"),
)
_SECONDS = 30
_SCANNED = 1_000


class Git:
    """The repository of a project; without one, or without git, everything is empty."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        own = self.root / ".git"
        # A link could lead to the history of something else.
        inside = Path(os.path.realpath(own)).is_relative_to(self.root)
        self.there = own.exists() and inside

    @cached_property
    def head(self) -> str:
        """The id of the newest commit, or nothing."""
        return self._said("rev-parse", "--verify", "-q", "HEAD").decode("ascii", "replace").strip()

    def log(self, revision: str = "HEAD") -> list[Commit]:
        """The newest commits, the newest first."""
        form = ("log", "-z", f"-n{_SCANNED}", "--format=%H %s", "--encoding=UTF-8", revision, "--")
        told = self._said(*form).decode("utf-8", "replace")
        parted = (one.partition(" ") for one in told.split("\0") if one)
        return [Commit(id_, subject) for id_, _, subject in parted]

    @cached_property
    def committed(self) -> dict[str, str]:
        """The ids of the files below `.director/` in the newest commit, by path."""
        return self._tree("HEAD")

    def is_committed(self, path: str, content: bytes) -> bool:
        """Whether a file is in the newest commit with exactly these bytes."""
        known = self.committed.get(path, "")
        form = hashlib.sha256 if len(known) == 64 else hashlib.sha1
        return bool(known) and form(b"blob %d\0" % len(content) + content).hexdigest() == known

    def files(self, commit: str) -> dict[str, bytes]:
        """The files below `.director/` as they were in a commit."""
        return {
            path: self._said("cat-file", "blob", id_) for path, id_ in self._tree(commit).items()
        }

    def _tree(self, commit: str) -> dict[str, str]:
        told = self._said("ls-tree", "-r", "-z", "--full-tree", commit, "--", FOLDER)
        rows = (row.decode("utf-8", "surrogateescape") for row in told.split(b"\0") if row)
        parted = (row.partition("\t") for row in rows)
        # A link is a blob too: what it holds is a path and no content.
        return {path: kind.split()[2] for kind, _, path in parted if kind.startswith("100")}

    def _said(self, *arguments: str) -> bytes:
        if not self.there:
            return b""
        keep = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        calm = {
            "LC_ALL": "C",
            "GIT_CEILING_DIRECTORIES": str(self.root.parent),
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_NO_LAZY_FETCH": "1",
        }
        try:
            ran = subprocess.run(  # noqa: S603  no shell, and each argument is ours
                ["git", *_SAFE, *_TRUSTED, *arguments],  # noqa: S607  the user's git
                cwd=self.root,
                env=keep | calm,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired):
            return b""
        return ran.stdout if ran.returncode == 0 else b""


# Whoever asks for a project's context may read it, also if another user owns the folder.
_TRUSTED = ("-c", "safe.directory=*")
