"""Code of a workflow in an exported script: only what is on this list, for no sandbox is there.

A script runs as the user who starts it. So its code may compute with what it is given and reach
nothing: no attribute, name or module that is not listed here, no class, no file, no way to the
inside of an object. What is not on the list is refused by its name and line; nothing is left out
or rewritten.
"""

from __future__ import annotations

import ast
import datetime as dt
import keyword
import math
import symtable
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from director.workflow.expressions import LONGEST, PARSERS, parse_expression
from director.workflow.values import WorkflowError

_DEPTH, _NODES = 60, 5_000


def _public(*types: type) -> Iterator[str]:
    for each in types:
        yield from (name for name in dir(each) if not name.startswith("_"))


_RE = (
    "compile escape findall finditer fullmatch match search split sub subn error "
    "A ASCII I IGNORECASE M MULTILINE S DOTALL U UNICODE X VERBOSE"
).split()
# What may be imported, and which of its names may be used.
_MODULES: Mapping[str, frozenset[str]] = {
    "datetime": frozenset("date datetime time timedelta timezone UTC".split()),
    "json": frozenset("dumps loads JSONDecodeError".split()),
    "math": frozenset(name for name in dir(math) if not name.startswith("_")),
    "re": frozenset(_RE),
}
# A text that is formatted could name the inside of what it is given.
_ATTRIBUTES = frozenset(
    {
        *_public(str, list, dict, set, frozenset, tuple, int, float),
        *_public(dt.date, dt.datetime, dt.time, dt.timedelta),
        *_public(dt.timezone),
        *"group groups groupdict start end span string pattern lastindex lastgroup args".split(),
        *(name for names in _MODULES.values() for name in names),
    }
) - {"format", "format_map"}
_BUILTINS = frozenset(
    "abs all any bin bool chr dict divmod enumerate filter float format frozenset hex int "
    "isinstance iter len list map max min next oct ord pow print range repr reversed round set "
    "slice sorted str sum tuple zip ArithmeticError AssertionError AttributeError "
    "Exception IndexError KeyError LookupError OverflowError RuntimeError StopIteration TypeError "
    "ValueError ZeroDivisionError".split()
)
_SYNTAX = tuple(
    getattr(ast, name)
    for name in (
        "Module Expr Assign AugAssign AnnAssign For While If Break Continue Pass Return Raise Try "
        "ExceptHandler Assert FunctionDef Lambda arguments arg Nonlocal Import ImportFrom alias "
        "BoolOp NamedExpr BinOp UnaryOp IfExp Dict Set ListComp SetComp DictComp GeneratorExp "
        "comprehension Compare Call keyword FormattedValue JoinedStr Constant Attribute Subscript "
        "Starred Name List Tuple Slice boolop operator unaryop cmpop expr_context"
    ).split()
)
_WORDS: Mapping[type[ast.AST], str] = {
    ast.ClassDef: "a class",
    ast.With: "with",
    ast.Delete: "del",
    ast.Global: "global",
    ast.Match: "match",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Await: "await",
    ast.AsyncFunctionDef: "async def",
}


class ExportRefused(WorkflowError):
    """A workflow cannot become a script: which node, what in it, what to do."""


def write_code_function(name: str, given: Sequence[str], code: str, *, node: str) -> str:
    """Code of a node as a function that gives back its last expression; refused if not listed."""
    try:
        return _function(name, given, code)
    except _NotListed as problem:
        why = str(problem)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        why = "its code cannot be written as a script"
    raise ExportRefused(
        f"{node!r} cannot be exported as a script: {why}. A script runs without the sandbox, so "
        "its code may only compute. Nothing was written. Run the workflow with Director, or "
        "write the node with plain expressions, loops, functions and re, json, math or datetime."
    )


class _NotListed(Exception):
    """Something in the code is not on the list."""


def _function(name: str, given: Sequence[str], code: str) -> str:
    if len(code) > LONGEST:
        raise _NotListed(f"its code has more than {LONGEST:,} characters")
    if strange := [each for each in given if each.startswith("__")]:
        raise _NotListed(f"it is given the name {strange[0]!r}, which a script may not")
    tree = cast("ast.Module", parse_expression(code))
    _check(tree)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.Return(last.value)
    body = [each for each in tree.body if not _is_text(each)]
    args = ast.arguments([], [ast.arg(each) for each in given], None, [], [], None, [])
    function = ast.FunctionDef(name, args, body, [], None)
    module = ast.fix_missing_locations(ast.Module([function], []))
    written = ast.unparse(module)
    if ast.dump(parse_expression(written)) != ast.dump(module):
        raise _NotListed("its code reads in another way when it is written anew")
    used = set(_free(symtable.symtable(written, name, "exec")))
    if strange := sorted(used - {*_BUILTINS, *PARSERS, *_MODULES}):
        raise _NotListed(f"it uses {strange[0]!r}, which a script may not")
    if known := [ast.Import([ast.alias(each)]) for each in sorted(used & {*_MODULES})]:
        function.body = [*known, *body]
        written = ast.unparse(ast.fix_missing_locations(module))
    return written


def _free(table: symtable.SymbolTable) -> Iterator[str]:
    """The names that the code takes from outside of itself, as Python's own compiler sees it."""
    for child in table.get_children():
        yield from (each.get_name() for each in child.get_symbols() if each.is_global())
        yield from _free(child)


def _is_text(statement: ast.stmt) -> bool:
    """A text that stands alone says something about the code and does nothing."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _check(tree: ast.AST) -> None:
    """Every part of the code, and how deep and how much it is."""
    level: list[ast.AST] = [tree]
    seen = 0
    for _ in range(_DEPTH):
        for node in level:
            _check_one(node)
        seen += len(level)
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
        if not level:
            return
        if seen + len(level) > _NODES:
            raise _NotListed(f"its code has more than {_NODES:,} parts")
    raise _NotListed(f"its code is nested more than {_DEPTH} deep")


def _check_one(node: ast.AST) -> None:
    line = f" (line {getattr(node, 'lineno', 1)})"
    if not isinstance(node, _SYNTAX):
        word = _WORDS.get(type(node), type(node).__name__)
        raise _NotListed(f"it uses {word}{line}, which a script may not")
    for name in _names(node):
        if name.startswith("__") or keyword.iskeyword(name):
            raise _NotListed(f"it uses the name {name!r}{line}, which a script may not")
    if isinstance(node, ast.Attribute):
        if node.attr not in _ATTRIBUTES:
            raise _NotListed(f"it uses .{node.attr}{line}, which a script may not")
        if not isinstance(node.ctx, ast.Load):
            raise _NotListed(f"it sets .{node.attr}{line}, which a script may not")
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        raise _NotListed(f"it decorates a function{line}, which a script may not")
    if isinstance(node, ast.Import | ast.ImportFrom):
        _check_import(node, line)
    if isinstance(node, ast.Constant) and isinstance(node.value, bytes | complex):
        raise _NotListed(f"it holds {type(node.value).__name__}{line}, which is not JSON")


def _names(node: ast.AST) -> list[str]:
    """The names that a part of the code gives or asks for."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.Nonlocal):
        return node.names
    found = [getattr(node, field, None) for field in ("name", "asname", "arg")]
    return [each for each in found if isinstance(each, str)]


def _check_import(node: ast.Import | ast.ImportFrom, line: str) -> None:
    if isinstance(node, ast.Import):
        bad = next((each.name for each in node.names if each.name not in _MODULES), "")
    else:
        names = _MODULES.get(node.module or "", frozenset()) if not node.level else frozenset()
        wrong = next((each.name for each in node.names if each.name not in names), "")
        bad = f"{node.module}.{wrong}" if wrong else ""
    if bad:
        raise _NotListed(f"it imports {bad}{line}; a script may import {', '.join(_MODULES)}")
