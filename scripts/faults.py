"""Plants ten faults, one at a time and each in another package; `./test --changed` is to find it.

    python -m scripts.faults           those that no earlier run found; writes docs/loop/faults.md
    python -m scripts.faults store     the one in this package, or in these
    python -m scripts.faults --again   all of them, or those of a package, whatever was found before

All of it happens in a copy of the project. The test of this program is left out: it looks for the
very lines, so it would find every fault. What `--changed` misses is looked for by the tests of the
package, which are a part of `./test`. A test that fails counts only if it passes without the fault.
Each result is kept as it comes, and holds until the file with the fault or the test that found it
changes: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from scripts.affected import list_files
from scripts.durations import describe_machine
from scripts.static import fingerprint

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "loop" / "faults.md"
RESULTS = ROOT / ".venv" / "loop" / "faults.json"
LIMIT = 1800  # seconds
OURS = "tests/scripts/test_faults.py"


@dataclass(frozen=True, slots=True)
class Fault:
    """One line of a file, and what is written instead of it."""

    file: str
    line: str
    instead: str
    effect: str

    @property
    def package(self) -> str:
        """The package that it is in."""
        return self.file.split("/")[2]


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a fault: the tests that found it, and how long that took."""

    found: list[str]
    seconds: float
    command: str
    problem: str = ""
    state: str = ""  # a fingerprint of the file with the fault and of the tests that found it
    missed_by: str = ""  # the command that came before this one


FAULTS = [
    Fault(
        "src/director/context/prune.py",
        "key=lambda i: (scores[i], i))",
        "key=lambda i: (-scores[i], i))",
        "the most important units leave first",
    ),
    Fault(
        "src/director/store/purge.py",
        "sorted(own - list_purged_hashes(connection, left))",
        "sorted(own)",
        "a purge deletes bytes that another thread uses",
    ),
    Fault(
        "src/director/models/usage.py",
        "output=a.output + b.output",
        "output=a.output",
        "the output of the second request is not counted",
    ),
    Fault(
        "src/director/browser/approved_origins.py",
        "for cut in range(1, len(labels))",
        "for cut in range(len(labels))",
        "a wildcard approves the domain itself",
    ),
    Fault(
        "src/director/runs/questions.py",
        "if asked.choices and text not in asked.choices:",
        "if asked.choices and not text:",
        "an answer that is none of the choices is taken",
    ),
    Fault(
        "src/director/agent/turn_limits.py",
        "if self.tokens >= limits.tokens:",
        "if self.tokens >= 2 * limits.tokens:",
        "a turn uses twice the tokens that it may",
    ),
    Fault(
        "src/director/web/sessions.py",
        "self._links.discard(digest)",
        "self._links.discard(token)",
        "a link lets in more than once",
    ),
    Fault(
        "src/director/workflow/paths.py",
        "if -len(value) <= step < len(value):",
        "if 0 <= step < len(value):",
        "a path cannot count from the end of a list",
    ),
    Fault(
        "src/director/secrets/encoded_forms.py",
        "raw.hex().upper().encode()",
        "raw.hex().lower().encode()",
        "a secret in capital hex digits is not redacted",
    ),
    Fault(
        "src/director/middleware/managed_threads.py",
        "sent = fitted.messages[len(head) :]",
        "sent = fitted.messages",
        "instructions are sent twice",
    ),
]


@contextmanager
def copy_project(root: Path) -> Iterator[Path]:
    """A copy under git, with an environment of its own that borrows the packages of this one."""
    with tempfile.TemporaryDirectory(prefix="faults-") as made:
        copy = Path(made) / "director"
        # With the bytecode, which is good for files of the same time, nothing is compiled again.
        compiled = (path for part in ("src", "tests") for path in (root / part).rglob("*.pyc"))
        for name in [*list_files(root), *(str(path.relative_to(root)) for path in compiled)]:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, copy / name)
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "gc.auto=0"]
        for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "copy"]):
            subprocess.run([*git, *arguments], cwd=copy, check=True)
        environment = copy / ".venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        inside = next(environment.glob("lib/python*/site-packages"))
        # A path in a .pth file is searched, but the .pth files in it are not: our own link to src.
        (inside / "copy.pth").write_text(f"{copy / 'src'}\n{sysconfig.get_path('purelib')}\n")
        # Programs that packages bring along; what is a script would start this environment instead.
        for program in Path(sysconfig.get_path("scripts")).iterdir():
            here = environment / "bin" / program.name
            if program.is_file() and not here.exists() and program.read_bytes()[:2] != b"#!":
                here.symlink_to(program)
        yield copy


def try_fault(copy: Path, fault: Fault, arguments: Sequence[str]) -> Trial:
    """Plant one, run the tests, take it away, and run those that failed again."""
    path = copy / fault.file
    text = path.read_text() if path.exists() else ""
    command = " ".join(["./test", *arguments])
    if text.count(fault.line) != 1:
        return Trial([], 0.0, command, "the line is not there any more: choose another")
    begin = time.monotonic()
    path.write_text(text.replace(fault.line, fault.instead))
    try:
        # In one process the closest tests come first, and one that fails ends it.
        _, failed = _run_tests(copy, [*arguments, "-x", "-n", "0"])
    finally:
        path.write_text(text)
    seconds = round(time.monotonic() - begin, 1)
    passed = not failed or _run_tests(copy, [*failed, "-n", "0"])[0]
    if not passed:
        return Trial([], seconds, command, f"without the fault it does not pass either: {failed}")
    return Trial(failed, seconds, command)


def _run_tests(copy: Path, arguments: Sequence[str]) -> tuple[bool, list[str]]:
    """Whether the tests pass, and which fail; they do not pass if they do not end in time."""
    python = str(copy / ".venv" / "bin" / "python")
    command = [
        python,
        "-m",
        "scripts.check",
        "--no-checks",
        *arguments,
        "--deselect",
        OURS,
        "-rfE",
        "-p",
        "no:randomly",
    ]
    try:
        done = subprocess.run(
            command, cwd=copy, capture_output=True, text=True, check=False, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return False, []
    return done.returncode == 0, read_failures(done.stdout)


def read_failures(output: str) -> list[str]:
    """The tests that pytest names as failed; a name may hold blanks."""
    return re.findall(
        r"^(?:FAILED|ERROR) (tests/\S+?\.py(?:::.+?)?)(?: - .*)?$", output, re.MULTILINE
    )


def look_for(copy: Path, fault: Fault) -> Trial:
    """What finds it: `./test --changed`, or else the tests of its package."""
    trial = try_fault(copy, fault, ["--changed", "HEAD"])
    if not trial.found and (copy / "tests" / fault.package).is_dir():
        wider = try_fault(copy, fault, [f"tests/{fault.package}"])
        trial = replace(wider, missed_by=trial.command)
    return replace(trial, state=describe_state(copy, fault, trial.found))


def describe_state(root: Path, fault: Fault, found: Sequence[str]) -> str:
    """A fingerprint of all that a result rests on; none of a fault that was not found."""
    files = sorted({fault.file, *(name.partition("::")[0] for name in found)})
    is_there = found and all((root / name).is_file() for name in files)
    return fingerprint(root, files)[:16] if is_there else ""


def render_page(trials: Mapping[str, Trial]) -> str:
    """The table."""
    rows = []
    for fault in FAULTS:
        if trial := trials.get(fault.file):
            found = f"`{trial.found[0]}`" if trial.found else trial.problem or "**not found**"
            rows.append(
                f"| {fault.package} | {fault.effect} | `{fault.instead}` | `{trial.command}` "
                f"| {trial.seconds:.0f} s | {found} |"
            )
    by_changed = [t for t in trials.values() if t.found and not t.missed_by]
    found_all = [t for t in trials.values() if t.found]
    head = [
        "# Faults planted, faults found",
        "",
        (
            f"Written by `python -m scripts.faults`. {describe_machine()}. Of {len(trials)} faults "
            f"`./test --changed` found {len(by_changed)}. What it missed was looked for by the "
            "tests of the package alone. These are a part of `./test`, and so are those of "
            f"`--changed`: `./test` finds {len(found_all)}. Its other tests were not run. The time "
            "is that until the first test failed, on a machine that may have had other work to do."
        ),
        "",
        "| package | fault | written instead | command | time | found by |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]) + "\n"


def read_trials() -> dict[str, Trial]:
    """What earlier runs found, as far as it still holds."""
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    trials = {file: Trial(**each) for file, each in stored.items()}
    return {
        fault.file: trials[fault.file]
        for fault in FAULTS
        if fault.file in trials
        and trials[fault.file].state
        and trials[fault.file].state == describe_state(ROOT, fault, trials[fault.file].found)
    }


def write_trials(trials: Mapping[str, Trial]) -> None:
    """Keep them, and write the page."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps({file: asdict(each) for file, each in trials.items()}))
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(render_page(trials))


def main() -> int:
    """Try what no earlier run found; 0 if all were found, and all but one by `--changed`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", nargs="*", help="only the faults in these packages")
    parser.add_argument("--again", action="store_true", help="forget what was found of these")
    options = parser.parse_args()
    wanted = [each for each in FAULTS if not options.package or each.package in options.package]
    again = {each.file for each in wanted} if options.again else set()
    trials = {file: trial for file, trial in read_trials().items() if file not in again}
    with copy_project(ROOT) as copy:
        for fault in wanted:
            if fault.file in trials:
                continue
            trial = look_for(copy, fault)
            print(f"{fault.package}: {trial.found or trial.problem or 'not found'}", flush=True)
            trials = {**trials, fault.file: trial}
            write_trials(trials)
    found = [each for each in trials.values() if each.found]
    by_changed = [each for each in found if not each.missed_by]
    return int(len(found) < len(FAULTS) or len(by_changed) < len(FAULTS) - 1)


if __name__ == "__main__":
    sys.exit(main())
