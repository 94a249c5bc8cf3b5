"""The terminal runs: a scripted coder in a small repository, with the real output of each command.

The coder finds a commit that broke a test, mends it and writes down what it was. Outputs are real
except for what differs from machine to machine: directories and durations are made neutral.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recorder.walker import Recording

SAMPLE = Path(__file__).parent.parent / "samples" / "ledger"
SYSTEM = (
    "You mend programs through a shell. Tools: bash runs a command in the repository, read_file"
    " shows a file, edit_file replaces a piece of text that occurs once."
)
WHO = {"NAME": "R. Calder", "EMAIL": "calder@ledger.test"}


@dataclass(frozen=True)
class Case:
    """One break of the sample: where, how it reads when sound, how when broken, and who said what."""

    name: str
    task: str
    path: str
    sound: str
    broken: str
    message: str
    symbol: str
    reading: tuple[str, ...]


CASES = (
    Case(
        "split",
        "Members complain that shared costs do not add up. Find the commit that broke it.",
        "ledger/money.py",
        "Money(share + (1 if at < left_over else 0), ",
        "Money(share, ",
        "Make splitting shorter",
        "split_evenly",
        ("README.md", "ledger/report.py", "tests/test_report.py"),
    ),
    Case(
        "month",
        "The January statement misses the soup of the 31st. Find out since when, and mend it.",
        "ledger/statement.py",
        "if first <= entry.day <= last",
        "if first <= entry.day < last",
        "Use half-open months",
        "entries_of_month",
        ("ledger/statement.py", "books.csv", "ledger/report.py"),
    ),
    Case(
        "tags",
        "Entries with two tags come back with one. Something in the last changes did that.",
        "ledger/store.py",
        'TAG_SEPARATOR = "|"',
        'TAG_SEPARATOR = ";"',
        "Write tags as other programs do",
        "TAG_SEPARATOR",
        ("ledger/store.py", "ledger/entry.py", "books.csv"),
    ),
    Case(
        "rates",
        "Amounts in foreign money are off on the very day a rate changes. Please repair that.",
        "ledger/rates.py",
        "at = bisect_right(",
        "at = bisect_left(",
        "Look rates up from the left",
        "rate_on",
        ("ledger/rates.py", "ledger/statement.py", "CHANGELOG.md"),
    ),
    Case(
        "sign",
        "Small debts are printed with a strange sign. Find the cause and the commit behind it.",
        "ledger/money.py",
        "whole, cents = divmod(abs(self.cents), 100)",
        "whole, cents = divmod(self.cents, 100)",
        "Drop a needless call",
        "__str__",
        ("ledger/cli.py", "ledger/money.py", "tests/test_money.py"),
    ),
)


class Coder:
    """The hands of a scripted agent in one repository."""

    def __init__(self, where: Path, recording: Recording) -> None:
        self.where = where
        self.log = recording

    def run(self, command: str, said: str = "") -> str:
        """Run a command and write it down with its output."""
        shown = self._neutral(_execute(command, self.where, self.log.clock))
        self.log.exchange(said, "bash", {"command": command}, shown)
        return shown

    def read(self, path: str, said: str = "") -> str:
        """Show a file with numbered lines."""
        lines = (self.where / path).read_text().splitlines()
        shown = "\n".join(f"{number:>5}\t{line}" for number, line in enumerate(lines, start=1))
        self.log.exchange(said, "read_file", {"path": path}, shown)
        return shown

    def edit(self, path: str, old: str, new: str, said: str = "") -> None:
        """Replace a piece of text that occurs once."""
        text = (self.where / path).read_text()
        if text.count(old) != 1:
            raise LookupError(f"{old!r} occurs {text.count(old)} times in {path}")
        (self.where / path).write_text(text.replace(old, new))
        args = {"path": path, "old": old, "new": new}
        self.log.exchange(said, "edit_file", args, f"Replaced 1 occurrence in {path}.")

    def _neutral(self, shown: str) -> str:
        shown = shown.replace(f"{self.where}/", "").replace(str(self.where), ".")
        shown = re.sub(r"\bin \d+\.\d\ds\b", "in 0.09s", shown)
        return re.sub(r"[^\s\"']*/(?=lib/python3\.\d+/)", "", shown)


def _execute(command: str, where: Path, clock: float) -> str:
    # The clock of a run is simulated, so that commit hashes come out the same every time.
    moment = f"2025-06-02T09:{int(clock // 60) % 60:02d}:{int(clock) % 60:02d}+00:00"
    identity = {
        f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in WHO.items()
    }
    dates = {f"GIT_{role}_DATE": moment for role in ("AUTHOR", "COMMITTER")}
    quiet = {
        "GIT_PAGER": "cat",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_ADDOPTS": "-p no:cacheprovider --no-header",
    }
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    setting = {"PATH": tools, "LC_ALL": "C.UTF-8", "COLUMNS": "100", **identity, **dates, **quiet}
    done = subprocess.run(
        ["bash", "-c", command], cwd=where, env=setting, capture_output=True, text=True, check=False
    )
    return f"{done.stdout}{done.stderr}".rstrip() or "(no output)"


def _plant(case: Case, where: Path) -> None:
    """Build the repository's history, with the break in the middle of it."""
    shutil.copytree(SAMPLE, where)
    for check in (where / "tests").glob("checks_*.py"):
        check.rename(check.with_name(check.name.replace("checks_", "test_")))
    steps = [
        ("Start with money and entries", "ledger/__init__.py ledger/money.py ledger/entry.py"),
        ("Read and write books", "ledger/store.py books.csv"),
        ("Look up rates by day", "ledger/rates.py"),
        ("Add statements and reports", "ledger/statement.py ledger/report.py"),
        ("Test it all", "tests pyproject.toml"),
    ]
    _execute("git init -q -b main", where, 0)
    for at, (message, paths) in enumerate(steps):
        _execute(f"git add {paths} && git commit -q -m '{message}'", where, at * 60)
    text = (where / case.path).read_text()
    broken = text.replace(case.sound, case.broken).replace(
        "from bisect import bisect_right", "from bisect import " + _bisect(case)
    )
    (where / case.path).write_text(broken)
    _execute(f"git commit -q -a -m '{case.message}'", where, 400)
    _execute("git add ledger/cli.py && git commit -q -m 'Add a command line'", where, 460)
    _execute("git add . && git commit -q -m 'Write down rules and changes'", where, 520)


def _bisect(case: Case) -> str:
    return "bisect_left" if case.name == "rates" else "bisect_right"


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise LookupError(f"{pattern!r} is not in the output: script and sample disagree")
    return found.group(1)


def _mend(case: Case, where: Path, seed: int) -> Recording:
    """Find the failing test, the commit behind it and the line; mend, check, write it down."""
    recording = Recording(f"terminal-{case.name}", random.Random(f"terminal {seed}"), clock=900.0)
    recording.begin(SYSTEM, f"{case.task} Leave a line in CHANGELOG.md that names commit and test.")
    coder = Coder(where, recording)
    coder.run("ls -R . | head -40 && git status --short", "First a look around.")
    history = coder.run("git log --date=short --format='%h %ad %an %s'", "And the history.")
    culprit = _first(rf"^(\w+) .*{case.message}$", history)
    failed = coder.run("python -m pytest -q 2>&1 | tail -60", "Do tests fail?")
    tests = re.findall(r"^FAILED (\S+)", failed, re.MULTILINE)
    for path in case.reading:
        said = "To understand it I read on." if recording.rng.random() < 0.5 else ""
        if recording.rng.random() < 0.5:
            coder.read(path, said)
        else:
            coder.run(f"cat {path}", said)
    coder.run("cat tests/test_*.py", "And what the tests ask for.")
    coder.run("git log -p -2 --format='%h %an %s' -- ledger | head -120", "Recent work in full.")
    found = coder.run(
        f"grep -rn {case.symbol} --include='*.py' . | sort", f"Who uses {case.symbol}?"
    )
    line = _first(rf"{case.path}:(\d+)", found)
    low, high = max(1, int(line) - 3), int(line) + 12
    coder.run(f"git blame -s -L {low},{high} {case.path}", "Whose lines are these?")
    coder.run("git log --stat -3 --format='%h %s' -- ledger", "What else changed lately?")
    coder.run(f"git show {culprit}", "One commit looks like it.")
    coder.run(f"python -m pytest -q '{tests[0]}' 2>&1 | tail -30")
    if case.name == "rates":
        coder.edit(case.path, "import bisect_left", "import bisect_right")
    coder.edit(case.path, case.broken, case.sound, "That is the line to mend.")
    coder.run("git diff")
    coder.run("python -m pytest -v 2>&1", "All tests again.")
    coder.run("sed -n 1,20p CHANGELOG.md", "Now the change log.")
    entry = f"# Changes\n\n## 0.3.1\n- Undo {culprit}: `{tests[0]}` holds again.\n"
    coder.edit("CHANGELOG.md", "# Changes\n", entry)
    message = f"Mend {case.symbol}, broken by {culprit}"
    coder.run(f"git commit -q -a -m '{message}' && git log --oneline -2", "Committing.")
    coder.run("python -m ledger.cli statement books.csv 2025-01", "A last look at the program.")
    shown = {"commit": culprit, "tests": tests, "file": case.path, "line": int(line)}
    recording.exchange("", "submit_fix", shown, "Received.")
    recording.user("Thanks. Which earlier commit added that test, and does it pass on its own?")
    added = _first(r"^(\w+) .*Test it all$", history)
    coder.run(f"git show --stat --format='%h %an %s' {added}", "It came with the tests.")
    coder.run(f"python -m pytest -q -v '{tests[-1]}'")
    recording.answer(f"It came with {added} and passes on its own.")
    return recording


def runs(scratch: Path) -> Iterator[Recording]:
    """Record every case in a repository of its own."""
    for seed, case in enumerate(CASES):
        where = scratch / case.name
        _plant(case, where)
        yield _mend(case, where, seed)
