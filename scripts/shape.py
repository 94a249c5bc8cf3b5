"""Figures of the code's shape, held under a ceiling that may only fall.

    python -m scripts.shape           compare with scripts/shape.json; fails if a figure rose
    python -m scripts.shape --lower   store the figures that fell (without a file: all of them)

A class name that occurs twice, a function named by a participle, a module name with two meanings,
an import cycle, a long file or function, a word of the glossary, a `noqa`: each costs a reader
something.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.cycles import find_cycles

ROOT = Path(__file__).parent.parent
CEILING = Path("scripts/shape.json")
LONG_FILE, LONG_FUNCTION, LARGE_CYCLE = 400, 40, 5
# File names that mean the same kind of thing in every package.
SAME_KIND = {"__init__", "__main__", "errors", "models", "schema", "values"}
# Folders in which one name means one thing, of which each folder has its own part.
FAMILIES = (
    {"workflow/types", "runs/nodes"},  # a type of node: what it declares, and what it does
    {"context/wire", "models", "middleware"},  # a provider's or framework's format
    # The three APIs of the double, which are built alike.
    {"testing/double/chat", "testing/double/messages", "testing/double/responses"},
)
# What presents a noun is named after it, as is the one module that has it.
SURFACES = {"cli", "web/api", "web/views", "web/reading", "services", "sections", "mcp"}
IRREGULAR = set(
    """beaten become begun born borne bought bound broken brought built cast caught chosen done
    drawn driven eaten fallen felt forgotten found frozen given gone grown heard held hidden hung
    kept known laid led left lent lost made meant met paid ridden risen said seen sent shaken shown
    slept sold sought spent spoken stolen stood struck stuck swept sworn taken taught thought
    thrown told torn understood withdrawn woken won worn wound written""".split()
)
NOT_PARTICIPLES = set(
    "bed embed exceed feed indeed need proceed red seed shed speed succeed".split()
)
Tree = dict[str, tuple[str, ast.Module]]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure, and the names that make it up with how often or how long each is."""

    value: int
    names: dict[str, int]


def measure(root: Path) -> dict[str, Figure]:
    """All figures of a project."""
    paths = sorted((root / "src").rglob("*.py"))
    tree: Tree = {}
    for path in paths:
        text = path.read_text()
        tree[path.relative_to(root).as_posix()] = text, ast.parse(text)
    cycles = find_cycles({name: module for name, (_, module) in tree.items()})
    large = [cycle for cycle in cycles if len(cycle) > LARGE_CYCLE]
    in_large = {name: len(cycle) for cycle in large for name in cycle}
    return {
        "class names that mean two classes": _count_names(_repeat(_list_classes(tree))),
        "functions named by a participle": _sum_names(Counter(_list_participles(tree))),
        "module names with two meanings": _count_names(_list_ambiguous_modules(tree)),
        "modules in the largest import cycle": Figure(max(map(len, cycles), default=0), in_large),
        f"import cycles of more than {LARGE_CYCLE}": Figure(len(large), in_large),
        f"files of more than {LONG_FILE} lines": _count_names(_list_long_files(tree)),
        f"functions of more than {LONG_FUNCTION} lines": _count_names(_list_long_functions(tree)),
        "words of the glossary": _sum_names(_list_words(root / "docs" / "glossary.md")),
        "lines with noqa": _sum_names(_list_noqa(tree)),
    }


def _count_names(names: Mapping[str, int]) -> Figure:
    return Figure(len(names), dict(sorted(names.items())))


def _sum_names(names: Mapping[str, int]) -> Figure:
    return Figure(sum(names.values()), dict(sorted(names.items())))


def _repeat(names: Iterator[str]) -> dict[str, int]:
    return {name: count for name, count in Counter(names).items() if count > 1}


def _list_classes(tree: Tree) -> Iterator[str]:
    """Public classes of modules."""
    for _, module in tree.values():
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name


def _list_functions(tree: Tree) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path, (_, module) in tree.items():
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node


def _list_participles(tree: Tree) -> Iterator[str]:
    """Functions and methods whose first word is a past participle."""
    for _, node in _list_functions(tree):
        if is_participle(node.name.strip("_").split("_")[0]):
            yield node.name


def is_participle(word: str) -> bool:
    """Whether a word is a past participle and nothing else: `read`, `cut` and `run` are verbs."""
    return word in IRREGULAR or (word.endswith("ed") and word not in NOT_PARTICIPLES)


def _list_ambiguous_modules(tree: Tree) -> dict[str, int]:
    """The names of modules in several folders that nothing explains, with how many they are."""
    folders: dict[str, list[str]] = {}
    for path in tree:
        found = Path(path).relative_to("src/director")
        if found.stem not in SAME_KIND:
            folders.setdefault(found.stem, []).append(found.parent.as_posix())
    return {name: len(each) for name, each in folders.items() if not is_explained(each)}


def is_explained(folders: Sequence[str]) -> bool:
    """Whether modules of one name in these folders mean one thing.

    One module has it and surfaces present it, or all of them are of one family.
    """
    core = [folder for folder in folders if folder not in SURFACES]
    is_family = any(set(folders) <= family for family in FAMILIES)
    return len(core) <= 1 or is_family


def _list_long_files(tree: Tree) -> dict[str, int]:
    sizes = {path: text.count("\n") for path, (text, _) in tree.items()}
    return {path: size for path, size in sizes.items() if size > LONG_FILE}


def _list_long_functions(tree: Tree) -> dict[str, int]:
    sizes = {
        f"{path}::{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path, node in _list_functions(tree)
    }
    return {name: size for name, size in sizes.items() if size > LONG_FUNCTION}


def _list_words(page: Path) -> dict[str, int]:
    """The words in the first column of the tables, several to a row."""
    rows = re.findall(r"^\| *(.+?) *\|", page.read_text(), re.MULTILINE) if page.exists() else []
    words = [word.strip() for row in rows if row != "word" for word in row.split(",")]
    return Counter(word for word in words if word.strip("-: "))


def _list_noqa(tree: Tree) -> dict[str, int]:
    counts = {path: text.count("noqa") for path, (text, _) in tree.items()}
    return {path: count for path, count in counts.items() if count}


def compare(figures: Mapping[str, Figure], ceiling: Mapping[str, Figure]) -> list[str]:
    """A line for each figure that rose, with the names that are new."""
    lines = []
    for title, figure in figures.items():
        known = ceiling.get(title)
        if known is not None and figure.value > known.value:
            new = [name for name, n in figure.names.items() if n > known.names.get(name, 0)]
            lines.append(f"{title}: {figure.value}, at most {known.value}. New: {', '.join(new)}")
    return lines


def find_fallen(figures: Mapping[str, Figure], ceiling: Mapping[str, Figure]) -> list[str]:
    """The titles of the figures that are lower than stored, or not stored yet."""
    return [
        title
        for title, figure in figures.items()
        if title not in ceiling or figure.value < ceiling[title].value
    ]


def read_ceiling(path: Path) -> dict[str, Figure]:
    """The stored figures; none if there is no file yet."""
    stored = json.loads(path.read_text()) if path.exists() else {}
    return {title: Figure(each["value"], each["names"]) for title, each in stored.items()}


def write_ceiling(path: Path, figures: Mapping[str, Figure]) -> None:
    """Store figures."""
    stored = {title: {"value": each.value, "names": each.names} for title, each in figures.items()}
    path.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n")


def main(root: Path = ROOT) -> int:
    """Compare, and with --lower store what fell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lower", action="store_true", help="store the figures that fell")
    lower = parser.parse_args().lower
    figures, ceiling = measure(root), read_ceiling(root / CEILING)
    for title, figure in figures.items():
        print(f"{figure.value:>6}  {title}")
    sizes = [path.read_text().count("\n") for path in (root / "src").rglob("*.py")]
    print(f"{statistics.median(sizes):>6.0f}  lines in the median file")
    risen, fallen = compare(figures, ceiling), find_fallen(figures, ceiling)
    if fallen and lower:
        write_ceiling(root / CEILING, {**ceiling, **{title: figures[title] for title in fallen}})
    elif fallen:
        print(f"fell: {', '.join(fallen)}; `python -m scripts.shape --lower` stores that")
    for line in risen:
        print(f"rose: {line}")
    return int(bool(risen))


if __name__ == "__main__":
    sys.exit(main())
