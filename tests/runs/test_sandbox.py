"""Whatever code does, it ends within its limits with a clear error, and the next call works."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from director.runs.sandbox import Sandbox, SandboxError, SandboxLimits

ESCAPES = {
    "a module of the system": "import os\nos.system('true')",
    "the environment": "import os\nos.environ['PATH']",
    "a folder": "import os\nos.listdir('/')",
    "a file": "open('/etc/passwd').read()",
    "a path": "from pathlib import Path\nPath('/etc/passwd').read_text()",
    "the way over classes": "().__class__.__bases__[0].__subclasses__()",
    "the way over getattr": "getattr((), '__cla' + 'ss__')",
    "the way over functions": "def f(): pass\nf.__globals__",
    "the globals": "globals()",
    "an import in disguise": "__import__('os')",
    "an import inside eval": "eval(\"__import__('os').getcwd()\")",
    "an import inside exec": "exec('import subprocess')",
    "other programs": "import subprocess",
    "the machine": "import ctypes",
    "the network": "import socket",
    "the end of the program": "raise SystemExit",
}
BOMBS = {
    "an endless loop": "while True: pass",
    "a loop that catches everything": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    "endless recursion": "def f(): return f()\nf()",
    "a growing list": "x = []\nwhile True: x.append('abc' * 1000)",
    "a huge text": "'a' * 10**12",
    "a huge number": "2 ** 2 ** 40",
    "a huge sum": "sum(range(10**12))",
    "a huge list": "list(range(10**8))",
    "endless printing": "while True: print('x' * 1000)",
    "deep nesting": "x = []\nfor _ in range(100000): x = [x]\nx",
    "deep source": "[" * 5000 + "]" * 5000,
    "a large result": "'a' * 6_000_000",
}
WRONG = {
    "1 +": "Line 1: SyntaxError",
    "a = 1\na / 0": "Line 2: ZeroDivisionError",
    "nothing_of_this_name": "NameError",
    "{1, 2}": "not JSON",
    "b'bytes'": "not JSON",
    "float('nan')": "not JSON",
    "{1: 2}": "not JSON",
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox for all: what one call does must not touch the next."""
    with Sandbox(SandboxLimits(seconds=0.5)) as opened:
        yield opened


@pytest.mark.parametrize("code", [*ESCAPES.values(), *BOMBS.values()], ids=[*ESCAPES, *BOMBS])
def test_nothing_gets_out_or_goes_on_for_ever(sandbox: Sandbox, code: str) -> None:
    """A clear error, and the next call works."""
    with pytest.raises(SandboxError, match=r"\w"):
        asyncio.run(sandbox.value(code, {}))
    assert asyncio.run(sandbox.value("a + 1", {"a": 1})) == 2


def test_a_pattern_that_explodes_elsewhere_ends(sandbox: Sandbox) -> None:
    """Either with an answer or with an error."""
    code = "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b') is None"
    assert asyncio.run(sandbox.value(code, {})) is True


@pytest.mark.parametrize("code", WRONG)
def test_an_error_says_where_and_what(sandbox: Sandbox, code: str) -> None:
    """The line and the message, or what a result may be."""
    with pytest.raises(SandboxError, match=WRONG[code]):
        asyncio.run(sandbox.value(code, {}))


def test_values_arrive_as_values(sandbox: Sandbox) -> None:
    """Whatever they hold; nothing is pasted into the text."""
    value = {"text": "'; import os #", "list": [1, 2.5, None, True]}
    assert asyncio.run(sandbox.value("value", {"value": value})) == value


def test_a_name_that_python_does_not_know_is_refused(sandbox: Sandbox) -> None:
    """Before anything runs."""
    with pytest.raises(SandboxError, match="'not a name'"):
        asyncio.run(sandbox.value("1", {"not a name": 1}))


def test_a_condition_gives_true_or_false(sandbox: Sandbox) -> None:
    """Something else is an error, so that nothing is taken for a no."""
    assert asyncio.run(sandbox.holds("n > 1", {"n": 2})) is True
    with pytest.raises(SandboxError, match="not True or False"):
        asyncio.run(sandbox.holds("n", {"n": 0}))
