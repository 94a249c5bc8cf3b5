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
from director.sections.system import prompt
from moved import list_moved
from sections.sentences import sentences

ROOT = Path(__file__).parents[2]
TABLE = tomllib.loads((Path(__file__).parent / "prompt_promises.toml").read_text())["sentence"]
_ASKS = 30  # the most sentences that only ask something of the model


def test_every_sentence_of_the_prompt_is_in_the_table_once() -> None:
    """A new or changed sentence needs a row, and a row without a sentence is out of date."""
    said = Counter(sentences(prompt("system")))
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


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row["says"])[:40])
def test_every_tool_of_a_sentence_is_called_by_one_of_its_tests(row: dict[str, Any]) -> None:
    """By its name in the file of the test; and one of the tests is run each time."""
    named = {word for word in re.findall(r"`(\w+)", row["says"]) if word in REGISTRY}
    texts, quick = "", not row["tests"]
    for each in row["tests"]:
        file, _, name = each.partition("::")
        texts += (text := (ROOT / file).read_text())
        function = next(n for n in ast.parse(text).body if getattr(n, "name", "") == name)
        marks = [ast.unparse(mark) for mark in getattr(function, "decorator_list", ())]
        quick = quick or ("pytest.mark.slow" not in marks and each not in list_moved())
    assert {name for name in named if not re.search(rf"\b{name}\b", texts)} == set()
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
