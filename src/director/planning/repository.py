"""Which repository is a project's own, and a neutral git folder to read it by.

A hostile project may hold a `.git` that leads to somebody else's history, or settings that make
git run programs. So every way out is resolved and refused (unless the place outside names this
project itself, as the repository of a worktree does), and git never reads the repository's own
settings: it gets a folder of ours that borrows the objects and references, and nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from director.errors import DirectorError

# What git needs to read a history. Settings, hooks and attributes are not among it.
_HEADS = ("HEAD", "MERGE_HEAD", "ORIG_HEAD")
_SHARED = ("objects", "refs", "packed-refs", "logs", "shallow", "reftable", "info/exclude")
_NOT_READ = frozenset({"modules", "worktrees", "hooks", "lfs"})
_FORMAT = re.compile(
    rb"^[ \t]*(objectformat|refstorage)[ \t]*=[ \t]*(\w+)[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_WORKTREE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_MOST_ENTRIES = 200_000
# Settings of the user's environment that would lead git elsewhere have no place here.
_NEUTRAL = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_PAGER": "cat",
}


class ForeignRepositoryError(DirectorError, ValueError):
    """The project's `.git` leads out of the project; says where it does."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository that is the project's own: its root, its git folder, and what that shares."""

    root: Path
    folder: Path
    common: Path


def find_repository(root: Path) -> Repository | None:
    """The repository of a project, None if it has none. Raises ForeignRepositoryError."""
    root = Path(os.path.realpath(root))
    link = root / ".git"
    if not os.path.lexists(link):
        return None
    try:
        folder, common = _folders(root, link)
        for place in {folder, common}:
            _refuse_links_out(place, (root, folder, common))
        _refuse_alternates_out(common / "objects", (root, folder, common))
    except (OSError, UnicodeError) as error:
        raise ForeignRepositoryError(f"'.git' cannot be read: {error}") from None
    return Repository(root, folder, common)


@contextmanager
def make_git_environment(repository: Repository) -> Iterator[dict[str, str]]:
    """The environment in which git reads this repository without any of its settings."""
    with TemporaryDirectory(prefix="director-git-") as place:
        made = Path(place)
        (made / "info").mkdir()
        for name in _HEADS:  # copied: git takes a link for the name of a branch
            if (repository.folder / name).is_file():
                (made / name).write_bytes((repository.folder / name).read_bytes())
        for owner, names in ((repository.folder, ("index",)), (repository.common, _SHARED)):
            for name in names:
                if (owner / name).exists():
                    (made / name).symlink_to(owner / name)
        (made / "config").write_text(_settings(repository.common))
        yield _NEUTRAL | {"GIT_DIR": place, "GIT_WORK_TREE": str(repository.root)}


def _settings(common: Path) -> str:
    """The two formats that git must know to read objects and references; all else is ours."""
    try:
        found = dict(_FORMAT.findall((common / "config").read_bytes()))
    except OSError:
        found = {}
    formats = "".join(f"\t{key.decode()} = {value.decode()}\n" for key, value in found.items())
    return (
        f"[core]\n\trepositoryformatversion = {int(bool(formats))}\n\tbare = false\n"
        "\tquotePath = false\n\tfsmonitor = false\n[diff]\n\tignoreSubmodules = all\n"
        + (f"[extensions]\n{formats}" if formats else "")
    )


def _folders(root: Path, link: Path) -> tuple[Path, Path]:
    """The git folder and the one that it shares objects with, each proved to be the project's."""
    if link.is_dir():
        folder = Path(os.path.realpath(link))
        if not folder.is_relative_to(root):
            raise ForeignRepositoryError(f"'.git' leads to {str(folder)!r}")
        return folder, _common(folder, root)
    said = link.read_text("utf-8").removeprefix("gitdir:").strip()
    folder = Path(os.path.realpath(root / said))
    if not folder.is_relative_to(root) and not _names(folder, link, root):
        raise ForeignRepositoryError(f"'.git' leads to {str(folder)!r}, which does not name it")
    return folder, _common(folder, root)


def _common(folder: Path, root: Path) -> Path:
    """What a worktree's folder belongs to: the repository that it lies in, and no other."""
    said = folder / "commondir"
    if not os.path.lexists(said):
        return folder
    common = Path(os.path.realpath(folder / said.read_text("utf-8").strip()))
    if folder.parent != common / "worktrees" and not common.is_relative_to(root):
        raise ForeignRepositoryError(f"'.git' shares the objects of {str(common)!r}")
    return common


def _names(folder: Path, link: Path, root: Path) -> bool:
    """Whether a folder outside says itself that it is this worktree's, or this submodule's."""
    back = folder / "gitdir"
    if back.is_file():
        return os.path.realpath(back.read_text("utf-8").strip()) == os.path.realpath(link)
    settings = folder / "config"
    found = _WORKTREE.search(settings.read_text("utf-8")) if settings.is_file() else None
    return found is not None and os.path.realpath(folder / found[1]) == str(root)


def _refuse_links_out(place: Path, inside: tuple[Path, ...]) -> None:
    """A link below a git folder may lead anywhere in it, and nowhere else."""
    seen = 0
    pending = [place]
    while pending:
        for entry in list(os.scandir(pending.pop())):
            seen += 1
            if seen > _MOST_ENTRIES:
                raise ForeignRepositoryError(f"'.git' has more than {_MOST_ENTRIES:,} files")
            if entry.is_symlink():
                _refuse_outside(entry.path, inside)
            elif entry.is_dir(follow_symlinks=False) and entry.name not in _NOT_READ:
                pending.append(Path(entry.path))


def _refuse_alternates_out(objects: Path, inside: tuple[Path, ...]) -> None:
    """Objects may be borrowed only from places that are the project's own."""
    known = {objects}
    pending = [objects]
    while pending:
        here = pending.pop()
        for line in _read_alternates(here / "info" / "alternates"):
            # Some versions of git take `..` by name, others follow links first: neither leads out.
            _refuse_outside(os.path.normpath(here / line), inside)
            borrowed = Path(_refuse_outside(here / line, inside))
            if borrowed not in known:
                known.add(borrowed)
                pending.append(borrowed)


def _read_alternates(listed: Path) -> Iterator[str]:
    """The lines of a list of alternates as git reads them; what it would undo is refused."""
    for line in listed.read_bytes().decode().split("\n") if listed.is_file() else ():
        if line.startswith('"') or "\\" in line or not line.isprintable():
            raise ForeignRepositoryError(
                f"'.git' borrows from {line!r} (quoted names are not read)"
            )
        if line and not line.startswith("#"):
            yield line


def _refuse_outside(path: str | Path, inside: tuple[Path, ...]) -> str:
    real = os.path.realpath(path)
    if not any(Path(real).is_relative_to(place) for place in inside):
        raise ForeignRepositoryError(f"'.git' borrows from {real!r}")
    return real
