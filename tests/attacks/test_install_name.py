"""The name to install: `director` is somebody else's project, and no line may lead there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from certificates import outside_environment
from director.distribution import NAME, install_line

ROOT = Path(__file__).parent.parent.parent
OTHERS = {".git", ".venv", "locked", "site", "dist", "__pycache__"}
INSTALL = re.compile(
    r"(?:pip|pipx|uv|uvx|poetry|conda)\b[^\n`]{0,40}\b(?:install|add)\s+([^\n`#]+)"
)
STRANGER = re.compile(r"""(?:^|[\s'"])director(?=[\s'"\[=<>~]|$)""")
LINE = re.compile(r"pip install '\.(?:\[([\w,-]+)\])?'")


def list_paths() -> Iterator[Path]:
    """Every file of the repository, but for this one, which names what is wrong."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(set(folders) - OTHERS)  # what is left out is not even looked into
        yield from (Path(folder, name) for name in sorted(files) if name != Path(__file__).name)


@cache
def read_texts() -> list[tuple[Path, str]]:
    """What is text among them, read once."""
    found = []
    for path in list_paths():
        try:
            found.append((path.relative_to(ROOT), path.read_text("utf-8")))
        except UnicodeDecodeError:
            continue
    return found


def list_extras() -> list[str]:
    """What install lines of the documentation and of messages ask for, each once."""
    found = {
        match[1] or ""
        for path, text in read_texts()
        if path.suffix in {".md", ".toml", ".json", ".html", ".txt"}
        for match in LINE.finditer(text)
    }
    said = {
        match[1]
        for path, text in read_texts()
        if path.parts[0] == "src"
        for match in re.finditer(r"install_line\(['\"]([\w,-]+)['\"]\)", text)
    }
    return sorted(found | said)


@pytest.mark.attack(
    "A user follows an install line, and the name on the package index belongs to a stranger",
    must="every line of the repository installs from a checkout, or by our own name",
    tries=30,
)
def test_no_line_installs_the_strangers_project() -> None:
    """In README, documentation, messages, skills and metadata alike."""
    wrong = [
        f"{path}: {match[0]}"
        for path, text in read_texts()
        for match in INSTALL.finditer(text)
        if STRANGER.search(match[1].partition(" in a checkout of")[0])
    ]
    wrong += [str(path) for path, text in read_texts() if re.search(r"\bdirector\[\w", text)]
    assert wrong == []
    named = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert named["name"] == NAME
    assert list(named["scripts"]) == ["director"]
    assert set(",".join(list_extras()).split(",")) - {""} <= set(named["optional-dependencies"])
    assert NAME in install_line("store") or "'.[store]'" in install_line("store")


@pytest.mark.attack(
    "A stranger's project is installed beside ours, and its metadata is taken for our own",
    must="no code asks for the version or the metadata of `director`",
)
def test_no_code_asks_for_the_strangers_version() -> None:
    """Where it is not installed, asking for it fails."""
    asked = re.compile(r"""\b(?:version|metadata|distribution|requires)\(\s*['"]director['"]""")
    assert [
        str(path) for path, text in read_texts() if path.suffix == ".py" and asked.search(text)
    ] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as a wheel."""
    place = tmp_path_factory.mktemp("wheel")
    build = ["pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(place)]
    subprocess.run([sys.executable, "-m", *build, str(ROOT)], check=True, timeout=300)
    return next(place.glob("*.whl"))


@pytest.mark.slow
@pytest.mark.attack(
    "An install line of the documentation does not work, and the user looks for another",
    must="each line, run in a fresh environment from the built wheel, gives a working command",
    tries=14,
)
@pytest.mark.parametrize("extra", list_extras())
def test_every_install_line_works(extra: str, wheel: Path, tmp_path: Path) -> None:
    """With nothing of ours around it."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True, timeout=300)
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    clean = outside_environment()
    clean.pop("PYTHONPATH", None)
    folder = tmp_path / "env" / "bin"
    line = [str(folder / "pip"), "install", "--quiet", wanted]
    subprocess.run(line, check=True, timeout=900, cwd=tmp_path, env=clean)
    ran = subprocess.run(
        [str(folder / "director"), "--version"],
        check=True,
        timeout=60,
        cwd=tmp_path,
        env=clean,
        capture_output=True,
        text=True,
    )
    assert ran.stdout.startswith("director ")
