"""A project that was unpacked from somewhere: its repository runs nothing and leads nowhere."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from director.fresh_context import fresh
from director.planning.injection import expand_injected_commands
from director.planning.skill_commands import make_skill_command_runner
from planning.folders import SMALL, committed, git, written

PRIVATE = "Pay the blackmailer"


def run_skill(root: Path, command: str) -> str:
    """The text of a skill whose command is allowed, after it ran."""
    return expand_injected_commands(
        f"!`{command}`", [command.split(maxsplit=1)[0]], make_skill_command_runner(root)
    ).text


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository with a changed file, and a program in it that leaves a trace."""
    root = written(tmp_path / "project", {**SMALL, "note.txt": "one\n"})
    committed(root, "Bake the bread")
    (root / "note.txt").write_text("two\n")
    trap = root / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho THE TRAP RAN >&2\necho ran > {tmp_path}/trace\ncat\n")
    trap.chmod(0o755)
    return root


def plant_filter(root: Path) -> None:
    """A filter that git calls when it compares a file."""
    (root / ".gitattributes").write_text("*.txt filter=trap\n")
    for kind in ("clean", "smudge", "process"):
        git(root, "config", f"filter.trap.{kind}", f"{root}/trap.sh")


def plant_textconv(root: Path) -> None:
    """A program that git calls to show a file."""
    (root / ".gitattributes").write_text("*.txt diff=trap\n")
    git(root, "config", "diff.trap.textconv", f"{root}/trap.sh")


def plant_external_diff(root: Path) -> None:
    """A program that git calls to compare files."""
    git(root, "config", "diff.external", f"{root}/trap.sh")


def plant_driver(root: Path) -> None:
    """The same for the files of one attribute."""
    (root / ".gitattributes").write_text("*.txt diff=trap\n")
    git(root, "config", "diff.trap.command", f"{root}/trap.sh")


def plant_fsmonitor(root: Path) -> None:
    """A program that tells git what changed."""
    git(root, "config", "core.fsmonitor", f"{root}/trap.sh")


def plant_signature(root: Path) -> None:
    """A program that checks signatures in a log."""
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "gpg.program", f"{root}/trap.sh")


def plant_alias(root: Path) -> None:
    """A command of the repository's own."""
    git(root, "config", "alias.st", f"!{root}/trap.sh")


def plant_include(root: Path) -> None:
    """Settings that include settings."""
    (root / "more.config").write_text(f'[diff]\n\texternal = "{root}/trap.sh"\n')
    git(root, "config", "include.path", f"{root}/more.config")


def plant_hook(root: Path) -> None:
    """A hook that runs when the index is written."""
    hook = root / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text((root / "trap.sh").read_text())
    hook.chmod(0o755)


def plant_submodule(root: Path) -> None:
    """A repository in the repository, with settings of its own and a wish to be looked into."""
    inner = written(root / "inner", {"note.txt": "one\n"})
    committed(inner, "Inside")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "./inner", "inner")
    git(root, "config", "-f", ".gitmodules", "submodule.inner.ignore", "none")
    (inner / "note.txt").write_text("two\n")
    (inner / ".gitattributes").write_text("*.txt filter=trap\n")
    git(inner, "config", "filter.trap.clean", f"{root}/trap.sh")


def plant_lazy_fetch(root: Path) -> None:
    """Objects that are missing and fetched by a program."""
    git(root, "config", "extensions.partialClone", "origin")
    git(root, "config", "core.repositoryformatversion", "1")
    git(root, "config", "remote.origin.url", f"ext::{root}/trap.sh")
    git(root, "config", "protocol.ext.allow", "always")
    blob = git(root, "rev-parse", "HEAD:note.txt").strip()
    (root / f".git/objects/{blob[:2]}/{blob[2:]}").unlink()


PLANTS: list[Callable[[Path], None]] = [
    plant_filter,
    plant_textconv,
    plant_external_diff,
    plant_driver,
    plant_fsmonitor,
    plant_signature,
    plant_alias,
    plant_include,
    plant_hook,
    plant_submodule,
    plant_lazy_fetch,
]


@pytest.mark.promise("E5")
@pytest.mark.attack(
    "A repository's settings name programs (filters, drivers, hooks, aliases, lazy fetches), and a "
    "skill may run `git`",
    must="none of them is started",
    tries=55,
)
@pytest.mark.parametrize("plant", PLANTS)
def test_git_starts_no_program_that_a_repository_names(
    plant: Callable[[Path], None], hostile: Path, tmp_path: Path
) -> None:
    """Whatever a skill may run of git, nothing of the project is executed."""
    plant(hostile)
    commands = ["status", "diff", "diff --submodule=diff", "log -p --show-signature", "st"]
    for command in commands:
        assert "THE TRAP RAN" not in run_skill(hostile, f"git {command}")
    fresh(hostile, "builder")
    assert not (tmp_path / "trace").exists()


@pytest.mark.attack(
    "Git is made neutral so thoroughly that it no longer works",
    must="status, diff and log say what they say to a person",
    tries=4,
)
def test_honest_commands_of_git_still_answer(hostile: Path) -> None:
    """The positive control."""
    assert "modified:   note.txt" in run_skill(hostile, "git status")
    assert "-one\n+two" in run_skill(hostile, "git diff")
    assert "Bake the bread" in run_skill(hostile, "git log -n1")
    assert "note.txt" in run_skill(hostile, "git ls-files")


@pytest.mark.promise("E5")
@pytest.mark.attack(
    "An allowed command runs a file of the project through an interpreter",
    must="refused with words, whatever is allowed",
    tries=6,
)
@pytest.mark.parametrize(
    "command",
    ["python trap.py", "python3.11 trap.py", "perl trap.pl", "make", "npm test", "node trap.js"],
)
def test_interpreters_of_project_files_are_refused(command: str, hostile: Path) -> None:
    """To allow the word is not to allow what the project put behind it."""
    assert "starts other commands or runs files of the project" in run_skill(hostile, command)


CONNECT = {
    "unix": "use IO::Socket::UNIX; IO::Socket::UNIX->new(Peer => '{place}') and print 'in'",
    "tcp": "use IO::Socket::INET; IO::Socket::INET->new('127.0.0.1:{port}') and print 'in'",
    "udp": "use IO::Socket::INET; my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1:{port}', "
    "Proto => 'udp') and print 'in'",
    "child": "print 'in' if fork",
    "shell": "print `echo in`",
    "signal": "print 'in' if kill 0, {parent}",
    "outside": "open F, '<', '{secret}' and print 'in'",
}


@pytest.mark.promise("E5")
@pytest.mark.attack(
    "An allowed program connects to a UNIX socket or a server, starts another, signals, reads outside",
    must="the kernel denies each",
    tries=7,
)
@pytest.mark.parametrize("way", CONNECT)
def test_an_allowed_program_reaches_nothing(way: str, tmp_path: Path) -> None:
    """A program that would do it; the same lines succeed when they are not confined."""
    perl = shutil.which("perl", path="/usr/bin:/bin")
    if perl is None:
        pytest.skip("there is no perl to play the hostile program")
    (tmp_path / "secret").write_text("flour")
    root = written(tmp_path / "project", dict(SMALL))
    with (
        socket.socket(socket.AF_UNIX) as local,
        socket.socket() as server,
    ):
        local.bind(str(tmp_path / "s"))
        server.bind(("127.0.0.1", 0))
        for listener in (local, server):
            listener.listen()
        code = CONNECT[way].format(
            place=tmp_path / "s",
            port=server.getsockname()[1],
            parent=os.getpid(),
            secret=tmp_path / "secret",
        )
        free = subprocess.run([perl, "-e", code], capture_output=True, text=True, check=False)
        assert "in" in free.stdout
        assert "in" not in make_skill_command_runner(root)(["perl", "-e", code]).text


STARTS = [
    ["flock", "-F", "a.txt", "id", "-u"],
    ["flock", "-F", "a.txt", "ld.so", "id"],
    ["setarch", "-R", "id", "-u"],
    ["taskset", "1", "id", "-u"],
    ["chrt", "-o", "0", "id", "-u"],
    ["ionice", "-t", "id", "-u"],
    ["prlimit", "--nofile=64", "id", "-u"],
    ["perl", "-e", "exec 'id', '-u'"],
    # execveat, with the program as a file that is open
    ["perl", "-e", "open F,'<','/usr/bin/id'; syscall(322,fileno(F),my $e='',0,0,0x1000)"],
]


@pytest.mark.promise("E5")
@pytest.mark.attack(
    "An allowed program becomes another one, without a new process (`flock -F`, `setarch`, `exec`)",
    must="the kernel denies it, and the skill's text is refused for those that do nothing else",
    tries=9,
)
@pytest.mark.parametrize("argv", STARTS, ids=" ".join)
def test_an_allowed_program_becomes_no_other(argv: list[str], tmp_path: Path) -> None:
    """The runner is asked directly: names can be forgotten, the kernel forgets none."""
    root = written(tmp_path / "project", {**SMALL, "a.txt": "a\n"})
    printed = make_skill_command_runner(root)(argv).text
    assert "uid=" not in printed
    assert str(os.getuid()) not in printed.split()
    if argv[0] != "perl":
        assert "starts other commands" in run_skill(root, " ".join(argv))


@pytest.mark.attack(
    "Programs are confined so thoroughly that honest ones no longer start",
    must="programs, scripts of the system and what stands for another program answer",
    tries=5,
)
@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("cat a.txt", "apple"),
        ("egrep app a.txt", "apple"),
        ("fgrep app a.txt", "apple"),
        ("which cat", "/cat"),
        ("wc -l a.txt", "1 a.txt"),
    ],
)
def test_honest_programs_still_start(command: str, printed: str, tmp_path: Path) -> None:
    """The positive control; `which` is a script with an interpreter."""
    root = written(tmp_path / "project", {**SMALL, "a.txt": "apple\n"})
    assert printed in run_skill(root, command)


@pytest.mark.promise("E5")
@pytest.mark.attack(
    "A skill's `git ls-remote` names a server",
    must="no connection arrives",
)
def test_git_connects_nowhere(tmp_path: Path) -> None:
    """Its own transports are closed too."""
    root = written(tmp_path / "project", dict(SMALL))
    committed(root, "Bake the bread")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        run_skill(root, f"git ls-remote git://127.0.0.1:{server.getsockname()[1]}/x")
        with pytest.raises(TimeoutError):
            server.accept()


def lead_by_file(root: Path, private: Path) -> None:
    """A file in the place of the folder."""
    (root / ".git").write_text(f"gitdir: {private}/.git\n")


def lead_by_link(root: Path, private: Path) -> None:
    """A link in the place of the folder."""
    (root / ".git").symlink_to(private / ".git")


def lead_by_common(root: Path, private: Path) -> None:
    """A folder that says it belongs to another repository."""
    git(root, "init", "-q")
    (root / ".git/commondir").write_text(f"{private}/.git\n")


def lead_by_forged_worktree(root: Path, private: Path) -> None:
    """A worktree whose folder lies in the project, names it, and belongs to another repository."""
    forged = root / "forged"
    forged.mkdir()
    (forged / "HEAD").write_text((private / ".git/HEAD").read_text())
    (forged / "gitdir").write_text(f"{root}/.git\n")
    (forged / "commondir").write_text(f"{private}/.git\n")
    (root / ".git").write_text(f"gitdir: {forged}\n")


def lead_by_alternates(root: Path, private: Path) -> None:
    """Objects borrowed from another repository, and its newest commit as ours."""
    git(root, "init", "-q")
    (root / ".git/objects/info").mkdir(exist_ok=True)
    (root / ".git/objects/info/alternates").write_text(f"{private}/.git/objects\n")
    (root / ".git/HEAD").write_text(git(private, "rev-parse", "HEAD"))


def lead_by_chained_alternates(root: Path, private: Path) -> None:
    """The same over one step inside the project."""
    git(root, "init", "-q")
    step = root / "step"
    (step / "info").mkdir(parents=True)
    (root / ".git/objects/info").mkdir(exist_ok=True)
    (root / ".git/objects/info/alternates").write_text("../../step\n")
    (step / "info/alternates").write_text(f"{private}/.git/objects\n")
    (root / ".git/HEAD").write_text(git(private, "rev-parse", "HEAD"))


def _borrow(root: Path, private: Path, line: str) -> None:
    git(root, "init", "-q")
    (root / ".git/objects/info").mkdir(exist_ok=True)
    (root / ".git/objects/info/alternates").write_bytes(f"{line}\n".encode())
    (root / ".git/HEAD").write_text(git(private, "rev-parse", "HEAD"))


def lead_by_quoted_alternates(root: Path, private: Path) -> None:
    """Git undoes the quotes of C, in which a number stands for the first slash."""
    _borrow(root, private, f'"\\057{str(private)[1:]}/.git/objects"')


def lead_by_other_line_ends(root: Path, private: Path) -> None:
    """What ends a line to Python is a letter of a name to git; each half alone stays inside."""
    (root / "\rd").mkdir()
    _borrow(root, private, f"../../\rd/../../{private.name}/.git/objects")


def lead_by_names_before_links(root: Path, private: Path) -> None:
    """An older git takes `link/..` for nothing; the link leads so deep that two up stay inside."""
    (root / "a/b/c").mkdir(parents=True)
    (root / "link").symlink_to("a/b/c")
    _borrow(root, private, f"../../link/../../{private.name}/.git/objects")


def lead_by_links_inside(root: Path, private: Path) -> None:
    """A folder of our own whose parts are links."""
    git(root, "init", "-q")
    for name in ("objects", "refs"):
        place = root / ".git" / name
        place.rename(root / f"was-{name}")
        place.symlink_to(private / ".git" / name)


def lead_by_one_object(root: Path, private: Path) -> None:
    """Single objects as links, deep inside."""
    git(root, "init", "-q")
    for path in (private / ".git/objects").glob("??/*"):
        own = root / ".git/objects" / path.parent.name
        own.mkdir(exist_ok=True)
        (own / path.name).symlink_to(path)
    (root / ".git/HEAD").write_text(git(private, "rev-parse", "HEAD"))


LEADS: list[Callable[[Path, Path], None]] = [
    lead_by_file,
    lead_by_link,
    lead_by_common,
    lead_by_forged_worktree,
    lead_by_alternates,
    lead_by_chained_alternates,
    lead_by_quoted_alternates,
    lead_by_other_line_ends,
    lead_by_names_before_links,
    lead_by_links_inside,
    lead_by_one_object,
]


@pytest.mark.promise("E5")
@pytest.mark.attack(
    "A project's `.git` leads to another repository (gitdir file, link, commondir, alternates, "
    "links inside)",
    must="nothing of that repository is read, and the report says why",
    tries=11,
)
@pytest.mark.parametrize("lead", LEADS)
def test_no_other_repository_enters_a_context(
    lead: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    """Neither by the recent changes nor by a skill's command."""
    private = written(tmp_path / "private", {"diary.txt": "dear diary\n"})
    committed(private, PRIVATE)
    root = written(tmp_path / "project", dict(SMALL))
    lead(root, private)
    made = fresh(root, "builder")
    assert PRIVATE not in made.text
    assert any("outside of the project" in note for note in made.notes)
    for command in ("git log", "git show", "git status"):
        assert PRIVATE not in run_skill(root, command)


@pytest.mark.attack(
    "The check of where `.git` leads refuses honest worktrees and submodules",
    must="their own history is read",
    tries=2,
)
def test_worktrees_and_submodules_keep_their_history(tmp_path: Path) -> None:
    """The repository outside names them: that cannot be forged from inside."""
    root = written(tmp_path / "project", dict(SMALL))
    committed(root, "Bake the bread")
    git(root, "worktree", "add", "-q", str(tmp_path / "beside"))
    assert "Bake the bread" in fresh(tmp_path / "beside", "builder").text
    around = written(tmp_path / "around", {"a.txt": "a"})
    committed(around, "Around")
    git(around, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(root), "inner")
    assert "Bake the bread" in fresh(around / "inner", "builder").text
