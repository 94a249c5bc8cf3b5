"""`./test --changed`: the tests of a change, by imports and names, the closest first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scripts.affected import Selection, choose_tests, list_changes, rank_tests, select_tests
from scripts.graph import Graph, read_graph

FILES = {
    "src/director/__init__.py": "",
    "src/director/store/__init__.py": "from director.store.store_opening import open_store\n",
    "src/director/store/store_opening.py": "from director.store import values\n",
    "src/director/store/values.py": "",
    "src/director/web/__init__.py": "",
    "src/director/web/app.py": (
        "from pathlib import Path\nfrom director.store import open_store\n"
        "PAGES = Path(__file__).parent / 'templates'\n"
    ),
    "src/director/web/templates/base.html": "<p>",
    "src/director/cli/__init__.py": "def main():\n    from director.web import app\n",
    "src/director/cli/__main__.py": "from director.cli import main\n",
    "src/director/alone.py": "",
    "docs/chat.md": "# Chat",
    "tests/conftest.py": "",
    "tests/rooms.py": "from director.web.app import PAGES\n",
    "tests/test_project.py": "",
    "tests/test_docs.py": "",
    "tests/test_cli.py": "COMMAND = ['-m', 'director.cli']\n",
    "tests/test_chat.py": "from pathlib import Path\nP = Path('x') / 'docs' / 'chat.md'\n",
    "tests/store/conftest.py": "from director.store import open_store\n",
    "tests/store/test_opening.py": "from director.store import open_store\n",
    "tests/store/test_golden.py": "GOLDEN = __file__ + 'golden'\nPROGRAM = 'killed.py'\n",
    "tests/store/killed.py": "",
    "tests/store/golden/old.db": "",
    "tests/web/test_app.py": "from rooms import PAGES\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project under git."""
    folder = tmp_path_factory.mktemp("project")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for arguments in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *arguments], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def graph(root: Path) -> Graph:
    """Its graph."""
    return read_graph(root, FILES)


def rank(graph: Graph, *changed: str) -> dict[str, float]:
    """The tests that a change reaches, without the rules of the house."""
    tests = [name for name in FILES if "/test_" in name and name != "tests/test_project.py"]
    return rank_tests(graph, changed, tests)


def test_a_name_that_a_package_passes_on_leads_to_where_it_is_made(graph: Graph) -> None:
    """The mirroring test is the closest, then its folder, then others."""
    ranks = rank(graph, "src/director/store/store_opening.py")
    order = sorted(ranks, key=lambda name: (ranks[name], name))
    assert order[:2] == ["tests/store/test_opening.py", "tests/store/test_golden.py"]
    assert ranks["tests/web/test_app.py"] > ranks["tests/store/test_golden.py"]


def test_a_child_process_is_followed_into_its_module_and_its_late_imports(graph: Graph) -> None:
    """`-m director.cli` reaches what the command imports when it runs."""
    assert "tests/test_cli.py" in rank(graph, "src/director/cli/__main__.py")
    assert "tests/test_cli.py" in rank(graph, "src/director/web/app.py")


def test_a_change_that_nothing_imports_reaches_no_test(graph: Graph) -> None:
    """No test by chance."""
    assert rank(graph, "src/director/alone.py") == {}


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("src/director/web/templates/base.html", "tests/web/test_app.py"),
        ("docs/chat.md", "tests/test_chat.py"),
        ("docs/chat.md", "tests/test_docs.py"),
        ("tests/store/golden/old.db", "tests/store/test_golden.py"),
        ("tests/store/killed.py", "tests/store/test_golden.py"),
        ("tests/store/conftest.py", "tests/store/test_golden.py"),
        ("tests/rooms.py", "tests/web/test_app.py"),
        ("tests/web/test_app.py", "tests/web/test_app.py"),
        ("pyproject.toml", "tests/test_chat.py"),
    ],
)
def test_files_that_are_no_modules_reach_the_tests_that_read_them(
    graph: Graph, changed: str, test: str
) -> None:
    """Templates, pages, recordings, programs, conftest files and helpers."""
    assert test in rank(graph, changed)


def test_the_closest_tests_are_chosen_until_the_time_is_used_up() -> None:
    """A long test is left out by itself, a whole file where nothing of it fits."""
    costs = {
        "near": {"seconds": 5.0, "long": {"test_hour": 3600.0, "test_short": 1.0}},
        "far": {"seconds": 5.0, "long": {}},
        "farther": {"seconds": 3.0, "long": {}},
    }
    ranks = {"near": 1.0, "far": 2.0, "farther": 3.0}
    assert choose_tests(ranks, costs, 10.0) == Selection(
        files=["near", "farther"],
        left_out_tests=["near::test_hour"],
        left_out_files=["far"],
        seconds=9.0,
    )


def test_an_uncommitted_and_an_untracked_file_are_changes(root: Path) -> None:
    """And what is chosen for them is what they reach, with the rules of the house."""
    path = root / "src/director/store/store_opening.py"
    path.write_text("import director.store.values\n")
    (root / "new.txt").write_text("")
    try:
        changed = list_changes(root, None)
        assert changed == ["new.txt", "src/director/store/store_opening.py"]
        chosen = select_tests(root, changed, 100.0)
    finally:
        path.write_text(FILES["src/director/store/store_opening.py"])
        (root / "new.txt").unlink()
    assert chosen.files[0] == "tests/store/test_opening.py"
    assert "tests/test_project.py" in chosen.files
    assert list_changes(root, "HEAD") == []
