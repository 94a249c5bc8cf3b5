"""The edge to git: the log, the commit, and files as they were committed. Only ever reads.

Only a repository of the project itself is asked, never one around it or one that it leads to. Git
is started without a shell, and reads none of the repository's own settings.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from functools import cached_property
from pathlib import Path

from director.planning.recent_changes import Commit
from director.planning.repository import (
    ForeignRepositoryError,
    Repository,
    find_repository,
    make_git_environment,
)
from director.planning.values import FOLDER

_SAFE = ("-c", "safe.directory=*", "--no-pager", "--literal-pathspecs")
_SECONDS = 30
_SCANNED = 1_000


class Git:
    """The repository of a project; without one, or without git, everything is empty.

    `problem` says why a repository that is there is not read.
    """

    def __init__(self, root: Path) -> None:
        self.problem = ""
        self._repository: Repository | None = None
        try:
            self._repository = find_repository(root)
        except ForeignRepositoryError as error:
            self.problem = f"The git history was not read: {error}, outside of the project."

    @cached_property
    def head(self) -> str:
        """The id of the newest commit, or nothing."""
        return self._ask("rev-parse", "--verify", "-q", "HEAD").decode("ascii", "replace").strip()

    def log(self, revision: str = "HEAD") -> list[Commit]:
        """The newest commits, the newest first."""
        form = ("log", "-z", f"-n{_SCANNED}", "--format=%H %s", "--encoding=UTF-8", revision, "--")
        text = self._ask(*form).decode("utf-8", "replace")
        parts = (line.partition(" ") for line in text.split("\0") if line)
        return [Commit(id_, subject) for id_, _, subject in parts]

    @cached_property
    def head_ids(self) -> dict[str, str]:
        """The ids of the files below `.director/` in the newest commit, by path."""
        return self._tree("HEAD")

    def is_committed(self, path: str, content: bytes) -> bool:
        """Whether a file is in the newest commit with exactly these bytes."""
        known = self.head_ids.get(path, "")
        form = hashlib.sha256 if len(known) == 64 else hashlib.sha1
        return bool(known) and form(b"blob %d\0" % len(content) + content).hexdigest() == known

    def files(self, commit: str) -> dict[str, bytes]:
        """The files below `.director/` as they were in a commit."""
        return {
            path: self._ask("cat-file", "blob", id_) for path, id_ in self._tree(commit).items()
        }

    def _tree(self, commit: str) -> dict[str, str]:
        listed = self._ask("ls-tree", "-r", "-z", "--full-tree", commit, "--", FOLDER)
        rows = (row.decode("utf-8", "surrogateescape") for row in listed.split(b"\0") if row)
        parts = (row.partition("\t") for row in rows)
        # A link is a blob too: what it holds is a path and no content.
        return {path: kind.split()[2] for kind, _, path in parts if kind.startswith("100")}

    def _ask(self, *arguments: str) -> bytes:
        if self._repository is None:
            return b""
        keep = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        try:
            with make_git_environment(self._repository) as neutral:
                ran = subprocess.run(  # noqa: S603  no shell, and each argument is ours
                    ["git", *_SAFE, *arguments],  # noqa: S607  the user's git
                    cwd=self._repository.root,
                    env=keep | neutral,
                    capture_output=True,
                    timeout=_SECONDS,
                    check=False,
                    stdin=subprocess.DEVNULL,
                )
        except (OSError, subprocess.TimeoutExpired):
            return b""
        return ran.stdout if ran.returncode == 0 else b""
