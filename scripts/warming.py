"""Compiles the code and rewrites the tests once, ahead of the workers of `./test`.

On a fresh clone every worker would otherwise compile every module, and rewrite the assertions of
every test file, at the same moment. What is fresh is left alone. It only writes `__pycache__`, and
where pytest keeps its part in another way than it did, the workers do it themselves as before.
"""

from __future__ import annotations

import compileall
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from _pytest.assertion import rewrite

ROOT = Path(__file__).parent.parent
CHUNK = 8  # files that a process takes at a time


def is_rewritten(path: Path) -> bool:
    """Whether pytest rewrites the assertions of a file, and so keeps it in a form of its own."""
    return path.name.startswith("test_") or path.name == "conftest.py"


def rewrite_tests(path: Path) -> bool:
    """Keep a file of tests as pytest would after it loaded it; whether there was anything to do."""
    folder = rewrite.get_cache_dir(path)
    kept = folder / (path.name[:-3] + rewrite.PYC_TAIL)
    if rewrite._read_pyc(path, kept) is not None or not rewrite.try_makedirs(folder):
        return False
    settings: Any = None  # as they are by default
    changed, code = rewrite._rewrite_test(path, settings)
    state: Any = SimpleNamespace(trace=str)  # a failure to write is told to nobody
    return bool(rewrite._write_pyc(state, code, changed, kept))


def warm_file(path: Path) -> bool:
    """Compile or rewrite one file; a file that cannot be read so is left to whoever loads it."""
    if not is_rewritten(path):
        return bool(compileall.compile_file(path, quiet=2))
    try:
        return rewrite_tests(path)
    except (AttributeError, SyntaxError, TypeError, ValueError):
        return False


def warm(root: Path) -> None:
    """All modules of the code, the scripts and the tests, on every core."""
    paths = [path for name in ("src", "scripts", "tests") for path in (root / name).rglob("*.py")]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        warmed: Iterable[bool] = pool.map(warm_file, sorted(paths), chunksize=CHUNK)
        list(warmed)


if __name__ == "__main__":
    if not sys.dont_write_bytecode:
        warm(ROOT)
