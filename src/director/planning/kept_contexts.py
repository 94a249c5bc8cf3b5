"""The edge that keeps contexts: text, manifest and report under `.director/contexts/`.

Each lies in a folder named after its hash, out of git's sight; the newest fifty are kept. What
cannot be written is said and does no harm.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from director.home import write_private
from director.planning.context_assembly import Fresh
from director.planning.manifest import encode_manifest
from director.planning.values import CONTEXTS, ProjectError, encode_file_text

CONTEXT, MANIFEST, REPORT, LAST = "context.md", "manifest.json", "report.txt", "last"
_SHORT = 12
_MOST = 50


@dataclass(frozen=True, slots=True)
class Shared:
    """How much of a context is, byte for byte, the beginning of the one kept before it."""

    share: float
    before: str


def write_kept_context(root: Path, fresh: Fresh, report: str) -> Path:
    """Write a context with its manifest and report, and give its folder."""
    folder = _folder(root, fresh)
    top = folder.parent
    write_private(folder / CONTEXT, fresh.content)
    write_private(folder / MANIFEST, encode_manifest(fresh.manifest).encode())
    write_private(folder / REPORT, encode_file_text(report))
    write_private(top / LAST, folder.name.encode())
    os.utime(folder)
    _forget(top)
    return folder


def keep_context_parts(root: Path, fresh: Fresh, texts: Sequence[str]) -> list[Path]:
    """Write a context in parts, to be read one after another."""
    folder = _folder(root, fresh)
    places = [folder / f"part-{number}.md" for number in range(1, len(texts) + 1)]
    for place, text in zip(places, texts, strict=True):
        write_private(place, encode_file_text(text))
    return places


def compare_with_last(root: Path, content: bytes) -> Shared | None:
    """How much of a context begins as the last one kept; None if there is none."""
    folder = find_last_kept_context(root)
    if folder is None or not content:
        return None
    try:
        before = (folder / CONTEXT).read_bytes()
    except OSError:
        return None
    return Shared(measure_shared_prefix(before, content), folder.name)


def measure_shared_prefix(before: bytes, content: bytes) -> float:
    """The share of a content that is, byte for byte, the beginning of the one before."""
    low, high = 0, min(len(before), len(content))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == content[:middle] else (low, middle - 1)
    return low / len(content) if content else 0.0


def find_last_kept_context(root: Path) -> Path | None:
    """The folder of the context that was kept last."""
    top = root / CONTEXTS
    try:
        name = (top / LAST).read_text("ascii").strip()
    except (OSError, UnicodeError):
        return None
    return top / name if name.isalnum() and (top / name).is_dir() else None


def find_kept_context(root: Path, wanted: str | None) -> tuple[Path, Path | None]:
    """The manifest that is meant, and its context if that is there.

    A path of a manifest or a context, the beginning of a hash, or nothing for the last one.
    """
    if wanted is None:
        folder = find_last_kept_context(root)
        if folder is None:
            raise ProjectError(
                "No context was kept here. Name a manifest, or make a context first."
            )
        return _pair(folder / MANIFEST)
    path = Path(wanted)
    if path.is_dir():
        return _pair(path / MANIFEST)
    if path.is_file():
        return _pair(path if path.suffix == ".json" else get_kept_manifest_path(path))
    found = sorted((root / CONTEXTS).glob(f"{wanted}*")) if wanted.isalnum() else []
    folders = [one for one in found if one.is_dir()]
    if len(folders) != 1:
        raise ProjectError(f"There is no manifest {wanted!r}, or more than one begins so.")
    return _pair(folders[0] / MANIFEST)


def get_kept_manifest_path(context: Path) -> Path:
    """Where the manifest of a written context lies."""
    return context.with_name(f"{context.name}.manifest.json")


def _pair(manifest: Path) -> tuple[Path, Path | None]:
    beside = manifest.with_name(manifest.name.removesuffix(".manifest.json"))
    for context in (manifest.with_name(CONTEXT), beside):
        if context.is_file() and context != manifest:
            return manifest, context
    return manifest, None


def _folder(root: Path, fresh: Fresh) -> Path:
    """The folder of a context, made; git is told to look away."""
    top = root / CONTEXTS
    if not Path(os.path.realpath(top)).is_relative_to(os.path.realpath(root)):
        raise ProjectError(f"{str(top)!r} leads out of the project: nothing was kept.")
    folder = top / fresh.sha256[:_SHORT]
    folder.mkdir(parents=True, exist_ok=True)
    if not (top / ".gitignore").exists():
        write_private(top / ".gitignore", b"*\n")
    return folder


def _forget(top: Path) -> None:
    folders = [one for one in top.iterdir() if one.is_dir() and not one.is_symlink()]
    for old in sorted(folders, key=lambda one: one.stat().st_mtime_ns)[:-_MOST]:
        shutil.rmtree(old, ignore_errors=True)
