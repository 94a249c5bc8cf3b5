"""The figures of the code's shape: what each counts, and the ceiling that may only fall."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.shape import (
    Figure,
    compare,
    find_fallen,
    is_explained,
    is_participle,
    measure,
    read_ceiling,
    write_ceiling,
)

FILES = {
    "src/director/a/values.py": "class Line: ...\nclass _Own: ...\ndef kept(): ...\ndef read(): ...\n",
    "src/director/b/values.py": "class Line: ...\nclass _Own: ...\nclass Page: ...\n",
    "src/director/a/page.py": "",
    "src/director/b/page.py": "",
    "src/director/a/errors.py": "def _told_of(): ...  # noqa: X\n",
    "src/director/b/errors.py": "class Box:\n    def held(self): ...\n",
    "src/director/c1.py": "from director import c2\n",
    "src/director/c2.py": "from director.c3 import x\n",
    "src/director/c3.py": "def x():\n    import director.c1\n",
    "src/director/long.py": "def big():\n" + "    x = 1\n" * 400,
    "docs/glossary.md": "# G\n\n| word | meaning |\n|---|---|\n| limit, target | a |\n| limit | b |\n",
}


@pytest.fixture
def figures(tmp_path: Path) -> dict[str, Figure]:
    """Those of a small project."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return measure(tmp_path)


def test_each_figure_counts_what_it_says(figures: dict[str, Figure]) -> None:
    """Private classes do not count; `errors.py` and `values.py` mean the same kind everywhere."""
    assert {title: each.value for title, each in figures.items()} == {
        "class names that mean two classes": 1,
        "functions named by a participle": 3,
        "module names with two meanings": 1,
        "modules in the largest import cycle": 3,
        "import cycles of more than 5": 0,
        "files of more than 400 lines": 1,
        "functions of more than 40 lines": 1,
        "words of the glossary": 3,
        "lines with noqa": 1,
    }
    assert figures["module names with two meanings"].names == {"page": 2}
    assert figures["functions named by a participle"].names == {"_told_of": 1, "held": 1, "kept": 1}


@pytest.mark.parametrize(
    ("word", "answer"),
    [("told", True), ("listed", True), ("need", False), ("embed", False), ("split", False)],
)
def test_a_participle_is_told_from_a_verb(word: str, answer: object) -> None:
    """Words that are verbs as well do not count."""
    assert is_participle(word) is answer


@pytest.mark.parametrize(
    ("folders", "answer"),
    [
        (("workflow/types", "runs/nodes"), True),
        (("cli", "web/api", "sections"), True),
        (("cli", "web/api", "workflow"), True),
        (("workflow", "store"), False),
        (("cli", "workflow", "store"), False),
        (("workflow/types", "runs/nodes", "store"), False),
        # A surface presents one noun, and a format is another.
        (("cli", "context/wire", "models"), False),
    ],
)
def test_a_name_in_several_packages_means_one_thing_only_in_a_family(
    folders: tuple[str, ...], answer: object
) -> None:
    """Any other module that takes a name which is there already is counted."""
    assert is_explained(folders) is answer


def test_a_figure_that_rose_names_what_is_new() -> None:
    """Also where a known name occurs once more."""
    known = {"classes": Figure(2, {"Line": 2, "Page": 2})}
    assert compare({"classes": Figure(2, {"Line": 2, "Other": 2})}, known) == []
    assert compare({"classes": Figure(3, {"Line": 3, "Page": 2, "Box": 2})}, known) == [
        "classes: 3, at most 2. New: Line, Box"
    ]


def test_only_figures_that_fell_are_stored(tmp_path: Path) -> None:
    """A figure without a ceiling gets one."""
    path = tmp_path / "shape.json"
    assert read_ceiling(path) == {}
    write_ceiling(path, {"a": Figure(2, {"x": 2}), "b": Figure(1, {"y": 1})})
    now = {"a": Figure(1, {}), "b": Figure(5, {}), "c": Figure(0, {})}
    assert find_fallen(now, read_ceiling(path)) == ["a", "c"]
