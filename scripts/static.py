"""The static checks of `./test`: in the background, and skipped while nothing changed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.affected import list_files

# Written by the checks and tests themselves, so that writing them changes nothing.
WRITTEN = (
    *(f"docs/loop/{name}.md" for name in ("durations", "faults", "test-all")),
    "scripts/durations.json",
)
STATIC = (".py", ".toml", ".json", ".txt", "docs/glossary.md")
# Two frameworks whose own code takes two fifths of the time; --all reads their adapters too.
LARGE_FRAMEWORKS = "middleware/(pydantic_ai|pydantic_messages|openai_agents)"


@dataclass(slots=True)
class Check:
    """One check: a command, the files that its result depends on, and its result."""

    title: str
    command: list[str]
    inputs: str  # the fingerprint of those files
    failed: bool = False
    output: str = ""
    seconds: float = 0.0


def fingerprint(root: Path, names: Iterable[str]) -> str:
    """A hash of the names and contents of files, but for those that `./test` writes."""
    total = hashlib.sha256()
    for name in sorted(names):
        if not name.startswith(WRITTEN):
            total.update(f"{name}\0".encode())
            total.update(hashlib.sha256((root / name).read_bytes()).digest())
    return total.hexdigest()


def list_checks(root: Path, *, is_all: bool) -> list[Check]:
    """The checks, the quickest first; with `is_all` also all adapters and the documentation."""
    files = list_files(root)
    code = fingerprint(root, (name for name in files if name.endswith(STATIC)))
    python, layers = sys.executable, str(Path(sys.executable).with_name("lint-imports"))
    commands = {
        "lint": [python, "-m", "ruff", "check", "."],
        "format": [python, "-m", "ruff", "format", "--check", "."],
        "shape": [python, "-m", "scripts.shape"],
        "layers": [python, layers],
    }
    types = [python, "-m", "mypy"]
    if is_all:
        commands["types of all"] = types
    else:
        commands["types"] = [*types, "--exclude", LARGE_FRAMEWORKS]
    checks = [Check(title, command, code) for title, command in commands.items()]
    if is_all:
        command = [python, "-m", "mkdocs", "build", "--strict", "--quiet"]
        checks.append(Check("documentation", command, fingerprint(root, files)))
    return checks


class StaticChecks:
    """Runs checks one after another beside the tests, and remembers which inputs passed."""

    def __init__(self, stamps: Path, say: Callable[..., None]) -> None:
        """Keep stamps in a file; tell failures at once with `say`, outputs at the end."""
        self._stamps = stamps
        self._say = say
        self._checks: list[Check] = []
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False

    def start(self, checks: Sequence[Check], *, skip: bool) -> None:
        """Begin in the background; with `skip`, without those that passed on the same inputs."""
        passed = self._read_stamps() if skip else {}
        self._checks = [check for check in checks if passed.get(check.title) != check.inputs]
        if len(self._checks) < len(checks):
            skipped = [check.title for check in checks if check not in self._checks]
            self._say(f"unchanged since passed, skipped: {', '.join(skipped)}")
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def finish(self) -> list[Check]:
        """Wait for all of them; show what the failed ones printed."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            for check in self._checks:
                if check.failed:
                    self._say(f"{check.title} FAILED:")
                    print(check.output, flush=True)
        return self._checks

    def stop(self) -> None:
        """End what runs."""
        self._stopped = True
        if self._process is not None:
            self._process.terminate()

    def _run(self) -> None:
        environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # a notice about another product
        for check in self._checks:
            if self._stopped:
                return
            begin = time.monotonic()
            self._process = subprocess.Popen(
                check.command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                text=True,
                env=environ,
            )
            check.output, _ = self._process.communicate()
            check.failed = self._process.returncode != 0
            check.seconds = time.monotonic() - begin
            self._stamp(check)
            if check.failed and not self._stopped:
                self._say(f"{check.title} failed; its output follows the tests")

    def _read_stamps(self) -> dict[str, str]:
        try:
            return json.loads(self._stamps.read_text())
        except (OSError, ValueError):
            return {}

    def _stamp(self, check: Check) -> None:
        """Remember that a check passed on its inputs, or that it did not."""
        stamps = {**self._read_stamps(), check.title: "" if check.failed else check.inputs}
        self._stamps.parent.mkdir(parents=True, exist_ok=True)
        self._stamps.write_text(json.dumps(stamps))
