"""Commands in a skill are found always, run only if allowed, and can do nothing but read."""

from __future__ import annotations

from pathlib import Path

import pytest

from director.fresh_context import Own, fresh
from director.planning.injection import (
    Output,
    expand_injected_commands,
    find_injected_commands,
    find_wrong_injections,
    refuse_injected_command,
)
from director.planning.skill_commands import make_skill_command_runner
from planning.folders import SMALL, committed, git, written


def text_of(root: Path, text: str, *allowed: str) -> str:
    """A text with its commands run, in a project."""
    return expand_injected_commands(text, allowed, make_skill_command_runner(root)).text


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a secret beside it and links that lead there."""
    (tmp_path / "secret.txt").write_text("secret")
    made = written(tmp_path / "project", {**SMALL, "note.txt": "hello !`cat note.txt`\n"})
    (made / "link.txt").symlink_to(tmp_path / "secret.txt")
    (made / "linked").symlink_to(tmp_path)
    return made


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("!`ls -l`", ["ls -l"]),
        ("a !`ls` b\n!`cat x`", ["ls", "cat x"]),
        ("a!`ls`", []),
        ("`!ls`", []),
        ("```\n!`ls`\n```\n", []),
        ("~~~\n\n!`ls`\n\n~~~\n!`cat x`", ["cat x"]),
        ("````\n```\n!`ls`\n```\n````\n", []),
        ("> ```\n> !`ls`\n> ```\n", []),
        ("```\n!`ls`\n", []),
        ("- item\n  ```\n  !`ls`\n  ```\n", []),
        ("``!`ls` ``", []),
        ("!`ls\ncat`", []),
        ("\\!`ls`", []),
        ("---\na: !`ls`\n---\n\n!`cat x`", ["cat x"]),
        ("<!-- !`ls` -->", ["ls"]),
    ],
)
def test_commands_are_found_where_a_host_would_run_them(text: str, commands: list[str]) -> None:
    """At the start of a line or behind a space; not in fences, not in code."""
    assert [one.command for one in find_injected_commands(text)] == commands


def test_the_wrong_form_is_pointed_out_with_the_right_one() -> None:
    """The mark belongs ahead of the backtick."""
    assert find_wrong_injections("a\nsee `!cat x` now") == [
        "line 2: `!cat x` is not run by anyone: the mark belongs ahead of the backtick, !`cat x`"
    ]


@pytest.mark.promise("E5")
@pytest.mark.parametrize(
    "command",
    [
        *("cat ../secret.txt", "cat a/../../secret.txt", "cat ..", "cat /etc/passwd", "cat ~/x"),
        *("head --file=/etc/passwd", "head --file=../x", "cat a\x00b", "cat 'open", "", "   "),
        *(
            "cat x; rm y",
            "cat x && ls",
            "cat x | sh",
            "cat x > y",
            "cat < x",
            "cat $HOME",
            "cat $(ls)",
        ),
        *("cat *.md", "cat x?", "cat {a,b}", "cat \\x", "ls & ls", "cat [ab]", "cat ~root", "# ls"),
        *("/bin/cat x", "./run.sh", "bin/x", "git -C elsewhere log", "git -c core.pager=x log"),
        *("git diff --output=x", "git grep -O", "git diff --no-index a b", "git log --ext-diff"),
        *("bash -c ls", "sh x", "env cat x", "xargs cat", "sudo ls", "timeout 9 cat x"),
        *("find . -exec ls", "find . -execdir ls", "git log -oX", "git --git-dir=x log"),
        "cat x\nrm y",
    ],
)
def test_what_could_reach_further_is_refused_whatever_is_allowed(command: str, root: Path) -> None:
    """Traversal, absolute paths, nulls, shell syntax, programs by path, reaching options."""
    assert refuse_injected_command(command)
    ran: list[object] = []
    allowed = [command.split(maxsplit=1)[0]] if command.split() else ["cat"]
    try:
        done = expand_injected_commands(
            f"!`{command}`", allowed, lambda argv: ran.append(argv) or Output("")
        )
    except ValueError:
        done = None
    assert ran == []
    assert done is None or all(one.outcome == "refused" for one in done.injected)
    assert "secret" not in text_of(root, f"!`{command}`", "cat").replace("secret.txt", "")


@pytest.mark.promise("E5")
@pytest.mark.parametrize("path", ["link.txt", "linked/secret.txt", "linked"])
def test_a_link_that_leads_out_is_refused(path: str, root: Path) -> None:
    """Wherever in the path it stands."""
    told = text_of(root, f"!`cat {path}`", "cat")
    assert told == f"[!cat {path}: failed, {path!r} leads out of the project]"


@pytest.mark.promise("E5")
@pytest.mark.parametrize(
    "command", ["grep -R secret .", "grep -R secret linked2", "find -L . -name secret", "ls -LR ."]
)
def test_a_command_that_walks_through_links_reads_nothing_outside(
    command: str, root: Path, tmp_path: Path
) -> None:
    """Its arguments name nothing that leads out; what it meets on the way does."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden/deep.txt").write_text("the secret is flour")
    (root / "inner").mkdir()
    (root / "inner/link").symlink_to(tmp_path / "hidden")
    (root / "linked2").symlink_to(root / "inner")
    told = text_of(root, f"!`{command}`", command.split(maxsplit=1)[0])
    assert "flour" not in told
    assert "deep.txt" not in told


def test_git_reads_the_repository_that_a_worktree_belongs_to(root: Path, tmp_path: Path) -> None:
    """That repository names the worktree too; one that does not is out of reach."""
    committed(root, "Bake the bread")
    git(root, "worktree", "add", "-q", str(tmp_path / "beside"))
    assert "Bake the bread" in text_of(tmp_path / "beside", "!`git log`", "git log")
    (tmp_path / "stranger").mkdir()
    (tmp_path / "stranger/.git").write_text((tmp_path / "beside/.git").read_text())
    assert "Bake the bread" not in text_of(tmp_path / "stranger", "!`git log`", "git log")


@pytest.mark.promise("E5")
def test_only_what_is_listed_runs(root: Path) -> None:
    """A rule is the beginning of a command, word by word."""
    assert "not allowed" in text_of(root, "!`cat note.txt`")
    assert "not allowed" in text_of(root, "!`cat note.txt`", "ca", "cat other", "catnote")
    assert text_of(root, "!`head -n1 note.txt`", "head -n1") == "hello !`cat note.txt`\n"


@pytest.mark.promise("E5")
def test_output_is_not_looked_at_again(root: Path) -> None:
    """One pass: a placeholder in what a command printed stays a text."""
    assert text_of(root, "!`cat note.txt`", "cat") == "hello !`cat note.txt`\n"


@pytest.mark.promise("E5")
@pytest.mark.parametrize(
    "command", ["touch new.txt", "rm note.txt", "cp note.txt b.txt", "mkdir d", "tee note.txt"]
)
def test_a_command_cannot_change_the_project(command: str, root: Path) -> None:
    """Even if it is allowed: nothing is writable to it."""
    before = sorted(path.name for path in root.iterdir())
    told = text_of(root, f"!`{command}`", command.split(maxsplit=1)[0])
    assert "failed" in told
    assert sorted(path.name for path in root.iterdir()) == before
    assert (root / "note.txt").read_text() == "hello !`cat note.txt`\n"


def test_time_and_output_are_bounded(root: Path) -> None:
    """A command that hangs is ended, one that talks is cut at a line."""
    hang = expand_injected_commands(
        "!`sleep 60`", ["sleep"], make_skill_command_runner(root, seconds=0.2)
    )
    assert "took more than 0.2 seconds" in hang.text
    (root / "long.txt").write_text("0123456789\n" * 10_000)
    long = expand_injected_commands(
        "!`cat long.txt`", ["cat"], make_skill_command_runner(root, most=1_000)
    ).text
    assert len(long) < 1_100
    assert long.endswith("0123456789\n[… only the first 1,000 bytes are shown]\n")


def test_a_failure_is_named_in_its_place_and_the_others_go_on(root: Path) -> None:
    """One bad command spoils nothing else."""
    told = text_of(root, "!`cat missing` then !`head -c5 note.txt`", "cat", "head")
    assert told.startswith("[!cat missing: failed, it ended with 1:")
    assert told.endswith("] then hello")


def test_output_is_in_the_context_the_budget_and_the_manifest(root: Path) -> None:
    """It gives way before the step does, and says so."""
    (root / "long.txt").write_text("words and words\n" * 500)
    own = Own("SKILL.md", "Look:\n\n!`cat long.txt`\n\nand !`ls`, `!ls`.\n")
    made = fresh(root, "verifier", instructions=[own], allow=["cat"])
    assert "words and words" in made.text
    commands = made.manifest["commands"]
    assert [(one["outcome"], one["output_bytes"]) for one in commands] == [
        ("ran", 8_000),
        ("not allowed", 0),
    ]  # type: ignore[union-attr, index, call-overload]
    assert any("belongs ahead of the backtick" in note for note in made.notes)
    small = fresh(root, "verifier", instructions=[own], allow=["cat"], window=4_000)
    assert small.tokens <= 1_200
    assert "words and words" not in small.text
    assert "the output of" in small.text
