"""Every sentence of the system prompt is in a table with the tests that do what it says."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from director.agent.tools import REGISTRY
from director.sections.section_texts import read_system_prompt
from moved import list_moved
from sections.sentences import sentences

ROOT = Path(__file__).parents[2]
TABLE = tomllib.loads((Path(__file__).parent / "prompt_promises.toml").read_text())["sentence"]
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# A call that a scripted model makes, or that is made without one; never a name in a comparison.
_CALLS = (
    r"(?:asks|ask|pull|run_tool|call)\w*\(\s*['\"]{0}['\"]|\b{0}\(|['\"]call['\"]: ['\"]{0}['\"]"
)
_ASKS = 28  # the most sentences that only ask something of the model


def test_every_sentence_of_the_prompt_is_in_the_table_once() -> None:
    """A new or changed sentence needs a row, and a row without a sentence is out of date."""
    said = Counter(sentences(read_system_prompt("system")))
    listed = Counter(row["says"] for row in TABLE)
    assert said - listed == Counter()
    assert listed - said == Counter()


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row["says"])[:40])
def test_every_test_that_is_named_exists(row: dict[str, list[str]]) -> None:
    """By its file and its name."""
    for named in row["tests"]:
        file, _, name = named.partition("::")
        tree = ast.parse((ROOT / file).read_text())
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def read_code(file: str, name: str) -> tuple[str, bool]:
    """The code of a test with what it uses of its file, and whether the test is slow.

    What a docstring or another test of the file says does not count.
    """
    tree = ast.parse((ROOT / file).read_text())
    known = {node.name: node for node in tree.body if isinstance(node, _DEFINED)}
    known |= {
        target.id: node
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    lent = {
        alias.name: path
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (path := f"tests/{node.module}".replace(".", "/"))
        for alias in node.names
        if (ROOT / f"{path}.py").exists()
    }
    used: dict[str, str] = {}
    wanted = [name]
    while wanted:
        now = wanted.pop()
        if now in lent and now not in used:
            used[now] = read_code(f"{lent[now]}.py", now)[0]
        if now in used or now not in known:
            continue
        used[now] = ast.unparse(_without_docstrings(known[now]))
        wanted += [one.id for one in ast.walk(known[now]) if isinstance(one, ast.Name)]
        wanted += [one.arg for one in ast.walk(known[now]) if isinstance(one, ast.arg)]
    marks = [ast.unparse(mark) for mark in getattr(known.get(name), "decorator_list", ())]
    return "\n".join(used.values()), "pytest.mark.slow" in marks


def _without_docstrings(node: ast.AST) -> ast.AST:
    for one in ast.walk(node):
        if isinstance(one, _DEFINED) and ast.get_docstring(one) is not None:
            one.body = one.body[1:] or [ast.Pass()]
    return node


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row["says"])[:40])
def test_every_tool_of_a_sentence_is_called_by_one_of_its_tests(row: dict[str, Any]) -> None:
    """As a call, in the test itself or in what it uses; and one of the tests is run each time."""
    named = {word for word in re.findall(r"`(\w+)", row["says"]) if word in REGISTRY}
    named -= set(row.get("words", ()))
    called, quick = "", not row["tests"]
    for each in row["tests"]:
        file, _, name = each.partition("::")
        code, slow = read_code(file, name)
        called += code
        quick = quick or (not slow and each not in list_moved())
    assert {name for name in named if not re.search(_CALLS.format(name), called)} == set()
    assert quick


def test_what_has_no_test_asks_something_of_the_model() -> None:
    """A sentence that names a tool, a field or a value promises something, and has a test."""
    asks = [str(row["says"]) for row in TABLE if not row["tests"]]
    assert len(asks) <= _ASKS
    assert [says for says in asks if "`" in says and "update_plan" not in says] == []


def test_a_text_is_taken_apart_into_its_sentences() -> None:
    """Headings and blocks are left out; a row of a table is a sentence."""
    text = "# Head\n\nOne is so. Two\nis too: yes.\n\n1. **Do.** It `works`.\n\n| a | b |\n```json x\n{}\n```\n"
    assert sentences(text) == ["One is so.", "Two is too: yes.", "It `works`.", "| a | b |"]
