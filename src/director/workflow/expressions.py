"""Conditions and code: Python that a sandbox will run over named values. Read here, never run.

A value reaches code under a name. No value is ever pasted into its text.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import symtable
import threading
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import lru_cache

from director.workflow.nearest import write_nearest_hint
from director.workflow.templates import (
    Lookup,
    Template,
    TemplateError,
    cut_at_templates,
    read_template,
    resolve_templates,
)
from director.workflow.values import Json, WorkflowError

_PARSING = threading.Lock()  # trees made in two threads at once break each other's depth count
LONGEST = 20_000  # characters of code
# What code is given besides Python itself: numbers, prices and dates as people write them.
PARSERS = ("parse_number", "parse_money", "parse_date")
MODULES = ("re", "json", "math", "datetime")  # known to code without an import
_SHORT = 2_000  # characters of code of which is remembered that it is right
_HINTED = 2_000  # characters that are searched for forms of other languages
_GIVEN = re.compile(r"value_\d+")
_STRING = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")
_OTHER: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"&&"), "&&", "and"),
    (re.compile(r"\|\|"), "||", "or"),
    (re.compile(r"!=="), "!==", "!="),
    (re.compile(r"==="), "===", "=="),
    (re.compile(r"!(?!=)"), "!", "not"),
    (re.compile(r"=>|\bfunction\b"), "=> or function", "lambda x: … or plain Python statements"),
    (re.compile(r"\?[^:]*:"), "c ? a : b", "a if c else b"),
    (re.compile(r"\bcontains\b"), "a contains b", "b in a"),
    (re.compile(r"\bequals\b"), "equals", "=="),
    (re.compile(r"\bmatches\b"), "matches", "a comparison of texts, or a transform with re"),
    (re.compile(r"\bexists\b"), "exists", "is not None"),
    (re.compile(r"\btrue\b"), "true", "True"),
    (re.compile(r"\bfalse\b"), "false", "False"),
    (re.compile(r"\b(null|undefined)\b"), "null", "None"),
    (re.compile(r"\b(const|let|var)\s"), "const, let, var", "name = value"),
    (re.compile(r"\.length\b"), ".length", "len(…)"),
)


def name_expression_templates(condition: str) -> tuple[str, dict[str, Template]]:
    """A condition with a name in place of each template, and the template of each name."""
    templates: dict[str, Template] = {}
    pieces = cut_at_templates(condition)
    for place in range(1, len(pieces), 2):
        template = read_template(pieces[place])
        if template.kind == "secret":
            raise TemplateError(f"{template}: a secret has no value that a condition could see.")
        named = f"value_{len(templates) + 1}"
        templates[named] = template
        pieces[place] = f" {named} "
    return "".join(pieces).strip(), templates


def fill_expression_values(condition: str, lookup: Lookup) -> tuple[str, dict[str, Json]]:
    """A condition as code, and the value of each name that stands for a template in it."""
    code, templates = name_expression_templates(condition)
    return code, {
        name: resolve_templates(str(template), lookup) for name, template in templates.items()
    }


def check_expression_condition(condition: str, *, names: Collection[str] = ()) -> None:
    """One Python expression over the given names and over templates."""
    code, templates = name_expression_templates(condition)
    tree = _parse_code(code, "eval", written=condition)
    used = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    for name, template in templates.items():
        if name not in used:
            raise WorkflowError(f"Take the quotes off {template}: it stands for a value.")
    _check_names(code, {*names, *templates}, "give it in 'input', or write {{%s}}")


def check_expression_code(code: str, *, names: Collection[str]) -> None:
    """An expression, or statements whose last is an expression: the result."""
    if len(code) <= _SHORT:
        _check_once(code, frozenset(names))
    else:
        _check_code(code, names)


@lru_cache(maxsize=8192)
def _check_once(code: str, names: frozenset[str]) -> None:
    """Check code that was not checked under these names before: a workflow is read many times."""
    _check_code(code, names)


def _check_code(code: str, names: Collection[str]) -> None:
    tree = _parse_code(code, "exec", written=code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Set) and isinstance(node.elts[0], ast.Set | ast.Dict):
            raise WorkflowError(
                "Code holds no {{…}}: give the value a name in 'input' and use the name."
            )
    body = tree.body if isinstance(tree, ast.Module) else []
    if not body or not isinstance(body[-1], ast.Expr):
        raise WorkflowError(
            "The last line must be an expression: its value is the result. "
            "End with what was computed, without return."
        )
    _check_names(code, names, "give it in 'input' under that name")


def check_expression_name(name: str) -> None:
    """A name under which a value can be handed to code."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise WorkflowError(f"{name!r} cannot be a name in Python: use letters, digits and _.")
    if _GIVEN.fullmatch(name):
        raise WorkflowError(f"{name!r} is the name of a template's value: choose another.")


def parse_expression(code: str, mode: str = "exec") -> ast.AST:
    """The tree of some Python; that a backslash is written once too seldom is no matter."""
    with _PARSING, _ignore_warnings():
        try:
            return ast.parse(code, mode=mode)
        except SystemError:  # another thread's library parsed at the same time: Python's gh-106905
            return ast.parse(code, mode=mode)


@contextmanager
def _ignore_warnings() -> Iterator[None]:
    """Whoever wrote the code does not see what Python warns of, and a run must not stop at it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _parse_code(code: str, mode: str, *, written: str) -> ast.AST:
    if len(code) > LONGEST:
        raise WorkflowError(
            f"The code has {len(code):,} characters and may have {LONGEST:,}. Take it apart into "
            "several transform nodes."
        )
    try:
        return parse_expression(code, mode)
    except (SyntaxError, ValueError) as problem:
        says = problem.msg if isinstance(problem, SyntaxError) else str(problem)
        raise WorkflowError(
            f"{written[:120]!r} is not Python: {says}.{' '.join(_other_forms(code))}"
        ) from None
    except (RecursionError, MemoryError):
        raise WorkflowError("This code is nested too deeply. Take it apart.") from None


def _other_forms(code: str) -> Iterator[str]:
    """What is said in another language, and how it is said in Python."""
    bare = _STRING.sub("''", code[:_HINTED])
    for pattern, written, right in _OTHER:
        if pattern.search(bare):
            yield f" Instead of {written} write {right}."
            bare = pattern.sub(" ", bare)


def _check_names(code: str, names: Collection[str], how: str) -> None:
    known = {*names, *PARSERS, *MODULES, *dir(builtins)}
    with _ignore_warnings():
        table = symtable.symtable(code, "code", "exec")
    for name in sorted(_free(table, top=True) - known):
        where = how % name if "%s" in how else how
        says = (
            "".join(_other_forms(name))
            or f" {where.capitalize()}.{write_nearest_hint(name, names)}"
        )
        raise WorkflowError(f"{name!r} names nothing here.{says}")


def _free(table: symtable.SymbolTable, *, top: bool) -> set[str]:
    """The names that code reads and nobody in it gives a value."""
    given = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    read = {
        s.get_name()
        for s in table.get_symbols()
        if s.is_referenced() and (top or s.is_global()) and s.get_name() not in given
    }
    inside = [_free(child, top=False) for child in table.get_children()]
    functions = {s.get_name() for s in table.get_symbols() if s.is_namespace()}
    return set().union(read, *inside) - (given | functions if top else set())
