"""Import cycles: modules that all reach each other by imports, wherever in a file these stand."""

from __future__ import annotations

import ast
from collections.abc import Mapping


def find_cycles(tree: Mapping[str, ast.Module]) -> list[list[str]]:
    """The cycles of the modules of a source folder, by path, the largest first."""
    names = {_name_module(path): path for path in tree}
    edges = {path: sorted(_list_imports(module, names) - {path}) for path, module in tree.items()}
    found = [sorted(part) for part in _find_components(edges) if len(part) > 1]
    return sorted(found, key=lambda part: (-len(part), part))


def _name_module(path: str) -> str:
    dotted = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__")
    return dotted.replace("/", ".")


def _list_imports(module: ast.Module, names: Mapping[str, str]) -> set[str]:
    """The paths that a module imports: of `from a import b` the module a.b, or else a."""
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {names[alias.name] for alias in node.names if alias.name in names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if name := next((each for each in (inner, node.module) if each in names), None):
                    found.add(names[name])
    return found


def _find_components(edges: Mapping[str, list[str]]) -> list[list[str]]:
    """Tarjan's strongly connected components, without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    components: list[list[str]] = []
    for root in edges:
        work = [(root, iter(edges[root]))] if root not in index else []
        while work:
            node, following = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
            for other in following:
                if other not in index:
                    work.append((other, iter(edges[other])))
                    break
                if other in stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    place = stack.index(node)
                    components.append(stack[place:])
                    del stack[place:]
    return components
