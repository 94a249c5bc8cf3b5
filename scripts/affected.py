"""Which tests a change touches, the closest first, as many as fit into a time.

A test is close to a changed file if few imports lie between them, and closer if it stands in the
folder that mirrors the file's package. What does not fit is left out and named, never silently.
"""

from __future__ import annotations

import heapq
import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scripts.graph import Graph, read_graph

ALWAYS = ("tests/test_project.py",)  # the rules of the house, which hold for every file
EVERYTHING = ("pyproject.toml", "tests/conftest.py", "locked/test.txt")
FOLDERS = ("src", "tests", "scripts", "bench", "docs", "examples", "plugin", "locked")
PAGES = "tests/test_docs.py"
_TEST = re.compile(r"tests/(?:.*/)?test_\w+\.py$")
UNKNOWN = 2.0  # seconds of a file of tests that was never measured
NAMED = 0.5  # how much nearer a test is that mentions the name of the changed file
ELSEWHERE = 1.5  # how much farther a test outside of the mirroring folder is


@dataclass(frozen=True, slots=True)
class Selection:
    """The files of tests to run, single tests in them to leave out, and files left out for time."""

    files: list[str]
    left_out_tests: list[str]
    left_out_files: list[str]
    seconds: float


def list_files(root: Path) -> list[str]:
    """The files of the project: those that git tracks or would, or else those in its folders."""
    listed = _git(root, "ls-files", "--cached", "--others", "--exclude-standard", check=False)
    if not listed:
        inside = (path for folder in FOLDERS for path in (root / folder).rglob("*"))
        paths = [*inside, *root.glob("*.*")]
        listed = [path.relative_to(root).as_posix() for path in paths if path.suffix != ".pyc"]
    return sorted(name for name in set(listed) if (root / name).is_file())


def list_changes(root: Path, ref: str | None) -> list[str]:
    """What differs from a revision, or else from where this branch left main; also uncommitted."""
    base = ref or next(iter(_git(root, "merge-base", "HEAD", "main", check=False)), "HEAD")
    changed = _git(root, "diff", "--name-only", "--no-renames", base)
    return sorted({*changed, *_git(root, "ls-files", "--others", "--exclude-standard")})


def _git(root: Path, *arguments: str, check: bool = True) -> list[str]:
    command = ["git", "-c", "core.quotepath=off", *arguments]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        if check:
            said = getattr(problem, "stderr", None) or problem
            raise SystemExit(f"test: git {' '.join(arguments)} failed: {said}") from problem
        return []
    return done.stdout.splitlines()


def rank_tests(graph: Graph, changed: Iterable[str], tests: Iterable[str]) -> dict[str, float]:
    """How far each test that a change reaches is from it: 0 is the changed test itself."""
    wanted = set(tests)
    ranks: dict[str, float] = {}
    for name in changed:
        mirror = _mirror(name)
        for reached, distance in _measure_distances(graph, name).items():
            if reached in wanted:
                rank = _adjust(reached, distance, mirror)
                ranks[reached] = min(rank, ranks.get(reached, rank))
        if name.endswith(".md") and PAGES in wanted:
            ranks[PAGES] = 0.0
        if name in EVERYTHING:
            ranks |= {test: ranks.get(test, 9.0) for test in wanted}
    return ranks | dict.fromkeys(wanted.intersection(ALWAYS) if ranks else (), 1.0)


def _measure_distances(graph: Graph, begin: str) -> dict[str, float]:
    """Dijkstra's shortest ways from a file to all that depend on it."""
    found: dict[str, float] = {}
    queue = [(0.0, begin)]
    while queue:
        distance, name = heapq.heappop(queue)
        if name not in found:
            found[name] = distance
            for user, weight in graph.users.get(name, {}).items():
                if user not in found:
                    heapq.heappush(queue, (distance + weight, user))
    return found


def _mirror(name: str) -> tuple[str, str]:
    """The folder in tests that mirrors a file of the source, and the stem of the file."""
    path = PurePosixPath(name)
    parts = path.parts
    if parts[:2] == ("src", "director"):
        folder = PurePosixPath("tests", *parts[2:-1])
        return str(folder), path.stem
    return str(path.parent), path.stem


def _adjust(test: str, distance: float, mirror: tuple[str, str]) -> float:
    """The rank of a test: a mirroring name brings it close, another folder keeps it far."""
    folder, stem = mirror
    path = PurePosixPath(test)
    top = PurePosixPath(*PurePosixPath(folder).parts[:2])
    is_near = top == PurePosixPath("tests") or top in path.parents
    is_near = is_near or path.name.startswith(f"test_{top.name}")
    if path.name == f"test_{stem}.py" and is_near:
        return min(distance, 0.5)
    return distance if is_near else distance + ELSEWHERE


def choose_tests(
    ranks: Mapping[str, float], costs: Mapping[str, Mapping], seconds: float
) -> Selection:
    """The tests that fit into so many seconds of one core, the closest first, then the cheapest."""
    units = []
    for file, rank in ranks.items():
        known = costs.get(file, {"seconds": UNKNOWN, "long": {}})
        units.append((rank, False, known["seconds"], file, ""))
        units += [(rank, True, cost, file, test) for test, cost in known["long"].items()]
    files: set[str] = set()
    left_out: list[tuple[str, str]] = []
    total = 0.0
    for _, is_long, cost, file, test in sorted(units):
        if total + cost <= seconds and (file in files or not is_long):
            files.add(file)
            total += cost
        elif is_long:
            left_out.append((file, test))
    return Selection(
        files=sorted(files, key=lambda file: (ranks[file], file)),
        left_out_tests=sorted(f"{file}::{test}" for file, test in left_out if file in files),
        left_out_files=sorted(set(ranks) - files),
        seconds=total,
    )


def select_tests(root: Path, changed: list[str], seconds: float) -> Selection:
    """The tests of a change in the project at `root`."""
    files = list_files(root)
    graph = read_graph(root, {*files, *changed})
    tests = [name for name in files if _TEST.match(name)]
    costs = root / "scripts" / "durations.json"
    known = json.loads(costs.read_text()) if costs.exists() else {}
    ranks = rank_tests(graph, changed, tests)
    return choose_tests(_prefer_mentions(root, ranks, changed), known, seconds)


def _prefer_mentions(
    root: Path, ranks: Mapping[str, float], changed: Iterable[str]
) -> dict[str, float]:
    """Bring those tests nearer that mention the name of a changed file, such as `limits`."""
    stems = {PurePosixPath(name).stem for name in changed} - {"__init__", "__main__"}
    mention = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(stems)))})\b")
    return {
        test: rank - NAMED if stems and mention.search((root / test).read_text()) else rank
        for test, rank in ranks.items()
    }
