"""The program behind `./test`, which installs what it needs: static checks beside the tests.

The checks run one after another in the background while the tests run; what they print is shown
after the tests, and only of those that failed. It changes no file of the project but the pages that
`--durations-report` and `--all` write.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from scripts.affected import list_changes, list_files, select_tests
from scripts.durations import write_durations
from scripts.records import read_records
from scripts.static import Check, StaticChecks, fingerprint, list_checks
from scripts.summary import Tier, is_complete, render_summary, summarise_tier, write_summary

ROOT = Path(__file__).parent.parent
STATE = ROOT / ".venv" / "loop"
FAST, SLOW = "not slow", "slow"
OVERHEAD, SPARE = 15, 0.85  # seconds that --changed needs beside tests; what a busy machine leaves
NOTHING_COLLECTED = 5
WORKERS = str((os.cpu_count() or 1) + 1)  # one waits for a browser or a server while others work
MOST_RETRIED = 4  # failures that --retry tries once more: more of them are no accident
MANY_EXAMPLES = "200"  # of each property that does not say how many, with --all


def parse_arguments(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our own options, and what is left for pytest."""
    parser = argparse.ArgumentParser(prog="./test", add_help=False, allow_abbrev=False)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--changed", nargs="?", const="", default=None, metavar="REF")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--durations-report", action="store_true")
    parser.add_argument("--no-checks", action="store_true")
    parser.add_argument("--retry", action="store_true")
    options, rest = parser.parse_known_args(arguments)
    if options.resume and not options.all:
        parser.error("--resume goes with --all")
    if options.changed is not None and (options.all or options.durations_report):
        parser.error("--changed goes with neither --all nor --durations-report")
    return options, rest


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for; 0 if all of it passed."""
    options, rest = parse_arguments(arguments)
    os.chdir(ROOT)
    is_whole = not rest and options.changed is None
    checks = StaticChecks(STATE / "checks.json", say)
    if not options.no_checks:
        checks.start(list_checks(ROOT, is_all=options.all), skip=not is_whole)
    try:
        if options.changed is not None:
            failed = run_changed(options.changed, options.seconds, rest)
        elif options.all:
            failed = run_all(rest, resume=options.resume, checks=checks)
        else:
            extra = ["--record-cpu"] if options.durations_report else []
            failed = run_fast([*rest, *extra], is_whole=is_whole, retry=options.retry)
    except KeyboardInterrupt:
        checks.stop()
        say("interrupted")
        return 130
    failed += [check.title for check in checks.finish() if check.failed]
    if options.durations_report:
        part = STATE / ("whole" if is_whole else "part")
        write_durations(find_all_folder() if options.all else part, is_whole=is_whole)
    say(f"FAILED: {', '.join(failed)}" if failed else "all checks passed")
    return int(bool(failed))


def run_fast(rest: Sequence[str], *, is_whole: bool, retry: bool = False) -> list[str]:
    """The fast tier, or the part of it that is named."""
    folder = clear(STATE / ("whole" if is_whole else "part"))
    code = run_pytest(FAST, folder, rest)
    if code == 1 and retry:
        code = retry_failures(folder)
    return [] if code == 0 else ["tests"]


def retry_failures(folder: Path) -> int:
    """Run the few tests that failed once more, alone; name those that passed only then.

    Never where a file could not be collected: none of its tests has run.
    """
    records = read_records(folder)
    failed = [case.test for case in records.cases.values() if case.outcome == "failed"]
    if records.uncollected:
        say("could not be collected:", *sorted(records.uncollected))
    if not failed or records.uncollected or len(failed) > MOST_RETRIED:
        return 1
    say("running once more, one after another:", *failed)
    code = run_pytest(FAST, clear(STATE / "retried"), ["-n", "0", *failed])
    if code == 0:
        say("FLAKY, failed once and then passed; find out why:", *failed)
    return code


def run_all(rest: Sequence[str], *, resume: bool, checks: StaticChecks) -> list[str]:
    """Both tiers and a table; resumed, without the tests that this very tree has passed."""
    folder = find_all_folder()
    for older in STATE.glob("all-*"):
        if older != folder or not resume:
            shutil.rmtree(older)
    passed = [
        case.test
        for case in (read_records(folder).cases.values() if folder.exists() else ())
        if case.outcome == "passed" and case.is_whole
    ]
    if passed:
        say(f"resuming: {len(passed):,} tests of this tree have passed and are not run again")
    os.environ.setdefault("DIRECTOR_EXAMPLES", MANY_EXAMPLES)
    os.environ.setdefault("DIRECTOR_FULL_BROWSER", "1")  # the headless shell is for the fast tier
    codes = {tier: run_pytest(tier, folder, rest, passed) for tier in (FAST, SLOW)}
    records = read_records(folder)
    tiers = [
        summarise_checks(checks.finish()),
        summarise_tier("fast", records, slow=False),
        summarise_tier("slow", records, slow=True),
    ]
    print("\n" + render_summary(tiers))
    if not rest and is_complete(codes.values()):
        write_summary(ROOT, tiers)
    empty = all(code == NOTHING_COLLECTED for code in codes.values()) and not passed
    wrong = any(code not in (0, NOTHING_COLLECTED) for code in codes.values())
    return ["tests"] if wrong or empty else []


def summarise_checks(checks: Sequence[Check]) -> Tier:
    """The static checks as a tier of their own."""
    failed = [check.title for check in checks if check.failed]
    return Tier("static checks", len(checks), failed, sum(each.seconds for each in checks), {})


def find_all_folder() -> Path:
    """Where the records of `--all` are, for this tree."""
    return STATE / f"all-{fingerprint(ROOT, list_files(ROOT))[:16]}"


def run_changed(ref: str, seconds: int, rest: Sequence[str]) -> list[str]:
    """The tests of what changed, as many as fit."""
    changed = list_changes(ROOT, ref or None)
    if not changed:
        say(
            "nothing changed; `./test --changed REF` compares with another revision, such as HEAD~1"
        )
        return []
    chosen = select_tests(ROOT, changed, max(5, seconds - OVERHEAD) * 2 * SPARE)
    say(f"changed: {', '.join(changed)}")
    say(f"running the tests of {len(chosen.files)} files, {chosen.seconds:.0f} s on one core")
    if not chosen.files:
        return []
    begin = time.monotonic()
    folder = clear(STATE / "part")
    code = run_pytest(FAST, folder, [*rest, *chosen.files], chosen.left_out_tests)
    say(f"the tests took {time.monotonic() - begin:.0f} s")
    for what, names in (("files", chosen.left_out_files), ("tests", chosen.left_out_tests)):
        if names:
            say(f"left out for time, {len(names)} {what}:", *names)
    return [] if code in (0, NOTHING_COLLECTED) else ["tests"]


def run_pytest(tier: str, folder: Path, rest: Sequence[str], left_out: Sequence[str] = ()) -> int:
    """Run one tier and record it; its exit code."""
    command = [sys.executable, "-m", "pytest", "-n", WORKERS, "--dist", "worksteal", "-rs"]
    command += ["-m", tier, "-p", "scripts.recorder", "--record", str(folder)]
    folder.mkdir(parents=True, exist_ok=True)
    if left_out:
        names = folder / "left-out.txt"
        names.write_text("\n".join(left_out))
        command += ["--leave-out", str(names)]
    # Without bytecode every worker would compile all libraries again.
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    if not rest:
        subprocess.run([sys.executable, "-m", "scripts.warming"], check=False, env=env)
    return subprocess.run([*command, *rest], check=False, env=env).returncode


def clear(folder: Path) -> Path:
    """An empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def say(*lines: str) -> None:
    """A message of ours among those of the tools."""
    print("test: " + "\n      ".join(lines), file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
