"""`director context` from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import director
from director.cli import app
from director.counting import counter_for
from director.planning.agent_profiles import AGENTS, REFERENCES, SKILLS, load_profile
from director.planning.delivery import split_for_delivery
from director.planning.values import ProjectError
from planning.folders import SMALL, TASK, committed, written

_ROOT = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a history."""
    return committed(written(tmp_path / "p", SMALL), "Start")


def ran(root: Path, *arguments: str, code: int = 0) -> tuple[str, str]:
    """What the command says to both outputs."""
    done = CliRunner().invoke(app, ["context", *arguments, "--project", str(root)])
    assert done.exit_code == code, done.output
    return done.stdout, done.stderr


def test_the_context_goes_to_the_output_and_the_report_beside_it(root: Path) -> None:
    """Kept, and named in the report's words."""
    out, err = ran(root, "builder")
    assert out.startswith("<vision>\n# Vision\n")
    assert err.startswith("Context Budget Report:\n")
    assert (root / ".director/contexts").is_dir()


def test_out_writes_context_and_manifest_and_they_verify(root: Path, tmp_path: Path) -> None:
    """Both whole."""
    ran(root, "builder", "--out", str(tmp_path / "c.md"), "--no-keep")
    assert (tmp_path / "c.md.manifest.json").exists()
    assert not (root / ".director/contexts").exists()
    assert "Everything holds" in ran(root, "verify", str(tmp_path / "c.md"))[0]
    (root / TASK).write_text("# Task: x\n")
    assert "has changed since" in ran(root, "verify", str(tmp_path / "c.md"), code=1)[0]
    out, _ = ran(root, "diff", str(tmp_path / "c.md"), str(tmp_path / "c.md"))
    assert "The same" in out


def test_what_does_not_fit_is_an_error_before_anything_is_written(
    root: Path, tmp_path: Path
) -> None:
    """Neither the file nor what is kept."""
    _, err = ran(root, "builder", "--window", "300", "--out", str(tmp_path / "c.md"), code=2)
    assert "the budget is 90 (30% of a window of 300)" in err
    assert not (tmp_path / "c.md").exists()
    assert not (root / ".director/contexts").exists()


def test_json_holds_context_report_and_manifest(root: Path) -> None:
    """For scripts."""
    said = json.loads(ran(root, "builder", "--json", "--model", "openai:gpt-4o")[0])
    assert said["manifest"]["window"] == 128_000
    assert said["manifest"]["counter"] == {"name": "o200k_base", "error": 0.0}
    assert said["context"].startswith("<vision>")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bilder"], "Did you mean 'builder'?"),
        (["builder", "--task", "nothing"], "There is no task 'nothing'"),
        (["builder", "--skill", "planner"], "is an agent"),
        (["builder", "--model", "nobody-knows"], "Give it with --window"),
        (["builder", "--model", "anthropic:claude-of-tomorrow"], "Give it with --window"),
        (["builder", "--out", "nowhere/c.md"], "There is no folder 'nowhere'"),
        (["builder", "--host", "fax"], "There is no host 'fax'"),
        (["builder", "--instructions", "nowhere.md"], "cannot be read"),
        (["deep-researcher", "--step", "9.9"], "There is no step '9.9'"),
        (["replay"], "No context was kept here"),
        (["verify", "zzz"], "There is no manifest 'zzz'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    root: Path, arguments: list[str], said: str
) -> None:
    """With what would be right."""
    assert said in ran(root, *arguments, code=2)[1]


def test_a_skill_file_brings_the_profile_of_its_name(root: Path, tmp_path: Path) -> None:
    """Also if it is named with its plugin ahead, and in lines of Windows."""
    written(root, {".director/codebase/TESTING.md": "How it is tested.\n"})
    (tmp_path / "SKILL.md").write_bytes(b"---\r\nname: director:inspect\r\n---\r\n\r\nLook.\r\n")
    out, _ = ran(root, "verifier", "--skill", str(tmp_path / "SKILL.md"))
    assert "How it is tested." in out
    assert "Look." in out


def test_a_context_above_a_ceiling_comes_in_parts_that_make_it_whole(root: Path) -> None:
    """Below it, as it is."""
    assert ran(root, "builder", "--host", "hook")[0].startswith("<vision>")
    big = {".director/codebase/CONVENTIONS.md": "# Big\n\n" + "Words of a line.\n\n" * 9_000}
    written(root, big)
    out, _ = ran(root, "builder", "--host", "bash")
    files = [Path(line.split(" ")[1]) for line in out.splitlines()[1:]]
    assert len(files) > 1
    whole = ran(root, "builder")[0]
    assert b"".join(path.read_bytes() for path in files).decode() == whole


def test_parts_are_the_text_and_each_is_small() -> None:
    """Also of one endless line."""
    count = counter_for()
    text = "<vision>\n" + "word " * 5_000 + "\n</vision>\n\n<task>\nx\n</task>\n"
    found = split_for_delivery(text, count, 500)
    assert "".join(found) == text
    assert max(map(count, found)) <= 500


def test_profiles_and_references_are_listed_and_shown() -> None:
    """All eleven agents, all five skills."""
    listed = CliRunner().invoke(app, ["context", "profiles"]).stdout
    assert all(f"{name} " in listed for name in (*AGENTS, *SKILLS))
    for name in REFERENCES:
        assert CliRunner().invoke(app, ["context", "reference", name]).stdout.startswith("# ")
    with pytest.raises(ProjectError, match="no agent or skill"):
        load_profile("poet")


@pytest.mark.promise("B7")
def test_the_same_bytes_in_processes_that_share_nothing(root: Path) -> None:
    """Hash seed, zone, locale, git's own settings of the user, and when the files were written."""
    command = [
        sys.executable,
        "-m",
        "director.cli",
        "context",
        "builder",
        "--json",
        "--no-keep",
        "--project",
    ]
    said = set()
    for seed, zone, locale in (("1", "Asia/Tokyo", "C"), ("2", "America/Lima", "tr_TR.UTF-8")):
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(_ROOT / "src"), "PYTHONHASHSEED": seed}
        env |= {"TZ": zone, "LC_ALL": locale, "PYTHONUTF8": "1", "GIT_DIR": "/nowhere"}
        for path in root.rglob("*.md"):
            os.utime(path, (int(seed) * 10**8, int(seed) * 10**9))
        done = subprocess.run([*command, str(root)], env=env, check=True, capture_output=True)
        said.add(done.stdout)
    assert len(said) == 1


def test_the_library_has_it_at_the_top() -> None:
    """`director.fresh` gives what the command prints."""
    made = director.fresh(_ROOT / "examples/bakery", "builder", task="1.2.2")
    assert made.text.startswith("<vision>\n")
    assert "Keep orders in the database" in made.text
