"""How far a reader has to walk: the functions and files that five things go through.

    python -m scripts.walks            a table of the walks, for docs/how-it-works.md
    python -m scripts.walks --list     also the files of each walk, in the order of the first visit

Each walk is a test that does one thing from its beginning to its end. Every function of ours that
it enters is counted once, in the order in which it is first entered; a switch is a step from one
file to another in that order. Setting the test up is not counted. It changes nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

import pytest

ROOT = Path(__file__).parent.parent
WALKS = {
    "fit a history": "tests/test_faithful.py"
    "::test_a_result_that_alone_does_not_fit_fills_the_room_and_keeps_what_is_named",
    "a turn": "tests/agent/test_turn.py::test_what_the_user_says_is_stored_before_a_model_is_asked",
    "run a click": "tests/runs/test_browser_nodes.py"
    "::test_a_success_toast_over_a_broken_request_is_no_success",
    "compress from the page": "tests/web/test_compression.py"
    "::test_a_compression_is_looked_at_proposed_edited_applied_and_undone",
    "a fresh context": "tests/planning/test_golden.py"
    "::test_a_context_is_the_text_in_its_file[builder]",
}


class Walk:
    """The functions that one test enters, each once, in the order of the first call."""

    def __init__(self, source: str) -> None:
        """Follow calls into files below this folder."""
        self._source = source
        self._codes: dict[CodeType, None] = {}

    def follow(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call."""
        if event == "call" and frame.f_code.co_filename.startswith(self._source):
            self._codes.setdefault(frame.f_code)

    def list_functions(self) -> list[tuple[str, str]]:
        """File and name of each function; what is defined inside one is a part of it."""
        found: dict[tuple[str, str], None] = {}
        for code in list(self._codes):
            name = code.co_qualname.split(".<locals>")[0].removesuffix(".<lambda>")
            if not name.startswith("<"):
                found.setdefault((code.co_filename.removeprefix(self._source), name))
        return list(found)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Follow the test while it runs, and write down where it went."""
    walk = Walk(os.environ["DIRECTOR_WALK_SOURCE"])
    loops = [each._loop for each in item.funcargs.values() if hasattr(each, "_loop")]  # noqa: SLF001
    _follow(walk.follow, loops)
    try:
        return (yield)
    finally:
        _follow(None, loops)
        with Path(os.environ["DIRECTOR_WALK"]).open("a") as out:
            out.write(json.dumps({"test": item.nodeid, "walk": walk.list_functions()}) + "\n")


def _follow(note: Callable[..., object] | None, loops: list[asyncio.AbstractEventLoop]) -> None:
    """Here, in threads that begin from now on, and in loops that run in threads of their own."""
    threading.setprofile(note)
    for loop in loops:
        loop.call_soon_threadsafe(sys.setprofile, note)
    sys.setprofile(note)


@dataclass(frozen=True, slots=True)
class Figures:
    """One walk in numbers."""

    functions: int
    files: int
    packages: int
    switches: int


def count(walk: list[tuple[str, str]]) -> Figures:
    """The numbers of one walk."""
    files = [file for file, _ in walk]
    packages = {file.split("/")[0] for file in files}
    switches = sum(one != other for one, other in itertools.pairwise(files))
    return Figures(len(walk), len(set(files)), len(packages), switches)


def follow(test: str) -> list[tuple[str, str]]:
    """The walk of one test, in a process of its own."""
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as out:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "scripts.walks"]
        command += ["-p", "no:randomly", test]
        source = f"{ROOT / 'src' / 'director'}{os.sep}"
        environment = {**os.environ, "DIRECTOR_WALK": out.name, "DIRECTOR_WALK_SOURCE": source}
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        lines = [json.loads(line) for line in out.read().splitlines()]
    if done.returncode or len(lines) != 1:
        raise SystemExit(f"{test} did not pass as one test:\n{done.stdout}{done.stderr}")
    return [(file, name) for file, name in lines[0]["walk"]]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="also the files of each walk")
    is_long = parser.parse_args().list
    walks = {name: follow(test) for name, test in WALKS.items()}
    print("| walk | functions | files | packages | file switches |\n|---|--:|--:|--:|--:|")
    for name, walk in walks.items():
        each = count(walk)
        print(f"| {name} | {each.functions} | {each.files} | {each.packages} | {each.switches} |")
    for name, walk in walks.items() if is_long else ():
        print(f"\n{name}: {', '.join(dict.fromkeys(file for file, _ in walk))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
