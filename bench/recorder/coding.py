"""The coding runs: a scripted coder changes real packages, file by file, by exact text.

The coder searches, reads whole files and parts of them, edits, reads again what it edited, runs a
test that it wrote, mends what it broke, and now and then tries an edit from a memory that is stale.
Files, searches and test outputs are real; directories and durations are made neutral.
"""

from __future__ import annotations

import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from recorder.walker import Recording

# Package, how its coder reads, and how many changes the user asks for.
CASES = (
    ("h11", "numbered", 4),
    ("sqlparse", "plain", 4),
    ("jinja2", "numbered", 5),
    ("starlette", "colon", 5),
    ("click", "editor", 4),
    ("jsonschema", "plain", 4),
)
SYSTEM = (
    "You change programs in a repository. Tools: Bash runs a command, Grep searches, Read shows a"
    " file or a part of it, Edit replaces a text that occurs exactly once by another, Write makes a"
    " file. Read a file before you edit it."
)
REQUESTS = (
    (
        "Support cannot see what {package} does. Make a module _trace.py with a function trace(name)"
        " that counts calls, and call it at the start of every function that deals with {word}."
    ),
    "Good. Now the same for the functions around {word}; our tests must stay green.",
    "While you are at it: {word} also needs it, in every module where it is defined.",
    "One more place. Everything named {word}, please, and run the whole test file at the end.",
    "Last: {word}. Then tell me which files you touched.",
)
TRACE = "COUNTS: dict[str, int] = {}\n\n\ndef trace(name):\n    COUNTS[name] = COUNTS.get(name, 0) + 1\n"
LARGE = 320
NUMBERS: dict[str, Callable[[int, str], str]] = {
    "numbered": lambda at, line: f"{at:6d}\t{line}",
    "plain": lambda _, line: line,
    "colon": lambda at, line: f"{at}: {line}",
    "editor": lambda at, line: f"{at:>6}→{line}",
}


@dataclass(frozen=True)
class Site:
    """A function: its file, its name, and the lines of its head up to its first statement."""

    path: str
    name: str
    first: int
    last: int


@dataclass
class Coder:
    """The scripted coder: what it did is in the recording, what it knows is in the files."""

    root: Path
    package: str
    style: str
    log: Recording
    done: set[tuple[str, str]] = field(default_factory=set)
    touched: list[str] = field(default_factory=list)

    @property
    def rng(self) -> random.Random:
        """The dice of this run."""
        return self.log.rng

    def tool(self, said: str, name: str, args: dict[str, object], result: str) -> None:
        """Write a call down, with what differs between machines made neutral."""
        neutral = result.replace(str(self.root), "/repo").replace(str(self.root.resolve()), "/repo")
        neutral = re.sub(r"in \d+\.\d+s", "in 0.12s", neutral)
        neutral = re.sub(r"/[\w./-]*/lib/python3\.\d+/(?:site-packages/)?", "/py/", neutral)
        self.log.exchange(said, name, args, neutral.rstrip("\n") or "(no output)")

    def bash(self, said: str, *command: str, shown: str) -> str:
        """Run a command in the repository."""
        ran = subprocess.run(
            command,
            cwd=self.root,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        out = (
            ran.stdout + ran.stderr + (f"\n[exit code {ran.returncode}]" if ran.returncode else "")
        )
        self.tool(said, "Bash", {"command": shown}, out)
        return out

    def grep(self, word: str, said: str) -> None:
        """Search for a word in the package."""
        found = []
        for path in sorted(self.root.glob(f"{self.package}/*.py")):
            name = path.relative_to(self.root)
            lines = path.read_text().splitlines()
            found += [f"{name}:{at}:{line}" for at, line in enumerate(lines, 1) if word in line]
        self.tool(said, "Grep", {"pattern": word, "path": self.package}, "\n".join(found[:120]))

    def read(self, path: str, said: str = "", around: int = 0) -> None:
        """Read a file, or where it is long the part around a line."""
        lines = (self.root / path).read_text().splitlines()
        args: dict[str, object] = {"file_path": f"/repo/{path}"}
        first, last = 1, len(lines)
        if around and len(lines) > LARGE:
            first, last = max(1, around - 60), min(len(lines), around + 110)
            args |= {"offset": first, "limit": last - first + 1}
        number = NUMBERS[self.style]
        shown = "\n".join(number(at, lines[at - 1]) for at in range(first, last + 1))
        self.tool(said, "Read", args, shown)

    def edit(self, path: str, old: str, new: str, said: str = "") -> bool:
        """Replace a text that occurs once; told as an error where it does not."""
        place = self.root / path
        text = place.read_text()
        args: dict[str, object] = {
            "file_path": f"/repo/{path}",
            "old_string": old,
            "new_string": new,
        }
        if text.count(old) != 1:
            what = "not found" if old not in text else f"found {text.count(old)} times"
            self.tool(said, "Edit", args, f"Error: the text to replace was {what} in {path}.")
            return False
        place.write_text(text.replace(old, new))
        at = text[: text.index(old)].count("\n") + 1
        lines = place.read_text().splitlines()
        number = NUMBERS[self.style]
        near = range(max(1, at - 3), min(len(lines), at + new.count("\n") + 4) + 1)
        shown = "\n".join(number(n, lines[n - 1]) for n in near)
        brief = f"The file /repo/{path} has been updated."
        told = brief if self.style == "plain" else f"{brief} Here is a part of it:\n{shown}"
        self.tool(said, "Edit", args, told)
        if path not in self.touched:
            self.touched.append(path)
        return True

    def test(self, said: str) -> str:
        """Run the tests that the coder wrote."""
        shown = "python -m pytest -q tests/test_trace.py"
        command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
        return self.bash(said, *command, "tests/test_trace.py", shown=shown)


def sites(root: Path, package: str) -> Iterator[Site]:
    """The functions of a package that have a first statement to stand before."""
    for path in sorted(root.glob(f"{package}/*.py")):
        name = str(path.relative_to(root))
        for node in _nodes(path.read_text()):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            body = node.body
            doc = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
            if doc and len(body) == 1:
                continue
            first = body[1] if doc else body[0]
            if first.lineno > node.lineno and first.col_offset == node.col_offset + 4:
                yield Site(name, node.name, node.lineno, first.lineno)


@cache
def _nodes(source: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(source)))


def words(found: list[Site], rng: random.Random, count: int) -> list[str]:
    """Words in the names of functions that occur in several places, but not everywhere."""
    tally: dict[str, int] = {}
    for site in found:
        for word in set(site.name.strip("_").split("_")):
            tally[word] = tally.get(word, 0) + 1
    fitting = sorted(word for word, times in tally.items() if 3 <= times <= 7 and len(word) > 3)
    return rng.sample(fitting, min(count, len(fitting)))


def _change(coder: Coder, word: str, *, broken: bool) -> None:
    """Deal with one word: search, read, edit every place, test, mend."""
    coder.grep(word, f"I look for {word} first.")
    mine = [s for s in sites(coder.root, coder.package) if word in s.name.strip("_").split("_")]
    mine = [s for s in mine if (s.path, s.name) not in coder.done][:7]
    by_file: dict[str, list[Site]] = {}
    for site in mine:
        by_file.setdefault(site.path, []).append(site)
    ahead = coder.rng.random() < 0.5
    if ahead:
        for path, group in by_file.items():
            coder.read(path, around=group[0].first)
    for path, group in by_file.items():
        if not ahead:
            coder.read(path, f"Now {path}.", around=group[0].first)
        for site in group:
            _instrument(coder, site, far=site.first - group[0].first > 100)
    out = coder.test("Let me run the tests.")
    if broken and mine:
        _break_and_mend(coder, mine[-1])
    elif "failed" in out or "error" in out.lower():
        coder.read("tests/test_trace.py", "That is the test itself.")


def _instrument(coder: Coder, site: Site, *, far: bool) -> None:
    """Put a call at the start of a function, from the text that was read."""
    now = [
        s for s in sites(coder.root, coder.package) if (s.path, s.name) == (site.path, site.name)
    ]
    here = min(now, key=lambda s: abs(s.first - site.first), default=None)
    if here is None or (site.path, site.name) in coder.done:
        return
    if far and len((coder.root / site.path).read_text().splitlines()) > LARGE:
        coder.read(site.path, around=here.first)
    lines = (coder.root / site.path).read_text().splitlines()
    start = max(here.first - 1, here.last - coder.rng.randint(2, 7))
    old = "\n".join(lines[start : here.last])
    first = lines[here.last - 1]
    call = f'{first[: len(first) - len(first.lstrip())]}trace("{site.name}")'
    new = "\n".join([*lines[start : here.last - 1], call, first])
    if coder.rng.random() < 0.12:
        coder.edit(site.path, f"{old}  # as it was", new)
        coder.read(site.path, "Not as I remember it; I look again.", around=here.first)
    if (coder.root / site.path).read_text().count(old) != 1:
        start = max(0, here.first - 2)
        old = "\n".join(lines[start : here.last])
        new = "\n".join([*lines[start : here.last - 1], call, first])
    if not coder.edit(site.path, old, new):
        return
    coder.done.add((site.path, site.name))
    text = (coder.root / site.path).read_text()
    if "import trace\n" not in text:
        _import(coder, site.path)
    if coder.rng.random() < 0.25:
        coder.read(site.path, "I check how it reads now.", around=here.first)


def _import(coder: Coder, path: str) -> None:
    """Add the import beside the first one that stands alone on its line."""
    lines = (coder.root / path).read_text().splitlines()
    plain = [
        line
        for line in lines
        if re.fullmatch(r"(?:import \w+|from [\w.]+ import \w+)", line)
        and "__future__" not in line
        and lines.count(line) == 1
    ]
    text = (coder.root / path).read_text()
    old = next((line for line in plain if text.count(line) == 1), None)
    if old is None:
        return
    if path.count("/") == 1 and len(lines) > LARGE:
        coder.read(path, "The imports are at the top.", around=1)
    coder.edit(path, old, f"{old}\nfrom {coder.package}._trace import trace")


def _break_and_mend(coder: Coder, site: Site) -> None:
    """Change a line wrongly, see the test fail, find the place again and put it right."""
    path = f"{coder.package}/_trace.py"
    old = "    COUNTS[name] = COUNTS.get(name, 0) + 1\n"
    new = "    COUNTS[name] = COUNT.get(name, 0) + 1\n    LATEST.append(name)\n"
    if not coder.edit(path, old, new, f"Support also wants the latest, such as {site.name}."):
        return
    coder.test("Once more.")
    coder.read(path, "A slip of mine.")
    coder.edit(path, new, old.rstrip("\n") + "  # the latest is not kept\n")
    coder.test("And now?")


def _test_file(coder: Coder) -> str:
    modules = sorted(p.stem for p in coder.root.glob(f"{coder.package}/*.py") if p.stem[0] != "_")
    names = ", ".join(f'"{coder.package}.{name}"' for name in modules if name != "testclient")
    return (
        "import importlib\n\nimport pytest\n\n"
        f"from {coder.package}._trace import COUNTS, trace\n\n\n"
        f"@pytest.mark.parametrize('name', [{names}])\n"
        "def test_every_module_can_be_imported(name):\n"
        "    assert importlib.import_module(name)\n\n\n"
        "def test_calls_are_counted():\n    trace('x')\n    trace('x')\n"
        "    assert COUNTS['x'] == 2\n"
    )


def _record(root: Path, package: str, style: str, count: int) -> Recording:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"{package} is missing: install what ./test installs")
    shutil.copytree(Path(found.origin).parent, root / package)
    (root / "tests").mkdir()
    log = Recording(f"coding-{package}", random.Random(f"coding {package}"))
    coder = Coder(root, package, style, log)
    chosen = words(list(sites(root, package)), log.rng, count)
    log.begin(SYSTEM, REQUESTS[0].format(package=package, word=chosen[0]))
    listed = "\n".join(sorted(p.name for p in (root / package).glob("*.py")))
    coder.tool("I look around.", "Bash", {"command": f"ls {package}"}, listed)
    made: list[tuple[str, str]] = [(f"{package}/_trace.py", TRACE)]
    made.append(("tests/test_trace.py", _test_file(coder)))
    for path, text in made:
        (root / path).write_text(text)
        coder.tool("", "Write", {"file_path": f"/repo/{path}", "content": text}, "File written.")
    for nth, word in enumerate(chosen):
        if nth:
            log.answer(f"Done for {chosen[nth - 1]}; the tests are green.")
            log.user(REQUESTS[min(nth, len(REQUESTS) - 1)].format(package=package, word=word))
        _change(coder, word, broken=nth == 1)
    log.answer("Touched: " + json.dumps(coder.touched))
    return log


def runs(scratch: Path) -> Iterator[Recording]:
    """All coding runs, each on a fresh copy of its package."""
    for package, style, count in CASES:
        root = scratch / f"coding-{package}"
        root.mkdir()
        yield _record(root, package, style, count)
