"""The data folder: one place, private, and files that are written whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from director.home import HomeError, home, lock_file, write_private

posix = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")


def test_the_folder_is_the_one_that_is_named(tmp_path: Path) -> None:
    """It is made, with all above it, and found again."""
    wanted = tmp_path / "a" / "b"
    assert home({"DIRECTOR_HOME": str(wanted)}) == wanted
    assert wanted.is_dir()
    assert home({"DIRECTOR_HOME": str(wanted)}) == wanted


@posix
def test_the_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    """Whatever the mask; one that was there keeps its mode."""
    before = os.umask(0)
    try:
        made = home({"DIRECTOR_HOME": str(tmp_path / "made")})
    finally:
        os.umask(before)
    assert made.stat().st_mode & 0o777 == 0o700
    made.chmod(0o755)
    assert home({"DIRECTOR_HOME": str(made)}).stat().st_mode & 0o777 == 0o755


def test_a_relative_name_and_a_tilde_become_a_whole_path(tmp_path: Path) -> None:
    """So that it stays the same when the program moves."""
    assert home({"DIRECTOR_HOME": os.path.relpath(tmp_path)}) == tmp_path
    assert home({"DIRECTOR_HOME": "~"}) == Path.home()


@pytest.mark.skipif(sys.platform != "linux", reason="each system has its own usual place")
@pytest.mark.parametrize("chosen", [{}, {"DIRECTOR_HOME": ""}])
def test_without_a_name_it_is_the_usual_place_of_the_system(
    tmp_path: Path, chosen: dict[str, str]
) -> None:
    """Made without a word or a warning, even where nothing is set up."""
    code = "from director.home import home; print(home())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={"HOME": str(tmp_path), **chosen},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert Path(done.stdout.strip()) == tmp_path / ".local" / "share" / "director"
    assert (tmp_path / ".local" / "share" / "director").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_is_said_with_the_way_out(tmp_path: Path) -> None:
    """A file may be in the way."""
    (tmp_path / "file").write_text("")
    for name in ("file", "file/below"):
        with pytest.raises(HomeError, match="Name another one in DIRECTOR_HOME"):
            home({"DIRECTOR_HOME": str(tmp_path / name)})


def test_without_platformdirs_it_says_what_to_do() -> None:
    """Install it, or name a folder."""
    code = """
import sys
sys.modules["platformdirs"] = None
from director.home import HomeError, home
try:
    home({})
except HomeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        "pip install '.[store]' in a checkout of Director, or name a folder in DIRECTOR_HOME"
        in done.stdout
    )


@posix
def test_a_private_file_replaces_the_old_one_and_is_private(tmp_path: Path) -> None:
    """Even if the old one was open to all."""
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o666)
    write_private(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    """A folder in its place stays as it is."""
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inside").write_text("kept")
    with pytest.raises(OSError, match="taken"):
        write_private(tmp_path / "taken", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert (tmp_path / "taken" / "inside").read_text() == "kept"


def test_only_one_holds_the_lock_of_a_file(tmp_path: Path) -> None:
    """A count that each reads, waits with and writes back comes out right."""
    path = tmp_path / "count"
    path.write_text("0")

    def add() -> None:
        for _ in range(20):
            with lock_file(path):
                number = int(path.read_text())
                write_private(path, str(number + 1).encode())

    threads = [threading.Thread(target=add) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert path.read_text() == "80"
