"""The import graph of the project, read from the source without running it.

A file depends on what it imports wherever in it, on the conftest files above it, on the modules
and programs that its texts name (`-m director.cli`, code for a child process), and on the other
files that its texts name (`docs/chat.md`, a folder of templates). A weight says how loosely.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

_ROOTS = ("src", "tests", "bench", "")  # where imports begin; scripts are imported as scripts.name
_MODULE = re.compile(r"\bdirector(?:\.\w+)+")
DIRECT, NAMED, PACKAGE, BESIDE = 1.0, 2.0, 2.0, 3.0


@dataclass(frozen=True, slots=True)
class Source:
    """What one file says: what it imports (module, name or nothing), and its texts."""

    imports: frozenset[tuple[str, str]] = frozenset()
    texts: frozenset[str] = frozenset()


@dataclass(slots=True)
class Graph:
    """The files of a project; `users[file]` are the files that depend on it, with the weight."""

    users: dict[str, dict[str, float]] = field(default_factory=dict)

    def add(self, user: str, used: str, weight: float) -> None:
        """Let a file depend on another; the closest way counts."""
        if user != used:
            users = self.users.setdefault(used, {})
            users[user] = min(weight, users.get(user, weight))


def read_graph(root: Path, files: Iterable[str]) -> Graph:
    """Read the graph of these files, named relative to the root; some may exist no more."""
    names = sorted(files)
    modules = {module: name for name in names for module in _name_modules(name)}
    sources = {name: _read_source(root / name) for name in names if name.endswith(".py")}
    others = [name for name in names if not name.endswith(".py")]
    graph = Graph()
    for name, source in sources.items():
        for used, weight in _follow_imports(source, modules, sources):
            graph.add(name, used, weight)
        for used in _find_named_modules(source, modules, sources):
            graph.add(name, used, NAMED)
        for used in _find_programs(name, source, sources):
            graph.add(name, used, DIRECT)
        for above in PurePosixPath(name).parents:
            if (conftest := str(above / "conftest.py")) in sources:
                graph.add(name, conftest, DIRECT)
    _add_others(graph, others, sources)
    return graph


def _name_modules(name: str) -> Iterator[str]:
    """The names under which a file can be imported."""
    if not name.endswith(".py"):
        return
    for root in _ROOTS:
        if name.startswith(f"{root}/") or not root:
            dotted = name.removeprefix(f"{root}/" if root else "").removesuffix(".py")
            yield dotted.removesuffix("/__init__").replace("/", ".")


def _read_source(path: Path) -> Source:
    try:
        tree = ast.parse(path.read_text())
    except (
        OSError,
        SyntaxError,
        UnicodeDecodeError,
    ):  # deleted, or broken: its own tests will tell
        return Source()
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    imports: set[tuple[str, str]] = set()
    texts: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imports |= {(node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in docstrings:
                texts.add(node.value)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            texts.add(_join_path(node))
    return Source(frozenset(imports), frozenset(texts - {""}))


def _join_path(node: ast.expr) -> str:
    """The constant end of a path: "docs/chat.md" of `root / "docs" / "chat.md"`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        end = _join_path(node.right)
        begin = _join_path(node.left)
        return f"{begin}/{end}" if begin and end else end
    return ""


def _follow_imports(
    source: Source, modules: dict[str, str], sources: dict[str, Source]
) -> Iterator[tuple[str, float]]:
    """The files that a file imports; a name that a package passes on leads to where it is made."""
    for module, name in source.imports:
        made_in = _find_origin(module, name, modules, sources)
        if made_in:
            yield made_in, DIRECT
        if (file := modules.get(module)) and file != made_in:
            yield file, PACKAGE


def _find_origin(
    module: str, name: str, modules: dict[str, str], sources: dict[str, Source]
) -> str | None:
    """The file in which an imported name is made."""
    if name and f"{module}.{name}" in modules:
        return modules[f"{module}.{name}"]
    file = modules.get(module)
    for _ in range(5):  # a package may pass on what another passed on
        passed = file and file.endswith("__init__.py") and sources[file].imports
        again = next((each for each, inside in passed or () if name and inside == name), None)
        if again is None or again not in modules:
            return file
        file = modules[again]
    return file


def _find_named_modules(
    source: Source, modules: dict[str, str], sources: dict[str, Source]
) -> Iterator[str]:
    """The modules that texts name: the longest beginning that is one."""
    for text in source.texts:
        for named in _MODULE.findall(text) if "director." in text else ():
            parts = named.split(".")
            names = (".".join(parts[:end]) for end in range(len(parts), 1, -1))
            if found := next((modules[name] for name in names if name in modules), None):
                yield found
                main = found.replace("__init__.py", "__main__.py")
                if main in sources:
                    yield main


def _find_programs(name: str, source: Source, sources: dict[str, Source]) -> Iterator[str]:
    """The programs beside a file that its texts name, such as "cases.py"."""
    folder = PurePosixPath(name).parent
    for text in source.texts:
        if text.endswith(".py") and len(text) < 100:
            for beside in (str(folder / text), text):
                if beside in sources:
                    yield beside


def _add_others(graph: Graph, others: list[str], sources: dict[str, Source]) -> None:
    """Let files that are not Python be used by those that name them, or else by their package."""
    folders: dict[str, list[str]] = {}
    texts: dict[str, list[str]] = {}
    for name, source in sources.items():
        folders.setdefault(str(PurePosixPath(name).parent), []).append(name)
        for text in source.texts:
            texts.setdefault(text.strip("/"), []).append(name)
    for other in others:
        path = PurePosixPath(other)
        for user in _find_readers(path, texts):
            graph.add(user, other, DIRECT)
        home = next((str(above) for above in path.parents if str(above) in folders), ".")
        for user in folders[home] if home != "." else ():
            graph.add(user, other, BESIDE)


def _find_readers(path: PurePosixPath, texts: dict[str, list[str]]) -> Iterator[str]:
    """The files that name a path, or a folder that it is in, or from above one step of the way."""
    yield from texts.get(path.name, ())
    for above in [path, *path.parents]:
        yield from texts.get(str(above), ())
        users = texts.get(above.name, ())
        yield from (user for user in users if PurePosixPath(user).parent in path.parents)
